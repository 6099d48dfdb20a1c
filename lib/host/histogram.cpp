// Histograms on the host: chunks on threads.
// SPDX-License-Identifier: MIT
#include "host/histogram.h"

#include "core/dtype.h"
#include "core/size.h"
#include "host/bin_of.h"
#include "host/parallel.h"
#include "host/vectors.h"

#include <array>
#include <cstring>
#include <limits>
#include <numeric>

namespace gpcl::host {
namespace {

constexpr size_t kBytes = 256;
constexpr size_t kCopies = 4;

// Bytes, a bin each. Neighbouring elements go to different sub-histograms: equal ones, as in runs,
// would wait for each other's counter. One load brings a word of them.
template <class Count> void count_bytes(size_t n, const uint8_t *in, Count *counts) {
    uint32_t sub[kCopies][kBytes] = {};
    static_assert(kCopies == 4);
    const auto count_half = [&](uint32_t four) {
        ++sub[0][four & 0xff];
        ++sub[1][four >> 8 & 0xff];
        ++sub[2][four >> 16 & 0xff];
        ++sub[3][four >> 24];
    };
    size_t i = 0;
    for (uint64_t word = 0; i + sizeof word <= n; i += sizeof word) {
        std::memcpy(&word, in + i, sizeof word);
        count_half(static_cast<uint32_t>(word));
        count_half(static_cast<uint32_t>(word >> 32));
    }
    for (; i < n; ++i) ++sub[0][in[i]];
    for (size_t bin = 0; bin < kBytes; ++bin) counts[bin] += sub[0][bin] + sub[1][bin] + sub[2][bin] + sub[3][bin];
}

// Bytes in any bins: those of their 256 values.
template <class Count> void count_bytes(gp_dtype dtype, size_t n, const uint8_t *in, const Bins &bins, Count *counts) {
    std::array<uint64_t, kBytes> each{};
    std::array<uint8_t, kBytes> values;
    std::iota(values.begin(), values.end(), uint8_t{0});
    count_bytes(n, in, each.data());
    for_each_in_bins(dtype, kBytes, values.data(), bins,
                     [&](size_t value, size_t bin) { counts[bin] += static_cast<Count>(each[value]); });
}

// ---- few bins: how many elements are below each edge, by compares of vectors

// Bytes of as many elements as there are bins, up to which this is faster than to search for a bin,
// to guess and to know it.
constexpr size_t kMostSearched = 512, kMostGuessed = 256, kMostKnown = 128;

bool are_few(const Bins &bins, size_t size) {
    return bins.count * size <= (bins.whole ? kMostKnown : bins.even || bins.near_even ? kMostGuessed : kMostSearched);
}

template <class Bits> struct Edges {
    using Signed = std::make_signed_t<Bits>;
    size_t count = 0;
    // Edges as signed numbers, and how many elements are below them, lane by lane, as negative
    // ones.
    // NOLINTNEXTLINE(modernize-avoid-c-arrays): of vectors
    Vector<Signed> keys[kMostSearched / sizeof(Bits) + 1], below[kMostSearched / sizeof(Bits) + 1];

    void add(uint64_t key) {
        const auto sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
        keys[count] = Vector<Signed>{} + static_cast<Signed>(static_cast<Bits>(key) ^ sign);
        below[count++] = Vector<Signed>{};
    }
    uint64_t sum(size_t edge) const {
        uint64_t result = 0;
        for (size_t lane = 0; lane < sizeof(Vector<Signed>) / sizeof(Signed); ++lane)
            result -= static_cast<uint64_t>(int64_t{below[edge][lane]});
        return result;
    }
};

// Elements become signed numbers in the order of keys.
template <class Bits>
[[gnu::always_inline]] inline void compare_inline(gp_dtype dtype, size_t n, const Bits *in, Edges<Bits> &edges) {
    using Signed = typename Edges<Bits>::Signed;
    using Lanes = Vector<Signed>;
    constexpr size_t kLanes = sizeof(Lanes) / sizeof(Bits), kVectors = 4, kStep = kVectors * kLanes;
    constexpr Signed kGreatest = std::numeric_limits<Signed>::max();
    const bool is_unsigned = dtype >= GP_UINT8 && dtype <= GP_UINT64;
    const auto flip = static_cast<Signed>(is_unsigned ? std::numeric_limits<Signed>::min() : 0);
    const auto flip_negative = static_cast<Signed>(is_float(dtype) ? kGreatest : 0);
    std::array<Bits, kStep> rest; // with elements that are below no edge
    for (size_t i = 0; i < n; i += kStep) {
        const Bits *from = in + i;
        if (n - i < kStep) {
            rest.fill(static_cast<Bits>(kGreatest ^ flip));
            std::copy_n(from, n - i, rest.data());
            from = rest.data();
        }
        Lanes x[kVectors]; // NOLINT(modernize-avoid-c-arrays): of vectors
#pragma GCC unroll 4
        for (size_t v = 0; v < kVectors; ++v) {
            load_vector(from + v * kLanes, x[v]);
            x[v] ^= ((x[v] < 0) & flip_negative) ^ flip;
        }
        for (size_t edge = 0; edge < edges.count; ++edge) {
            const Lanes key = edges.keys[edge];
            edges.below[edge] += ((x[0] < key) + (x[1] < key)) + ((x[2] < key) + (x[3] < key));
        }
    }
}
#ifdef GPCL_HAVE_X86
template <class Bits>
[[gnu::target("avx2")]] void compare_avx2(gp_dtype dtype, size_t n, const Bits *in, Edges<Bits> &edges) {
    compare_inline(dtype, n, in, edges);
}
#endif
template <class Bits> void compare(gp_dtype dtype, size_t n, const Bits *in, Edges<Bits> &edges) {
#ifdef GPCL_HAVE_X86
    if (has_avx2()) return compare_avx2(dtype, n, in, edges);
#endif
    compare_inline(dtype, n, in, edges);
}

// At most 2^16 elements, so that lanes of 16 bits do not overflow.
template <class Bits, class Count>
void count_by_edges(gp_dtype dtype, size_t n, const Bits *in, const Bins &bins, Count *counts) {
    const size_t reach = bins.whole ? static_cast<size_t>(bins.last - bins.first) + 1 : bins.lows.size();
    Edges<Bits> edges; // NOLINT(cppcoreguidelines-pro-type-member-init): add() fills it
    for (size_t bin = 0; bin < reach; ++bin) edges.add(bins.whole ? bins.first + bin : bins.lows[bin]);
    const bool is_above = bins.last < std::numeric_limits<Bits>::max(); // may elements be?
    if (is_above) edges.add(bins.last + 1);
    compare(dtype, n, in, edges);
    uint64_t below = edges.sum(0);
    for (size_t bin = 0; bin < reach; ++bin) {
        const uint64_t next = bin + 1 < reach || is_above ? edges.sum(bin + 1) : n;
        counts[bin] += static_cast<Count>(next - below);
        below = next;
    }
}

// ---- any bins

template <class Bits, class Count>
void count(gp_dtype dtype, size_t n, const Bits *in, const Bins &bins, Count *counts) {
    for_each_in_bins(dtype, n, in, bins, [&](size_t, size_t bin) { ++counts[bin]; });
}

} // namespace

void histogram(gp_dtype dtype, size_t n, const void *in, const Bins &bins, uint64_t *counts) {
    std::fill(counts, counts + bins.count, 0);
    if (bins.empty()) return;
    const size_t size = gpcl::dtype(dtype).size;
    const bool bytes = size == 1 && n > 4 * kBytes, is_few = are_few(bins, size);
    // Enough that a chunk's own counters cost little beside it, few enough for 32 bits.
    const size_t chunk = std::max(size_t{1} << 16, 8 * bins.count);
    std::mutex mutex;
    with_bits(dtype, [&](auto type) {
        const auto *from = static_cast<const decltype(type) *>(in);
        const auto count_some = [&](size_t begin, size_t some, auto *to) {
            if constexpr (sizeof type == 1) {
                if (bytes) return count_bytes(dtype, some, from + begin, bins, to);
            } else {
                if (is_few) return count_by_edges(dtype, some, from + begin, bins, to);
            }
            count(dtype, some, from + begin, bins, to);
        };
        if (n <= chunk) return count_some(0, n, counts);
        // Half a nanosecond a byte, four an element where bins are searched, guessed or known.
        const size_t cost = bytes ? chunk / 2 : is_few ? chunk * (bins.count * size + 32) / 128 : chunk * 4;
        parallel_for(ceil_div(n, chunk), cost, [&](size_t k) {
            std::vector<uint32_t> mine(bins.count);
            count_some(k * chunk, std::min(chunk, n - k * chunk), mine.data());
            const std::lock_guard lock(mutex);
            for (size_t bin = 0; bin < bins.count; ++bin) counts[bin] += mine[bin];
        });
    });
}

void histogram_loop(gp_dtype dtype, size_t n, const void *in, const Bins &bins, uint64_t *counts) {
    std::fill(counts, counts + bins.count, 0);
    if (bins.empty()) return;
    with_bits(dtype, [&](auto type) { count(dtype, n, static_cast<const decltype(type) *>(in), bins, counts); });
}

} // namespace gpcl::host

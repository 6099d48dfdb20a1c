// Histograms on the host: chunks on threads.
// SPDX-License-Identifier: MIT
#include "host/histogram.h"

#include "core/dtype.h"
#include "core/half.h"
#include "core/size.h"
#include "host/parallel.h"

#include <bit>

namespace gpcl::host {
namespace {

constexpr size_t kBytes = 256;
constexpr size_t kCopies = 4;

// Bytes, a bin each. Neighbouring elements go to different sub-histograms: equal ones, as in runs,
// would wait for each other's counter.
void count_bytes(size_t n, const uint8_t *in, uint32_t *counts) {
    uint32_t sub[kCopies][kBytes] = {};
    size_t i = 0;
    for (; i + kCopies <= n; i += kCopies) {
        for (size_t copy = 0; copy < kCopies; ++copy) ++sub[copy][in[i + copy]];
    }
    for (; i < n; ++i) ++sub[0][in[i]];
    for (size_t bin = 0; bin < kBytes; ++bin) counts[bin] += sub[0][bin] + sub[1][bin] + sub[2][bin] + sub[3][bin];
}

// The last bin whose low is not above a key, which is in a bin. Where bins are even, or
// nearly, `place` is in that bin or close to it.
size_t bin_of(const Bins &bins, uint64_t key, double place) {
    const uint64_t *lows = bins.lows.data();
    const size_t reach = bins.lows.size();
    if (bins.even || bins.near_even) {
        const auto last = static_cast<double>(reach - 1);
        size_t guess = place > 0 ? static_cast<size_t>(std::min(place, last)) : 0; // 0 for NaN too
        if (lows[guess] > key) --guess;                                            // the first low is above no key
        for (size_t bin = guess; bin < std::min(guess + 3, reach); ++bin)
            if (lows[bin] <= key && (bin + 1 == reach || lows[bin + 1] > key)) return bin;
    }
    return static_cast<size_t>(std::upper_bound(lows, lows + reach, key) - lows) - 1;
}

// Where an element lies among even bins, but for rounding.
template <class Bits> double place_of(gp_dtype dtype, Bits bits, uint64_t key, const Bins &bins) {
    double value = static_cast<double>(key - bins.first);
    if (dtype == GP_FLOAT64) value = std::bit_cast<double>(uint64_t{bits});
    if (dtype == GP_FLOAT32) value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (dtype == GP_FLOAT16) value = half_to_float(static_cast<uint16_t>(bits));
    return (value - bins.lower) * bins.scale;
}

template <class Bits, class Count>
void count(gp_dtype dtype, size_t n, const Bits *in, const Bins &bins, Count *counts) {
    for (size_t i = 0; i < n; ++i) {
        const uint64_t key = key_of(dtype, in[i], 8 * sizeof(Bits));
        if (key < bins.first || key > bins.last) continue;
        ++counts[bins.whole ? key - bins.first : bin_of(bins, key, place_of(dtype, in[i], key, bins))];
    }
}

template <class F> void with_bits(gp_dtype code, F &&f) {
    switch (dtype(code).size) {
    case 1: return f(uint8_t{});
    case 2: return f(uint16_t{});
    case 4: return f(uint32_t{});
    default: return f(uint64_t{});
    }
}

} // namespace

void histogram(gp_dtype dtype, size_t n, const void *in, const Bins &bins, uint64_t *counts) {
    std::fill(counts, counts + bins.count, 0);
    if (bins.empty()) return;
    const bool bytes = dtype == GP_UINT8 && bins.whole && bins.first == 0 && bins.count == kBytes;
    // Enough that a chunk's own counters cost little beside it, few enough for 32 bits.
    const size_t chunk = std::max(size_t{1} << 16, 8 * bins.count);
    std::mutex mutex;
    with_bits(dtype, [&](auto type) {
        const auto *from = static_cast<const decltype(type) *>(in);
        parallel_for(ceil_div(n, chunk), std::min(chunk, n) * (bytes ? 1 : 8) / 2, [&](size_t k) {
            std::vector<uint32_t> mine(bins.count);
            const size_t size = std::min(chunk, n - k * chunk);
            if constexpr (sizeof type == 1) {
                if (bytes) count_bytes(size, from + k * chunk, mine.data());
            }
            if (!bytes) count(dtype, size, from + k * chunk, bins, mine.data());
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

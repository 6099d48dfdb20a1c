// Histograms on the host: chunks on threads.
// SPDX-License-Identifier: MIT
#include "host/histogram.h"

#include "core/dtype.h"
#include "core/size.h"
#include "host/bin_of.h"
#include "host/parallel.h"

#include <cstring>

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

template <class Bits, class Count>
void count(gp_dtype dtype, size_t n, const Bits *in, const Bins &bins, Count *counts) {
    for_each_in_bins(dtype, n, in, bins, [&](size_t, size_t bin) { ++counts[bin]; });
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
        const auto count_some = [&](size_t begin, size_t some, auto *to) {
            if constexpr (sizeof type == 1) {
                if (bytes) return count_bytes(some, from + begin, to);
            }
            count(dtype, some, from + begin, bins, to);
        };
        if (n <= chunk) return count_some(0, n, counts);
        parallel_for(ceil_div(n, chunk), chunk * (bytes ? 1 : 8) / 2, [&](size_t k) {
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

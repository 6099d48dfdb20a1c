// Histograms on the host: chunks on threads.
// SPDX-License-Identifier: MIT
#include "host/histogram.h"

#include "core/dtype.h"
#include "core/size.h"
#include "host/bin_of.h"
#include "host/parallel.h"

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

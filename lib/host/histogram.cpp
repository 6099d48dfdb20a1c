// Histogram of bytes on the host: chunks on threads. Neighbouring elements go to different sub-histograms: equal ones, as
// in runs, would wait for each other's counter.
// SPDX-License-Identifier: MIT
#include "host/histogram.h"

#include "core/size.h"
#include "host/parallel.h"

namespace gpcl::host {
namespace {

constexpr size_t kBins = 256;
constexpr size_t kChunk = 1 << 20; // few enough for counters of 32 bits
constexpr size_t kCopies = 4;

} // namespace

void histogram(size_t n, const uint8_t *in, uint64_t *counts) {
    std::fill(counts, counts + kBins, 0);
    std::mutex mutex;
    parallel_for(ceil_div(n, kChunk), kChunk / 2, [&](size_t chunk) {
        uint32_t sub[kCopies][kBins] = {};
        const uint8_t *from = in + chunk * kChunk;
        const size_t size = std::min(kChunk, n - chunk * kChunk);
        size_t i = 0;
        for (; i + kCopies <= size; i += kCopies) {
            for (size_t copy = 0; copy < kCopies; ++copy) ++sub[copy][from[i + copy]];
        }
        for (; i < size; ++i) ++sub[0][from[i]];
        const std::lock_guard lock(mutex);
        for (size_t bin = 0; bin < kBins; ++bin) counts[bin] += sub[0][bin] + sub[1][bin] + sub[2][bin] + sub[3][bin];
    });
}

void histogram_loop(size_t n, const uint8_t *in, uint64_t *counts) {
    std::fill(counts, counts + kBins, 0);
    for (size_t i = 0; i < n; ++i) ++counts[in[i]];
}

} // namespace gpcl::host

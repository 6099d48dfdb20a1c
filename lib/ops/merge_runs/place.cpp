// What the host and the device are measured with, for "auto".
// SPDX-License-Identifier: MIT
#include "ops/merge_runs/merge_runs.h"

#include "ops/place.h"

namespace gpcl::merge_runs {
namespace {

// Of 16 runs.
void sample(place::Sample &s) {
    constexpr size_t kRuns = 16;
    const size_t length = s.work / 4 / kRuns, n = length * kRuns;
    const size_t size = dtype(s.dtype).size;
    auto *const keys = s.room<std::byte>(n * size);
    auto *const offsets = s.room<uint64_t>((kRuns + 1) * sizeof(uint64_t));
    for (size_t run = 0; run < kRuns; ++run) {
        if (length > 0) std::memcpy(keys + run * length * size, sorted_values(s, s.dtype, length), length * size);
        offsets[run + 1] = (run + 1) * length;
    }
    void *const out = s.room(n * size);
    s.time([&] { return gp_merge_runs(s.context, s.dtype, n, keys, kRuns, offsets, out, nullptr); });
}

} // namespace

double work_of_runs(size_t n, size_t runs) {
    return real(n) * std::max(1.0, real(static_cast<size_t>(std::bit_width(runs | 1)) - 1));
}

const place::Kind kKind = {"merge-runs", "keys a round", sample};

} // namespace gpcl::merge_runs

// Products cut along k. Host side of kernels/matmul/split_k.cl.
// SPDX-License-Identifier: MIT
#include "ops/matmul/split_k.h"

namespace gpcl::matmul {

uint64_t slices_of(const cl::Context &context, uint64_t groups, uint64_t k, uint64_t least) {
    constexpr uint64_t kGroupsPerUnit = 4;
    constexpr uint64_t kMost = 256;
    const uint64_t wanted = context.info().compute_units * kGroupsPerUnit / std::max<uint64_t>(groups, 1);
    return std::clamp<uint64_t>(std::min(wanted, k / least), 1, kMost);
}

// Reckoned: a unit works on two groups at a time; one alone, whose waits nothing hides, takes 4/3
// of the time that half the unit's work would; and each begins with half a step of waiting.
uint64_t slices_of_tiles(const cl::Context &context, uint64_t tiles, uint64_t steps, uint64_t sums) {
    constexpr uint64_t kMost = 256;
    const uint64_t units = context.info().compute_units;
    uint64_t best = 1, least = UINT64_MAX;
    for (uint64_t slices = 1; slices <= std::min(steps, kMost); ++slices) {
        const uint64_t groups = ceil_div(tiles * slices, units); // of the busiest unit
        const uint64_t time = (3 * groups + groups % 2) * (2 * ceil_div(steps, slices) + 1) +
                              (slices > 1 ? 6 * sums * (1 + tiles * slices / units) : 0); // in sixths of a step
        if (time + time / 32 < least) {                                                   // worth more memory
            best = slices;
            least = time;
        }
    }
    return best;
}

Slices::Slices(cl::Task &task, const Request &request, uint64_t count, uint64_t width, uint64_t parts)
    : count(count), width(width), pitch(round_up(request.n, width)) {
    if (count <= 1) return;
    const size_t rows = multiply(multiply(request.m, request.batch, "sums"), count, "sums");
    sums = task.work_space(multiply(multiply(rows, pitch, "sums"), value_size(request), "sums"));
    if (parts > 0) ended.emplace(task.cleared_space(multiply(parts, sizeof(uint32_t), "tiles")));
}

} // namespace gpcl::matmul

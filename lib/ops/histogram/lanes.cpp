// Histogram for GPUs: counters for each bin and lane. Host side of kernels/histogram/lanes.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/histogram/histogram.h"

#include <bit>

namespace gpcl::histogram {
namespace {

constexpr size_t kLanes = 32;
constexpr size_t kLocalBytes = kBins * kLanes * sizeof(uint32_t);
constexpr size_t kMerge = 256;
// Measured on an H200, n = 2^30, GB/s by work-items, vectors loaded at once, work-groups a compute unit: 1024, 4, 2: 3861;
// 1024, 2, 2: 3617; 512, 8, 3: 3724; 512, 4, 3: 3648; 256, 4, 6: 2953. Constant data is as fast.
constexpr size_t kGroup = 1024;
constexpr size_t kAtOnce = 4;
constexpr size_t kGroupsPerUnit = 2;

size_t group_size(const cl::Context &context) {
    // On CPUs, where work-items run one after another, large work-groups only cost.
    return std::bit_floor(std::min(context.is_cpu() ? kLanes : kGroup, context.info().work_group_size));
}

void run(cl::Task &task, const Request &request) {
    const auto &info = task.context().info();
    const size_t group = group_size(task.context());
    const size_t merging = std::bit_floor(std::min(kMerge, info.work_group_size));
    const auto program = task.program(
        {"histogram/lanes.cl", text("-DGP_GROUP=", group, " -DGP_AT_ONCE=", kAtOnce) + merge_options(merging)});
    // Enough to fill the device; none with 2^32 elements.
    const size_t useful = ceil_div(request.n, group * kAtOnce * sizeof(cl_uint4));
    const size_t groups =
        std::max(std::min(useful, kGroupsPerUnit * info.compute_units), ceil_div(request.n, kLargestPart));
    const auto partial = task.work_space(groups * kBins * sizeof(uint32_t));
    task.launch(*program, "histogram_lanes", cl::Range::groups(groups, group), request.in, partial,
                uint64_t{request.n});
    merge(task, *program, merging, partial, groups, request);
}

Refusal refuses(const cl::Context &context, const Request &request) {
    if (!counts_bytes(request)) return refuses_all_but_bytes(request);
    const auto &info = context.info();
    if (info.work_group_size < kLanes) return {"it needs work-groups of ", kLanes};
    if (info.local_bytes < kLocalBytes) return {"it needs ", kLocalBytes, " bytes of local memory"};
    return {};
}

} // namespace

const Algorithm kLanesOfCounters = {
    {"lanes", "a work-group has a counter for each bin and lane, without bank conflicts; for GPUs",
     "Podlozhnyuk, Histogram Calculation in CUDA, 2007", false, Suits::kGpu},
    refuses,
    run,
    has_many_bytes};

} // namespace gpcl::histogram

// Histogram for GPUs: counters for each bin and lane. Host side of kernels/histogram/lanes.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/histogram/rooms.h"

#include <bit>

namespace gpcl::histogram {
namespace {

constexpr size_t kLanes = 32;
constexpr size_t kLocalBytes = kBins * kLanes * sizeof(uint32_t);
// Measured on an H200, n = 2^30, GB/s by work-items, vectors loaded at once, work-groups a compute
// unit: 1024, 4, 2: 3861; 1024, 2, 2: 3617; 512, 8, 3: 3724; 512, 4, 3: 3648; 256, 4, 6: 2953.
// Constant data is as fast. On CPUs, where work-items run one after another, large work-groups only
// cost.
size_t group_size(const cl::Context &context, gp_dtype) {
    const size_t wanted = context.is_cpu() ? kLanes : 1024;
    return std::max(std::bit_floor(std::min(wanted, context.info().work_group_size)), kLanes);
}

const Parameter kGroup = {GP_HISTOGRAM, "lanes", "group", "work-items of a work-group", {32, 64, 128, 256, 512, 1024},
                          group_size};
const Parameter kAtOnce = {GP_HISTOGRAM, "lanes",  "at-once", "vectors of 16 bytes that a work-item loads together",
                           {1, 2, 4, 8}, always<4>};
const Parameter kGroupsPerUnit = {GP_HISTOGRAM,           "lanes",  "groups", "work-groups for each compute unit",
                                  {1, 2, 3, 4, 6, 8, 16}, always<2>};
const FewBytes kFew("lanes");
constexpr std::array<const Parameter *, 4> kParameters = {&kGroup, &kAtOnce, &kGroupsPerUnit, &kFew};

void run(cl::Task &task, const Request &request) {
    const auto &context = task.context();
    const size_t group = tuned(context, request.dtype, kGroup), at_once = tuned(context, request.dtype, kAtOnce);
    const auto program =
        task.program({"histogram/lanes.cl", text("-DGP_GROUP=", group, " -DGP_AT_ONCE=", at_once,
                                                 context.features().options(), request.counted.option())});
    const size_t useful = ceil_div(std::min(request.n, kLargestPart), group * sizeof(cl_uint4));
    const size_t wanted = tuned(context, request.dtype, kGroupsPerUnit) * context.info().compute_units;
    const size_t groups = std::min(useful, wanted);
    const auto state = groups == 1 ? request.counts : task.cleared_space((kBins + 1) * sizeof(uint32_t));
    for_each_part(request, [&](const cl::Operand &in, size_t n, bool adds) {
        task.launch(*program, "histogram_lanes", cl::Range::groups(groups, group), in, state, request.counts,
                    uint64_t{n}, uint32_t{adds}, request.counted.argument());
    });
}

Refusal refuses(const cl::Context &context, const Request &request) {
    if (!counts_bytes(request)) return refuses_all_but_bytes(request);
    const auto &info = context.info();
    const size_t group = tuned(context, request.dtype, kGroup);
    if (info.work_group_size < group) return {"it needs work-groups of ", group};
    if (info.local_bytes < kLocalBytes) return {"it needs ", kLocalBytes, " bytes of local memory"};
    return {};
}

bool fits(const cl::Context &context, const Request &request) { return kFew.are_exceeded(context, request); }

} // namespace

const Algorithm kLanesOfCounters = {
    {"lanes", "a work-group has a counter for each bin and lane, without bank conflicts; for GPUs",
     "Podlozhnyuk, Histogram Calculation in CUDA, 2007", false, Suits::kGpu},
    refuses,
    run,
    fits,
    kParameters,
    kTakesCounted};

} // namespace gpcl::histogram

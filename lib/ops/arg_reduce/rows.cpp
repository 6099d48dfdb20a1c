// Arg-reduction of rows on GPUs, in one launch. Host side of kernels/arg_reduce/rows.cl.
// SPDX-License-Identifier: MIT
#include "ops/arg_reduce/arg_reduce.h"
#include "ops/lanes.h"

namespace gpcl::arg_reduce {
namespace {

const LaneParameters kLanes(GP_ARG_REDUCE, "rows");
constexpr std::array kParameters = {&kLanes.group, &kLanes.loads, &kLanes.items, &kLanes.groups};

void run(cl::Task &task, const Request &r) {
    const Lanes lanes = divide_lanes(task.context(), kLanes, r.dtype, r.rows);
    const auto program = task.program(
        {"arg_reduce/rows.cl", key_order_options(r.dtype) + lanes.options(task.context()) + r.counted.option()});
    const LaneParts parts(task, r, lanes.parts, r.batch());
    launch_last(task, *program, "arg_reduce_lanes", lanes.range(r.batch()), r, static_cast<uint32_t>(lanes.lanes),
                uint64_t{lanes.share}, parts.ranks, parts.places, parts.ended);
}

Refusal refuses(const cl::Context &context, const Request &r) {
    return refuses_shape(context, tuned(context, r.dtype, kLanes.group), 0);
}

} // namespace

const Algorithm kRows = {{"rows", "several work-items look through a row, or a part of one, in one launch; for GPUs",
                          "Harris, Optimizing Parallel Reduction in CUDA, 2007", false, Suits::kGpu},
                         refuses,
                         run,
                         nullptr,
                         kParameters,
                         kTakesCounted};

} // namespace gpcl::arg_reduce

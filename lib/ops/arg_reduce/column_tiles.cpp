// Arg-reduction of columns on GPUs, in one launch. Host side of kernels/arg_reduce/column_tiles.cl.
// SPDX-License-Identifier: MIT
#include "ops/arg_reduce/arg_reduce.h"
#include "ops/lanes.h"

namespace gpcl::arg_reduce {
namespace {

const ColumnLaneParameters kLanes(GP_ARG_REDUCE, "column-tiles");
constexpr std::array kParameters = {&kLanes.group, &kLanes.loads, &kLanes.across, &kLanes.groups};

void run(cl::Task &task, const Request &r) {
    const ColumnLanes lanes =
        divide_columns(task.context(), kLanes, r.dtype, r.rows, r.in.offset * dtype(r.dtype).size % kVectorBytes == 0);
    const auto program =
        task.program({"arg_reduce/column_tiles.cl", key_order_options(r.dtype) + lanes.options(task.context())});
    const LaneParts parts(task, r, lanes.parts, lanes.blocks);
    launch_last(task, *program, "arg_reduce_column_tiles", lanes.range(), r, static_cast<uint32_t>(lanes.across),
                uint64_t{lanes.part}, parts.ranks, parts.places, parts.ended);
}

Refusal refuses(const cl::Context &context, const Request &r) {
    return refuses_shape(context, tuned(context, r.dtype, kLanes.group), 0);
}

bool fits(const cl::Context &, const Request &request) { return request.rows.are_columns(); }

} // namespace

const Algorithm kColumnTiles = {
    {"column-tiles", "a work-group looks through a part of neighbouring columns of a matrix, in one launch; for GPUs",
     "Harris, Optimizing Parallel Reduction in CUDA, 2007", false, Suits::kGpu},
    refuses,
    run,
    fits,
    kParameters};

} // namespace gpcl::arg_reduce

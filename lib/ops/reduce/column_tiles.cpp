// Reduction of columns on GPUs, in one launch. Host side of kernels/reduce/column_tiles.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/lanes.h"
#include "ops/reduce/reduce.h"

namespace gpcl::reduce {
namespace {

const ColumnLaneParameters kLanes(GP_REDUCE, "column-tiles");
constexpr std::array kParameters = {&kLanes.group, &kLanes.loads, &kLanes.across, &kLanes.groups};

void run(cl::Task &task, const Request &r) {
    const size_t size = dtype(r.from).size;
    const ColumnLanes lanes =
        divide_columns(task.context(), kLanes, r.from, r.rows, r.in.offset * size % kVectorBytes == 0);
    const auto program = task.program({"reduce/column_tiles.cl",
                                       r.options() + text(" -DGP_RAW_BYTES=", size) + lanes.options(task.context()),
                                       r.combine.preamble()});
    const bool many = lanes.parts > 1;
    const size_t count = multiply(lanes.parts, r.batch(), "work space");
    const auto sums = many ? task.work_space(multiply(count, dtype(r.dtype).size, "work space")) : cl::Operand{};
    const auto ended = many ? task.cleared_space(lanes.blocks * sizeof(uint32_t)) : cl::Operand{};
    task.launch(*program, "reduce_column_tiles", lanes.range(), r.in, r.out, sums, ended, uint64_t{r.n},
                uint64_t{r.batch()}, static_cast<uint32_t>(lanes.across), uint64_t{lanes.part}, uint64_t{r.rows.stride},
                uint64_t{r.rows.step}, uint64_t{r.stride_out});
}

Refusal refuses(const cl::Context &context, const Request &r) {
    return refuses_shape(context, tuned(context, r.from, kLanes.group), 0);
}

bool fits(const cl::Context &, const Request &r) { return r.rows.are_columns(); }

} // namespace

const Algorithm kColumnTiles = {
    {"column-tiles", "a work-group reduces a part of neighbouring columns of a matrix, in one launch; for GPUs",
     "Harris, Optimizing Parallel Reduction in CUDA, 2007", false, Suits::kGpu},
    refuses,
    run,
    fits,
    kParameters};

} // namespace gpcl::reduce

// Reduction of rows on GPUs, in one launch. Host side of kernels/reduce/rows.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/lanes.h"
#include "ops/reduce/reduce.h"

namespace gpcl::reduce {
namespace {

const LaneParameters kLanes(GP_REDUCE, "rows");
constexpr std::array kParameters = {&kLanes.group, &kLanes.loads, &kLanes.items, &kLanes.groups};

void run(cl::Task &task, const Request &r) {
    const Lanes lanes = divide_lanes(task.context(), kLanes, r.from, r.rows);
    const auto program = task.program(
        {"reduce/rows.cl", r.options() + text(" -DGP_RAW_BYTES=", dtype(r.from).size) + lanes.options(task.context()),
         r.combine.preamble()});
    if (r.batch() == 1 && lanes.parts == 1 && lanes.lanes == lanes.group && r.rows.step == 1)
        return task.launch(*program, "reduce_array", cl::Range::groups(1, lanes.group), r.in, r.out, uint64_t{r.n},
                           r.counted.argument());
    const bool many = lanes.parts > 1;
    const size_t count = multiply(r.batch(), lanes.parts, "work space");
    const auto sums = many ? task.work_space(multiply(count, dtype(r.dtype).size, "work space")) : cl::Operand{};
    const auto ended = many ? task.cleared_space(r.batch() * sizeof(uint32_t)) : cl::Operand{};
    task.launch(*program, "reduce_rows", lanes.range(r.batch()), r.in, r.out, sums, ended, uint64_t{r.n},
                uint64_t{r.batch()}, static_cast<uint32_t>(lanes.lanes), uint64_t{lanes.share}, uint64_t{r.rows.stride},
                uint64_t{r.rows.step}, uint64_t{r.stride_out}, r.counted.argument());
}

Refusal refuses(const cl::Context &context, const Request &r) {
    return refuses_shape(context, tuned(context, r.from, kLanes.group), 0);
}

} // namespace

const Algorithm kRows = {{"rows", "several work-items reduce a row, or a part of one, in one launch; for GPUs",
                          "Harris, Optimizing Parallel Reduction in CUDA, 2007", false, Suits::kGpu},
                         refuses,
                         run,
                         nullptr,
                         kParameters,
                         kTakesCounted};

} // namespace gpcl::reduce

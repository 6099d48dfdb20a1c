// Whether rows are sorted, on GPUs in one launch. Host side of kernels/is_sorted/rows.cl.
// SPDX-License-Identifier: MIT
#include "ops/is_sorted/is_sorted.h"
#include "ops/lanes.h"

namespace gpcl::is_sorted {
namespace {

// Measured on an H200 in GB/s, uint32, n = 2^20, 2^24 and 2^28, group x loads x groups: 1024 x 2 x
// 2: 578, 2950, 4453; 512 x 2 x 4: 418, 2944, 4371; 256 x 4 x 4: 423, 2760, 4035.
const LaneParameters kLanes(GP_IS_SORTED, "rows", LaneDefaults<1024, 2, 2>());
constexpr std::array kParameters = {&kLanes.group, &kLanes.loads, &kLanes.items, &kLanes.groups};

void run(cl::Task &task, const Request &r) {
    const Lanes lanes = divide_lanes(task.context(), kLanes, r.dtype, r.rows);
    const auto program = task.program({"is_sorted/rows.cl", r.options() + lanes.options(task.context())});
    cl::Operand places = r.positions, ended = r.positions; // which nobody touches where there is one part
    if (lanes.parts > 1) {
        places =
            task.work_space(multiply(multiply(r.batch(), lanes.parts, "work space"), sizeof(uint32_t), "work space"));
        ended = task.cleared_space(r.batch() * sizeof(uint32_t));
    }
    launch(task, *program, "is_sorted_lanes", lanes.range(r.batch()), r, static_cast<uint32_t>(lanes.lanes),
           uint64_t{lanes.share}, places, ended, r.positions, uint64_t{r.stride_out});
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

} // namespace gpcl::is_sorted

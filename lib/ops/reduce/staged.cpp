// Reduction in one launch with tiles copied ahead. Host side of kernels/reduce/staged.cl.
// SPDX-License-Identifier: MIT
#include "ops/reduce/reduce.h"

#include "core/size.h"
#include "ops/shape.h"

namespace gpcl::reduce {
namespace {

constexpr size_t kVectorBytes = 16;

struct Shape {
    size_t group, vectors, stages;
    size_t local_bytes(const cl::Context &context) const {
        return group * vectors * kVectorBytes * stages + 2 * warps_bytes(context, group) + 1024;
    }
};

// Measured on an H200 in GB/s, uint32, n = 2^27, and us at n = 2^10, group x vectors x stages: 512
// x 3 x 9: 4373, 6.6; 512 x 7 x 4: 4390, 9.8; 256 x 5 x 10: 4355, 6.6. The rows below are for less
// local memory.
constexpr std::array<Row<Shape>, 3> kShapes = {{{{}, {512, 3, 9}}, {{}, {256, 3, 7}}, {{}, {64, 3, 7}}}};

const Parameter kGroup = {GP_REDUCE,
                          "staged",
                          "group",
                          "work-items of a work-group",
                          {64, 128, 256, 512, 1024},
                          of_row<kShapes, &Shape::group>};
const Parameter kVectors = {GP_REDUCE,       "staged",
                            "vectors",       "vectors of 16 bytes of a work-item in a tile",
                            {1, 3, 5, 7, 9}, of_row<kShapes, &Shape::vectors>};
const Parameter kStages = {GP_REDUCE,
                           "staged",
                           "stages",
                           "tiles in local memory, most of them on their way",
                           {2, 3, 4, 5, 7, 9, 10, 12},
                           of_row<kShapes, &Shape::stages>};
constexpr std::array kParameters = {&kGroup, &kVectors, &kStages};

Shape shape(const cl::Context &context, const Request &r) {
    return {tuned(context, r.from, kGroup), tuned(context, r.from, kVectors), tuned(context, r.from, kStages)};
}

void run(cl::Task &task, const Request &r) {
    const auto [group, vectors, stages] = shape(task.context(), r);
    const size_t size = dtype(r.dtype).size;
    const auto program = task.program({"reduce/staged.cl",
                                       text(r.options(), " -DGP_GROUP=", group, " -DGP_VECTORS=", vectors,
                                            " -DGP_STAGES=", stages, task.context().features().options()),
                                       r.combine.preamble()});
    const size_t tiles = ceil_div(r.n, group * vectors * (kVectorBytes / size));
    const size_t groups = std::clamp(tiles, size_t{1}, std::min(size_t{task.context().info().compute_units}, group));
    const auto sums = task.work_space(groups * size);
    const auto ended = groups > 1 ? task.cleared_space(sizeof(uint32_t)) : sums;
    task.launch(*program, "reduce_staged", cl::Range::groups(groups, group), r.in, r.out, sums, ended, uint64_t{r.n},
                r.counted.argument());
}

Refusal refuses(const cl::Context &context, const Request &r) {
    const Shape needed = shape(context, r);
    if (const Refusal why = refuses_shape(context, needed.group, needed.local_bytes(context))) return why;
    if (r.from != r.dtype) return "it has no accumulator of another type";
    return r.batch() > 1 || r.rows.step != 1 ? "it reduces one row without steps" : Refusal{};
}

// Bulk copies begin at multiples of 16. (A buffer's own address is one.)
bool fits(const cl::Context &, const Request &r) {
    return r.in.offset * dtype(r.dtype).size % kVectorBytes == 0 && r.n > size_t{1} << 24;
}

} // namespace

const Algorithm kStaged = {{"staged", "one launch, tiles copied ahead",
                            "Harris, Optimizing Parallel Reduction in CUDA, 2007", false, Suits::kGpu,
                            kShuffle | kBulkCopy},
                           refuses,
                           run,
                           fits,
                           kParameters,
                           kTakesCounted};

} // namespace gpcl::reduce

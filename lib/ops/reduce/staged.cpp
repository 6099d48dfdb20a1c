// Reduction in one launch with tiles copied ahead. Host side of kernels/reduce/staged.cl.
// SPDX-License-Identifier: MIT
#include "ops/reduce/reduce.h"

#include "core/size.h"
#include "ops/shape.h"

#include <algorithm>
#include <array>

namespace gpcl::reduce {
namespace {

constexpr size_t kVectors = 3;
constexpr size_t kVectorBytes = 16;

struct Shape {
    size_t group, stages;
    size_t local_bytes(const cl::Context &context) const {
        return group * kVectors * kVectorBytes * stages + 2 * lanes_bytes(context, group) + 1024;
    }
};

// Measured on an H200 in GB/s, uint32, n = 2^27, and us at n = 2^10, group x vectors x stages: 512 x 3 x 9: 4373, 6.6;
// 512 x 7 x 4: 4390, 9.8; 256 x 5 x 10: 4355, 6.6. Less local memory takes the first that it has room for; the last is for
// simulators.
constexpr std::array kShapes = {Shape{512, 9}, Shape{256, 7}, Shape{64, 7}};

const Shape &shape(const cl::Context &context) {
    const auto fits = [&](const Shape &one) { return has_room(context, one.group, one.local_bytes(context)); };
    return *std::find_if(kShapes.begin(), kShapes.end() - 1, fits);
}

void run(cl::Task &task, const Request &r) {
    const auto [group, stages] = shape(task.context());
    const size_t size = dtype(r.dtype).size;
    const auto program = task.context().program("reduce/staged.cl",
                                                text(r.options(), " -DGP_GROUP=", group, " -DGP_VECTORS=", kVectors,
                                                     " -DGP_STAGES=", stages, task.context().features().options()),
                                                r.combine.preamble());
    const size_t tiles = ceil_div(r.n, group * kVectors * (kVectorBytes / size));
    const size_t groups = std::clamp(tiles, size_t{1}, std::min(size_t{task.context().info().compute_units}, group));
    const auto sums = task.work_space(groups * size);
    const auto ended = groups > 1 ? task.cleared_space(sizeof(uint32_t)) : sums;
    task.launch(*program, "reduce_staged", cl::Range::groups(groups, group), r.in, r.out, sums, ended, uint64_t{r.n});
}

std::string refuses(cl::Task &task, const Request &r) {
    const Shape &needed = shape(task.context());
    if (std::string why = refuses_shape(task.context(), needed.group, needed.local_bytes(task.context())); !why.empty())
        return why;
    if (r.from != r.dtype) return "it has no accumulator of another type";
    return r.batch() > 1 || r.rows.step != 1 ? "it reduces one row without steps" : "";
}

// Bulk copies begin at multiples of 16. (A buffer's own address is one.)
bool fits(cl::Task &, const Request &r) { return r.in.offset * dtype(r.dtype).size % kVectorBytes == 0; }

} // namespace

const Algorithm kStaged = {{"staged", "one launch, tiles copied ahead",
                            "Harris, Optimizing Parallel Reduction in CUDA, 2007", false, Suits::kGpu,
                            kShuffle | kBulkCopy},
                           refuses,
                           run,
                           fits};

} // namespace gpcl::reduce

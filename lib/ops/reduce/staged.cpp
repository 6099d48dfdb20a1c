// Reduction in one launch with tiles copied ahead, for NVIDIA's Hopper generation. Host side of kernels/reduce/staged.cl.
// SPDX-License-Identifier: MIT
#include "ops/reduce/reduce.h"

#include "core/size.h"

namespace gpcl::reduce {
namespace {

// Measured on an H200 in GB/s, uint32, n = 2^27, and us at n = 2^10, group x vectors x stages: 512 x 3 x 9: 4373, 6.6;
// 512 x 7 x 4: 4390, 9.8; 256 x 5 x 10: 4355, 6.6.
constexpr size_t kGroup = 512;
constexpr size_t kVectors = 3;
constexpr size_t kStages = 9;
constexpr size_t kVectorBytes = 16;

void run(cl::Task &task, const Request &r) {
    const size_t size = dtype(r.dtype).size;
    const auto program =
        task.program({"reduce/staged.cl",
                      text(r.options(), " -DGP_GROUP=", kGroup, " -DGP_VECTORS=", kVectors, " -DGP_STAGES=", kStages),
                      r.combine.preamble()});
    const size_t tiles = ceil_div(r.n, kGroup * kVectors * (kVectorBytes / size));
    const size_t groups = std::clamp(tiles, size_t{1}, std::min(size_t{task.context().info().compute_units}, kGroup));
    const auto sums = task.work_space(groups * size);
    const auto ended = groups > 1 ? task.cleared_space(sizeof(uint32_t)) : sums;
    task.launch(*program, "reduce_staged", cl::Range::groups(groups, kGroup), r.in, r.out, sums, ended, uint64_t{r.n});
}

Refusal refuses(const cl::Context &context, const Request &r) {
    if (!context.is_hopper()) return "it needs bulk copies: an NVIDIA GPU of the Hopper generation";
    if (r.from != r.dtype) return "it has no accumulator of another type";
    return r.batch() > 1 || r.rows.step != 1 ? "it reduces one row without steps" : Refusal{};
}

// Bulk copies begin at multiples of 16. (A buffer's own address is one.)
bool fits(const cl::Context &, const Request &r) { return r.in.offset * dtype(r.dtype).size % kVectorBytes == 0; }

} // namespace

const Algorithm kStaged = {{"staged", "one launch, tiles copied ahead; for NVIDIA's Hopper generation",
                            "Harris, Optimizing Parallel Reduction in CUDA, 2007", false, Suits::kNvidia},
                           refuses,
                           run,
                           fits};

} // namespace gpcl::reduce

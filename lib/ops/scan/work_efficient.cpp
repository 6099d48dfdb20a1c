// Scan by Blelloch, in global memory. Host side of kernels/scan/work_efficient.cl.
// SPDX-License-Identifier: MIT
#include "ops/scan/scan.h"

#include "core/size.h"

#include <bit>

namespace gpcl::scan {
namespace {

void run(cl::Task &task, const Request &r) {
    const auto program = task.program({"scan/work_efficient.cl", r.combine.options(r.dtype), r.combine.preamble()});
    const size_t limit = std::bit_floor(std::min<size_t>(task.context().info().work_group_size, 256));
    // A power of two of work-items.
    const auto items = [limit](uint64_t count) {
        const size_t group = std::min<size_t>(limit, count);
        return cl::Range::groups(count / group, group);
    };
    const uint64_t leaves = std::bit_ceil(uint64_t{r.n});
    const auto tree = task.work_space(multiply(leaves, dtype(r.dtype).size, "the tree"));
    task.launch(*program, "work_efficient_begin", items(leaves), r.in, tree, uint64_t{r.n}, uint32_t{r.reverse});
    for (uint64_t offset = 1; offset < leaves; offset *= 2)
        task.launch(*program, "up_sweep", items(leaves / 2 / offset), tree, offset);
    task.launch(*program, "clear_root", items(1), tree, leaves);
    for (uint64_t offset = leaves / 2; offset > 0; offset /= 2)
        task.launch(*program, "down_sweep", items(leaves / 2 / offset), tree, offset);
    task.launch(*program, "work_efficient_end", cl::Range::groups(ceil_div(r.n, limit), limit), r.in, tree, r.out,
                uint64_t{r.n}, uint32_t{r.exclusive}, uint32_t{r.reverse});
}

Refusal refuses(const cl::Context &, const Request &request) {
    if (request.n > uint64_t{1} << 62) return "its tree has a power of two leaves, too many here";
    return refuses_carries(request);
}

} // namespace

const Algorithm kWorkEfficient = {{"work-efficient", "up-sweep and down-sweep of a binary tree in global memory",
                                   "Blelloch, Prefix Sums and Their Applications, 1990", false, Suits::kByName},
                                  refuses,
                                  run};

} // namespace gpcl::scan

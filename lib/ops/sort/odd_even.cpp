// Odd-even transition sort, n launches. Host side of kernels/sort/odd_even.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/ladder.h"
#include "ops/sort/passes.h"

namespace gpcl::sort {
namespace {

constexpr size_t kMost = size_t{1} << 15; // n^2 / 2 comparisons: beyond, it keeps a device busy for seconds

Refusal refuses(const cl::Context &, const Request &r) {
    if (r.n > kMost) return {"it takes n launches, and so sorts up to ", kMost, " keys; n is ", r.n};
    return refuses_step(r, true);
}

void run(cl::Task &task, const Request &r) {
    if (r.n < 2) return;
    const auto program = task.program({"sort/odd_even.cl", key_options(r)});
    const auto items = work_items(task.context(), r.n / 2);
    const uint64_t n = r.n;
    const uint64_t flip = flipped_bits(r);
    for (size_t round = 0; round < r.n; ++round) {
        task.launch(*program, "sort_odd_even", items, n, static_cast<uint32_t>(round % 2), flip, r.keys);
    }
}

} // namespace

const Algorithm kOddEven = {{"odd-even", "odd-even transition sort, a launch for each of n rounds; for short arrays",
                             "Habermann, \"Parallel Neighbor Sort\", 1972; Kipfer and Westermann, \"Improved GPU "
                             "Sorting\", GPU Gems 2, 2005",
                             false, Suits::kByName},
                            refuses,
                            run};

} // namespace gpcl::sort

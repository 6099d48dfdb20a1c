// Scan by Hillis and Steele. Host side of kernels/scan/naive.cl.
// SPDX-License-Identifier: MIT
#include "ops/scan/scan.h"

#include "core/size.h"

namespace gpcl::scan {
namespace {

void run(cl::Task &task, const Request &r) {
    const auto program =
        task.program({"scan/naive.cl", r.combine.options(r.dtype) + r.more_options(), r.combine.preamble()});
    const size_t group = std::min<size_t>(task.context().info().work_group_size, 256);
    const auto items = cl::Range::groups(ceil_div(r.n, group), group);
    const size_t bytes = r.n * dtype(r.dtype).size;
    cl::Operand from = task.work_space(bytes), to = task.work_space(bytes);
    r.launch(task, *program, "scan_naive_begin", items, r.in, from, uint64_t{r.n}, uint32_t{r.reverse});
    for (uint64_t offset = 1; offset < r.n; offset *= 2) {
        task.launch(*program, "scan_naive_pass", items, from, to, uint64_t{r.n}, offset);
        std::swap(from, to);
    }
    r.launch(task, *program, "scan_naive_end", items, from, r.out, uint64_t{r.n}, uint32_t{r.exclusive},
             uint32_t{r.reverse});
}

Refusal refuses(const cl::Context &, const Request &request) { return refuses_all_but_plain(request); }

} // namespace

const Algorithm kNaive = {{"naive", "one pass for each power of two below n, between two buffers; n log n operations",
                           "Hillis and Steele, Data Parallel Algorithms, 1986", false, Suits::kByName},
                          refuses,
                          run};

} // namespace gpcl::scan

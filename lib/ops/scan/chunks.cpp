// Scan for CPUs: one work-item a chunk. Host side of kernels/scan/chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/scan/scan.h"

#include "core/size.h"
#include "ops/chunks.h"

namespace gpcl::scan {
namespace {

void run(cl::Task &task, const Request &r) {
    const auto program = task.context().program("scan/chunks.cl", r.options(), r.combine.preamble());
    const Chunks part = divide(task.context(), r.n, r.batch());
    const auto heads = r.segmented ? r.heads : r.in;
    const size_t chunks = part.count * r.batch();
    cl::Operand sums = r.out;
    if (part.count > 1) {
        sums = task.work_space(chunks * dtype(r.dtype).size);
        const auto begins = r.segmented ? task.work_space(chunks) : sums;
        task.launch(*program, "reduce_chunks", cl::Range::groups(chunks, 1), r.in, heads, sums, begins, uint64_t{r.n},
                    uint64_t{part.chunk}, uint64_t{part.count}, uint64_t{r.rows_in.stride}, uint32_t{r.reverse});
        task.launch(*program, "scan_sums", cl::Range::groups(r.batch(), 1), sums, begins, uint64_t{part.count});
    }
    task.launch(*program, "scan_chunks", cl::Range::groups(part.items(r.batch()), 1), r.in, heads, r.out, sums,
                uint64_t{r.n}, uint64_t{part.chunk}, uint64_t{part.count}, uint64_t{r.batch()}, uint64_t{part.rows},
                uint64_t{r.rows_in.stride}, uint64_t{r.rows_out.stride}, uint32_t{r.exclusive}, uint32_t{r.reverse});
}

std::string refuses(cl::Task &, const Request &request) {
    return request.has_steps() ? "it scans elements side by side, without steps" : "";
}

} // namespace

const Algorithm kChunks = {{"chunks", "one work-item scans one contiguous chunk, with vectors; for CPUs",
                            "Blelloch, Prefix Sums and Their Applications, 1990", false, Suits::kCpu},
                           refuses,
                           run};

} // namespace gpcl::scan

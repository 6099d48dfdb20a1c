// Scan for CPUs: one work-item a chunk. Host side of kernels/scan/chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/scan/scan.h"

#include "core/size.h"
#include "ops/chunks.h"

namespace gpcl::scan {
namespace {

void run(cl::Task &task, const Request &request) {
    const auto program =
        task.context().program("scan/chunks.cl", request.combine.options(request.dtype), request.combine.preamble());
    const auto [chunk, count] = divide(task.context(), request.n);
    const auto items = cl::Range::groups(count, 1);
    const auto sums = task.work_space(count * dtype(request.dtype).size);
    const bool many = count > 1;
    if (many) {
        task.launch(*program, "reduce_chunks", items, request.in, sums, uint64_t{request.n}, uint64_t{chunk},
                    uint32_t{request.reverse});
        task.launch(*program, "scan_sums", cl::Range::groups(1, 1), sums, uint64_t{count});
    }
    task.launch(*program, "scan_chunks", items, request.in, request.out, sums, uint64_t{request.n}, uint64_t{chunk},
                uint32_t{many}, uint32_t{request.exclusive}, uint32_t{request.reverse});
}

std::string refuses(cl::Task &, const Request &) { return {}; }

} // namespace

const Algorithm kChunks = {{"chunks", "one work-item scans one contiguous chunk, with vectors; for CPUs",
                            "Blelloch, Prefix Sums and Their Applications, 1990", false, Suits::kCpu},
                           refuses,
                           run};

} // namespace gpcl::scan

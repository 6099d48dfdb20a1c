// Reduction for CPUs: one work-item a chunk. Host side of kernels/reduce/chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/chunks.h"
#include "ops/reduce/reduce.h"

namespace gpcl::reduce {
namespace {

void run(cl::Task &task, const Request &request) {
    const auto program =
        task.context().program("reduce/chunks.cl", request.combine.options(request.dtype), request.combine.preamble());
    const auto [chunk, count] = divide(task.context(), request.n);
    const auto one = cl::Range::groups(1, 1);
    if (count <= 1) {
        task.launch(*program, "reduce_chunks", one, request.in, request.out, uint64_t{request.n}, uint64_t{request.n});
        return;
    }
    const auto sums = task.work_space(count * dtype(request.dtype).size);
    task.launch(*program, "reduce_chunks", cl::Range::groups(count, 1), request.in, sums, uint64_t{request.n},
                uint64_t{chunk});
    task.launch(*program, "reduce_chunks", one, sums, request.out, uint64_t{count}, uint64_t{count});
}

std::string refuses(cl::Task &, const Request &) { return {}; }

} // namespace

const Algorithm kChunks = {{"chunks", "one work-item reduces one contiguous chunk, with vectors; for CPUs",
                            "Blelloch, Prefix Sums and Their Applications, 1990", false, Suits::kCpu},
                           refuses,
                           run};

} // namespace gpcl::reduce

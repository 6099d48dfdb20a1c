// Arg-reduction for CPUs: one work-item a chunk. Host side of kernels/arg_reduce/chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/chunks.h"
#include "ops/arg_reduce/arg_reduce.h"

namespace gpcl::arg_reduce {
namespace {

const ChunkParameters kChunking(GP_ARG_REDUCE, "chunks");
constexpr std::array kParameters = {&kChunking.least, &kChunking.per_unit};

void run(cl::Task &task, const Request &r) {
    const auto program = task.program({"arg_reduce/chunks.cl", r.options(1, true)});
    const Chunks part = divide(task.context(), kChunking, r.dtype, r.rows.n, r.batch());
    if (part.count == 1)
        return launch_last(task, *program, "arg_reduce_rows", cl::Range::groups(part.items(r.batch()), 1), r,
                           uint64_t{part.rows});
    const Parts parts(task, r, part.count);
    launch(task, *program, "arg_reduce_chunks", cl::Range::groups(part.items(r.batch()), 1), r, uint64_t{part.chunk},
           uint64_t{part.count}, parts.ranks, parts.positions);
    combine(task, *program, r, 1, parts, 1, part.count);
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kChunks = {{"chunks", "one work-item looks through one contiguous chunk, with vectors; for CPUs",
                            "Blelloch, Prefix Sums and Their Applications, 1990", false, Suits::kCpu},
                           refuses,
                           run,
                           nullptr,
                           kParameters,
                           kTakesCounted};

} // namespace gpcl::arg_reduce

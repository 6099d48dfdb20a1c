// Recurrence with coefficients that vary, for CPUs. Host side of
// kernels/recurrence/varying_chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/chunks.h"
#include "ops/recurrence/varying.h"

namespace gpcl::recurrence {
namespace {

const ChunkParameters kChunking(GP_RECURRENCE_VARYING, "chunks");
constexpr std::array kParameters = {&kChunking.least, &kChunking.per_unit};

void run(cl::Task &task, const Request &request) {
    Varying varying(task, request, "recurrence/varying_chunks.cl");
    // Chunks of whole cache lines are a multiple of the kernel's pieces.
    const Chunks chunks = divide(task.context(), kChunking, request.dtype, request.n, request.batch);
    if (chunks.count > 1)
        varying.run_parts(chunks.chunk, chunks.count, 1);
    else
        varying.run_rows(chunks.rows, 1);
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kVaryingChunks = {{"chunks", "one work-item some rows, or a chunk of a long row; for CPUs",
                                   "Blelloch, Prefix Sums and Their Applications, 1990", false, Suits::kCpu},
                                  refuses,
                                  run,
                                  nullptr,
                                  kParameters};

} // namespace gpcl::recurrence

// Differences for CPUs: one work-item a chunk. Host side of kernels/difference/chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/chunks.h"
#include "ops/difference/difference.h"

namespace gpcl::difference {
namespace {

const ChunkParameters kChunking(GP_DIFFERENCE, "chunks");
constexpr std::array kParameters = {&kChunking.least, &kChunking.per_unit};

void run(cl::Task &task, const Request &r) {
    const Chunks part = divide(task.context(), kChunking, r.dtype, r.n(), r.batch());
    const auto program = task.program({"difference/chunks.cl", r.options(), r.preamble()});
    launch(task, *program, "difference_chunks", cl::Range::groups(part.items(r.batch()), 1), r,
           uint64_t{r.rows_in.step}, uint64_t{r.rows_out.step}, uint64_t{part.chunk}, uint64_t{part.count},
           uint64_t{part.count > 1 ? 1 : part.rows});
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kChunks = {{"chunks", "one work-item takes one contiguous chunk, or some short rows; for CPUs",
                            "one chunk a work-item", false, Suits::kCpu},
                           refuses,
                           run,
                           nullptr,
                           kParameters,
                           kTakesCounted};

} // namespace gpcl::difference

// Merge for CPUs: one work-item a chunk of the result. Host side of kernels/merge/chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/chunks.h"
#include "ops/merge/merge.h"

namespace gpcl::merge {
namespace {

const ChunkParameters kChunking(GP_MERGE, "chunks");
constexpr std::array kParameters = {&kChunking.least, &kChunking.per_unit};

void run(cl::Task &task, const Request &r) {
    const auto program = task.program({"merge/chunks.cl", r.options(task.context())});
    const Chunks chunks = divide(task.context(), kChunking, r.dtype, r.n());
    launch(task, *program, "merge_chunks", cl::Range::groups(chunks.count, 1), r, uint64_t{chunks.chunk});
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kChunks = {{"chunks", "each work-item makes a contiguous chunk of the result; for CPUs",
                            "Odeh, Green, Mwassi, Shmueli and Birk, \"Merge Path: Parallel Merging Made Simple\", 2012",
                            false, Suits::kCpu},
                           refuses,
                           run,
                           nullptr,
                           kParameters,
                           kTakesCounted};

} // namespace gpcl::merge

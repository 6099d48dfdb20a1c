// Gather and scatter for CPUs: one work-item a chunk of positions. Host side of
// kernels/gather/chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/chunks.h"
#include "ops/gather/gather.h"

namespace gpcl::gather {
namespace {

const ChunkParameters kChunking(GP_GATHER, "chunks");
constexpr std::array kParameters = {&kChunking.least, &kChunking.per_unit};

void run(cl::Task &task, const Request &r) {
    const auto program = task.program({"gather/chunks.cl", text("-DGP_WORD_BYTES=", r.word)});
    const Chunks part = divide(task.context(), kChunking, r.type(), r.m);
    launch(task, *program, "gather_chunks", cl::Range::groups(part.count, 1), r, part.chunk, uint64_t{part.chunk});
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kChunks = {{"chunks", "one work-item moves the rows of a run of positions; for CPUs",
                            "textbook: one pass, by blocks whose positions fit a cache", false, Suits::kCpu},
                           refuses,
                           run,
                           nullptr,
                           kParameters};

} // namespace gpcl::gather

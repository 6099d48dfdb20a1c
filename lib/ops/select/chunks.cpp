// Select for CPUs: one work-item a chunk. Host side of kernels/select/chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/chunks.h"
#include "ops/select/select.h"

namespace gpcl::select {
namespace {

const ChunkParameters kChunking(GP_SELECT, "chunks");
constexpr std::array kParameters = {&kChunking.least, &kChunking.per_unit};

void run(cl::Task &task, const Request &r) {
    const auto program = task.program({"select/chunks.cl", r.options(), r.source});
    const uint64_t chunks = divide(task.context(), kChunking, r.type, r.n).count;
    const auto range = cl::Range::groups(chunks, 1);
    cl::Operand counts = r.count; // which nobody reads where there is one chunk
    if (chunks > 1) {
        counts = task.work_space(chunks * sizeof(uint64_t));
        launch(task, *program, "select_chunk_counts", range, r, chunks, counts);
    }
    launch_with_outputs(task, *program, "select_chunks", range, r, chunks, counts);
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kChunks = {{"chunks", "each work-item counts a contiguous chunk, then moves it; for CPUs",
                            "Blelloch, Prefix Sums and Their Applications, 1990", false, Suits::kCpu},
                           refuses,
                           run,
                           nullptr,
                           kParameters};

} // namespace gpcl::select

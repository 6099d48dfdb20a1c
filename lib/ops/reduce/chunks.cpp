// Reduction for CPUs: one work-item a chunk. Host side of kernels/reduce/chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/chunks.h"
#include "ops/reduce/reduce.h"

namespace gpcl::reduce {
namespace {

const ChunkParameters kChunking(GP_REDUCE, "chunks");
constexpr std::array kParameters = {&kChunking.least, &kChunking.per_unit};

void run(cl::Task &task, const Request &r) {
    const auto program = task.program({"reduce/chunks.cl", r.options(), r.combine.preamble()});
    const Chunks part = divide(task.context(), kChunking, r.from, r.n, r.batch());
    const size_t chunks = std::max(part.count, size_t{1});
    const bool many = chunks > 1;
    const auto sums = many ? task.work_space(r.batch() * chunks * dtype(r.dtype).size) : r.out;
    task.launch(*program, "reduce_chunks", cl::Range::groups(part.items(r.batch()), 1), r.in, sums, uint64_t{r.n},
                uint64_t{part.chunk}, uint64_t{chunks}, uint64_t{r.batch()}, uint64_t{part.rows},
                uint64_t{r.rows.stride}, uint64_t{many ? chunks : r.stride_out}, r.counted.argument());
    if (many)
        task.launch(*program, "reduce_sums", cl::Range::groups(r.batch(), 1), sums, r.out, uint64_t{chunks},
                    uint64_t{r.stride_out});
}

Refusal refuses(const cl::Context &, const Request &request) {
    return request.rows.step != 1 ? "it reduces elements side by side, without steps" : Refusal{};
}

} // namespace

const Algorithm kChunks = {{"chunks", "one work-item reduces one contiguous chunk, with vectors; for CPUs",
                            "Blelloch, Prefix Sums and Their Applications, 1990", false, Suits::kCpu},
                           refuses,
                           run,
                           nullptr,
                           kParameters,
                           kTakesCounted};

} // namespace gpcl::reduce

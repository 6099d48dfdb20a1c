// Whether rows are sorted, for CPUs: one work-item a chunk. Host side of
// kernels/is_sorted/chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/chunks.h"
#include "ops/is_sorted/is_sorted.h"

namespace gpcl::is_sorted {
namespace {

const ChunkParameters kChunking(GP_IS_SORTED, "chunks");
constexpr std::array kParameters = {&kChunking.least, &kChunking.per_unit};

void run(cl::Task &task, const Request &r) {
    const auto program = task.program({"is_sorted/chunks.cl", r.options()});
    const Chunks part = divide(task.context(), kChunking, r.dtype, std::max(r.rows.n, size_t{1}), r.batch());
    const cl::Range range = cl::Range::groups(part.items(r.batch()), 1);
    if (part.count == 1)
        return launch(task, *program, "is_sorted_rows", range, r, uint64_t{part.rows}, r.positions,
                      uint64_t{r.stride_out});
    const cl::Operand firsts = parts_of(task, r, part.count);
    launch(task, *program, "is_sorted_chunks", range, r, uint64_t{part.chunk}, uint64_t{part.count}, firsts);
    combine(task, *program, r, firsts, part.count, 1, part.count);
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

} // namespace gpcl::is_sorted

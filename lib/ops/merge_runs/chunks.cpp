// Merge of runs for CPUs: one work-item a chunk of each pass. Host side of
// kernels/merge_runs/chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/chunks.h"
#include "ops/merge_runs/merge_runs.h"

namespace gpcl::merge_runs {
namespace {

const ChunkParameters kChunking(GP_MERGE_RUNS, "chunks");

// Two cores with AVX-512, PoCL 3.1, microseconds of passes and of a sort: uint8 2^20, 1 pass 1826,
// 955; uint16 2^20, 1 pass 2131, 3887, 2 passes 4270, 3620; uint32 2^23, 2 passes 52000, 51400, 3
// passes 76100, 49800; uint64 2^23, 4 passes 34000, 39000, 5 passes 42400, 39800. With values of 4
// bytes, uint32 2^23, 3 passes 56600, 77700, 4 passes 79700, 76300; of 8, uint64 2^23, 8 passes
// 116300, 213300.
constexpr std::array<Row<SortsFrom>, 4> kSortsFrom = {{
    {{0, 0, 1}, {1, 2}},
    {{0, 0, 2}, {2, 3}},
    {{0, 0, 4}, {3, 4}},
    {{}, {5, 9}},
}};
const SortParameters<kSortsFrom> kSorts("chunks");
constexpr std::array kParameters = {&kChunking.least, &kChunking.per_unit, &kSorts.alone, &kSorts.pairs};

void run(cl::Task &task, const Request &r) {
    if (r.passes() == 0) return copy(task, r);
    const auto program = task.program({"merge_runs/chunks.cl", r.options(task.context())});
    const Chunks chunks = divide(task.context(), kChunking, r.dtype, r.n);
    const Turns turns(task, r);
    for (unsigned pass = 0; pass < r.passes(); ++pass)
        launch(task, *program, "merge_runs_chunks", cl::Range::groups(chunks.count, 1), r, turns, pass,
               uint64_t{chunks.chunk});
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

bool fits(const cl::Context &context, const Request &r) { return merges(r, kSorts.from(context, r.dtype)); }

} // namespace

const Algorithm kChunks = {{"chunks", "passes that merge runs two by two, each work-item a contiguous chunk; for CPUs",
                            "Odeh, Green, Mwassi, Shmueli and Birk, \"Merge Path: Parallel Merging Made Simple\", 2012",
                            false, Suits::kCpu},
                           refuses,
                           run,
                           fits,
                           kParameters};

} // namespace gpcl::merge_runs

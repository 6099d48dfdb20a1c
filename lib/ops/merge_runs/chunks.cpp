// Merge of runs for CPUs: one work-item a chunk of each pass. Host side of kernels/merge_runs/chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/chunks.h"
#include "ops/merge_runs/merge_runs.h"

namespace gpcl::merge_runs {
namespace {

const ChunkParameters kChunking(GP_MERGE_RUNS, "chunks");
const Parameter kMostPasses = {GP_MERGE_RUNS,
                               "chunks",
                               "most",
                               "passes up to which runs are merged, not sorted",
                               {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16},
                               always<3>};
constexpr std::array kParameters = {&kChunking.least, &kChunking.per_unit, &kMostPasses};

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

bool fits(const cl::Context &context, const Request &r) { return r.passes() <= tuned(context, r.dtype, kMostPasses); }

} // namespace

const Algorithm kChunks = {{"chunks", "passes that merge runs two by two, each work-item a contiguous chunk; for CPUs",
                            "Odeh, Green, Mwassi, Shmueli and Birk, \"Merge Path: Parallel Merging Made Simple\", 2012",
                            false, Suits::kCpu},
                           refuses,
                           run,
                           fits,
                           kParameters};

} // namespace gpcl::merge_runs

// Runs for CPUs: one work-item a chunk. Host side of kernels/runs/chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/chunks.h"
#include "ops/runs/runs.h"

namespace gpcl::runs {
namespace {

const ChunkParameters kLengthChunking(GP_RUN_LENGTHS, "chunks"), kByKeyChunking(GP_REDUCE_BY_KEY, "chunks");
constexpr std::array kLengthParameters = {&kLengthChunking.least, &kLengthChunking.per_unit};
constexpr std::array kByKeyParameters = {&kByKeyChunking.least, &kByKeyChunking.per_unit};

void run(cl::Task &task, const Request &r) {
    const auto program = task.program({"runs/chunks.cl", r.options(), r.combine.preamble()});
    const Chunks part =
        divide(task.context(), r.reduces ? kByKeyChunking : kLengthChunking, r.tuned_type(), std::max(r.n, size_t{1}));
    const cl::Range range = cl::Range::groups(part.count, 1);
    cl::Operand heads = r.count, tails = r.count;
    if (part.count > 1) {
        heads = task.work_space(part.count * sizeof(uint64_t));
        tails = task.work_space(part.count * sizeof(uint64_t));
        launch(task, *program, "runs_count", range, r, uint64_t{part.chunk}, heads, tails);
    }
    launch(task, *program, "runs_write", range, r, uint64_t{part.chunk}, heads, tails);
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

Algorithm algorithm(std::span<const Parameter *const> parameters) {
    return {{"chunks", "one work-item counts the runs of a chunk, then writes them; for CPUs",
             "Blelloch, Prefix Sums and Their Applications, 1990", false, Suits::kCpu},
            refuses,
            run,
            nullptr,
            parameters};
}

} // namespace

const Algorithms kChunks = {algorithm(kLengthParameters), algorithm(kByKeyParameters)};

} // namespace gpcl::runs

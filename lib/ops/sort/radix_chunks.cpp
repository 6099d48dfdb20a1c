// Radix sort by contiguous chunks, one work-item each; for CPUs. Host side of
// kernels/sort/radix_chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/radix_chunks.h"

namespace gpcl::sort {
namespace {

const ChunkParameters kChunking(GP_SORT, "radix-chunks");
constexpr std::array kParameters = {&kChunking.least, &kChunking.per_unit};

} // namespace

ChunkPlan::ChunkPlan(cl::Task &task, const Request &r)
    : chunks(divide(task.context(), kChunking, r.dtype, r.n)),
      counts(task.work_space(chunks.count * kDigits, sizeof(uint32_t))) {}

void run_chunk_passes(cl::Task &task, const Request &r, const ChunkPlan &plan, const Arrays &arrays,
                      const cl::Operand &state) {
    const auto program = task.program({"sort/radix_chunks.cl", key_options(r)});
    const auto items = cl::Range::groups(plan.chunks.count, 1);
    const Digits all = digits(r);
    const uint32_t begin = all.begin, last = all.last, passes = all.passes;
    const uint64_t n = r.n;
    const uint64_t chunk = plan.chunks.chunk;
    const uint64_t flip = flipped_bits(r);
    run_passes(task, r, arrays, [&](const Pass &pass) {
        launch_pass(task, *program, "sort_chunks_count", items, r, arrays, pass, n, chunk, pass.shift, flip, begin,
                    last, passes, plan.counts, state);
        launch_pass(task, *program, "sort_chunks_scatter", items, r, arrays, pass, n, chunk, pass.shift, flip, passes,
                    plan.counts, state);
    });
}

namespace {

Refusal refuses(const cl::Context &, const Request &) { return {}; }

struct Plan {
    ChunkPlan chunks;
    cl::Operand state;
    Arrays arrays;

    Plan(cl::Task &task, const Request &r)
        : chunks(task, r), state(task.work_space(2, sizeof(uint32_t))), arrays(task, r) {}
};

void run(cl::Task &task, const Request &r) {
    const Plan plan(task, r);
    const uint64_t zero = 0;
    task.fill(plan.state.memory, plan.state.offset * sizeof(uint32_t), sizeof zero, &zero, sizeof zero);
    run_chunk_passes(task, r, plan.chunks, plan.arrays, plan.state);
}

} // namespace

const Algorithm kRadixChunks = {{"radix-chunks", "radix sort, each work-item sorts a contiguous chunk; for CPUs",
                                 "Zagha and Blelloch, \"Radix Sort for Vector Multiprocessors\", 1991", false,
                                 Suits::kCpu},
                                refuses,
                                run,
                                nullptr,
                                kParameters,
                                kTakesCounted};

} // namespace gpcl::sort

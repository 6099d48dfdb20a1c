// Radix sort by contiguous chunks, one work-item each; for CPUs. Host side of kernels/sort/radix_chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/chunks.h"
#include "ops/sort/passes.h"

namespace gpcl::sort {
namespace {

std::string refuses(cl::Task &, const Request &) { return {}; }

void run(cl::Task &task, const Request &r) {
    const Chunks chunks = divide(task.context(), r.n);
    const auto program = task.context().program("sort/radix_chunks.cl", key_options(r));
    const auto items = cl::Range::groups(chunks.count, 1);
    const uint64_t n = r.n;
    const uint64_t chunk = chunks.chunk;
    const uint64_t flip = flipped_bits(r);
    const cl::Operand counts = task.work_space(chunks.count * kDigits * sizeof(uint32_t));

    run_passes(task, r, [&](const Pass &pass) {
        const uint32_t shift = pass.shift;
        task.launch(*program, "sort_chunks_count", items, n, chunk, shift, flip, pass.keys_in, counts);
        if (travelling_bytes(r) == 0) {
            task.launch(*program, "sort_chunks_scatter", items, n, chunk, shift, flip, pass.keys_in, pass.keys_out,
                        counts);
        } else {
            const Stand values_in = or_else(pass.values_in, pass.values_out);
            const Stand keys_out = or_else(pass.keys_out, counts);
            task.launch(*program, "sort_chunks_scatter", items, n, chunk, shift, flip, pass.keys_in, keys_out.operand,
                        counts, values_in.operand, pass.values_out, values_in.absent, keys_out.absent);
        }
    });
}

} // namespace

const Algorithm kRadixChunks = {{"radix-chunks", "radix sort, each work-item sorts a contiguous chunk; for CPUs",
                                 "Zagha and Blelloch, \"Radix Sort for Vector Multiprocessors\", 1991", false,
                                 Suits::kCpu},
                                refuses,
                                run};

} // namespace gpcl::sort

// Bitonic sort, up to four columns of the network a launch. Host side of
// kernels/sort/bitonic_fused.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/ladder.h"
#include "ops/sort/passes.h"

#include <algorithm>
#include <bit>

namespace gpcl::sort {
namespace {

void run(cl::Task &task, const Request &r) {
    constexpr const char *kKernels[] = {"sort_bitonic_2", "sort_bitonic_4", "sort_bitonic_8", "sort_bitonic_16"};
    const auto program = task.program({"sort/bitonic_fused.cl", key_options(r)});
    const uint64_t flip = flipped_bits(r);
    run_network(task, r, [&](const cl::Operand &keys, uint32_t size) {
        for (uint32_t half = 1; half < size; half *= 2) {
            for (uint32_t inc = half; inc > 0;) {
                // inc, inc / 2 ... as many as there are
                const uint32_t columns = std::min(static_cast<uint32_t>(std::bit_width(inc)), 4u);
                const uint32_t last = inc >> (columns - 1);
                task.launch(*program, kKernels[columns - 1], work_items(task.context(), size >> columns), last,
                            2 * half, flip, keys);
                inc = last / 2;
            }
        }
    });
}

} // namespace

const Algorithm kBitonicFused = {{"bitonic-fused",
                                  "bitonic sorting network, up to four columns of comparators a launch",
                                  "Batcher, \"Sorting Networks and Their Applications\", 1968; Bainville, \"OpenCL "
                                  "Sorting\", 2011",
                                  false, Suits::kByName},
                                 refuses_network,
                                 run};

} // namespace gpcl::sort

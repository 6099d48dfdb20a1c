// Bitonic sort, a launch for each column of the network. Host side of kernels/sort/bitonic.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/ladder.h"
#include "ops/sort/passes.h"

namespace gpcl::sort {
namespace {

void run(cl::Task &task, const Request &r) {
    const auto program = task.program({"sort/bitonic.cl", key_options(r)});
    const uint64_t flip = flipped_bits(r);
    run_network(task, r, [&](const cl::Operand &keys, uint32_t size) {
        const cl::Range items = work_items(task.context(), size / 2);
        for (uint32_t half = 1; half < size; half *= 2) {
            for (uint32_t inc = half; inc > 0; inc /= 2) {
                task.launch(*program, "sort_bitonic", items, inc, 2 * half, flip, keys);
            }
        }
    });
}

} // namespace

const Algorithm kBitonic = {
    {"bitonic", "bitonic sorting network, a launch for each column of comparators",
     "Batcher, \"Sorting Networks and Their Applications\", 1968; Bainville, \"OpenCL Sorting\", "
     "2011",
     false, Suits::kByName},
    refuses_network,
    run};

} // namespace gpcl::sort

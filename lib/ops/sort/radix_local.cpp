// Radix sort by 4 bits, each work-item with counters in local memory. Host side of
// kernels/sort/radix_local.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/ladder.h"

namespace gpcl::sort {
namespace {

constexpr Blocks kBlocks = {"sort/radix_local.cl", "sort_local_count", "sort_local_permute", 32, true};

Refusal refuses(const cl::Context &context, const Request &r) { return refuses_blocks(context, r, kBlocks); }
void run(cl::Task &task, const Request &r) { run_blocks(task, r, kBlocks); }

} // namespace

const Algorithm kRadixLocal = {{"radix-local",
                                "radix sort by 4 bits, each work-item counts a block of 32 keys in local memory",
                                "Satish, Harris and Garland, \"Designing Efficient Sorting Algorithms for Manycore "
                                "GPUs\", 2009; Gruber, \"GPGPU Computing with OpenCL\", 2013",
                                false, Suits::kByName},
                               refuses,
                               run};

} // namespace gpcl::sort

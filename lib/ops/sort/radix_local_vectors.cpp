// Radix sort by 4 bits, with counters in local memory and keys loaded as vectors. Host side of
// kernels/sort/radix_local_vectors.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/ladder.h"

namespace gpcl::sort {
namespace {

constexpr Blocks kBlocks = {"sort/radix_local_vectors.cl", "sort_local_vectors_count", "sort_local_vectors_permute",
                            128, true};

Refusal refuses(const cl::Context &context, const Request &r) { return refuses_blocks(context, r, kBlocks); }
void run(cl::Task &task, const Request &r) { run_blocks(task, r, kBlocks); }

} // namespace

const Algorithm kRadixLocalVectors = {
    {"radix-local-vectors", "radix-local with blocks of 128 keys, loaded 16 at a time",
     "Satish, Harris and Garland, \"Designing Efficient Sorting Algorithms for Manycore GPUs\", 2009; Gruber, \"GPGPU "
     "Computing with OpenCL\", 2013",
     false, Suits::kByName},
    refuses,
    run};

} // namespace gpcl::sort

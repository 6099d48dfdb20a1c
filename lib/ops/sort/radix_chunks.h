// The passes of radix_chunks.cpp, for algorithms that may leave them nothing to do.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/chunks.h"
#include "ops/sort/passes.h"

namespace gpcl::sort {

// The division of work, and what it takes beside the arrays.
struct ChunkPlan {
    ChunkPlan(cl::Task &task, const Request &r);
    Chunks chunks;
    cl::Operand counts;
};

// `state` is the two uints of radix_chunks.cl.
void run_chunk_passes(cl::Task &task, const Request &r, const ChunkPlan &plan, const Arrays &arrays,
                      const cl::Operand &state);

} // namespace gpcl::sort

// The scan's request and the functions that its algorithms share.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/task.h"
#include "core/algorithm.h"
#include "core/dtype.h"
#include "ops/combine.h"

namespace gpcl::scan {

// A checked call; `in` and `out` may be the same operand.
struct Request {
    gp_dtype dtype = GP_INT32;
    size_t n = 0;
    Combine combine;
    bool exclusive = false;
    bool reverse = false;
    cl::Operand in;
    cl::Operand out;
};

using Algorithm = gpcl::Algorithm<cl::Task, Request>;

// One algorithm a file.
extern const Algorithm kWaves;          // waves.cpp: one pass over tiles, for NVIDIA GPUs
extern const Algorithm kChunks;         // chunks.cpp: one work-item a chunk, for CPUs
extern const Algorithm kReduceThenScan; // reduce_then_scan.cpp: one work-group a tile, for GPUs
extern const Algorithm kHost;           // host.cpp: lib/host

// The ladder that leads there; these run by name only.
extern const Algorithm kNaive;                 // naive.cpp: n log n operations
extern const Algorithm kWorkEfficient;         // work_efficient.cpp: a tree in global memory
extern const Algorithm kRecursive;             // recursive.cpp: blocks in local memory
extern const Algorithm kRecursiveConflictFree; // recursive.cpp: the same without bank conflicts
extern const Algorithm kRecursiveVectors;      // recursive.cpp: the same with vectors
extern const Algorithm kHostLoop;              // host.cpp: one thread

std::span<const Algorithm> algorithms();

} // namespace gpcl::scan

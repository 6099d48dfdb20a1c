// The reduction's request and the algorithms there are.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/task.h"
#include "core/algorithm.h"
#include "core/dtype.h"
#include "ops/combine.h"

namespace gpcl::reduce {

// A checked call; `out` is one element.
struct Request {
    gp_dtype dtype = GP_INT32;
    size_t n = 0;
    Combine combine;
    cl::Operand in;
    cl::Operand out;
};

using Algorithm = gpcl::Algorithm<cl::Task, Request>;

extern const Algorithm kChunks; // chunks.cpp: one work-item a chunk, for CPUs
extern const Algorithm kTree;   // tree.cpp: one work-group a run of tiles, for GPUs
extern const Algorithm kHost;   // host.cpp: lib/host

std::span<const Algorithm> algorithms();

} // namespace gpcl::reduce

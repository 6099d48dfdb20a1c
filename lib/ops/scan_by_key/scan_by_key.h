// Scans that start anew with each run of equal keys: the request, and the algorithms.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/combine.h"
#include "ops/key_order.h"
#include "ops/operation.h"

namespace gpcl::scan_by_key {

// A checked call; `values` and `out` may be the same operand.
struct Request {
    gp_dtype key = GP_INT32;
    gp_dtype from = GP_INT32;  // of values
    gp_dtype dtype = GP_INT32; // of results
    size_t n = 0;              // the most there may be
    Combine combine;
    bool exclusive = false, has_bound = false, has_initial = false;
    cl::Operand keys;
    cl::Operand values;
    cl::Operand out;
    cl::Operand bound;   // how many elements there are
    cl::Operand initial; // what comes before each run

    // Of the kernel file.
    std::string options() const { return text(combine.options(dtype, from), ' ', key_order_options(key)); }
};

using Algorithm = gpcl::Algorithm<Request>;

extern const Algorithm kStagedLookBack;         // staged_look_back.cpp: one pass, with tiles copied ahead
extern const Algorithm kLookBack;               // look_back.cpp: one pass over tiles, for GPUs
extern const Algorithm kChunks;                 // chunks.cpp: one work-item a chunk, for CPUs
extern const Algorithm kHost;                   // host.cpp: lib/host
extern const Algorithm kStagedLookBackFallback; // staged_look_back.cpp: takes every tile for late, to test that
extern const Algorithm kLookBackFallback;       // look_back.cpp: the same

std::span<const Algorithm> algorithms();

extern const Operation kOperation;
void prove(Proof &proof);       // prove.cpp
extern const place::Kind kKind; // place.cpp

// Launches a kernel behind GP_SCAN_BY_KEY of kernels/scan_by_key/call.cl.
template <class... Args> void launch(cl::Task &task, cl::Program &program, const char *kernel, const cl::Range &range,
                                     const Request &r, const Args &...args) {
    task.launch(program, kernel, range, r.keys, r.values, r.out, r.bound, uint32_t{r.has_bound}, uint64_t{r.n},
                r.initial, uint32_t{r.has_initial}, uint32_t{r.exclusive}, args...);
}

} // namespace gpcl::scan_by_key

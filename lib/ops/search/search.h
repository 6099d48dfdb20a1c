// The search's request and the algorithms there are.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "ops/counted.h"
#include "ops/key_order.h"
#include "ops/operation.h"

namespace gpcl::search {

// A checked call; m is not 0.
struct Request {
    gp_dtype dtype = GP_INT32;
    gp_dtype index = GP_UINT64; // the type of positions
    bool right = false;
    bool descending = false;
    size_t n = 0;
    size_t m = 1;
    cl::Operand sorted; // where n is 0: values
    cl::Operand values;
    cl::Operand positions;
    Counted counted, counted_m; // n and m

    uint64_t flip() const { return flipped_bits(dtype, descending); }
    // Of the kernel file.
    std::string options() const { return key_order_options(dtype) + two_counts_option(counted, counted_m); }
};

// deal.cpp: shares a call on host pointers among the devices of its context, and returns true.
// False: one device is to do it all, and nothing was done.
bool deal(gp_context *context, const Request &whole, const gp_search_options &options, const void *sorted,
          const void *values, void *positions);

using Algorithm = gpcl::Algorithm<Request>;

extern const Algorithm kTiles;  // tiles.cpp: a work-group a tile of values, with samples in local memory, for GPUs
extern const Algorithm kChunks; // chunks.cpp: one work-item a chunk of values, for CPUs
extern const Algorithm kHost;   // host.cpp: lib/host

std::span<const Algorithm> algorithms();

extern const Operation kOperation;
extern const place::Kind kKind; // place.cpp

// Launches a kernel of search/ behind GP_SEARCH of window.cl.
template <class... Args> void launch(cl::Task &task, cl::Program &program, const char *kernel, const cl::Range &range,
                                     const Request &r, const Args &...args) {
    task.launch(program, kernel, range, r.sorted, r.flip(), uint64_t{r.n}, r.values, uint64_t{r.m}, r.positions,
                uint32_t{r.index == GP_UINT64}, uint32_t{r.right}, args..., r.counted.argument(),
                r.counted_m.argument());
}

} // namespace gpcl::search

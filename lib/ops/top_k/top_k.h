// The request of a selection of the first k elements, and the algorithms there are.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "core/rows.h"
#include "ops/counted.h"
#include "ops/key_order.h"
#include "ops/operation.h"

namespace gpcl::top_k {

// A checked call; 0 < k <= n.
struct Request {
    gp_dtype dtype = GP_INT32;
    gp_dtype index = GP_UINT64; // the type of positions
    bool descending = false;    // the largest elements
    bool sorted = true;
    Rows rows;
    size_t k = 1;
    size_t stride_out = 1;
    bool has_positions = false, has_values = false;
    Counted counted; // of one row without steps
    cl::Operand in;
    cl::Operand positions; // where there are none: values
    cl::Operand values;    // where there are none: positions

    size_t n() const { return rows.n; }
    size_t batch() const { return rows.batch; }
    std::string options() const { return key_order_options(dtype) + counted.option(); }
    // As gp_ordered takes it.
    uint64_t flip() const { return flipped_bits(dtype, descending); }
    // One row of the batch alone.
    Request row(size_t number) const;
};

// deal.cpp: shares a call on host pointers among the devices of its context, and returns true.
// False: one device is to do it all, and nothing was done.
bool deal(gp_context *context, const Request &whole, const gp_top_k_options &options, const void *in, void *positions,
          void *values);

using Algorithm = gpcl::Algorithm<Request>;

extern const Algorithm kWarps;      // warps.cpp: a warp a row
extern const Algorithm kSortedRows; // sorted_rows.cpp: several short rows are sorted in a work-group, for GPUs
extern const Algorithm kGroups;     // groups.cpp: a work-group a row
extern const Algorithm kFilter;     // filter.cpp: a sample tells what is worth looking at
extern const Algorithm kRounds;     // rounds.cpp: digit by digit in one launch
extern const Algorithm kDigits;     // digits.cpp: digit by digit
extern const Algorithm kHost;       // host.cpp: lib/host

std::span<const Algorithm> algorithms();

extern const Operation kOperation;
void prove(Proof &proof); // prove.cpp
// place.cpp
extern const std::array<const place::Kind *, 2> kKinds;
const place::Kind &kind_of(size_t k);

// Launches a kernel behind GP_ROWS and GP_RESULTS of kernels/top_k/results.cl.
template <class... Args> void launch(cl::Task &task, cl::Program &program, const char *kernel, const cl::Range &range,
                                     const Request &r, const Args &...args) {
    const uint32_t wanted = (r.has_positions ? 1u : 0u) | (r.has_values ? 2u : 0u) | (r.index == GP_UINT64 ? 4u : 0u);
    task.launch(program, kernel, range, r.in, r.flip(), uint64_t{r.n()}, uint64_t{r.rows.stride}, uint64_t{r.rows.step},
                uint64_t{r.batch()}, uint64_t{r.k}, r.positions, r.values, wanted, uint64_t{r.stride_out}, args...,
                r.counted.argument());
}

} // namespace gpcl::top_k

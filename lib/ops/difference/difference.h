// The request of difference and the algorithms there are.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "core/rows.h"
#include "ops/counted.h"
#include "ops/operation.h"

namespace gpcl::difference {

// A checked call.
struct Request {
    gp_dtype dtype = GP_INT32;
    bool kept = true;
    Rows rows_in, rows_out;      // rows_out.n: results of a row
    std::string source, helpers; // the caller's text; "" for the difference
    cl::Operand in, out;
    Counted counted; // of one row without steps

    size_t n() const { return rows_out.n; }
    // Of a row of so many elements.
    size_t results_of(size_t elements) const { return kept ? elements : std::max(elements, size_t{1}) - 1; }
    size_t batch() const { return rows_out.batch; }
    // The program text that goes before a kernel file: T gp_difference_text(T a, T b), where it is
    // the caller's.
    bool has_text() const { return !source.empty(); }
    std::string preamble() const;
    // The macros of pair.cl.
    std::string options() const;
};

// deal.cpp: shares a call on host pointers among the devices of its context, and returns true.
// False: one device is to do it all, and nothing was done.
bool deal(gp_context *context, const Request &whole, const gp_difference_options &options, const void *in, void *out);

using Algorithm = gpcl::Algorithm<Request>;

extern const Algorithm kColumns; // columns.cpp: neighbouring work-items walk along neighbouring columns
extern const Algorithm kChunks;  // chunks.cpp: one work-item a chunk, for CPUs
extern const Algorithm kVectors; // vectors.cpp: vectors of 16 bytes, for GPUs
extern const Algorithm kHost;    // host.cpp: lib/host

std::span<const Algorithm> algorithms();

extern const Operation kOperation;
extern const place::Kind kKind; // place.cpp

// Launches a kernel of difference/ with the parameters of pair.cl.
template <class... Args> void launch(cl::Task &task, cl::Program &program, const char *kernel, const cl::Range &range,
                                     const Request &r, const Args &...args) {
    task.launch(program, kernel, range, r.in, r.out, uint64_t{r.n()}, uint64_t{r.batch()}, uint64_t{r.rows_in.stride},
                uint64_t{r.rows_out.stride}, args..., r.counted.argument());
}

} // namespace gpcl::difference

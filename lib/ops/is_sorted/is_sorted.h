// The request of is-sorted and the algorithms there are.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "core/rows.h"
#include "ops/counted.h"
#include "ops/key_order.h"
#include "ops/operation.h"

namespace gpcl::is_sorted {

// A checked call; positions have one element a row.
struct Request {
    gp_dtype dtype = GP_INT32;
    bool descending = false;
    bool strict = false;
    Rows rows;
    size_t stride_out = 1;
    cl::Operand in; // where rows have no elements: positions
    cl::Operand positions;
    Counted counted; // of one row without steps

    size_t batch() const { return rows.batch; }
    uint64_t flip() const { return flipped_bits(dtype, descending); }
    // Of the kernel file.
    std::string options() const { return key_order_options(dtype) + counted.option(); }
};

// deal.cpp: shares a call on host pointers among the devices of its context, and returns true.
// False: one device is to do it all, and nothing was done.
bool deal(gp_context *context, const Request &whole, const gp_is_sorted_options &options, const void *in,
          uint64_t *positions);

using Algorithm = gpcl::Algorithm<Request>;

extern const Algorithm kColumns; // columns.cpp: neighbouring work-items walk along neighbouring columns
extern const Algorithm kChunks;  // chunks.cpp: one work-item a chunk, for CPUs
extern const Algorithm kRows;    // rows.cpp: several work-items a row, or a part of one, in one launch, for GPUs
extern const Algorithm kHost;    // host.cpp: lib/host

std::span<const Algorithm> algorithms();

extern const Operation kOperation;
extern const place::Kind kKind; // place.cpp

// Launches a kernel of is_sorted/ behind GP_ROWS of breaks.cl.
template <class... Args> void launch(cl::Task &task, cl::Program &program, const char *kernel, const cl::Range &range,
                                     const Request &r, const Args &...args) {
    task.launch(program, kernel, range, r.in, r.flip(), uint32_t{r.strict}, uint64_t{r.rows.n}, uint64_t{r.rows.stride},
                uint64_t{r.rows.step}, uint64_t{r.batch()}, args..., r.counted.argument());
}

// Work space for the first breaks of so many parts of each row.
cl::Operand parts_of(cl::Task &task, const Request &request, size_t parts);

// Writes the results of rows from those of their parts: part k of row r is number k * part_stride +
// r * row_stride.
void combine(cl::Task &task, cl::Program &program, const Request &request, const cl::Operand &firsts, size_t parts,
             size_t part_stride, size_t row_stride);

} // namespace gpcl::is_sorted

// The arg-reduction's request and the algorithms there are.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "core/rows.h"
#include "ops/counted.h"
#include "ops/key_order.h"
#include "ops/operation.h"

namespace gpcl::arg_reduce {

// A checked call; positions and values have one element a row, n is not 0.
struct Request {
    gp_dtype dtype = GP_INT32;
    gp_dtype index = GP_UINT64; // the type of positions
    bool largest = false;
    Rows rows;
    size_t stride_out = 1;
    bool has_values = false;
    cl::Operand in;
    cl::Operand positions;
    cl::Operand values; // where there are none: positions
    Counted counted;    // of one row without steps

    size_t batch() const { return rows.batch; }
    // Options of the kernel file; `group`: the work-group size of arg_reduce_results; `steps`:
    // whether the file has a form for neighbouring elements side by side.
    std::string options(size_t group, bool steps) const;
    // As gp_ordered takes it: descending for the largest element.
    uint64_t flip() const;
};

// deal.cpp: shares a call on host pointers among the devices of its context, and returns true.
// False: one device is to do it all, and nothing was done.
bool deal(gp_context *context, const Request &whole, const gp_arg_reduce_options &options, const void *in,
          void *positions, void *values);

using Algorithm = gpcl::Algorithm<Request>;

extern const Algorithm kColumnTiles; // column_tiles.cpp: a work-group a part of neighbouring columns, for GPUs
extern const Algorithm kColumns;     // columns.cpp: neighbouring work-items walk along neighbouring columns
extern const Algorithm kChunks;      // chunks.cpp: one work-item a chunk, for CPUs
extern const Algorithm kRows;        // rows.cpp: several work-items a row, or a part of one, in one launch, for GPUs
extern const Algorithm kTree;        // tree.cpp: several work-items a row, or a run of one, for GPUs
extern const Algorithm kHost;        // host.cpp: lib/host

std::span<const Algorithm> algorithms();

extern const Operation kOperation;
extern const place::Kind kKind; // place.cpp

// The best of each part of the rows, on its way to the results.
struct Parts {
    size_t count; // of a row
    cl::Operand ranks, positions;
    Parts(cl::Task &task, const Request &request, size_t count);
};

// The same where the work-group that ends last makes the results of several parts; it is one of
// each of `last` sets of work-groups.
struct LaneParts {
    cl::Operand ranks, places, ended;
    LaneParts(cl::Task &task, const Request &request, size_t parts, size_t last);
};

// Launches a kernel of arg_reduce/ behind GP_ROWS of best.cl.
template <class... Args> void launch(cl::Task &task, cl::Program &program, const char *kernel, const cl::Range &range,
                                     const Request &r, const Args &...args) {
    task.launch(program, kernel, range, r.in, r.flip(), uint64_t{r.rows.n}, uint64_t{r.rows.stride},
                uint64_t{r.rows.step}, uint64_t{r.batch()}, args..., r.counted.argument());
}

// The same for one that ends with GP_RESULTS.
template <class... Args> void launch_last(cl::Task &task, cl::Program &program, const char *kernel,
                                          const cl::Range &range, const Request &r, const Args &...args) {
    launch(task, program, kernel, range, r, args..., r.positions, uint32_t{r.index == GP_UINT64}, r.values,
           uint32_t{r.has_values}, uint64_t{r.stride_out});
}

// Writes the results of rows from those of their parts: part k of row r is number k * part_stride +
// r * row_stride.
void combine(cl::Task &task, cl::Program &program, const Request &request, size_t group, const Parts &parts,
             size_t part_stride, size_t row_stride);

} // namespace gpcl::arg_reduce

// The reduction's request and the algorithms there are.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "core/rows.h"
#include "ops/combine.h"
#include "ops/counted.h"
#include "ops/operation.h"

namespace gpcl::reduce {

// A checked call; `out` has one element a row.
struct Request {
    gp_dtype dtype = GP_INT32; // of sums and of out
    gp_dtype from = GP_INT32;  // of in
    size_t n = 0;
    Combine combine;
    Rows rows;
    size_t stride_out = 1;
    bool accumulate = false; // to what is in out; on OpenCL devices accumulate() does it
    cl::Operand in;
    cl::Operand out;
    Counted counted; // of one row without steps

    size_t batch() const { return rows.batch; }
    // Options of the kernel file.
    std::string options() const { return combine.options(dtype, from) + counted.option(); }
};

// deal.cpp: shares a call on host pointers among the devices of its context, and returns true.
// False: one device is to do it all, and nothing was done.
bool deal(gp_context *context, const Request &whole, const gp_reduce_options &options, const void *in, void *out);

using Algorithm = gpcl::Algorithm<Request>;

extern const Algorithm kColumnTiles; // column_tiles.cpp: a work-group a part of neighbouring columns, for GPUs
extern const Algorithm kColumns;     // columns.cpp: neighbouring work-items reduce neighbouring columns
extern const Algorithm kChunks;      // chunks.cpp: one work-item a chunk, for CPUs
extern const Algorithm kStaged;      // staged.cpp: one launch, tiles copied ahead
extern const Algorithm kRows;        // rows.cpp: several work-items a row, or a part of one, for GPUs
extern const Algorithm kTree;        // tree.cpp: one work-group a run of tiles, for GPUs
extern const Algorithm kHost;        // host.cpp: lib/host

std::span<const Algorithm> algorithms();

void prove(Proof &proof); // prove.cpp

extern const Operation kOperation;
extern const place::Kind kKind; // place.cpp

// Runs a call on a large array in host memory piece by piece (pieces.cpp) and returns true; the
// request has no operands. False: nothing was done.
bool run_pieces(cl::Task &task, cl::Context &context, const Request &whole, const char *algorithm, const void *in,
                void *out);

// Combines what is in out with results that lie one after the other. Host side of
// kernels/reduce/accumulate.cl.
void accumulate(cl::Task &task, const Request &request, const cl::Operand &results);

} // namespace gpcl::reduce

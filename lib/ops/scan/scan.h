// The scan's request and the functions that its algorithms share.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "core/rows.h"
#include "ops/combine.h"
#include "ops/counted.h"
#include "ops/operation.h"

namespace gpcl::scan {

// A checked call; `in` and `out` may be the same operand.
struct Request {
    gp_dtype dtype = GP_INT32; // of sums and of out
    gp_dtype from = GP_INT32;  // of in
    size_t n = 0;
    Combine combine;
    bool exclusive = false;
    bool reverse = false;
    bool segmented = false;
    Rows rows_in;
    Rows rows_out;
    cl::Operand in;
    cl::Operand out;
    cl::Operand heads; // laid out as `in`
    // One element of the type of sums a row: what comes before it, and what its end hands on. They
    // share no memory, but on "host", where they may be the same.
    bool has_initial = false;
    bool has_final = false;
    cl::Operand initial;
    cl::Operand last;
    Counted counted; // of one row without steps and segments

    size_t batch() const { return rows_in.batch; }
    bool has_steps() const { return rows_in.step != 1 || rows_out.step != 1; }
    // Options of the kernel file.
    std::string options() const {
        return combine.options(dtype, from) + (segmented ? " -DGP_SEGMENTED" : "") + more_options();
    }
    // kernels/scan/heads.cl; `beyond`: how many positions past the end are counted.
    const char *index_option(size_t beyond) const {
        const size_t most = std::max({n * batch(), rows_in.span(), rows_out.span()});
        return most + beyond < size_t{1} << 32 ? " -DGP_INDEX=uint" : " -DGP_INDEX=ulong";
    }
    // kernels/common/carry.cl.
    bool has_carries() const { return has_initial || has_final; }
    // Of that, and of kernels/common/counted.cl.
    std::string more_options() const { return text(has_carries() ? " -DGP_CARRY" : "", counted.option()); }
    // Launches a kernel that takes the carries and the count behind its other arguments, where
    // there are any.
    template <class... Args> void launch(cl::Task &task, cl::Program &program, const char *name, const cl::Range &range,
                                         const Args &...args) const {
        if (!has_carries()) return task.launch(program, name, range, args..., counted.argument());
        task.launch(program, name, range, args..., has_initial ? initial : out, has_final ? last : out,
                    uint32_t{has_initial} | uint32_t{has_final} << 1, counted.argument());
    }
};

// Why an algorithm for one row without segments refuses a request; nothing when it does not.
Refusal refuses_rows(const Request &request);
// The same, for one that reads and writes the same type only.
Refusal refuses_all_but_plain(const Request &request);
// The same, for one that takes no carries either.
Refusal refuses_carries(const Request &request);

// Rows without elements hand on their initial values, or identities. Host side of
// kernels/scan/carry.cl.
void pass_carries(cl::Task &task, const Request &request);

// The arrays of a call on host pointers; carries and heads where the request has them.
struct HostArrays {
    const void *in;
    void *out;
    const uint8_t *heads;
    const void *initial;
    void *last;
};

// Runs large ones piece by piece (pieces.cpp) and returns true; the request has no operands. False:
// nothing was done.
bool run_pieces(cl::Task &task, cl::Context &context, const Request &whole, const char *algorithm,
                const HostArrays &host);

// deal.cpp: shares a call on host pointers among the devices of its context, and returns true.
// False: one device is to do it all, and nothing was done.
bool deal(gp_context *context, const Request &whole, const gp_scan_options &options, const HostArrays &host);

using Algorithm = gpcl::Algorithm<Request>;

// One algorithm a file.
extern const Algorithm kLookBack;         // look_back.cpp: one pass over tiles, for NVIDIA GPUs
extern const Algorithm kStagedLookBack;   // staged_look_back.cpp: the same, tiles copied ahead
extern const Algorithm kStagedRows;       // staged_segments.cpp: the same over rows that follow each other
extern const Algorithm kStagedSegments;   // staged_segments.cpp: the same with flags
extern const Algorithm kLookBackSegments; // look_back_segments.cpp: the same, wherever the elements lie
extern const Algorithm kColumns;          // columns.cpp: neighbouring work-items scan neighbouring columns
extern const Algorithm kChunks;           // chunks.cpp: one work-item a chunk, for CPUs
extern const Algorithm kReduceThenScan;   // reduce_then_scan.cpp: one work-group a tile, for GPUs
extern const Algorithm kSegments;         // segments.cpp: the same for rows and segments
extern const Algorithm kHost;             // host.cpp: lib/host

// The ladder that leads there; these run by name only.
extern const Algorithm kNaive;                 // naive.cpp: n log n operations
extern const Algorithm kWorkEfficient;         // work_efficient.cpp: a tree in global memory
extern const Algorithm kRecursive;             // recursive.cpp: blocks in local memory
extern const Algorithm kRecursiveConflictFree; // recursive.cpp: the same without bank conflicts
extern const Algorithm kRecursiveVectors;      // recursive.cpp: the same with vectors
extern const Algorithm kHostLoop;              // host.cpp: one thread
extern const Algorithm kLookBackFallback; // look_back.cpp: takes every tile for late, to test what stands in for it
extern const Algorithm kStagedLookBackFallback;   // staged_look_back.cpp: the same
extern const Algorithm kStagedSegmentsFallback;   // staged_segments.cpp: the same
extern const Algorithm kLookBackSegmentsFallback; // look_back_segments.cpp: the same

std::span<const Algorithm> algorithms();

void prove(Proof &proof); // prove.cpp

extern const Operation kOperation;
extern const place::Kind kKind; // place.cpp

} // namespace gpcl::scan

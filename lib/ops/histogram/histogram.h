// The histogram's request and the algorithms there are.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/counted.h"
#include "ops/histogram/known_bins.h"
#include "ops/operation.h"

namespace gpcl::histogram {

// A checked call: elements in, bins->count 64-bit counts out. n > 0, and there is an element that
// some bin could hold.
struct Request {
    gp_dtype dtype = GP_UINT8;
    size_t n = 0;
    std::shared_ptr<const Bins> bins;
    cl::Operand in;
    cl::Operand counts;
    Counted counted = {};
};

inline constexpr size_t kMostBins = size_t{1} << 24;

// What a caller says of bins.
struct GivenBins {
    double lower, upper;
    const void *edges; // NULL: even bins, or whole numbers
    gp_dtype edges_dtype;
    // How messages name them: what is added to lower, upper and bins; the others.
    const char *axis = "", *edges_name = "options->edges", *edges_dtype_name = "options->edges_dtype";
};

// Checks them; the elements' type, too.
std::shared_ptr<const Bins> read_bins(gp_dtype dtype, size_t bins, const GivenBins &given);

// The most common case has algorithms of its own: one bin for each value of a byte.
inline constexpr size_t kBins = 256;
inline bool counts_bytes(const Request &r) {
    return r.dtype == GP_UINT8 && r.bins->whole && r.bins->first == 0 && r.bins->count == kBins;
}
inline Refusal refuses_all_but_bytes(const Request &r) {
    return counts_bytes(r) ? Refusal{} : "it counts uint8, in 256 bins, one for each value";
}
// Their first launch pays above this many.
inline constexpr size_t kFewBytes = 1 << 14;

// How many bytes are so few that another algorithm is chosen.
struct FewBytes : Parameter {
    explicit FewBytes(const char *algorithm)
        : Parameter{GP_HISTOGRAM,
                    algorithm,
                    "above",
                    "bytes above which it is chosen",
                    {1 << 10, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 18, 1 << 20},
                    always<kFewBytes>} {}
    bool are_exceeded(const cl::Context &context, const Request &r) const {
        return r.n > tuned(context, r.dtype, *this);
    }
};

// deal.cpp: shares a call on host pointers among the devices of its context, and returns true.
// False: one device is to do it all, and nothing was done.
bool deal(gp_context *context, const Request &whole, const gp_histogram_options &options, const void *in,
          uint64_t *counts);

using Algorithm = gpcl::Algorithm<Request>;

extern const Algorithm kChunks;                   // chunks.cpp: one work-item a chunk, for CPUs
extern const Algorithm kLanesOfCounters;          // lanes.cpp: a counter for each bin and lane, for GPUs
extern const Algorithm kLocal;                    // local.cpp: local atomics, for GPUs
extern const Algorithm kSubHistograms;            // sub_histograms.cpp: one sub-histogram a work-item
extern const Algorithm kSubHistogramsNoConflicts; // the same, each work-item in its own bank
extern const Algorithm kGlobalAtomics;            // global_atomics.cpp: one counter a bin
extern const Algorithm kLocalEven;                // local_even.cpp: even bins of floats, for GPUs
extern const Algorithm kLocalCells;               // local_cells.cpp: floats between any edges, for GPUs
extern const Algorithm kChunkBins;                // chunk_bins.cpp: any type and bins, for CPUs
extern const Algorithm kLocalBins;                // local_bins.cpp: any type, local atomics, for GPUs
extern const Algorithm kGlobalBins;               // global_bins.cpp: any type, any number of bins, for GPUs
extern const Algorithm kHost;                     // host.cpp: lib/host
extern const Algorithm kHostLoop;

std::span<const Algorithm> algorithms();

extern const Operation kOperation;
// place.cpp
extern const std::array<const place::Kind *, 3> kKinds;
const place::Kind &kind_of(size_t bins, const gp_histogram_options &options);

// Devices count in 32 bits, so a part of the input, of which each makes a partial histogram, is
// smaller than this.
inline constexpr size_t kLargestPart = size_t{1} << 31;

// How many work-groups share n elements where each work-item takes `least` of them or more: a few
// for each compute unit.
size_t groups_for(const cl::Context &context, size_t n, size_t group, size_t least, size_t per_unit = 8);

// The second step, kernels/histogram/merge.cl: adds partial histograms up, where counter `bin` of
// part p is partial[bin * parts + p]. `group`: work-items of a work-group, as the program was told
// by merge_options.
std::string merge_options(size_t group);
void merge(cl::Task &task, cl::Program &program, size_t group, const cl::Operand &partial, size_t parts,
           const Request &request);

// Runs a call on a large array in host memory piece by piece (pieces.cpp) and returns true; the
// request has no `in`, and counts that are there already if it accumulates. False: nothing was
// done.
bool run_pieces(cl::Task &task, cl::Context &context, const Request &whole, const char *algorithm, const void *in,
                bool accumulates);

// Adds further counts to those in request.counts. Host side of kernels/histogram/accumulate.cl.
void accumulate(cl::Task &task, const Request &request, const cl::Operand &more);

} // namespace gpcl::histogram

// The histogram's request and the algorithms there are.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/task.h"
#include "core/algorithm.h"

namespace gpcl::histogram {

inline constexpr size_t kBins = 256;

// A checked call: bytes in, kBins 64-bit counts out. n > 0.
struct Request {
    size_t n = 0;
    cl::Operand in;
    cl::Operand counts;
};

using Algorithm = gpcl::Algorithm<cl::Task, Request>;

extern const Algorithm kChunks;                   // chunks.cpp: one work-item a chunk, for CPUs
extern const Algorithm kLanesOfCounters;          // lanes.cpp: a counter for each bin and lane, for GPUs
extern const Algorithm kLocal;                    // local.cpp: local atomics, for GPUs
extern const Algorithm kSubHistograms;            // sub_histograms.cpp: one sub-histogram a work-item
extern const Algorithm kSubHistogramsNoConflicts; // the same, each work-item in its own bank
extern const Algorithm kGlobalAtomics;            // global_atomics.cpp: one counter a bin
extern const Algorithm kHost;                     // host.cpp: lib/host
extern const Algorithm kHostLoop;

std::span<const Algorithm> algorithms();

// Devices count in 32 bits, so a part of the input, of which each makes a partial histogram, is smaller than this.
inline constexpr size_t kLargestPart = size_t{1} << 31;

// How many work-groups share n elements where each work-item takes `least` of them or more: a few for each compute unit.
size_t groups_for(const cl::Context &context, size_t n, size_t group, size_t least);

// The second step, kernels/histogram/merge.cl: adds partial histograms up, where counter `bin` of part p is
// partial[bin * parts + p]. `group`: work-items of a work-group, as the program was told by merge_options.
std::string merge_options(size_t group);
void merge(cl::Task &task, cl::Program &program, size_t group, const cl::Operand &partial, size_t parts,
           const Request &request);

} // namespace gpcl::histogram

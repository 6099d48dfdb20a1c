// The request of gp_unique, and the algorithms there are.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/runs/runs.h"

namespace gpcl::unique {

// A checked call: the runs of the input once it is sorted, with their lengths as counts, and where
// they begin in the input as firsts; and the run of each element.
struct Request {
    runs::Request runs;
    bool sorted = false; // the input is
    bool has_inverse = false;
    cl::Operand inverse;
};

using Algorithm = gpcl::Algorithm<Request>;

extern const Algorithm kLocalBins;  // local_bins.cpp: some thousand elements, in one work-group, for GPUs
extern const Algorithm kSortedRuns; // sorted_runs.cpp: gp_sort's algorithms, then those of gp_run_lengths
extern const Algorithm kHost;       // host.cpp: lib/host

std::span<const Algorithm> algorithms();

void prove(Proof &proof); // prove.cpp

extern const Operation kOperation;
// place.cpp
extern const std::array<const place::Kind *, 2> kKinds;
const place::Kind &kind_of(bool sorted);

} // namespace gpcl::unique

// Distinct elements, on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include "host/runs.h"

namespace gpcl::host {

// The input, and what is written of each distinct element, as run_lengths has it of the runs of the
// sorted input: lengths are counts, and firsts are positions in the input.
struct Unique {
    Runs runs;
    gp_dtype index = GP_UINT64; // type of firsts, inverse and counts
    bool sorted = false;        // the input is
    void *inverse = nullptr;    // NULL: not wanted
};

// Returns how many distinct elements there are. Any type but bfloat16.
uint64_t unique(const Unique &call);

} // namespace gpcl::host

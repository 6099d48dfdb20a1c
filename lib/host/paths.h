// Shortest paths on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include <gpcl/gpcl.h>

namespace gpcl::host {

// As gp_paths has it; element (i, j) of a matrix is number i * its leading dimension + j.
struct PathsProblem {
    gp_dtype dtype;
    size_t n;
    const void *in;
    size_t ld_in;
    void *out; // may be in, with the same leading dimension
    size_t ld_out;
    int32_t *predecessors; // NULL: not wanted
    size_t ld_predecessors;
    uint64_t *negative_cycle; // NULL: not wanted
};

void paths(const PathsProblem &problem);

} // namespace gpcl::host

// Runs of keys that equal their neighbours, on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include <gpcl/gpcl.h>

namespace gpcl::host {

// What is read and written, as gp_run_lengths and gp_reduce_by_key have it; NULL: not wanted.
// scan_by_key() takes key, n and keys alone.
struct Runs {
    gp_dtype key;
    size_t n = 0;
    size_t capacity = 0;
    const void *keys = nullptr;
    void *out_keys = nullptr;
    void *results = nullptr;
    void *firsts = nullptr;
};

// Both return how many runs there are. `index` is the type of results and first positions.
uint64_t run_lengths(const Runs &runs, gp_dtype index);
// The values are n elements of `from`, the results of `dtype`.
uint64_t reduce_by_key(const Runs &runs, gp_dtype dtype, gp_operator op, gp_dtype from, const void *values,
                       bool any_order);
// Running combinations in each run, n of them of `dtype`; `out` may be the values. initial: what
// comes before each run, NULL: the identity.
void scan_by_key(const Runs &runs, gp_dtype dtype, gp_operator op, gp_dtype from, const void *values, void *out,
                 bool exclusive, const void *initial);

} // namespace gpcl::host

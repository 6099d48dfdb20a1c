// Linear recurrences on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include <gpcl/gpcl.h>

namespace gpcl::host {

struct Rows {
    size_t n, order, batch, stride_in, stride_out;
    const void *in; // NULL: zeros
    void *out;
    const void *coefficients;
    const void *initial;            // batch * order; NULL: zeros
    bool reverse;                   // from the rows' ends to their beginnings
    size_t stride_coefficients = 0; // where they vary
};

// y[t] = x[t] + c[0] y[t - 1] + ... in every row; in == out is allowed.
void recurrence(gp_dtype dtype, const Rows &rows);      // rows on threads
void recurrence_loop(gp_dtype dtype, const Rows &rows); // one plain loop

// y[t] = x[t] + a[t] y[t - 1] in every row, with rows of coefficients; likewise.
void recurrence_varying(gp_dtype dtype, const Rows &rows); // rows on threads

} // namespace gpcl::host

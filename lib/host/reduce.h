// Reduction on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/rows.h"

namespace gpcl::host {

// For every row, its elements combined, read as `from` and combined as `dtype`; the identity when n
// is 0. The results are stride_out elements apart. accumulate: what is there comes first.
void reduce(gp_dtype dtype, gp_operator op, gp_dtype from, const Rows &rows, const void *in, size_t stride_out,
            void *out, bool accumulate = false);

} // namespace gpcl::host

// Whether rows are sorted, on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "core/rows.h"

namespace gpcl::host {

// For every row the position of the first element that is out of order, as gp_is_sorted has it.
// Positions are stride_out elements apart.
void is_sorted(gp_dtype dtype, bool descending, bool strict, const Rows &rows, const void *in, size_t stride_out,
               uint64_t *positions);

} // namespace gpcl::host

// Selection of the first k elements on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "core/rows.h"

namespace gpcl::host {

// For every row its first k elements as a stable sort would have them, or the same in any order, as
// gp_top_k has it; 0 < k <= n. positions or values may be NULL. Results of rows are stride_out
// elements apart.
void top_k(gp_dtype dtype, bool descending, bool sorted, const Rows &rows, const void *in, size_t k, gp_dtype index,
           size_t stride_out, void *positions, void *values);

} // namespace gpcl::host

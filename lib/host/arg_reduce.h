// Arg-reduction on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "core/rows.h"

namespace gpcl::host {

// For every row the position of its smallest or largest element, as gp_arg_reduce has it, and the
// element itself where `values` is not NULL. Rows have one element or more; results are stride_out
// elements apart.
void arg_reduce(gp_dtype dtype, bool largest, const Rows &rows, const void *in, gp_dtype index, size_t stride_out,
                void *positions, void *values);

} // namespace gpcl::host

// Reduction on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include <gpcl/gpcl.h>

namespace gpcl::host {

// *out = in[0] o ... o in[n - 1], the identity when n is 0.
void reduce(gp_dtype dtype, gp_operator op, size_t n, const void *in, void *out);

} // namespace gpcl::host

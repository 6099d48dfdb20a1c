// Scan on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include <gpcl/gpcl.h>

namespace gpcl::host {

// Running combinations of n elements; in == out is allowed.
void scan(gp_dtype dtype, gp_operator op, size_t n, const void *in, void *out, bool exclusive, bool reverse);

// The same by one loop in one thread.
void scan_loop(gp_dtype dtype, gp_operator op, size_t n, const void *in, void *out, bool exclusive, bool reverse);

} // namespace gpcl::host

// Plain sorts on one core, to compare the others with.
// SPDX-License-Identifier: MIT
#pragma once

#include <gpcl/gpcl.h>

namespace gpcl::host {

// C's qsort and C++'s std::sort. Integer keys only: neither is stable.
void c_qsort(gp_dtype dtype, size_t n, void *keys, bool descending);
void std_sort(gp_dtype dtype, size_t n, void *keys, bool descending);

// Least-significant-digit radix sort by 16 bits. Stable, all types and the order of floats as in
// sort().
void radix16(gp_dtype dtype, size_t n, void *keys, bool descending);

} // namespace gpcl::host

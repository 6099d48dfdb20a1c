// Stable sort on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include <gpcl/gpcl.h>

namespace gpcl::host {

// Keys of the eight integer types, float32 and float64. All NaN are equal and come last in both directions, -0 equals
// +0, keys keep their bits. When memory is short nothing is changed (std::bad_alloc).
void sort(gp_dtype dtype, size_t n, void *keys, bool descending);

// Values are any value_size bytes, without alignment.
void sort_pairs(gp_dtype dtype, size_t n, void *keys, size_t value_size, void *values, bool descending);

// `index` is GP_UINT32 or GP_UINT64.
void argsort(gp_dtype dtype, size_t n, const void *keys, gp_dtype index, void *indices, bool descending);

} // namespace gpcl::host

// Stable sort on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include <gpcl/gpcl.h>

namespace gpcl::host {

// Whether larger keys come first, and what bits of the keys as ordered count (host/order.h);
// end_bit 0 means all of them.
struct Ordering {
    bool descending = false;
    unsigned begin_bit = 0, end_bit = 0;
};

// Keys of the eight integer types, float32 and float64. All NaN are equal and come last in both
// directions, -0 equals +0, keys keep their bits. When memory is short nothing is changed
// (std::bad_alloc).
void sort(gp_dtype dtype, size_t n, void *keys, const Ordering &ordering);

// Values are any value_size bytes, without alignment.
void sort_pairs(gp_dtype dtype, size_t n, void *keys, size_t value_size, void *values, const Ordering &ordering);

// `index` is GP_UINT32 or GP_UINT64.
void argsort(gp_dtype dtype, size_t n, const void *keys, gp_dtype index, void *indices, const Ordering &ordering);

} // namespace gpcl::host

// Rows of few keys, sorted many at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"

namespace gpcl::host {

constexpr size_t kMostShort = 256;    // keys of such a row
constexpr size_t kShortTogether = 16; // rows at a time
constexpr size_t kLeastTogether = 4;  // fewer rows take less time one by one

// Sorts `count` rows of n keys, up to kShortTogether and kMostShort, that begin `stride` keys
// apart. False: nothing was done, since a row has a NaN or a -0, whose order is no order of
// numbers, or this CPU has no vectors for so many keys.
bool sort_short_rows(gp_dtype dtype, bool descending, size_t n, size_t count, size_t stride, void *keys);

} // namespace gpcl::host

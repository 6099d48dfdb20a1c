// Search in a sorted array on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"

#include <cstddef>

namespace gpcl::host {

// positions[i] = where values[i] belongs among n sorted elements, for i = 0 .. m - 1, as gp_search
// has it. `index` is the type of the positions.
void search(gp_dtype dtype, bool right, bool descending, size_t n, const void *sorted, size_t m, const void *values,
            gp_dtype index, void *positions);

} // namespace gpcl::host

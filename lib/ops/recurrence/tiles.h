// What the algorithms on tiles share; the kernels' part is kernels/recurrence/tiles.cl.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "core/size.h"
#include "ops/recurrence/responses.h"

namespace gpcl::recurrence {

// Elements of a work-item that takes so many vectors of 16 bytes.
inline size_t items_of(const Request &request, size_t units) { return units * 16 / dtype(request.dtype).size; }

// What a state makes of itself in `steps` steps, in twice as many, and so on, six matrices; zeros for n steps and more, which
// lead out of the row.
inline Table powers(const Request &request, size_t steps) {
    Table result, matrix = power(coefficients(request), steps);
    for (size_t k = 0; k < 6; ++k) {
        if (steps << k >= request.n) matrix.assign(matrix.size(), 0);
        result.insert(result.end(), matrix.begin(), matrix.end());
        matrix = square(matrix);
    }
    return result;
}

} // namespace gpcl::recurrence

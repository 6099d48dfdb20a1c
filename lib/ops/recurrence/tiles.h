// What the algorithms on tiles share; the kernels' part is kernels/recurrence/tiles.cl.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "core/size.h"
#include "ops/recurrence/responses.h"

namespace gpcl::recurrence {

// Elements of a work-item that takes so many vectors of 16 bytes.
inline size_t items_of(const Request &request, size_t units) { return units * 16 / dtype(request.dtype).size; }

// What a state makes of itself in `steps` steps, in twice as many, and so on, one matrix more than a group of 512 work-items
// has bits; zeros for n steps and more, which lead out of the row.
inline Table powers(const Request &request, size_t steps) {
    constexpr size_t kPowers = 10;
    Table result, matrix = power(coefficients(request), steps);
    for (size_t k = 0; k < kPowers; ++k) {
        if (steps << k >= request.n) matrix.assign(matrix.size(), 0);
        result.insert(result.end(), matrix.begin(), matrix.end());
        matrix = square(matrix);
    }
    return result;
}

// A kernel of one pass, and how it is launched.
struct LookBack {
    const char *file, *name;
    size_t group, units;    // work-items of a group, vectors of 16 bytes of each
    size_t groups_per_unit; // that a compute unit holds
    std::string options;
    bool clears; // finds its published states cleared and leaves them so
};

// In look_back.cpp.
void run_look_back(cl::Task &task, const Request &request, const LookBack &kernel);
std::string refuses_look_back(cl::Task &task, const Request &request, const LookBack &kernel);

} // namespace gpcl::recurrence

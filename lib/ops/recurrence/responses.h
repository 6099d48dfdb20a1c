// What a recurrence makes of a state in several steps: the tables that look-ahead needs, in the
// widest arithmetic there is.
//
// A state is the `order` values before a place, the last one first.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/recurrence/recurrence.h"

namespace gpcl::recurrence {

using Table = std::vector<long double>;

// The coefficients as numbers.
Table coefficients(const Request &request);

// length x order: y[i] for i < length, from a state that is 1 at place j and zero elsewhere, and no
// input.
Table responses(const Table &coefficients, size_t length);

// order x order: the state after one step, from the same.
Table step(const Table &coefficients);

// What a matrix makes of a state when it is taken several times, at least once; twice.
Table power(Table matrix, size_t times);
Table square(const Table &matrix);

// Can products with these go wrong in that type? Responses that are too large to multiply with
// leave no choice but to take one step after the other.
bool tame(const Table &table, gp_dtype dtype);

} // namespace gpcl::recurrence

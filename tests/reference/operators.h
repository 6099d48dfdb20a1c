// The operators of scan and reduce, as the header defines them.
// SPDX-License-Identifier: MIT
#pragma once

#include "wide.h"

#include <gpcl/gpcl.h>

#include <limits>

namespace reference {

template <class T> T identity(gp_operator op) {
    using limits = std::numeric_limits<T>;
    switch (op) {
    case GP_MULTIPLY: return T(1);
    case GP_MINIMUM: return limits::has_infinity ? limits::infinity() : limits::max();
    case GP_MAXIMUM: return limits::has_infinity ? -limits::infinity() : limits::lowest();
    default: return T(0);
    }
}

// NaN wins in minimum and maximum.
template <class T> T combine(gp_operator op, T a, T b) {
    switch (op) {
    case GP_MULTIPLY: return wrapping_multiply(a, b);
    case GP_MINIMUM: return a != a || a < b ? a : b;
    case GP_MAXIMUM: return a != a || a > b ? a : b;
    default: return wrapping_add(a, b);
    }
}

} // namespace reference

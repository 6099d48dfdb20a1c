// The oracle of arg-reduce: one loop.
// SPDX-License-Identifier: MIT
#pragma once

#include "wide.h"

#include <vector>

namespace reference {

// The position of the smallest or largest of some elements: of the first NaN where there is one,
// else of the first element that none is smaller than, or larger.
template <class T> size_t arg_reduce(const std::vector<T> &in, bool largest) {
    const auto is_nan = [](auto x) { return x != x; };
    size_t best = 0;
    for (size_t i = 1; i < in.size(); ++i) {
        const auto x = widen(in[i]), y = widen(in[best]);
        if (is_nan(y)) break;
        if (is_nan(x) || (largest ? x > y : x < y)) best = i;
    }
    return best;
}

} // namespace reference

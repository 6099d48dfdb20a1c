// The oracle of reduce: one loop.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace reference {

template <class T, class Operator> T reduce(const std::vector<T> &in, T identity, Operator combine) {
    T result = identity;
    for (const T x : in) result = combine(result, x);
    return result;
}

} // namespace reference

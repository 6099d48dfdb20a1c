// The oracle of runs: where they begin, by one loop.
// SPDX-License-Identifier: MIT
#pragma once

#include "wide.h"

#include <vector>

namespace reference {

// -0 equals +0, all NaN equal each other.
template <class T> bool same_key(T a, T b) {
    const auto x = widen(a), y = widen(b);
    return x == y || (x != x && y != y);
}

template <class T> std::vector<size_t> run_firsts(const std::vector<T> &keys) {
    std::vector<size_t> firsts;
    for (size_t i = 0; i < keys.size(); ++i)
        if (i == 0 || !same_key(keys[i - 1], keys[i])) firsts.push_back(i);
    return firsts;
}

} // namespace reference

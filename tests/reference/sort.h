// The oracle of sort: the stable order of NumPy, as a permutation.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace reference {

// NaN come last in both directions and equal each other; -0 equals +0.
template <class T> bool before(T a, T b, bool descending) {
    const bool a_is_nan = a != a, b_is_nan = b != b;
    if (a_is_nan || b_is_nan) return !a_is_nan && b_is_nan;
    return descending ? a > b : a < b;
}

// keys[order[0]] comes first.
template <class T> std::vector<size_t> order(const std::vector<T> &keys, bool descending) {
    std::vector<size_t> order(keys.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t i, size_t j) { return before(keys[i], keys[j], descending); });
    return order;
}

} // namespace reference

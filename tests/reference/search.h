// The oracles of search and of is-sorted: one loop each.
// SPDX-License-Identifier: MIT
#pragma once

#include "wide.h"

#include <cstdint>
#include <vector>

namespace reference {

// Does x come before y? NaN come last, in either order.
template <class T> bool comes_before(T x, T y, bool descending) {
    const auto a = widen(x), b = widen(y);
    if (a != a || b != b) return a == a;
    return descending ? a > b : a < b;
}

// Whether so many elements of a sorted array come before a value, or before it or equal it (right).
template <class T>
bool is_position(const std::vector<T> &sorted, T value, uint64_t position, bool right, bool descending) {
    const auto counts = [&](const T &element) {
        return right ? !comes_before(value, element, descending) : comes_before(element, value, descending);
    };
    return position <= sorted.size() && (position == 0 || counts(sorted[position - 1])) &&
           (position == sorted.size() || !counts(sorted[position]));
}

// The first element that is out of order; how many there are where none is.
template <class T> size_t first_break(const std::vector<T> &in, bool descending, bool strict) {
    for (size_t i = 1; i < in.size(); ++i) {
        const bool breaks =
            strict ? !comes_before(in[i - 1], in[i], descending) : comes_before(in[i], in[i - 1], descending);
        if (breaks) return i;
    }
    return in.size();
}

} // namespace reference

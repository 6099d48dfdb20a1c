// The oracle of merge: which keys follow each other.
// SPDX-License-Identifier: MIT
#pragma once

#include "sort.h"
#include "wide.h"

namespace reference {

// Place k of the result holds key merge_order()[k] of a with b behind it.
template <class T> std::vector<size_t> merge_order(const std::vector<T> &a, const std::vector<T> &b, bool descending) {
    std::vector<size_t> order;
    size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
        const bool from_b = i == a.size() || (j < b.size() && before(widen(b[j]), widen(a[i]), descending));
        order.push_back(from_b ? a.size() + j++ : i++);
    }
    return order;
}

} // namespace reference

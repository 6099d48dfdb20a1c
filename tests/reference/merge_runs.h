// The oracle of the merge of runs: a stable sort of all keys.
// SPDX-License-Identifier: MIT
#pragma once

#include "sort.h"
#include "wide.h"

#include <algorithm>
#include <numeric>

namespace reference {

// Place k of the result holds key merge_runs_order()[k].
template <class T> std::vector<size_t> merge_runs_order(const std::vector<T> &keys, bool descending) {
    std::vector<size_t> order(keys.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t i, size_t j) { return before(widen(keys[i]), widen(keys[j]), descending); });
    return order;
}

} // namespace reference

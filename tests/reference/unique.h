// The oracle of distinct elements: a stable sort of positions, and one loop.
// SPDX-License-Identifier: MIT
#pragma once

#include "runs.h"
#include "sort.h"

namespace reference {

struct Unique {
    std::vector<size_t> firsts, counts, inverse;
};

// Ascending, all NaN last.
template <class T> std::vector<size_t> ascending_order(const std::vector<T> &in) { return order(widen(in), false); }

template <class T> Unique unique(const std::vector<T> &in) {
    Unique result;
    result.inverse.resize(in.size());
    const auto order = ascending_order(in);
    for (size_t j = 0; j < order.size(); ++j) {
        if (j == 0 || !same_key(in[order[j - 1]], in[order[j]])) {
            result.firsts.push_back(order[j]);
            result.counts.push_back(0);
        }
        ++result.counts.back();
        result.inverse[order[j]] = result.firsts.size() - 1;
    }
    return result;
}

} // namespace reference

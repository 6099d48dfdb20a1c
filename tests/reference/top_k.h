// The oracle of top-k: a stable sort of the positions.
// SPDX-License-Identifier: MIT
#pragma once

#include "wide.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace reference {

// The positions of the first k elements in ascending or descending order, NaN last.
template <class T> std::vector<uint64_t> top_k(const std::vector<T> &in, size_t k, bool descending) {
    std::vector<uint64_t> positions(in.size());
    std::iota(positions.begin(), positions.end(), uint64_t{0});
    const auto wide = widen(in);
    std::stable_sort(positions.begin(), positions.end(), [&](uint64_t a, uint64_t b) {
        const auto x = wide[a], y = wide[b];
        const bool x_nan = x != x, y_nan = y != y;
        if (x_nan || y_nan) return y_nan && !x_nan;
        return descending ? y < x : x < y;
    });
    positions.resize(k);
    return positions;
}

} // namespace reference

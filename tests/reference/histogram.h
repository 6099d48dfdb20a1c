// The oracle of histogram: one loop.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace reference {

template <class T> std::vector<uint64_t> histogram(const std::vector<T> &in, size_t bins) {
    std::vector<uint64_t> counts(bins);
    for (const T x : in) ++counts[x];
    return counts;
}

} // namespace reference

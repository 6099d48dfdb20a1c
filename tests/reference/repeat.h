// The oracle of repeats: two loops.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace reference {

template <class T, class Index> std::vector<T> repeat(const std::vector<T> &in, const std::vector<Index> &repeats) {
    std::vector<T> out;
    for (size_t i = 0; i < in.size(); ++i)
        for (Index k = 0; k < repeats[i]; ++k) out.push_back(in[i]);
    return out;
}

} // namespace reference

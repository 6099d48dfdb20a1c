// The oracle of scan: one loop.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <vector>

namespace reference {

template <class T, class Operator>
std::vector<T> scan(std::vector<T> in, T identity, Operator combine, bool exclusive, bool reverse) {
    if (reverse) std::reverse(in.begin(), in.end());
    std::vector<T> out;
    T before = identity;
    for (const T x : in) {
        const T after = combine(before, x);
        out.push_back(exclusive ? before : after);
        before = after;
    }
    if (reverse) std::reverse(out.begin(), out.end());
    return out;
}

} // namespace reference

// Differences of neighbouring elements, one after the other.
// SPDX-License-Identifier: MIT
#pragma once

#include "wide.h"

namespace reference {

// Integers wrap.
template <class T> T difference_of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<uint64_t>(b) - static_cast<uint64_t>(a));
    else if constexpr (std::is_same_v<T, half>)
        return to_half(to_double(b) - to_double(a)); // which is exact before it is rounded
    else
        return b - a;
}

template <class T> std::vector<T> differences(const std::vector<T> &in, bool kept) {
    std::vector<T> out;
    for (size_t i = 0; i < in.size(); ++i) {
        if (i > 0) out.push_back(difference_of(in[i - 1], in[i]));
        if (i == 0 && kept) out.push_back(in[0]);
    }
    return out;
}

} // namespace reference

// The oracle of scan: one loop.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
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

// Segment by segment: a flag begins one, which reaches to the next flag in either direction.
template <class T, class Operator> std::vector<T> scan_segments(const std::vector<T> &in,
                                                                const std::vector<bool> &heads, T identity,
                                                                Operator combine, bool exclusive, bool reverse) {
    std::vector<T> out;
    for (size_t begin = 0; begin < in.size();) {
        size_t end = begin + 1;
        while (end < in.size() && !heads[end]) ++end;
        const auto at = [&](size_t i) { return in.begin() + static_cast<std::ptrdiff_t>(i); };
        const auto part = scan(std::vector<T>(at(begin), at(end)), identity, combine, exclusive, reverse);
        out.insert(out.end(), part.begin(), part.end());
        begin = end;
    }
    return out;
}

// A piece of a row, loop by loop: what comes before it is `carry`, which becomes what its end hands
// on.
template <class T, class Operator> std::vector<T> scan_piece(const std::vector<T> &in, const std::vector<bool> &heads,
                                                             T identity, Operator combine, bool exclusive, bool reverse,
                                                             T *carry) {
    std::vector<T> out(in.size());
    for (size_t k = 0; k < in.size(); ++k) {
        const size_t i = reverse ? in.size() - 1 - k : k;
        if (!reverse && heads[i]) *carry = identity;
        const T after = combine(*carry, in[i]);
        out[i] = exclusive ? *carry : after;
        *carry = reverse && heads[i] ? identity : after; // a head is its segment's last element there
    }
    return out;
}

} // namespace reference

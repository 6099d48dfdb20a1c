// The oracle of sort: the stable order of NumPy, as a permutation.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <vector>

namespace reference {

// NaN come last in both directions and equal each other; -0 equals +0.
template <class T> bool before(T a, T b, bool descending) {
    const bool a_is_nan = a != a, b_is_nan = b != b;
    if (a_is_nan || b_is_nan) return !a_is_nan && b_is_nan;
    return descending ? a > b : a < b;
}

// keys[order[0]] comes first.
template <class T> std::vector<size_t> order(const std::vector<T> &keys, bool descending) {
    std::vector<size_t> order(keys.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t i, size_t j) { return before(keys[i], keys[j], descending); });
    return order;
}

// A key as the unsigned number that gpcl.h says its bits are counted in.
template <class T> uint64_t ordered_bits(T key, bool descending) {
    constexpr int kBits = 8 * sizeof(T);
    constexpr uint64_t kAll = ~uint64_t(0) >> (64 - kBits), kHighest = uint64_t(1) << (kBits - 1);
    uint64_t bits = 0;
    std::memcpy(&bits, &key, sizeof key); // the low bytes: every host that gpcl runs on is little-endian
    if constexpr (std::is_floating_point_v<T>) {
        if (key != key) return kAll;
        if (key == 0) bits = 0;
        bits ^= key < 0 ? kAll : kHighest;
    } else if constexpr (std::is_signed_v<T>) {
        bits ^= kHighest;
    }
    return descending ? bits ^ kAll : bits;
}

// The same by the bits [begin, end) alone.
template <class T>
std::vector<size_t> order(const std::vector<T> &keys, bool descending, unsigned begin, unsigned end) {
    const uint64_t mask = ~uint64_t(0) >> (64 - (end - begin));
    const auto digit = [&](size_t i) { return ordered_bits(keys[i], descending) >> begin & mask; };
    std::vector<size_t> order(keys.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](size_t i, size_t j) { return digit(i) < digit(j); });
    return order;
}

} // namespace reference

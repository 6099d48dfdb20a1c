// The type in which an oracle computes: wider than the tested one for floating point, the same for
// integers.
// SPDX-License-Identifier: MIT
#pragma once

#include "half.h"

#include <type_traits>
#include <vector>

namespace reference {

template <class T> struct WideOf { using type = T; };
template <> struct WideOf<half> { using type = double; };
template <> struct WideOf<float> { using type = double; };
template <> struct WideOf<double> { using type = long double; };
template <class T> using Wide = typename WideOf<T>::type;

template <class T> Wide<T> widen(T value) {
    if constexpr (std::is_same_v<T, half>)
        return to_double(value);
    else
        return value;
}

template <class T> std::vector<Wide<T>> widen(const std::vector<T> &values) {
    std::vector<Wide<T>> result;
    for (const T value : values) result.push_back(widen(value));
    return result;
}

template <class T> T narrow(Wide<T> value) {
    if constexpr (std::is_same_v<T, half>)
        return to_half(value);
    else
        return static_cast<T>(value);
}

// Integer arithmetic that wraps.
template <class T> T wrapping_add(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        using U = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else {
        return a + b;
    }
}

template <class T> T wrapping_multiply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        using U = std::make_unsigned_t<T>;
        return static_cast<T>((0U + static_cast<U>(a)) *
                              static_cast<U>(b)); // small types would become int, and overflow
    } else {
        return a * b;
    }
}

} // namespace reference

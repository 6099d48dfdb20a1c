// What tests of every type share: the types, their numbers and special values.
// SPDX-License-Identifier: MIT
#pragma once

#include "compare.h"

namespace test {

using reference::half;

using EveryType =
    testing::Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, half, float, double>;

template <class T> constexpr gp_dtype code() {
    if constexpr (std::is_same_v<T, half>)
        return GP_FLOAT16;
    else
        return dtype<T>();
}

struct EveryTypeNames {
    template <class T> static std::string GetName(int) { return gp_dtype_name(code<T>()); }
};

// Each named algorithm is a program for each type: these types run them all.
template <class T> bool is_named() { return std::is_same_v<T, int32_t> || std::is_same_v<T, float> || thorough(); }

// The low bytes: every host that the tests run on is little-endian.
template <class T> T from_bits(uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

template <class T> constexpr bool kFloat = std::is_same_v<T, half> || std::is_floating_point_v<T>;
template <class T> constexpr uint64_t kSign = uint64_t{1} << (8 * sizeof(T) - 1);
template <class T> constexpr uint64_t kInfinity = sizeof(T) == 2   ? 0x7c00
                                                  : sizeof(T) == 4 ? 0x7f800000
                                                                   : 0x7ff0000000000000;
// One of many.
template <class T> constexpr uint64_t kNan = kInfinity<T> | kInfinity<T> >> 1 | 1;

template <class T> T number(int x) { return reference::narrow<T>(static_cast<reference::Wide<T>>(x)); }

} // namespace test

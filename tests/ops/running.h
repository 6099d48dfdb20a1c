// What the tests of scan and reduce share: types, operators, and inputs whose running results have
// one right answer.
// SPDX-License-Identifier: MIT
#pragma once

#include "compare.h"

#include "../reference/operators.h"

namespace test {

using RunningTypes = testing::Types<int32_t, uint32_t, int64_t, uint64_t, float, double>;
using RealTypes = testing::Types<float, double>;
using TextTypes = testing::Types<int64_t, float>; // with operator text; uint64 by itself

struct TypeNames {
    template <class T> static std::string GetName(int) { return gp_dtype_name(dtype<T>()); }
};

template <class T> class RunningTest : public testing::Test {
  protected:
    void SetUp() override {
        if (lacks(dtype<T>())) GTEST_SKIP() << "this device can't compute " << gp_dtype_name(dtype<T>());
    }
};

constexpr gp_operator kOperators[] = {GP_ADD, GP_MULTIPLY, GP_MINIMUM, GP_MAXIMUM};

inline const char *operator_name(gp_operator op) {
    constexpr const char *names[] = {"add", "multiply", "minimum", "maximum"};
    return names[op];
}

// Whether to run the named algorithms too, or the default alone: each is another program.
template <class T> bool with_named_algorithms(gp_operator op) {
    return thorough() || (std::is_same_v<T, int32_t> && op == GP_ADD) ||
           (std::is_same_v<T, double> && op == GP_MINIMUM);
}

// Inputs for which a result in T is exact in any order of evaluation, and for which a lost or
// doubled element shows: whole numbers or all bits to add, signs and a few powers of two or odd
// numbers to multiply, and for minimum and maximum a noisy slope, so that the running result keeps
// changing; `reverse` turns the slope round.
template <class T> std::vector<T> exact_values(gp_operator op, size_t n, bool reverse) {
    std::mt19937_64 random(n + static_cast<size_t>(op));
    std::vector<T> values(n);
    if (op == GP_MINIMUM || op == GP_MAXIMUM) {
        const bool rising = (op == GP_MAXIMUM) != reverse;
        const int64_t length = static_cast<int64_t>(n);
        // The slope crosses the middle of the type's range: 0, or 2^31 and 2^63 without a sign.
        const T middle = std::is_unsigned_v<T> ? static_cast<T>(std::numeric_limits<T>::max() / 2 + 1) : T(0);
        const int64_t step = std::is_integral_v<T> && sizeof(T) == 8 ? int64_t(3) << 33 : 3;
        for (int64_t i = 0; i < length; ++i) {
            const int64_t height =
                ((rising ? i : length - 1 - i) - length / 2) * step + static_cast<int64_t>(random() % 64);
            values[static_cast<size_t>(i)] = reference::wrapping_add(middle, static_cast<T>(height));
        }
    } else if constexpr (std::is_integral_v<T>) {
        for (T &value : values) value = static_cast<T>(op == GP_MULTIPLY ? random() | 1 : random());
    } else if (op == GP_ADD) {
        for (T &value : values) value = static_cast<T>(static_cast<int>(random() % 17) - 8);
    } else {
        for (T &value : values) value = random() % 2 == 0 ? T(1) : T(-1);
        // So few that no product of any of them overflows or underflows.
        for (size_t i = 0; i < std::min<size_t>(n, 40); ++i)
            values[random() % n] *= std::ldexp(T(1), static_cast<int>(random() % 5) - 2);
    }
    return values;
}

// Reals of both signs and several magnitudes, the rest of whose digits is rounded off when they are
// added.
template <class T> std::vector<T> real_values(size_t n) {
    std::mt19937_64 random(n);
    std::uniform_real_distribution<double> real(-1000, 1000);
    std::vector<T> values(n);
    for (T &value : values) value = static_cast<T>(real(random));
    return values;
}

// Mostly zeros, so that a running result must be carried far.
template <class T> std::vector<T> sparse_values(size_t n) {
    std::mt19937_64 random(n);
    std::vector<T> values(n);
    for (T &value : values) value = random() % 50 == 0 ? static_cast<T>(random() % 100000 + 1) : T(0);
    return values;
}

enum class Special { nan, infinity, both_infinities, negative_zero };
constexpr Special kSpecials[] = {Special::nan, Special::infinity, Special::both_infinities, Special::negative_zero};

// Signs and powers of two with special values a third and two thirds on.
template <class T> std::vector<T> special_values(Special special, size_t n) {
    auto values = exact_values<T>(GP_MULTIPLY, n, false);
    if constexpr (std::is_floating_point_v<T>) {
        const T infinity = std::numeric_limits<T>::infinity();
        const T nan = std::numeric_limits<T>::quiet_NaN();
        const T first = special == Special::nan ? nan : special == Special::negative_zero ? T(-0.0) : infinity;
        const T second = special == Special::both_infinities ? -infinity : first;
        values[n / 3] = first;
        values[2 * n / 3] = second;
    }
    return values;
}

// A map x -> s x + o modulo 2^32, with s in the upper half and o in the lower; to compose two of
// them, the first one first, is associative and does not commute.
constexpr const char *kAffineHelpers = "ulong affine(ulong a, ulong b) {\n"
                                       "    uint scale = (uint)(a >> 32) * (uint)(b >> 32);\n"
                                       "    uint shift = (uint)(b >> 32) * (uint)a + (uint)b;\n"
                                       "    return (ulong)scale << 32 | shift;\n"
                                       "}\n";
constexpr const char *kAffineSource = "affine(a, b)";
constexpr const char *kAffineIdentity = "(ulong)1 << 32";
constexpr uint64_t kAffineOne = uint64_t(1) << 32;

inline uint64_t affine(uint64_t a, uint64_t b) {
    const auto scale_of = [](uint64_t map) { return static_cast<uint32_t>(map >> 32); };
    const auto shift_of = [](uint64_t map) { return static_cast<uint32_t>(map); };
    const uint32_t scale = scale_of(a) * scale_of(b);
    const uint32_t shift = scale_of(b) * shift_of(a) + shift_of(b);
    return uint64_t(scale) << 32 | shift;
}

inline std::vector<uint64_t> affine_maps(size_t n) {
    std::mt19937_64 random(n);
    std::vector<uint64_t> maps(n);
    for (uint64_t &map : maps) map = random() | kAffineOne; // odd scales: the product never fades to 0
    return maps;
}

} // namespace test

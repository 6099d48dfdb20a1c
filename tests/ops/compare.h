// Comparisons of whole arrays that report the first wrong element alone.
// SPDX-License-Identifier: MIT
#pragma once

#include "../reference/wide.h"
#include "../support/support.h"

#include <cmath>
#include <iomanip>
#include <sstream>

namespace test {

template <class T> std::string text(T value) {
    std::ostringstream out;
    if constexpr (std::is_same_v<T, reference::half>)
        out << reference::to_double(value) << " (bits 0x" << std::hex << value.bits << ")";
    else if constexpr (std::is_floating_point_v<T>)
        out << std::setprecision(std::numeric_limits<T>::max_digits10) << value << " (" << std::hexfloat << value
            << ")";
    else
        out << +value;
    return out.str();
}

inline const char *name(const char *algorithm) { return algorithm == nullptr ? "the default algorithm" : algorithm; }

// Calls wrong(i) for every index up to the first for which it holds; the failure then says
// describe(i).
template <class Wrong, class Describe>
testing::AssertionResult none(size_t n, const Wrong &wrong, const Describe &describe) {
    for (size_t i = 0; i < n; ++i)
        if (wrong(i)) return testing::AssertionFailure() << "element " << i << " of " << n << ": " << describe(i);
    return testing::AssertionSuccess();
}

template <class T> testing::AssertionResult same_bits(const std::vector<T> &expected, const std::vector<T> &got) {
    if (expected.size() != got.size()) return testing::AssertionFailure() << "the sizes differ";
    return none(
        expected.size(), [&](size_t i) { return std::memcmp(&expected[i], &got[i], sizeof(T)) != 0; },
        [&](size_t i) { return "expected the bits of " + text(expected[i]) + ", got " + text(got[i]); });
}

// The same value: any NaN is as good as another, and -0 as +0.
template <class W> bool same_value(W expected, W got) {
    return expected == got || (expected != expected && got != got);
}

// Does the device count too few of n elements in so many bins? llvmpipe (Mesa 22.3) leaves a
// work-item's loops after 65535 turns, those within others included.
inline bool loses_turns(size_t n, size_t bins) {
    return std::string_view(device().platform) == "rusticl" && 14 * n + bins > 60000;
}

// At most `bound` away from the expected value; what is not finite must be the same value.
template <class W> bool within(W expected, W got, W bound) {
    return same_value(expected, got) || std::fabs(expected - got) <= bound;
}

// Each element is the expected value, rounded to T; with bounds, at most so far from the expected
// one.
template <class T> testing::AssertionResult close_to(const std::vector<reference::Wide<T>> &expected,
                                                     const std::vector<T> &got,
                                                     const std::vector<reference::Wide<T>> &bounds = {}) {
    using reference::narrow;
    using reference::widen;
    if (expected.size() != got.size()) return testing::AssertionFailure() << "the sizes differ";
    const auto wrong = [&](size_t i) {
        if constexpr (!std::is_integral_v<T>)
            if (!bounds.empty()) return !within(expected[i], widen(got[i]), bounds[i]);
        return !same_value(widen(narrow<T>(expected[i])), widen(got[i]));
    };
    return none(expected.size(), wrong, [&](size_t i) {
        std::string words = "expected " + text(expected[i]) + ", got " + text(got[i]);
        if (!bounds.empty()) words += ", allowed difference " + text(bounds[i]);
        return words;
    });
}

} // namespace test

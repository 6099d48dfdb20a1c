// Arrays for the tests of what looks for the smallest and largest elements.
// SPDX-License-Identifier: MIT
#pragma once

#include "every_type.h"

#include <random>

namespace test {

// Where the smallest and largest elements stand, and what surrounds them. `misled`: the elements
// that a sample is likely to see are not those that matter.
enum class Kind { random, few, equal, rising, falling, extremes, zeros, few_nan, most_nan, misled };

template <class T> T element(Kind kind, size_t i, size_t n, uint64_t bits) {
    const auto signed_bits = [](uint64_t value, bool negative) {
        return from_bits<T>(negative ? value | kSign<T> : value);
    };
    const auto special = [&](bool is_nan) { // or an infinity, of both signs
        return signed_bits(is_nan ? kNan<T> : kInfinity<T>, (bits >> 8 & 1) != 0);
    };
    switch (kind) {
    case Kind::random: // any bits, but no NaN
        return kFloat<T> ? number<T>(static_cast<int>(bits % 20011) - 10000) : from_bits<T>(bits);
    case Kind::few: return number<T>(static_cast<int>(bits % 3) + 1);
    case Kind::equal: return number<T>(7);
    case Kind::rising: return number<T>(static_cast<int>(i / (n / 100 + 1)));
    case Kind::falling: return number<T>(100 - static_cast<int>(i / (n / 100 + 1)));
    case Kind::extremes: // the type's smallest and largest, where ranks are 0 and all ones
        if (kFloat<T>) return special(false);
        if (std::is_signed_v<T>) return from_bits<T>(bits % 2 != 0 ? kSign<T> : kSign<T> - 1);
        return from_bits<T>(bits % 2 != 0 ? 0 : ~uint64_t{0});
    case Kind::zeros: // of both signs
        return kFloat<T> ? signed_bits(0, bits % 2 != 0) : number<T>(0);
    case Kind::few_nan: // none in the first third
        return kFloat<T> ? special(bits % 5 == 0 && i > n / 3) : number<T>(static_cast<int>(bits % 100));
    case Kind::most_nan: return kFloat<T> ? special(bits % 5 != 0) : number<T>(static_cast<int>(bits % 100));
    case Kind::misled: return number<T>(i < n - n / 50 ? 50 : static_cast<int>(bits % 101));
    }
    return T{};
}

template <class T> std::vector<T> elements(Kind kind, size_t n) {
    std::mt19937_64 random(n * 8 + static_cast<size_t>(kind));
    std::vector<T> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = element<T>(kind, i, n, random());
    return values;
}

} // namespace test

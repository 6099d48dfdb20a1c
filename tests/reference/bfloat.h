// bfloat16 for the oracles: written from the definition, with the C library's ldexp and rounding
// alone.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace reference {

struct bfloat {
    uint16_t bits;
};

inline double to_double(bfloat value) {
    const int exponent = value.bits >> 7 & 255;
    const int fraction = value.bits & 127;
    double magnitude = 0;
    if (exponent == 255)
        magnitude = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    else if (exponent == 0)
        magnitude = std::ldexp(fraction, -133);
    else
        magnitude = std::ldexp(128 + fraction, exponent - 134);
    return value.bits & 0x8000 ? -magnitude : magnitude;
}

// Rounds to nearest, ties to even (the default rounding of nearbyint).
inline bfloat to_bfloat(double value) {
    const int sign = std::signbit(value) ? 0x8000 : 0;
    const double magnitude = std::fabs(value);
    if (std::isnan(value)) return {0x7fc0};
    if (magnitude >= 0x1p128) return {static_cast<uint16_t>(sign | 0x7f80)};
    // Numbers with the same exponent, and all below 2^-126, are multiples of one quantum: count
    // them. A count that rounds up to the next power of two carries into the exponent, from the
    // largest number to infinity.
    const int exponent = magnitude < 0x1p-126 ? -126 : std::ilogb(magnitude);
    const int count = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 7 - exponent)));
    return {static_cast<uint16_t>(sign | (((exponent + 126) << 7) + count))};
}

} // namespace reference

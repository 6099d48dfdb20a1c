// IEEE 754 binary16 for the oracles: written from the definition, with the C library's ldexp and
// rounding alone.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace reference {

struct half {
    uint16_t bits;
};

inline double to_double(half value) {
    const int exponent = value.bits >> 10 & 31;
    const int fraction = value.bits & 1023;
    double magnitude = 0;
    if (exponent == 31)
        magnitude = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    else if (exponent == 0)
        magnitude = std::ldexp(fraction, -24);
    else
        magnitude = std::ldexp(1024 + fraction, exponent - 25);
    return value.bits & 0x8000 ? -magnitude : magnitude;
}

// Rounds to nearest, ties to even (the default rounding of nearbyint).
inline half to_half(double value) {
    const int sign = std::signbit(value) ? 0x8000 : 0;
    const double magnitude = std::fabs(value);
    if (std::isnan(value)) return {0x7e00};
    if (magnitude >= 65536) return {static_cast<uint16_t>(sign | 0x7c00)};
    // Numbers with the same exponent, and all below 2^-14, are multiples of one quantum: count
    // them. A count that rounds up to the next power of two carries into the exponent, from the
    // largest number to infinity.
    const int exponent = magnitude < 0x1p-14 ? -14 : std::ilogb(magnitude);
    const int count = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
    return {static_cast<uint16_t>(sign | (((exponent + 14) << 10) + count))};
}

} // namespace reference

// IEEE 754 binary16 ("half", kept in a uint16_t) and bfloat16 (the upper half of a float, likewise)
// to and from float, without help from the compiler or the processor.
// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

namespace gpcl {

// Exact for every half.
inline float half_to_float(uint16_t half) {
    const uint32_t sign = (half & 0x8000u) << 16;
    const uint32_t magnitude = (half & 0x7fffu) << 13; // exponent and fraction where float has them
    if (magnitude < 0x400u << 13) {                    // zero or denormal: 2^-14 + fraction, less 2^-14
        const float shifted = std::bit_cast<float>((113u << 23) + magnitude);
        return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(shifted - 0x1p-14f));
    }
    const uint32_t bias = magnitude >= 0x7c00u << 13 ? 224u : 112u; // infinity and NaN keep the largest exponent
    return std::bit_cast<float>(sign | (magnitude + (bias << 23)));
}

// Rounds to nearest, ties to even; 65520 and beyond become infinity, every NaN a quiet one.
inline uint16_t float_to_half(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const uint32_t sign = bits >> 16 & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    uint32_t half = 0;
    if (magnitude > 0x7f800000u)
        half = 0x7e00u | (magnitude >> 13 & 0x1ffu);
    else if (magnitude >= 0x477ff000u) // 65520
        half = 0x7c00u;
    else if (magnitude < 113u << 23) // below 2^-14: adding 0.5 leaves multiples of 2^-24, rounded, in the last bits
        half = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - std::bit_cast<uint32_t>(0.5f);
    else
        half = (magnitude - (112u << 23) + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
    return static_cast<uint16_t>(sign | half);
}

// Exact.
inline float bfloat_to_float(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

// Rounds to nearest, ties to even; every NaN becomes a quiet one.
inline uint16_t float_to_bfloat(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(bits >> 16 | 0x40u);
    return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

} // namespace gpcl

// Arithmetic on sizes that refuses to overflow, and the test whether two ranges overlap.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/error.h"

#include <cstdint>

namespace gpcl {

inline size_t multiply(size_t a, size_t b, const char *what) {
    size_t result = 0;
    require(!__builtin_mul_overflow(a, b, &result), GP_ERROR_SIZE_OVERFLOW, what, ": ", a, " * ", b,
            " does not fit size_t");
    return result;
}

inline size_t add(size_t a, size_t b, const char *what) {
    size_t result = 0;
    require(!__builtin_add_overflow(a, b, &result), GP_ERROR_SIZE_OVERFLOW, what, ": ", a, " + ", b,
            " does not fit size_t");
    return result;
}

template <class T> constexpr T ceil_div(T a, T b) { return a / b + (a % b != 0 ? 1 : 0); }
template <class T> constexpr T round_up(T a, T b) { return ceil_div(a, b) * b; }

// Do [a, a + a_bytes) and [b, b + b_bytes) share a byte?
inline bool overlap(uintptr_t a, size_t a_bytes, uintptr_t b, size_t b_bytes) {
    return a_bytes > 0 && b_bytes > 0 && a < b + b_bytes && b < a + a_bytes;
}

inline bool overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes) {
    return overlap(reinterpret_cast<uintptr_t>(a), a_bytes, reinterpret_cast<uintptr_t>(b), b_bytes);
}

inline void require_aligned(const void *pointer, size_t alignment, const char *argument) {
    require(reinterpret_cast<uintptr_t>(pointer) % alignment == 0, GP_ERROR_ALIGNMENT, argument, " is ", pointer,
            "; expected a multiple of ", alignment, " bytes");
}

} // namespace gpcl

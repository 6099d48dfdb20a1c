// Arithmetic on sizes that refuses to overflow, and the test whether two ranges overlap.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/error.h"

#include <cstdint>

namespace gpcl {

constexpr size_t kLargestSize = PTRDIFF_MAX; // of any array, in bytes

// A caller's size as a message shows it: what a negative number became is told as such.
struct Shown {
    size_t size;
};

inline void append(std::string &to, const Shown &shown) {
    append(to, shown.size);
    if (shown.size > kLargestSize) to += text(" (looks negative: ", static_cast<ptrdiff_t>(shown.size), ")");
}

inline size_t multiply(size_t a, size_t b, const char *what) {
    size_t result = 0;
    require(!__builtin_mul_overflow(a, b, &result) && result <= kLargestSize, GP_ERROR_SIZE_OVERFLOW, what, ": ",
            Shown{a}, " * ", Shown{b}, " is more than any memory holds");
    return result;
}

inline size_t add(size_t a, size_t b, const char *what) {
    size_t result = 0;
    require(!__builtin_add_overflow(a, b, &result) && result <= kLargestSize, GP_ERROR_SIZE_OVERFLOW, what, ": ",
            Shown{a}, " + ", Shown{b}, " is more than any memory holds");
    return result;
}

template <class T> constexpr T ceil_div(T a, T b) { return a / b + (a % b != 0 ? 1 : 0); }
template <class T> constexpr T round_up(T a, T b) { return ceil_div(a, b) * b; }

// Do [a, a + a_bytes) and [b, b + b_bytes) share a byte?
inline bool overlap(uintptr_t a, size_t a_bytes, uintptr_t b, size_t b_bytes) {
    return a_bytes > 0 && b_bytes > 0 && a < b + b_bytes && b < a + a_bytes;
}

// The bytes of an array. `memory` is the address space that `begin` counts in: an OpenCL buffer
// that is no sub-buffer; NULL for the host's memory.
struct Extent {
    const void *memory = nullptr;
    uintptr_t begin = 0;
    size_t bytes = 0;

    bool operator==(const Extent &) const = default;
};

inline Extent extent(const void *pointer, size_t bytes) {
    return {nullptr, reinterpret_cast<uintptr_t>(pointer), bytes};
}

inline bool overlap(const Extent &a, const Extent &b) {
    return a.memory == b.memory && overlap(a.begin, a.bytes, b.begin, b.bytes);
}

inline bool overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes) {
    return overlap(extent(a, a_bytes), extent(b, b_bytes));
}

inline void require_aligned(const void *pointer, size_t alignment, const char *argument) {
    require(reinterpret_cast<uintptr_t>(pointer) % alignment == 0, GP_ERROR_ALIGNMENT, argument, " is ", pointer,
            "; expected a multiple of ", alignment, " bytes");
}

// An empty array may be NULL.
inline void require_array(const void *pointer, size_t n, size_t alignment, const char *argument) {
    if (n > 0) require_pointer(pointer, argument);
    require_aligned(pointer, alignment, argument);
}

inline void require_apart(bool overlapping, const char *one, const char *other) {
    require(!overlapping, GP_ERROR_OVERLAP, one, " overlaps ", other, "; expected them apart");
}

// Bytes of a value or an element that the library moves and does not look into.
inline void require_value_size(size_t size, const char *argument) {
    constexpr size_t kMost = 64;
    require(size >= 1 && size <= kMost, GP_ERROR_VALUE_SIZE, argument, " is ", Shown{size}, "; expected 1 to ", kMost);
}

// The largest power of two that divides a number; of 0, the largest that fits.
constexpr size_t alignment_of(size_t number) {
    return number == 0 ? size_t{1} << (8 * sizeof number - 1) : number & (~number + 1);
}

} // namespace gpcl

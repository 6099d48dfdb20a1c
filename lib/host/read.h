// Elements of any type and step as numbers of another.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "core/half.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace gpcl::host {

// The unsigned integer of a type's size.
template <class T> using BitsOf = std::conditional_t<
    sizeof(T) == 1, uint8_t,
    std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

constexpr size_t kPiece = 1024; // elements that are converted at a time, and stay in cache

// to[i] = element first + i * step of `in`, for i = 0 .. count - 1. T holds every value of `from`.
// Not inlined: one copy for all operators.
template <class T>
[[gnu::noinline]] void read(gp_dtype from, const void *in, size_t first, size_t step, size_t count, T *to) {
    if (from == GP_FLOAT16) {
        const auto *halves = static_cast<const uint16_t *>(in) + first;
        for (size_t i = 0; i < count; ++i) to[i] = static_cast<T>(half_to_float(halves[i * step]));
        return;
    }
    with_type(from, [&](auto zero) {
        const auto *elements = static_cast<const decltype(zero) *>(in) + first;
        // NOLINTBEGIN(bugprone-signed-char-misuse): numbers, not characters
        if (step == 1) { // of which the compiler makes vectors
            for (size_t i = 0; i < count; ++i) to[i] = static_cast<T>(elements[i]);
        } else {
            for (size_t i = 0; i < count; ++i) to[i] = static_cast<T>(elements[i * step]);
        }
        // NOLINTEND(bugprone-signed-char-misuse)
    });
}

} // namespace gpcl::host

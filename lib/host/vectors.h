// Vectors of numbers, in the compiler's own notation.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>

namespace gpcl::host {

// A vector of `bytes` bytes. The number may depend on a template's arguments.
template <class T, size_t bytes> struct SizedVector {
    typedef T type __attribute__((vector_size(bytes))); // NOLINT(modernize-use-using): GCC drops it from `using`
};
template <class T, size_t bytes> using VectorOf = typename SizedVector<T, bytes>::type;

// Vectors are passed by reference: how they are passed by value depends on the instruction set.
template <class T> using Vector [[gnu::vector_size(32)]] = T;
template <class T> constexpr size_t kLanesOf = sizeof(Vector<T>) / sizeof(T);

// Elements in memory are aligned as T is, which is less than a vector.
template <class T, class Vector> [[gnu::always_inline]] inline void load_vector(const T *from, Vector &to) {
    std::memcpy(&to, from, sizeof to);
}
template <class T, class Vector> [[gnu::always_inline]] inline void store_vector(const Vector &from, T *to) {
    std::memcpy(to, &from, sizeof from);
}

// A vector's numbers in one: its halves are combined, then the halves of that, and so on.
// combine(to, from) takes vectors of each size, and leaves the result in `to`.
template <class T, class V, class Combine>
[[gnu::always_inline]] inline T combine_lanes(const V &x, const Combine &combine) {
    if constexpr (sizeof(V) == sizeof(T)) {
        return x[0];
    } else {
        VectorOf<T, sizeof(V) / 2> halves[2];
        std::memcpy(halves, &x, sizeof x);
        combine(halves[0], halves[1]);
        return combine_lanes<T>(halves[0], combine);
    }
}

} // namespace gpcl::host

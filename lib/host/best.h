// The least or the greatest of numbers that lie side by side, by vectors.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/cpu.h"
#include "host/vectors.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace gpcl::host {

template <class T> bool is_nan(T x) {
    if constexpr (std::is_floating_point_v<T>)
        return x != x;
    else
        return false;
}

// Is x the greater, or the lesser, of two numbers? NaN is neither.
template <bool largest, class T> bool is_beyond(T x, T than) { return largest ? x > than : x < than; }

// Is x a better number than another? The first NaN is better than all. Without a branch, so that
// loops become vectors.
template <bool largest, class T> bool is_better(T x, T than) {
    const bool before = is_beyond<largest>(x, than);
    if constexpr (std::is_floating_point_v<T>)
        return before | ((x != x) & (than == than));
    else
        return before;
}

// In each lane of two vectors, the better number becomes that of `to`.
template <bool largest> constexpr auto take_better = [](auto &to, const auto &from) __attribute__((always_inline)) {
    to = (largest ? from > to : from < to) ? from : to;
};

// The best of n > 0 numbers; any NaN where there is one.
template <bool largest, class V, class T> [[gnu::always_inline]] inline T best_number_inline(const T *in, size_t n) {
    constexpr size_t kVectors = 4; // at a time
    constexpr size_t kLanes = sizeof(V) / sizeof(T);
    if (n < kLanes) {
        T result = in[0];
        for (size_t i = 1; i < n; ++i) result = is_better<largest>(in[i], result) ? in[i] : result;
        return result;
    }
    V best[kVectors], odd[kVectors]; // odd: NaN where there was one
    std::memcpy(&best[0], in, sizeof(V));
    std::fill(best + 1, best + kVectors, best[0]);
    std::fill(odd, odd + kVectors, V{});
    const auto take = [&](size_t v, const T *from) __attribute__((always_inline)) {
        V x;
        std::memcpy(&x, from, sizeof x);
        take_better<largest>(best[v], x);
        if constexpr (std::is_floating_point_v<T>) odd[v] = x == x ? odd[v] : x;
    };
    take(0, in);
    // From the first vector on that begins at a multiple of its size: others lie in two lines of
    // the cache, and are loaded at half the rate.
    size_t i = (sizeof(V) - reinterpret_cast<uintptr_t>(in) % sizeof(V)) / sizeof(T);
    for (; i + kVectors * kLanes <= n; i += kVectors * kLanes) {
#pragma GCC unroll 8
        for (size_t v = 0; v < kVectors; ++v) take(v, in + i + v * kLanes); // unrolled, the bests stay in registers
    }
    for (; i + kLanes <= n; i += kLanes) take(0, in + i);
    take(1, in + (n - kLanes)); // some of which were taken before
#pragma GCC unroll 8
    for (size_t v = 1; v < kVectors; ++v) {
        take_better<largest>(best[0], best[v]);
        if constexpr (std::is_floating_point_v<T>) odd[0] = odd[v] == odd[v] ? odd[0] : odd[v];
    }
    if constexpr (std::is_floating_point_v<T>) { // their sum tells whether one is NaN
        const auto add = [](auto &to, const auto &from) __attribute__((always_inline)) { to += from; };
        const T sum = combine_lanes<T>(odd[0], add);
        if (is_nan(sum)) return sum;
    }
    return combine_lanes<T>(best[0], take_better<largest>);
}

template <bool largest, class T> T best_number_portable(const T *in, size_t n) {
    return best_number_inline<largest, Vector<T>>(in, n);
}
#if defined(GPCL_HAVE_X86)
template <bool largest, class T> [[gnu::target("avx2")]] T best_number_avx2(const T *in, size_t n) {
    return best_number_inline<largest, Vector<T>>(in, n);
}
template <bool largest, class T>
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] T best_number_avx512(const T *in, size_t n) {
    return best_number_inline<largest, VectorOf<T, 64>>(in, n);
}
#endif

template <bool largest, class T> auto best_number() {
#if defined(GPCL_HAVE_X86)
    if (has_avx512_of_all_sizes()) return best_number_avx512<largest, T>;
    if (has_avx2()) return best_number_avx2<largest, T>;
#endif
    return best_number_portable<largest, T>;
}

} // namespace gpcl::host

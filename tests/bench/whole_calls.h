// What the benchmarks of whole calls on large host memory share.
// SPDX-License-Identifier: MIT
#pragma once
#include <gpcl/gpcl.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

inline void check(gp_status status) {
    if (status == GP_SUCCESS) return;
    std::fprintf(stderr, "%s\n", gp_error_message());
    std::exit(1);
}

inline void require(bool condition, const char *what) {
    if (condition) return;
    std::fprintf(stderr, "wrong result: %s\n", what);
    std::exit(1);
}

// "4096" or "2^12".
inline size_t size_of(const std::string &text) {
    const size_t power = text.find('^');
    return power == text.npos ? std::stoull(text) : size_t{1} << std::stoull(text.substr(power + 1));
}

// Calls f(begin, end) with parts of n on all CPUs.
inline void by_parts(size_t n, const std::function<void(size_t, size_t)> &f) {
    const size_t parts = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (size_t k = 0; k < parts; ++k) threads.emplace_back(f, n / parts * k, k + 1 == parts ? n : n / parts * (k + 1));
    for (std::thread &thread : threads) thread.join();
}

// Reproducible bits for position i.
inline uint64_t mixed(uint64_t i) {
    i = (i ^ (i >> 31)) * 0x7fb5d329728ea185;
    i = (i ^ (i >> 27)) * 0x81dadef4bc2dd44d;
    return i ^ (i >> 33);
}

// Touches memory that nothing has touched yet.
template <class T> void clear(T *to, size_t n) {
    by_parts(n, [&](size_t begin, size_t end) { std::fill(to + begin, to + end, T{0}); });
}

// Reproducible numbers from -1 to 1, other ones for each `seed`.
inline void fill(float *to, size_t n, uint64_t seed) {
    by_parts(n, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) to[i] = static_cast<float>(mixed(i + seed * n) >> 40) * 0x1p-23F - 1;
    });
}

inline void fill(uint32_t *to, size_t n) {
    by_parts(n, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) to[i] = static_cast<uint32_t>(mixed(i));
    });
}

// The sum of keys and of their squares.
inline std::pair<uint64_t, uint64_t> sums_of(const uint32_t *keys, size_t n) {
    std::atomic<uint64_t> all = 0, all_squares = 0;
    by_parts(n, [&](size_t begin, size_t end) {
        uint64_t some = 0, some_squares = 0;
        for (size_t i = begin; i < end; ++i) {
            some += keys[i];
            some_squares += uint64_t{keys[i]} * keys[i];
        }
        all += some;
        all_squares += some_squares;
    });
    return {all, all_squares};
}

// Keys are in order, and have the sums that they had.
inline void require_sorted(const uint32_t *keys, size_t n, const std::pair<uint64_t, uint64_t> &sums) {
    by_parts(n, [&](size_t begin, size_t end) {
        for (size_t i = std::max<size_t>(begin, 1); i < end; ++i) require(keys[i - 1] <= keys[i], "the order of keys");
    });
    require(sums_of(keys, n) == sums, "the keys");
}

// C = A B, of n x n matrices: some elements are compared with sums in float64.
inline void require_product(const float *a, const float *b, const float *c, size_t n) {
    for (size_t t = 0; t < 200; ++t) {
        const size_t row = t < 2 ? t * (n - 1) : mixed(t) % n, column = mixed(t + 1000) % n;
        double sum = 0, magnitudes = 0;
        for (size_t k = 0; k < n; ++k) {
            const double term = static_cast<double>(a[row * n + k]) * b[k * n + column];
            sum += term;
            magnitudes += std::abs(term);
        }
        const double bound = static_cast<double>(n + 2) * 0x1p-24 * magnitudes;
        require(std::abs(sum - c[row * n + column]) <= bound, "an element of the product");
    }
}

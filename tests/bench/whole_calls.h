// What the benchmarks of whole calls on large host memory share.
// SPDX-License-Identifier: MIT
#pragma once
#include <gpcl/gpcl.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
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

// Keys in runs.
// SPDX-License-Identifier: MIT
#pragma once

#include "every_type.h"

#include <random>

namespace test {

// Keys each of which equals the one before it but for one in `mean`; 0: all are equal.
template <class T> std::vector<T> keys_of(size_t n, size_t mean) {
    std::mt19937_64 random(n * 16 + mean);
    std::vector<T> keys(n);
    T key = number<T>(5);
    for (size_t i = 0; i < n; ++i) {
        if (mean == 1)
            key = number<T>(static_cast<int>(i % 2)); // each is a run
        else if (mean != 0 && random() % mean == 0)
            key = number<T>(static_cast<int>(random() % 100));
        keys[i] = key;
    }
    return keys;
}

} // namespace test

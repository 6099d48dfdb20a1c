// The oracle of scans by key: one loop.
// SPDX-License-Identifier: MIT
#pragma once

#include "runs.h"

namespace reference {

// combine(a, b); `initial` comes before each run.
template <class T, class K, class In, class F> std::vector<T>
scan_by_key(const std::vector<K> &keys, const std::vector<In> &values, T initial, bool exclusive, const F &combine) {
    std::vector<T> out;
    T running = initial;
    for (size_t i = 0; i < keys.size(); ++i) {
        if (i > 0 && !same_key(keys[i - 1], keys[i])) running = initial;
        const T following = combine(running, static_cast<T>(widen(values[i])));
        out.push_back(exclusive ? running : following);
        running = following;
    }
    return out;
}

} // namespace reference

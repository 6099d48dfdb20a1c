// The oracle of histogram: every element against every edge, in arithmetic that holds both.
// SPDX-License-Identifier: MIT
#pragma once

#include "half.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace reference {

template <class T> std::vector<uint64_t> histogram(const std::vector<T> &in, size_t bins) {
    std::vector<uint64_t> counts(bins);
    for (const T x : in) ++counts[x];
    return counts;
}

// What NumPy compares with edges of float64.
template <class T> double as_double(T x) { return static_cast<double>(x); }
inline double as_double(half x) { return to_double(x); }

// counts[b]: elements in [edges[b], edges[b + 1]), in the last bin also those on its right edge; no
// NaN.
template <class T, class E> std::vector<uint64_t> histogram(const std::vector<T> &in, const std::vector<E> &edges) {
    std::vector<uint64_t> counts(edges.size() - 1);
    for (const T x : in) {
        const auto value = [&] {
            if constexpr (std::is_same_v<T, E>)
                return x;
            else
                return as_double(x);
        }();
        if (!(value >= edges.front() && value <= edges.back())) continue;
        const auto after = std::upper_bound(edges.begin(), edges.end() - 1, value);
        ++counts[static_cast<size_t>(after - edges.begin()) - 1];
    }
    return counts;
}

// numpy.linspace(lower, upper, bins + 1), as the type holds it; volatile keeps the product's
// rounding.
template <class T> std::vector<double> even_edges(size_t bins, double lower, double upper) {
    std::vector<double> edges;
    const double step = (upper - lower) / static_cast<double>(bins);
    for (size_t b = 0; b <= bins; ++b) {
        volatile double product = static_cast<double>(b) * step;
        const double edge = b == bins ? upper : product + lower;
        if constexpr (std::is_same_v<T, float>)
            edges.push_back(static_cast<float>(edge));
        else if constexpr (std::is_same_v<T, half>)
            edges.push_back(to_double(to_half(edge)));
        else
            edges.push_back(edge);
    }
    return edges;
}

} // namespace reference

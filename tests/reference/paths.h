// The oracle of shortest paths: Floyd and Warshall's three loops.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace reference {

// Lengths are computed in this.
template <class T> using Length = std::conditional_t<std::is_integral_v<T>, int64_t, double>;

// What a matrix of T has where there is no edge, and no path.
template <class T> constexpr T kNoPath = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                                              : std::numeric_limits<T>::max();

template <class T> struct Paths {
    size_t n;
    std::vector<Length<T>> length;
    std::vector<char> exists;

    // Of n x n edges, a row after the other.
    Paths(size_t nodes, const std::vector<T> &edges) : n(nodes), length(n * n), exists(n * n) {
        for (size_t i = 0; i < n * n; ++i) {
            const bool on_diagonal = i / n == i % n;
            exists[i] = on_diagonal || is_edge(edges[i]);
            length[i] = is_edge(edges[i]) ? static_cast<Length<T>>(edges[i]) : 0;
            if (on_diagonal && length[i] > 0) length[i] = 0;
        }
        for (size_t k = 0; k < n; ++k)
            for (size_t i = 0; i < n; ++i)
                for (size_t j = 0; j < n && exists[i * n + k]; ++j) join(i, k, j);
    }

    static bool is_edge(T edge) { return edge == edge && edge != kNoPath<T>; }

    bool has_negative_cycle() const {
        for (size_t i = 0; i < n; ++i)
            if (length[i * n + i] < 0) return true;
        return false;
    }

  private:
    void join(size_t i, size_t k, size_t j) {
        if (!exists[k * n + j]) return;
        const Length<T> sum = length[i * n + k] + length[k * n + j];
        if (exists[i * n + j] && length[i * n + j] <= sum) return;
        exists[i * n + j] = 1;
        length[i * n + j] = sum;
    }
};

} // namespace reference

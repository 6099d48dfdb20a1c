// gpcl selftest: shortest paths.
// SPDX-License-Identifier: MIT
#include "selftest.h"

#include <limits>

namespace command {

namespace {

template <typename T> T no_path() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
}

// Few edges, some of them below zero, and no cycle that is.
template <typename T> std::vector<T> random_edges(size_t n, Random &random) {
    std::vector<int64_t> heights(n);
    for (auto &height : heights) height = between(random, 0, 20);
    std::vector<T> edges(n * n, no_path<T>());
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j)
            if (random() % n < 4)
                edges[i * n + j] = static_cast<T>(i == j ? 0 : between(random, 0, 30) + heights[i] - heights[j]);
    return edges;
}

template <typename T> std::vector<T> lengths_of(std::vector<T> lengths, size_t n) {
    for (size_t i = 0; i < n; ++i) lengths[i * n + i] = 0;
    for (size_t k = 0; k < n; ++k)
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < n; ++j) {
                const T first = lengths[i * n + k], second = lengths[k * n + j];
                if (first != no_path<T>() && second != no_path<T>())
                    lengths[i * n + j] = std::min(lengths[i * n + j], static_cast<T>(first + second));
            }
    return lengths;
}

template <typename T> void paths(Selftest &test, const char *algorithm) {
    for (const size_t n : {0u, 1u, 2u, 33u, 65u, 129u, 200u}) {
        if (n * n > test.sizes().back()) continue;
        Random random(n);
        const auto edges = random_edges<T>(n, random);
        const auto expected = lengths_of(edges, n);
        for (const bool with_nodes : {false, true}) {
            gp_paths_options o = GP_PATHS_OPTIONS_INIT;
            o.algorithm = algorithm;
            uint64_t negative = 9;
            o.negative_cycle = &negative;
            auto lengths = edges;
            std::vector<int32_t> nodes(n * n);
            if (!test.ran(gp_paths(test.context, dtype_of<T>(), n, lengths.data(), n, lengths.data(), n,
                                   with_nodes ? nodes.data() : nullptr, n, &o),
                          algorithm))
                continue;
            test.compare(expected, lengths, "lengths", n);
            test.compare<uint64_t>({0}, {negative}, "negative cycle", n);
            if (!with_nodes) continue;
            // The last edge of each path, after a path that is shorter by its length.
            std::vector<T> sums(n * n, no_path<T>());
            for (size_t i = 0; i < n * n; ++i) {
                const auto before = static_cast<size_t>(nodes[i]);
                if (i / n == i % n)
                    sums[i] = 0;
                else if (before < n)
                    sums[i] = static_cast<T>(lengths[i / n * n + before] + edges[before * n + i % n]);
            }
            test.compare(expected, sums, "predecessors", n);
        }
    }
}

} // namespace

void check_paths(Selftest &test) {
    for_each_dtype({GP_INT16, GP_INT32, GP_FLOAT32, GP_FLOAT64}, [&](auto type) {
        using T = typename decltype(type)::type;
        const std::string name = std::string("paths ") + gp_dtype_name(dtype_of<T>());
        if (std::is_same_v<T, double> && !test.info.has_float64) return test.skip(name, "the device lacks float64");
        test.group(name, GP_PATHS, [&](const char *algorithm) { paths<T>(test, algorithm); });
    });
}

} // namespace command

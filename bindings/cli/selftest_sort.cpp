// gpcl selftest: sort, sort_pairs, argsort; against std::stable_sort, bit by bit.
// SPDX-License-Identifier: MIT
#include "selftest.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace command {

namespace {

// Whether key a comes before key b: -0 equals +0, NaN come last in both orders.
template <typename T> bool before(T a, T b, gp_order order) {
    if (b != b) return a == a;
    return order == GP_ASCENDING ? a < b : a > b;
}

template <typename T> struct UnsignedOf { using type = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>; };
template <std::integral T> struct UnsignedOf<T> { using type = std::make_unsigned_t<T>; };

// Keys as their bits, so that NaN with different payloads and both zeros can be told apart.
template <typename T> std::vector<typename UnsignedOf<T>::type> bits(const std::vector<T> &keys) {
    std::vector<typename UnsignedOf<T>::type> result(keys.size());
    if (!keys.empty()) std::memcpy(result.data(), keys.data(), keys.size() * sizeof(T));
    return result;
}

// Random bits, every third key one of a few, so that there are many equal ones.
template <typename T> std::vector<T> random_keys(size_t n, Random &random) {
    using Limits = std::numeric_limits<T>;
    std::vector<T> keys(n);
    const T few[] = {T(0),
                     T(1),
                     Limits::lowest(),
                     Limits::max(),
                     Limits::min(),
                     T(T(0) - T(1)),
                     static_cast<T>(-T(0)),
                     Limits::infinity(),
                     T(42),
                     Limits::denorm_min(),
                     T(0) - Limits::infinity(),
                     Limits::quiet_NaN()};
    for (auto &key : keys) {
        const auto word = static_cast<typename UnsignedOf<T>::type>(random());
        if (random() % 3 == 0)
            key = few[random() % std::size(few)];
        else
            std::memcpy(&key, &word, sizeof key);
    }
    return keys;
}

template <typename T> std::vector<size_t> naive_order(const std::vector<T> &keys, gp_order order) {
    std::vector<size_t> indices(keys.size());
    std::iota(indices.begin(), indices.end(), size_t{0});
    std::stable_sort(indices.begin(), indices.end(),
                     [&](size_t i, size_t j) { return before(keys[i], keys[j], order); });
    return indices;
}

template <typename T> std::vector<T> picked(const std::vector<T> &from, const std::vector<size_t> &indices) {
    std::vector<T> result(indices.size());
    std::transform(indices.begin(), indices.end(), result.begin(), [&](size_t i) { return from[i]; });
    return result;
}

template <typename T, typename Index> void argsort(Selftest &test, const std::vector<T> &keys,
                                                   const std::vector<size_t> &expected, const gp_sort_options &o,
                                                   const std::string &what) {
    std::vector<Index> got(keys.size(), Index(77));
    if (test.ran(gp_argsort(test.context, dtype_of<T>(), keys.size(), keys.data(), dtype_of<Index>(), got.data(), &o),
                 o.algorithm))
        test.compare(std::vector<Index>(expected.begin(), expected.end()), got, what + " argsort", keys.size());
}

template <typename T> void sort_pairs(Selftest &test, const std::vector<T> &keys, const std::vector<size_t> &expected,
                                      size_t value_size, const gp_sort_options &o, const std::string &what) {
    const auto n = keys.size();
    std::vector<uint8_t> values(n * value_size), moved(n * value_size);
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<uint8_t>(i / value_size * 0x9E3779B97F4A7C15 >> (8 * (i % value_size % 8)));
    for (size_t i = 0; i < n; ++i)
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(expected[i] * value_size), value_size,
                    moved.begin() + static_cast<std::ptrdiff_t>(i * value_size));
    auto sorted = keys;
    if (!test.ran(gp_sort_pairs(test.context, dtype_of<T>(), n, sorted.data(), value_size, values.data(), &o),
                  o.algorithm))
        return;
    const auto pairs = what + " pairs with values of " + std::to_string(value_size) + " bytes";
    test.compare(bits(picked(keys, expected)), bits(sorted), pairs + " (keys)", n);
    test.compare(moved, values, pairs + " (bytes of values)", n);
}

template <typename T> void sorts(Selftest &test, const char *algorithm) {
    Random random(4);
    for (const auto n : test.sizes())
        for (const gp_order order : {GP_ASCENDING, GP_DESCENDING}) {
            const auto keys = random_keys<T>(n, random);
            const auto expected = naive_order(keys, order);
            const std::string what = order == GP_ASCENDING ? "ascending" : "descending";
            gp_sort_options o = GP_SORT_OPTIONS_INIT;
            o.order = order;
            o.algorithm = algorithm;
            auto sorted = keys;
            if (test.ran(gp_sort(test.context, dtype_of<T>(), n, sorted.data(), &o), algorithm))
                test.compare(bits(picked(keys, expected)), bits(sorted), what + " (keys' bits)", n);
            argsort<T, uint32_t>(test, keys, expected, o, what);
            argsort<T, uint64_t>(test, keys, expected, o, what);
            for (const size_t value_size : {1u, 4u, 8u, 13u, 64u})
                sort_pairs(test, keys, expected, value_size, o, what);
        }
}

template <typename T> void merges(Selftest &test, const char *algorithm) {
    Random random(5);
    for (const auto n : test.sizes())
        for (const gp_order order : {GP_ASCENDING, GP_DESCENDING}) {
            const auto sorted = [&](size_t count) {
                const auto keys = random_keys<T>(count, random);
                return picked(keys, naive_order(keys, order));
            };
            const auto a = sorted(n / 3), b = sorted(n - n / 3);
            auto both = a;
            both.insert(both.end(), b.begin(), b.end());
            gp_merge_options o = GP_MERGE_OPTIONS_INIT;
            o.order = order;
            o.algorithm = algorithm;
            std::vector<T> out(n);
            if (test.ran(gp_merge(test.context, dtype_of<T>(), a.size(), a.data(), b.size(), b.data(), out.data(), &o),
                         algorithm))
                test.compare(bits(picked(both, naive_order(both, order))), bits(out),
                             order == GP_ASCENDING ? "ascending" : "descending", n);
        }
}

template <typename T> void merges_of_runs(Selftest &test, const char *algorithm) {
    Random random(6);
    for (const auto n : test.sizes())
        for (const gp_order order : {GP_ASCENDING, GP_DESCENDING}) {
            const std::vector<uint64_t> offsets = {0, n / 5, n / 5, n / 3, n - n / 4, n};
            std::vector<T> keys;
            for (size_t run = 0; run + 1 < offsets.size(); ++run) {
                const auto one = random_keys<T>(offsets[run + 1] - offsets[run], random);
                const auto sorted = picked(one, naive_order(one, order));
                keys.insert(keys.end(), sorted.begin(), sorted.end());
            }
            gp_merge_runs_options o = GP_MERGE_RUNS_OPTIONS_INIT;
            o.order = order;
            o.algorithm = algorithm;
            std::vector<T> out(n);
            if (test.ran(gp_merge_runs(test.context, dtype_of<T>(), n, keys.data(), offsets.size() - 1, offsets.data(),
                                       out.data(), &o),
                         algorithm))
                test.compare(bits(picked(keys, naive_order(keys, order))), bits(out),
                             order == GP_ASCENDING ? "ascending" : "descending", n);
        }
}

} // namespace

void check_sort(Selftest &test) {
    for_each_dtype(
        {GP_INT8, GP_INT16, GP_INT32, GP_INT64, GP_UINT8, GP_UINT16, GP_UINT32, GP_UINT64, GP_FLOAT32, GP_FLOAT64},
        [&](auto type) {
            using T = typename decltype(type)::type;
            test.group(std::string("sort ") + gp_dtype_name(dtype_of<T>()), GP_SORT,
                       [&](const char *algorithm) { sorts<T>(test, algorithm); });
            test.group(std::string("merge ") + gp_dtype_name(dtype_of<T>()), GP_MERGE,
                       [&](const char *algorithm) { merges<T>(test, algorithm); });
            test.group(std::string("merge-runs ") + gp_dtype_name(dtype_of<T>()), GP_MERGE_RUNS,
                       [&](const char *algorithm) { merges_of_runs<T>(test, algorithm); });
        });
}

} // namespace command

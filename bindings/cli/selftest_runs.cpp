// gpcl selftest: runs of equal elements and what is computed by key, distinct elements, repeats,
// selections.
// SPDX-License-Identifier: MIT
#include "selftest.h"

#include <algorithm>

namespace command {

namespace {

// Runs of nine elements on average.
template <typename T> std::vector<T> keys_of(size_t n, Random &random) {
    std::vector<T> keys(n);
    T key = 0;
    for (auto &each : keys) {
        if (random() % 9 == 0) key = static_cast<T>(between(random, 0, 50));
        each = key;
    }
    return keys;
}

template <typename T> std::vector<size_t> firsts_of(const std::vector<T> &keys) {
    std::vector<size_t> firsts;
    for (size_t i = 0; i < keys.size(); ++i)
        if (i == 0 || keys[i] != keys[i - 1]) firsts.push_back(i);
    return firsts;
}

// The count, and as many elements, of an output with room for more.
template <typename T> void compare_first(const Selftest &test, const std::vector<T> &expected, std::vector<T> got,
                                         uint64_t count, const char *what, size_t n) {
    test.compare<uint64_t>({expected.size()}, {count}, std::string("how many ") + what, n);
    got.resize(expected.size());
    test.compare(expected, got, what, n);
}

template <typename T> void run_lengths(Selftest &test, const char *algorithm) {
    Random random(11);
    for (const auto n : test.sizes()) {
        const auto keys = keys_of<T>(n, random);
        const auto firsts = firsts_of(keys);
        std::vector<T> expected(firsts.size()), values(n);
        std::vector<uint64_t> expected_lengths(firsts.size()), lengths(n);
        for (size_t k = 0; k < firsts.size(); ++k) {
            expected[k] = keys[firsts[k]];
            expected_lengths[k] = (k + 1 < firsts.size() ? firsts[k + 1] : n) - firsts[k];
        }
        gp_run_lengths_options o = GP_RUN_LENGTHS_OPTIONS_INIT;
        o.algorithm = algorithm;
        uint64_t count = 0;
        if (!test.ran(gp_run_lengths(test.context, dtype_of<T>(), n, keys.data(), values.data(), GP_UINT64,
                                     lengths.data(), &count, &o),
                      algorithm))
            continue;
        compare_first(test, expected, values, count, "values", n);
        compare_first(test, expected_lengths, lengths, count, "lengths", n);
    }
}

// Sums of small whole numbers, which are exact in any order, by keys of int16.
template <typename T> struct ByKey {
    std::vector<int16_t> keys;
    std::vector<T> values;
    std::vector<size_t> firsts;

    ByKey(size_t n, Random &random) : keys(keys_of<int16_t>(n, random)), values(n), firsts(firsts_of(keys)) {
        for (auto &value : values) value = static_cast<T>(between(random, 0, 100));
    }
};

template <typename T> void reduces_by_key(Selftest &test, const char *algorithm) {
    Random random(12);
    for (const auto n : test.sizes()) {
        const ByKey<T> of(n, random);
        std::vector<T> expected(of.firsts.size()), sums(n);
        for (size_t i = 0, k = 0; i < n; ++i) {
            if (k + 1 < of.firsts.size() && i == of.firsts[k + 1]) ++k;
            expected[k] += of.values[i];
        }
        gp_reduce_by_key_options o = GP_REDUCE_BY_KEY_OPTIONS_INIT;
        o.algorithm = algorithm;
        uint64_t count = 0;
        if (test.ran(gp_reduce_by_key(test.context, GP_INT16, n, of.keys.data(), dtype_of<T>(), of.values.data(),
                                      nullptr, sums.data(), &count, &o),
                     algorithm))
            compare_first(test, expected, sums, count, "sums", n);
    }
}

template <typename T> void scans_by_key(Selftest &test, const char *algorithm) {
    Random random(13);
    for (const auto n : test.sizes())
        for (const gp_scan_kind kind : {GP_INCLUSIVE, GP_EXCLUSIVE}) {
            const ByKey<T> of(n, random);
            std::vector<T> expected(n), got(n);
            T running = 0;
            for (size_t i = 0; i < n; ++i) {
                if (i > 0 && of.keys[i] != of.keys[i - 1]) running = 0;
                const T following = running + of.values[i];
                expected[i] = kind == GP_EXCLUSIVE ? running : following;
                running = following;
            }
            gp_scan_by_key_options o = GP_SCAN_BY_KEY_OPTIONS_INIT;
            o.kind = kind;
            o.algorithm = algorithm;
            if (test.ran(gp_scan_by_key(test.context, GP_INT16, n, of.keys.data(), dtype_of<T>(), of.values.data(),
                                        got.data(), &o),
                         algorithm))
                test.compare(expected, got, kind == GP_EXCLUSIVE ? "exclusive" : "inclusive", n);
        }
}

template <typename T> void uniques(Selftest &test, const char *algorithm) {
    Random random(14);
    for (const auto n : test.sizes()) {
        const auto in = keys_of<T>(n, random);
        auto expected = in;
        std::sort(expected.begin(), expected.end());
        expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
        std::vector<T> values(n);
        gp_unique_options o = GP_UNIQUE_OPTIONS_INIT;
        o.algorithm = algorithm;
        uint64_t count = 0;
        if (test.ran(gp_unique(test.context, dtype_of<T>(), n, in.data(), values.data(), GP_UINT64, nullptr, nullptr,
                               nullptr, &count, &o),
                     algorithm))
            compare_first(test, expected, values, count, "values", n);
    }
}

template <typename T> void repeats(Selftest &test, const char *algorithm) {
    Random random(15);
    for (const auto n : test.sizes()) {
        const auto in = keys_of<T>(n, random);
        std::vector<uint8_t> times(n);
        std::vector<T> expected;
        for (size_t i = 0; i < n; ++i) {
            times[i] = static_cast<uint8_t>(random() % 4);
            expected.insert(expected.end(), times[i], in[i]);
        }
        std::vector<T> got(expected.size());
        gp_repeat_options o = GP_REPEAT_OPTIONS_INIT;
        o.algorithm = algorithm;
        uint64_t count = 0;
        if (test.ran(gp_repeat(test.context, sizeof(T), n, in.data(), GP_UINT8, times.data(), got.size(), got.data(),
                               &count, &o),
                     algorithm))
            compare_first(test, expected, got, count, "elements", n);
    }
}

template <typename T> void selections(Selftest &test, const char *algorithm) {
    Random random(16);
    for (const auto n : test.sizes()) {
        const auto in = keys_of<T>(n, random);
        std::vector<uint8_t> flags(n);
        for (auto &flag : flags) flag = static_cast<uint8_t>(random() % 3);
        std::vector<T> kept, rest, got(n);
        std::vector<uint32_t> places, positions(n);
        for (size_t i = 0; i < n; ++i) {
            (flags[i] != 0 ? kept : rest).push_back(in[i]);
            if (in[i] != T(0)) places.push_back(static_cast<uint32_t>(i));
        }
        auto parts = kept;
        parts.insert(parts.end(), rest.begin(), rest.end());
        gp_select_options o = GP_SELECT_OPTIONS_INIT;
        o.algorithm = algorithm;
        uint64_t count = 0;
        if (test.ran(gp_select(test.context, sizeof(T), n, in.data(), flags.data(), got.data(), &count, &o), algorithm))
            compare_first(test, kept, got, count, "kept", n);
        if (test.ran(gp_partition(test.context, sizeof(T), n, in.data(), flags.data(), got.data(), &count, &o),
                     algorithm)) {
            test.compare<uint64_t>({kept.size()}, {count}, "how many come first", n);
            test.compare(parts, got, "parts", n);
        }
        if (test.ran(gp_nonzero(test.context, dtype_of<T>(), n, in.data(), GP_UINT32, positions.data(), &count, &o),
                     algorithm))
            compare_first(test, places, positions, count, "positions", n);
    }
}

} // namespace

void check_runs(Selftest &test) {
    for_each_dtype({GP_UINT8, GP_INT32, GP_FLOAT32, GP_UINT64}, [&](auto type) {
        using T = typename decltype(type)::type;
        const std::string name = gp_dtype_name(dtype_of<T>());
        const auto group = [&](const char *what, gp_operation operation, void (*body)(Selftest &, const char *)) {
            test.group(what + (" " + name), operation, [&](const char *algorithm) { body(test, algorithm); });
        };
        group("run-lengths", GP_RUN_LENGTHS, run_lengths<T>);
        if constexpr (sizeof(T) > 1) {
            group("reduce-by-key", GP_REDUCE_BY_KEY, reduces_by_key<T>);
            group("scan-by-key", GP_SCAN_BY_KEY, scans_by_key<T>);
        }
        group("unique", GP_UNIQUE, uniques<T>);
        group("repeat", GP_REPEAT, repeats<T>);
        group("select", GP_SELECT, selections<T>);
    });
}

} // namespace command

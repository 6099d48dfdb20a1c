// Run lengths and reductions by key, against one loop.
// SPDX-License-Identifier: MIT
#include "elements.h"
#include "keys.h"
#include "running.h"

#include "../reference/runs.h"

#include <map>

namespace {

using namespace test;

template <class T> T filler() { return number<T>(77); }

// What an output of so much room holds: of each run, as far as there is room, what `of` makes of
// it.
template <class T, class F>
std::vector<T> expected_of(const std::vector<size_t> &firsts, size_t room, size_t capacity, const F &of) {
    std::vector<T> expected(room, filler<T>());
    for (size_t k = 0; k < std::min(firsts.size(), capacity); ++k) expected[k] = of(k);
    return expected;
}
size_t end_of(const std::vector<size_t> &firsts, size_t k, size_t n) {
    return k + 1 < firsts.size() ? firsts[k + 1] : n;
}

// `capacity` 0: as many as there are keys. The outputs have a few elements more than that.
template <class T, class Index> void check_lengths(const std::vector<T> &keys, size_t capacity, bool named) {
    const size_t n = keys.size(), most = capacity == 0 ? n : capacity, room = most + 3;
    const auto firsts = reference::run_firsts(keys);
    const auto values = expected_of<T>(firsts, room, most, [&](size_t k) { return keys[firsts[k]]; });
    const auto lengths = expected_of<Index>(
        firsts, room, most, [&](size_t k) { return static_cast<Index>(end_of(firsts, k, n) - firsts[k]); });
    const auto places = expected_of<Index>(firsts, room, most, [&](size_t k) { return static_cast<Index>(firsts[k]); });
    gp_run_lengths_options options = GP_RUN_LENGTHS_OPTIONS_INIT;
    options.capacity = capacity;
    for (const char *algorithm : algorithms(GP_RUN_LENGTHS, named)) {
        if (testing::Test::HasFatalFailure()) return;
        SCOPED_TRACE(std::to_string(firsts.size()) + " runs of " + std::to_string(n) + ", capacity " +
                     std::to_string(capacity) + ", " + name(algorithm));
        options.algorithm = algorithm;
        Guarded<T> in(keys), out(std::vector<T>(room, filler<T>()));
        Guarded<Index> counts(std::vector<Index>(room, filler<Index>())), begins(counts.values());
        options.firsts = begins.data();
        uint64_t count = 77;
        const gp_status status = gp_run_lengths(context(), code<T>(), n, in.data(), out.data(), dtype<Index>(),
                                                counts.data(), &count, &options);
        if (refused(GP_RUN_LENGTHS, algorithm, status)) continue;
        ASSERT_OK(status);
        ASSERT_EQ(firsts.size(), count);
        ASSERT_TRUE(same_bits(values, out.values()));
        ASSERT_TRUE(same_bits(lengths, counts.values()));
        ASSERT_TRUE(same_bits(places, begins.values()));
        ASSERT_TRUE(in.intact() && out.intact() && counts.intact() && begins.intact()) << "a canary was overwritten";
        ASSERT_TRUE(same_bits(keys, in.values())) << "the input was changed";
    }
}

// On either side of tiles of 448, 512, 3328, 4096 and 8192, blocks and chunks.
constexpr size_t kSizes[] = {0,    1,    2,    33,   447,  448,  449,   512,    513,     1009,
                             3327, 3328, 3329, 4097, 8191, 8193, 16385, 70'001, 262'139, (1 << 20) + 1};

template <class T> class RunLengths : public testing::Test {};
TYPED_TEST_SUITE(RunLengths, EveryType, EveryTypeNames);

TYPED_TEST(RunLengths, EverySizeAndLength) {
    using T = TypeParam;
    for (const size_t n : kSizes) {
        if (n > max_n() || (n > 5000 && !is_named<T>())) continue;
        for (const size_t mean : {1u, 10u, 1000u, 0u}) {
            if (n > 100'000 && mean != 10) continue;
            check_lengths<T, uint64_t>(keys_of<T>(n, mean), 0, is_named<T>());
            if (this->HasFatalFailure()) return;
        }
        if (is_named<T>()) check_lengths<T, uint32_t>(keys_of<T>(n, 3), 0, false);
    }
}

TYPED_TEST(RunLengths, ZerosAndNan) {
    using T = TypeParam;
    for (const size_t n : {100u, 5000u})
        for (const Kind kind : {Kind::zeros, Kind::most_nan, Kind::extremes})
            if (n <= max_n()) check_lengths<T, uint64_t>(elements<T>(kind, n), 0, is_named<T>());
}

// Nothing is written past the room that there is, and the count is that of all runs.
TYPED_TEST(RunLengths, LittleRoom) {
    using T = TypeParam;
    for (const size_t n : {40u, 5000u, 70'001u}) {
        if (n > max_n() || (n > 5000 && !is_named<T>())) continue;
        const auto keys = keys_of<T>(n, 7);
        const size_t runs = reference::run_firsts(keys).size();
        for (const size_t capacity : {size_t{1}, runs / 2, runs - 1, runs, runs + 1}) {
            check_lengths<T, uint64_t>(keys, std::max(capacity, size_t{1}), is_named<T>());
            if (this->HasFatalFailure()) return;
        }
    }
}

// Some outputs are not wanted.
TEST(RunLengthsCalls, LeaveOutOutputs) {
    const std::vector<int32_t> keys = {4, 4, 9, 9, 9, 4};
    std::vector<int32_t> values(6, 77);
    std::vector<uint32_t> lengths(6, 77);
    uint64_t count = 0;
    ASSERT_OK(gp_run_lengths(context(), GP_INT32, 6, keys.data(), nullptr, GP_UINT32, nullptr, &count, nullptr));
    EXPECT_EQ(3u, count);
    ASSERT_OK(gp_run_lengths(context(), GP_INT32, 6, keys.data(), values.data(), GP_UINT32, nullptr, &count, nullptr));
    EXPECT_EQ((std::vector<int32_t>{4, 9, 4, 77, 77, 77}), values);
    ASSERT_OK(gp_run_lengths(context(), GP_INT32, 6, keys.data(), nullptr, GP_UINT32, lengths.data(), &count, nullptr));
    EXPECT_EQ((std::vector<uint32_t>{2, 3, 1, 77, 77, 77}), lengths);
}

// Buffers with offsets; how many elements there are comes from a buffer, and the count of one call
// is the size of the next.
TEST(RunLengthsCalls, SizesFromBuffers) {
    const size_t n = std::min<size_t>(max_n(), 5000);
    const auto keys = keys_of<int32_t>(n, 4);
    DeviceArray<int32_t> in(keys), values(std::vector<int32_t>(n, 77)), again(std::vector<int32_t>(n, 77));
    DeviceArray<uint32_t> lengths(std::vector<uint32_t>(n, 77)), firsts(std::vector<uint32_t>(n, 77));
    for (const size_t size : {n / 2, n, n + 5, size_t{0}}) {
        SCOPED_TRACE(size);
        DeviceArray<uint64_t> sizes(std::vector<uint64_t>{size, 99, 99});
        gp_run_lengths_options options = GP_RUN_LENGTHS_OPTIONS_INIT;
        options.n_buffer = sizes.buffer();
        options.n_offset = sizes.offset();
        options.firsts_buffer = firsts.buffer();
        options.firsts_offset = firsts.offset();
        for (int repeat = 0; repeat < 4; ++repeat) { // which the device is asked for in shorter ways
            ASSERT_OK(gp_enqueue_run_lengths(context(), GP_INT32, n, in.buffer(), in.offset(), values.buffer(),
                                             values.offset(), GP_UINT32, lengths.buffer(), lengths.offset(),
                                             sizes.buffer(), sizes.offset() + 1, &options, 0, nullptr, nullptr));
            gp_run_lengths_options next = GP_RUN_LENGTHS_OPTIONS_INIT; // the runs of the runs' values: each is one
            next.n_buffer = sizes.buffer();
            next.n_offset = sizes.offset() + 1;
            ASSERT_OK(gp_enqueue_run_lengths(context(), GP_INT32, n, values.buffer(), values.offset(), again.buffer(),
                                             again.offset(), GP_UINT32, nullptr, 0, sizes.buffer(), sizes.offset() + 2,
                                             &next, 0, nullptr, nullptr));
        }
        ASSERT_OK(gp_finish(context()));
        const auto expected = reference::run_firsts(
            std::vector<int32_t>(keys.begin(), keys.begin() + static_cast<ptrdiff_t>(std::min(size, n))));
        const auto counts = sizes.values();
        ASSERT_EQ(expected.size(), counts[1]);
        ASSERT_EQ(expected.size(), counts[2]);
        const auto first = values.values(), second = again.values();
        const auto places = firsts.values(), long_ones = lengths.values();
        for (size_t k = 0; k < expected.size(); ++k) {
            ASSERT_EQ(keys[expected[k]], first[k]);
            ASSERT_EQ(first[k], second[k]);
            ASSERT_EQ(expected[k], places[k]);
            ASSERT_EQ(end_of(expected, k, std::min(size, n)) - expected[k], long_ones[k]);
        }
    }
}

TEST(RunLengthsCalls, Errors) {
    const int32_t keys[4] = {1, 1, 2, 3};
    int32_t values[4] = {};
    uint64_t lengths[4] = {}, count = 77;
    gp_run_lengths_options options = GP_RUN_LENGTHS_OPTIONS_INIT;
    const auto call = [&](gp_dtype type, size_t n, const void *in, void *out, gp_dtype index, void *to,
                          uint64_t *counts) {
        return gp_run_lengths(context(), type, n, in, out, index, to, counts, &options);
    };
    EXPECT_EQ(GP_ERROR_DTYPE, call(99, 4, keys, values, GP_UINT64, lengths, &count));
    EXPECT_EQ(GP_ERROR_DTYPE, call(GP_INT32, 4, keys, values, GP_INT32, lengths, &count));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, call(GP_INT32, 4, nullptr, values, GP_UINT64, lengths, &count));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, call(GP_INT32, 4, keys, values, GP_UINT64, lengths, nullptr));
    EXPECT_EQ(GP_ERROR_OVERLAP, call(GP_INT32, 4, values, values, GP_UINT64, lengths, &count));
    EXPECT_EQ(GP_ERROR_OVERLAP, call(GP_INT32, 4, keys, lengths, GP_UINT64, lengths, &count));
    EXPECT_EQ(GP_ERROR_OVERLAP, call(GP_INT32, 4, keys, values, GP_UINT64, &count, &count));
    EXPECT_EQ(GP_ERROR_TOO_LARGE, call(GP_INT32, (size_t{1} << 32) + 1, keys, values, GP_UINT32, lengths, &count));
    EXPECT_EQ(GP_ERROR_SIZE_OVERFLOW, call(GP_INT32, SIZE_MAX, keys, values, GP_UINT64, lengths, &count));
    EXPECT_EQ(GP_ERROR_ALIGNMENT,
              call(GP_INT32, 1, reinterpret_cast<const char *>(keys) + 1, values, GP_UINT64, lengths, &count));
    const auto odd = [](void *array) { return static_cast<char *>(array) + 1; };
    const auto misaligned = [&](const char *words, void *out, void *to, void *firsts, void *number) {
        options.firsts = firsts;
        EXPECT_EQ(GP_ERROR_ALIGNMENT, call(GP_INT32, 1, keys, out, GP_UINT64, to, static_cast<uint64_t *>(number)));
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), words)) << gp_error_message();
        options.firsts = nullptr;
    };
    misaligned("values is", odd(values), lengths, nullptr, &count);
    misaligned("lengths is", values, odd(lengths), nullptr, &count);
    misaligned("options->firsts is", values, nullptr, odd(lengths), &count);
    misaligned("count is", values, nullptr, nullptr, odd(lengths));
    options.n_offset = 1;
    EXPECT_EQ(GP_ERROR_OPTION, call(GP_INT32, 4, keys, values, GP_UINT64, lengths, &count));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "options->n_offset is 1")) << gp_error_message();
    options.n_offset = 0;
    options.firsts_offset = 1;
    EXPECT_EQ(GP_ERROR_OPTION, call(GP_INT32, 4, keys, values, GP_UINT64, lengths, &count));
    options.firsts_offset = 0;
    DeviceArray<uint64_t> sizes(std::vector<uint64_t>{4});
    options.n_buffer = sizes.buffer();
    EXPECT_EQ(GP_ERROR_OPTION, call(GP_INT32, 4, keys, values, GP_UINT64, lengths, &count));
    options.n_buffer = nullptr;
    options.firsts = lengths;
    EXPECT_EQ(GP_ERROR_OVERLAP, call(GP_INT32, 4, keys, values, GP_UINT64, lengths, &count));
    EXPECT_EQ(GP_ERROR_OPTION,
              gp_enqueue_run_lengths(context(), GP_INT32, 1, sizes.buffer(), 0, nullptr, 0, GP_UINT64, nullptr, 0,
                                     sizes.buffer(), sizes.offset(), &options, 0, nullptr, nullptr));
    EXPECT_EQ(77u, count);
}

// ---- By key

template <class T> class ReduceByKey : public RunningTest<T> {};
TYPED_TEST_SUITE(ReduceByKey, RunningTypes, TypeNames);

template <class K, class In, class T> void check_by_key(const std::vector<K> &keys, const std::vector<In> &values,
                                                        gp_reduce_by_key_options options, const std::vector<T> &results,
                                                        bool named) {
    const size_t n = keys.size(), most = options.capacity == 0 ? n : options.capacity, room = most + 3;
    const auto firsts = reference::run_firsts(keys);
    const auto first_keys = expected_of<K>(firsts, room, most, [&](size_t k) { return keys[firsts[k]]; });
    const auto expected = expected_of<T>(firsts, room, most, [&](size_t k) { return results[k]; });
    if (code<In>() != code<T>()) options.accumulator = code<T>();
    for (const char *algorithm : algorithms(GP_REDUCE_BY_KEY, named)) {
        if (testing::Test::HasFatalFailure()) return;
        SCOPED_TRACE(std::to_string(firsts.size()) + " runs of " + std::to_string(n) + ", operator " +
                     std::to_string(options.op) + ", " + name(algorithm));
        options.algorithm = algorithm;
        Guarded<K> in(keys), out(std::vector<K>(room, filler<K>()));
        Guarded<In> x(values);
        Guarded<T> sums(std::vector<T>(room, filler<T>()));
        uint64_t count = 77;
        const gp_status status = gp_reduce_by_key(context(), code<K>(), n, in.data(), code<In>(), x.data(), out.data(),
                                                  sums.data(), &count, &options);
        if (refused(GP_REDUCE_BY_KEY, algorithm, status)) continue;
        ASSERT_OK(status);
        ASSERT_EQ(firsts.size(), count);
        ASSERT_TRUE(same_bits(first_keys, out.values()));
        ASSERT_TRUE(same_bits(expected, sums.values()));
        ASSERT_TRUE(in.intact() && x.intact() && out.intact() && sums.intact()) << "a canary was overwritten";
        ASSERT_TRUE(same_bits(keys, in.values()) && same_bits(values, x.values())) << "an input was changed";
    }
}

// Of each run, from left to right.
template <class T, class K, class In, class F>
std::vector<T> combined(const std::vector<K> &keys, const std::vector<In> &values, T identity, const F &combine) {
    std::vector<T> results;
    const auto firsts = reference::run_firsts(keys);
    for (size_t k = 0; k < firsts.size(); ++k) {
        T sum = identity;
        for (size_t i = firsts[k]; i < end_of(firsts, k, keys.size()); ++i)
            sum = combine(sum, static_cast<T>(reference::widen(values[i])));
        results.push_back(sum);
    }
    return results;
}

gp_reduce_by_key_options with_operator(gp_operator op) {
    gp_reduce_by_key_options options = GP_REDUCE_BY_KEY_OPTIONS_INIT;
    options.op = op;
    return options;
}

// All operators of int32, one of each other type, which is a program.
TYPED_TEST(ReduceByKey, EverySizeAndLength) {
    using T = TypeParam;
    if (is_brief()) GTEST_SKIP() << "a program as int32's";
    for (const gp_operator op : kOperators) {
        if (std::is_same_v<T, int32_t> && !on_host() && !all_types() && (op == GP_MULTIPLY || op == GP_MINIMUM))
            continue;
        if (!std::is_same_v<T, int32_t> && op != kOperators[code<T>() % 4] && !thorough()) continue;
        const bool named =
            with_named_algorithms<T>(op) || (std::is_same_v<T, double> && op == kOperators[GP_FLOAT64 % 4]);
        for (const size_t n : kSizes) {
            if (n > max_n() || (n > 5000 && !named)) continue;
            for (const size_t mean : {1u, 10u, 1000u, 0u}) {
                if (n > 100'000 && mean != 10) continue;
                const auto keys = keys_of<int32_t>(n, mean);
                const auto values = exact_values<T>(op, n, false);
                const auto results = combined<T>(keys, values, reference::identity<T>(op),
                                                 [=](T a, T b) { return reference::combine(op, a, b); });
                check_by_key(keys, values, with_operator(op), results, named);
                if (this->HasFatalFailure()) return;
            }
        }
    }
}

// Keys of other types, values narrower than their sums, little room.
template <class K, class In, class T> void check_types() {
    if (lacks(code<T>())) return;
    for (const size_t n : {33u, 1009u, 5000u}) {
        if (n > max_n()) continue;
        const auto keys = n % 2 != 0 ? elements<K>(Kind::most_nan, n) : keys_of<K>(n, 10);
        std::vector<In> values(n);
        for (size_t i = 0; i < n; ++i) values[i] = number<In>(static_cast<int>(i * 7 % 100));
        const auto results = combined<T>(keys, values, T(0), [](T a, T b) { return reference::wrapping_add(a, b); });
        gp_reduce_by_key_options options = with_operator(GP_ADD);
        for (const size_t capacity : {size_t{0}, std::max(results.size() / 2, size_t{1})}) {
            options.capacity = capacity;
            check_by_key(keys, values, options, results, true);
        }
    }
}
TEST(ReduceByKeyTypes, BytesToInt64) { check_types<float, uint8_t, int64_t>(); }
TEST(ReduceByKeyTypes, HalvesToFloat) { check_types<uint8_t, half, float>(); }
TEST(ReduceByKeyTypes, KeysOf64Bits) {
    if (!on_host() && !all_types()) GTEST_SKIP() << "as keys of others";
    check_types<double, int32_t, int32_t>();
}
TEST(ReduceByKeyTypes, KeysOf16Bits) { check_types<half, float, float>(); }

// Sums of reals are the same bits each time, and near the exact ones.
TEST(ReduceByKeyCalls, RealsAreTheSameEachTime) {
    const size_t n = std::min<size_t>(max_n(), 70'001);
    const auto keys = keys_of<int32_t>(n, 1000);
    const auto values = real_values<float>(n);
    const auto firsts = reference::run_firsts(keys);
    for (const char *algorithm : algorithms(GP_REDUCE_BY_KEY, !is_brief())) {
        gp_reduce_by_key_options options = GP_REDUCE_BY_KEY_OPTIONS_INIT;
        options.algorithm = algorithm;
        std::vector<std::vector<float>> results;
        for (int repeat = 0; repeat < 3; ++repeat) {
            std::vector<float> sums(n);
            uint64_t count = 0;
            const gp_status status = gp_reduce_by_key(context(), GP_INT32, n, keys.data(), GP_FLOAT32, values.data(),
                                                      nullptr, sums.data(), &count, &options);
            if (refused(GP_REDUCE_BY_KEY, algorithm, status)) break;
            ASSERT_OK(status);
            ASSERT_EQ(firsts.size(), count);
            sums.resize(count);
            results.push_back(sums);
        }
        if (results.empty()) continue;
        EXPECT_TRUE(same_bits(results[0], results[1]) && same_bits(results[0], results[2])) << name(algorithm);
        for (size_t k = 0; k < firsts.size(); ++k) {
            double sum = 0, magnitudes = 0;
            const size_t end = end_of(firsts, k, n);
            for (size_t i = firsts[k]; i < end; ++i) {
                sum += double{values[i]};
                magnitudes += std::fabs(double{values[i]});
            }
            const double bound =
                std::numeric_limits<float>::epsilon() * static_cast<double>(end - firsts[k]) * magnitudes;
            ASSERT_NEAR(sum, double{results[0][k]}, bound) << name(algorithm) << ", run " << k;
        }
    }
}

// The caller's operator, which does not commute.
TEST(ReduceByKeyCalls, OperatorText) {
    gp_reduce_by_key_options options = GP_REDUCE_BY_KEY_OPTIONS_INIT;
    options.operator_source = kAffineSource;
    options.operator_identity = kAffineIdentity;
    options.operator_helpers = kAffineHelpers;
    for (const size_t n : {33u, 5003u, 70'001u}) {
        if (n > max_n()) continue;
        const auto keys = keys_of<int32_t>(n, 100);
        const auto maps = affine_maps(n);
        if (on_host()) {
            uint64_t count = 0;
            std::vector<uint64_t> results(n);
            ASSERT_EQ(GP_ERROR_UNSUPPORTED_DEVICE,
                      gp_reduce_by_key(context(), GP_INT32, n, keys.data(), GP_UINT64, maps.data(), nullptr,
                                       results.data(), &count, &options));
            continue;
        }
        const auto results = combined<uint64_t>(keys, maps, kAffineOne, affine);
        check_by_key(keys, maps, options, results, true);
    }
}

// Keys in any order: results come in the order of keys, values are combined in theirs.
template <class K> void check_any_order(size_t n, size_t kinds) {
    std::mt19937_64 random(n);
    std::vector<K> keys(n);
    std::vector<int64_t> values(n);
    std::map<K, int64_t> sums;
    for (size_t i = 0; i < n; ++i) {
        keys[i] = number<K>(static_cast<int>(random() % kinds));
        values[i] = static_cast<int64_t>(random());
        sums[keys[i]] = reference::wrapping_add(sums[keys[i]], values[i]);
    }
    gp_reduce_by_key_options options = GP_REDUCE_BY_KEY_OPTIONS_INIT;
    options.any_order = 1;
    Guarded<K> in(keys), out(std::vector<K>(n, filler<K>()));
    Guarded<int64_t> x(values), results(std::vector<int64_t>(n, 77));
    uint64_t count = 0;
    ASSERT_OK(gp_reduce_by_key(context(), code<K>(), n, in.data(), GP_INT64, x.data(), out.data(), results.data(),
                               &count, &options));
    ASSERT_EQ(sums.size(), count);
    size_t k = 0;
    for (const auto &[key, sum] : sums) {
        ASSERT_EQ(key, out[k]);
        ASSERT_EQ(sum, results[k++]);
    }
    for (; k < n; ++k) ASSERT_EQ(77, results[k]);
    EXPECT_TRUE(same_bits(keys, in.values()) && same_bits(values, x.values())) << "an input was changed";
    EXPECT_TRUE(in.intact() && out.intact() && x.intact() && results.intact());
}
TEST(ReduceByKeyCalls, AnyOrder) {
    for (const size_t n : {0u, 1u, 2u, 33u, 5003u, 70'001u}) {
        if (n > max_n()) continue;
        check_any_order<int32_t>(n, n / 3 + 1);
        if (n > 100) check_any_order<float>(n, 9);
    }
}

// Buffers with offsets, and how many elements there are from a buffer.
TEST(ReduceByKeyCalls, SizesFromBuffers) {
    const size_t n = std::min<size_t>(max_n(), 5000);
    const auto keys = keys_of<int32_t>(n, 4);
    const auto values = exact_values<int32_t>(GP_ADD, n, false);
    DeviceArray<int32_t> in(keys), x(values), out(std::vector<int32_t>(n, 77)), sums(std::vector<int32_t>(n, 77));
    for (const size_t size : {n / 2, n + 5, size_t{0}}) {
        DeviceArray<uint64_t> sizes(std::vector<uint64_t>{size, 99});
        gp_reduce_by_key_options options = GP_REDUCE_BY_KEY_OPTIONS_INIT;
        options.n_buffer = sizes.buffer();
        options.n_offset = sizes.offset();
        for (int repeat = 0; repeat < 4; ++repeat)
            ASSERT_OK(gp_enqueue_reduce_by_key(context(), GP_INT32, n, in.buffer(), in.offset(), GP_INT32, x.buffer(),
                                               x.offset(), out.buffer(), out.offset(), sums.buffer(), sums.offset(),
                                               sizes.buffer(), sizes.offset() + 1, &options, 0, nullptr, nullptr));
        ASSERT_OK(gp_finish(context()));
        const auto some = static_cast<ptrdiff_t>(std::min(size, n));
        const std::vector<int32_t> first(keys.begin(), keys.begin() + some),
            second(values.begin(), values.begin() + some);
        const auto expected =
            combined<int32_t>(first, second, 0, [](int32_t a, int32_t b) { return reference::wrapping_add(a, b); });
        ASSERT_EQ(expected.size(), sizes.values()[1]);
        const auto results = sums.values();
        for (size_t k = 0; k < expected.size(); ++k) ASSERT_EQ(expected[k], results[k]);
    }
}

TEST(ReduceByKeyCalls, Errors) {
    const int32_t keys[4] = {1, 1, 2, 3}, values[4] = {1, 2, 3, 4};
    int32_t out[4] = {}, sums[4] = {};
    uint64_t count = 77;
    gp_reduce_by_key_options options = GP_REDUCE_BY_KEY_OPTIONS_INIT;
    const auto call = [&](gp_dtype key, const void *in, gp_dtype type, const void *x, void *to, void *results) {
        return gp_reduce_by_key(context(), key, 4, in, type, x, to, results, &count, &options);
    };
    EXPECT_EQ(GP_ERROR_DTYPE, call(99, keys, GP_INT32, values, out, sums));
    EXPECT_EQ(GP_ERROR_DTYPE, call(GP_INT32, keys, GP_INT8, values, out, sums));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, call(GP_INT32, keys, GP_INT32, values, out, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, call(GP_INT32, keys, GP_INT32, nullptr, out, sums));
    EXPECT_EQ(GP_ERROR_OVERLAP, call(GP_INT32, keys, GP_INT32, sums, out, sums));
    EXPECT_EQ(GP_ERROR_OVERLAP, call(GP_INT32, keys, GP_INT32, values, sums, sums));
    options.op = 9;
    EXPECT_EQ(GP_ERROR_OPERATOR, call(GP_INT32, keys, GP_INT32, values, out, sums));
    options.op = GP_ADD;
    options.any_order = 2;
    EXPECT_EQ(GP_ERROR_OPTION, call(GP_INT32, keys, GP_INT32, values, out, sums));
    options.any_order = 1;
    EXPECT_EQ(GP_ERROR_DTYPE, call(GP_FLOAT16, keys, GP_INT32, values, out, sums));
    options.any_order = 0;
    options.n_offset = 1;
    EXPECT_EQ(GP_ERROR_OPTION, call(GP_INT32, keys, GP_INT32, values, out, sums));
    options.n_offset = 0;
    DeviceArray<uint64_t> sizes(std::vector<uint64_t>{4});
    options.n_buffer = sizes.buffer();
    EXPECT_EQ(GP_ERROR_OPTION, call(GP_INT32, keys, GP_INT32, values, out, sums));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "options->n_buffer is set")) << gp_error_message();
    options.n_buffer = nullptr;
    EXPECT_EQ(GP_ERROR_NULL_POINTER, call(GP_INT32, nullptr, GP_INT32, values, out, sums));
    EXPECT_EQ(GP_ERROR_ALIGNMENT, call(GP_INT32, keys, GP_INT32, values, reinterpret_cast<char *>(out) + 1, sums));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "out_keys is")) << gp_error_message();
    const auto counted = [&](uint64_t *to) {
        return gp_reduce_by_key(context(), GP_INT32, 4, keys, GP_INT32, values, out, sums, to, nullptr);
    };
    EXPECT_EQ(GP_ERROR_NULL_POINTER, counted(nullptr));
    uint64_t two[2] = {};
    EXPECT_EQ(GP_ERROR_ALIGNMENT, counted(reinterpret_cast<uint64_t *>(reinterpret_cast<char *>(two) + 4)));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "count is")) << gp_error_message();
    EXPECT_EQ(77u, count);
}

} // namespace

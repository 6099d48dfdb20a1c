// Scans by key, against one loop.
// SPDX-License-Identifier: MIT
#include "elements.h"
#include "keys.h"
#include "running.h"

#include "../reference/scan_by_key.h"

namespace {

using namespace test;

gp_scan_by_key_options with_operator(gp_operator op, bool exclusive) {
    gp_scan_by_key_options options = GP_SCAN_BY_KEY_OPTIONS_INIT;
    options.op = op;
    options.kind = exclusive ? GP_EXCLUSIVE : GP_INCLUSIVE;
    return options;
}

// In memory apart, and for odd n in place where the types are the same.
template <class K, class In, class T> void check(const std::vector<K> &keys, const std::vector<In> &values,
                                                 gp_scan_by_key_options options, const std::vector<T> &expected,
                                                 bool named) {
    const size_t n = keys.size();
    constexpr bool kSame = std::is_same_v<In, T>;
    if (!kSame) options.accumulator = code<T>();
    for (const char *algorithm : algorithms(GP_SCAN_BY_KEY, named)) {
        for (const bool in_place : {false, true}) {
            if (testing::Test::HasFatalFailure()) return;
            if (in_place && (!kSame || n % 2 == 0)) continue;
            SCOPED_TRACE(std::to_string(reference::run_firsts(keys).size()) + " runs of " + std::to_string(n) +
                         ", operator " + std::to_string(options.op) + ", kind " + std::to_string(options.kind) + ", " +
                         name(algorithm) + (in_place ? ", in place" : ""));
            options.algorithm = algorithm;
            Guarded<K> in(keys);
            Guarded<In> x(values);
            Guarded<T> out(n);
            void *const to = in_place ? static_cast<void *>(x.data()) : out.data();
            const gp_status status =
                gp_scan_by_key(context(), code<K>(), n, in.data(), code<In>(), x.data(), to, &options);
            if (refused(GP_SCAN_BY_KEY, algorithm, status)) break;
            ASSERT_OK(status);
            if constexpr (kSame) {
                ASSERT_TRUE(same_bits(expected, in_place ? x.values() : out.values()));
            } else {
                ASSERT_TRUE(same_bits(expected, out.values()));
            }
            ASSERT_TRUE(in.intact() && x.intact() && out.intact()) << "a canary was overwritten";
            ASSERT_TRUE(same_bits(keys, in.values()) && (in_place || same_bits(values, x.values())))
                << "an input was changed";
        }
    }
}

// On either side of tiles of 448, 3328 and 6144, blocks and chunks.
constexpr size_t kSizes[] = {0,    1,    2,    33,   255,  256,  257,  447,   448,    449,     1009,         3327,
                             3328, 3329, 6143, 6144, 6145, 8191, 8193, 16385, 70'001, 262'139, (1 << 20) + 1};

template <class T> class ScanByKey : public RunningTest<T> {};
TYPED_TEST_SUITE(ScanByKey, RunningTypes, TypeNames);

// All operators of int32, one of each other type, which is a program.
TYPED_TEST(ScanByKey, EverySizeAndLength) {
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
            for (const size_t mean : {1u, 2u, 10u, 1000u, 0u}) {
                if (n > 100'000 && mean != 10 && mean != 1000) continue;
                if (max_n() < 2000 && mean == 1000) continue;
                const bool exclusive = (n + mean) % 2 != 0;
                const auto keys = keys_of<int32_t>(n, mean);
                const auto values = exact_values<T>(op, n, false);
                const auto expected = reference::scan_by_key<T>(keys, values, reference::identity<T>(op), exclusive,
                                                                [=](T a, T b) { return reference::combine(op, a, b); });
                check(keys, values, with_operator(op, exclusive), expected, named);
                if (this->HasFatalFailure()) return;
            }
        }
    }
}

// Keys of other types, values narrower than their sums, an initial value.
template <class K, class In, class T> void check_types() {
    if (lacks(code<T>())) return;
    for (const size_t n : {33u, 1009u, 5000u}) {
        if (n > max_n()) continue;
        for (const Kind kind : {Kind::zeros, Kind::most_nan, Kind::extremes, Kind::random}) {
            const auto keys = kind == Kind::random ? keys_of<K>(n, 10) : elements<K>(kind, n);
            std::vector<In> values(n);
            for (size_t i = 0; i < n; ++i) values[i] = number<In>(static_cast<int>(i * 7 % 100));
            for (const bool exclusive : {false, true}) {
                const T initial = T(1000);
                gp_scan_by_key_options options = with_operator(GP_ADD, exclusive);
                options.initial = &initial;
                const auto expected = reference::scan_by_key<T>(keys, values, initial, exclusive,
                                                                [](T a, T b) { return reference::wrapping_add(a, b); });
                check(keys, values, options, expected, kind == Kind::most_nan);
            }
        }
    }
}
TEST(ScanByKeyTypes, BytesToInt64) { check_types<float, uint8_t, int64_t>(); }
TEST(ScanByKeyTypes, HalvesToFloat) { check_types<uint8_t, half, float>(); }
TEST(ScanByKeyTypes, KeysOf64Bits) {
    if (!on_host() && !all_types()) GTEST_SKIP() << "as keys of others";
    check_types<double, int32_t, int32_t>();
    check_types<int64_t, int32_t, int32_t>();
}
TEST(ScanByKeyTypes, KeysOf16Bits) { check_types<half, float, float>(); }

// Sums of reals are the same bits each time, and near the exact ones.
TEST(ScanByKeyCalls, RealsAreTheSameEachTime) {
    const size_t n = std::min<size_t>(max_n(), 70'001);
    const auto keys = keys_of<int32_t>(n, 1000);
    const auto values = real_values<float>(n);
    for (const char *algorithm : algorithms(GP_SCAN_BY_KEY, !is_brief())) {
        gp_scan_by_key_options options = GP_SCAN_BY_KEY_OPTIONS_INIT;
        options.algorithm = algorithm;
        std::vector<std::vector<float>> results;
        for (int repeat = 0; repeat < 3; ++repeat) {
            std::vector<float> out(n);
            const gp_status status =
                gp_scan_by_key(context(), GP_INT32, n, keys.data(), GP_FLOAT32, values.data(), out.data(), &options);
            if (refused(GP_SCAN_BY_KEY, algorithm, status)) break;
            ASSERT_OK(status);
            results.push_back(out);
        }
        if (results.empty()) continue;
        EXPECT_TRUE(same_bits(results[0], results[1]) && same_bits(results[0], results[2])) << name(algorithm);
        double sum = 0, magnitudes = 0;
        size_t first = 0;
        for (size_t i = 0; i < n; ++i) {
            if (i > 0 && keys[i] != keys[i - 1]) {
                sum = magnitudes = 0;
                first = i;
            }
            sum += double{values[i]};
            magnitudes += std::fabs(double{values[i]});
            const double bound =
                std::numeric_limits<float>::epsilon() * static_cast<double>(i - first + 1) * magnitudes;
            ASSERT_NEAR(sum, double{results[0][i]}, bound) << name(algorithm) << ", element " << i;
        }
    }
}

// The caller's operator, which does not commute.
TEST(ScanByKeyCalls, OperatorText) {
    const uint64_t first = uint64_t{3} << 32 | 5;
    for (const size_t n : {33u, 5003u, 70'001u}) {
        if (n > max_n()) continue;
        const auto keys = keys_of<int32_t>(n, 100);
        const auto maps = affine_maps(n);
        for (const bool has_initial : {false, true}) {
            gp_scan_by_key_options options = with_operator(GP_ADD, has_initial);
            options.operator_source = kAffineSource;
            options.operator_identity = kAffineIdentity;
            options.operator_helpers = kAffineHelpers;
            if (has_initial) options.initial = &first;
            if (on_host()) {
                std::vector<uint64_t> results(n);
                ASSERT_EQ(GP_ERROR_UNSUPPORTED_DEVICE, gp_scan_by_key(context(), GP_INT32, n, keys.data(), GP_UINT64,
                                                                      maps.data(), results.data(), &options));
                continue;
            }
            const auto expected =
                reference::scan_by_key<uint64_t>(keys, maps, has_initial ? first : kAffineOne, has_initial, affine);
            check(keys, maps, options, expected, true);
        }
    }
}

// Buffers with offsets, and how many elements there are from a buffer: behind them `out` stays.
TEST(ScanByKeyCalls, SizesFromBuffers) {
    const size_t n = std::min<size_t>(max_n(), 5000);
    const auto keys = keys_of<int32_t>(n, 4);
    const auto values = exact_values<int32_t>(GP_ADD, n, false);
    const auto whole = reference::scan_by_key<int32_t>(
        keys, values, 0, false, [](int32_t a, int32_t b) { return reference::wrapping_add(a, b); });
    for (const char *algorithm : algorithms(GP_SCAN_BY_KEY, true)) {
        for (const size_t size : {n / 2, n + 5, size_t{0}}) {
            SCOPED_TRACE(std::to_string(size) + " of " + std::to_string(n) + ", " + name(algorithm));
            DeviceArray<int32_t> in(keys), x(values), out(std::vector<int32_t>(n, 77));
            DeviceArray<uint64_t> sizes(std::vector<uint64_t>{size});
            gp_scan_by_key_options options = GP_SCAN_BY_KEY_OPTIONS_INIT;
            options.algorithm = algorithm;
            options.n_buffer = sizes.buffer();
            options.n_offset = sizes.offset();
            bool runs = true;
            for (int repeat = 0; repeat < 4 && runs; ++repeat) { // which the device is asked for in shorter ways
                const gp_status status =
                    gp_enqueue_scan_by_key(context(), GP_INT32, n, in.buffer(), in.offset(), GP_INT32, x.buffer(),
                                           x.offset(), out.buffer(), out.offset(), &options, 0, nullptr, nullptr);
                runs = !refused(GP_SCAN_BY_KEY, algorithm, status);
                if (!runs) break;
                ASSERT_OK(status);
            }
            if (!runs) continue;
            ASSERT_OK(gp_finish(context()));
            auto expected = whole;
            std::fill(expected.begin() + static_cast<ptrdiff_t>(std::min(size, n)), expected.end(), 77);
            ASSERT_TRUE(same_bits(expected, out.values()));
        }
    }
}

// In place, again and again: what a call wrote is what the next one reads.
TEST(ScanByKeyCalls, InPlaceInBuffers) {
    const size_t n = std::min<size_t>(max_n(), 5000);
    const auto keys = keys_of<int32_t>(n, 30);
    auto expected = exact_values<int32_t>(GP_ADD, n, false);
    DeviceArray<int32_t> in(keys), x(expected);
    for (int repeat = 0; repeat < 4; ++repeat) {
        ASSERT_OK(gp_enqueue_scan_by_key(context(), GP_INT32, n, in.buffer(), in.offset(), GP_INT32, x.buffer(),
                                         x.offset(), x.buffer(), x.offset(), nullptr, 0, nullptr, nullptr));
        expected = reference::scan_by_key<int32_t>(keys, expected, 0, false,
                                                   [](int32_t a, int32_t b) { return reference::wrapping_add(a, b); });
    }
    ASSERT_OK(gp_finish(context()));
    EXPECT_TRUE(same_bits(expected, x.values()));
}

TEST(ScanByKeyCalls, Errors) {
    const int32_t keys[4] = {1, 1, 2, 3}, values[4] = {1, 2, 3, 4};
    int32_t out[4] = {77, 77, 77, 77};
    gp_scan_by_key_options options = GP_SCAN_BY_KEY_OPTIONS_INIT;
    const auto call = [&](gp_dtype key, size_t n, const void *in, gp_dtype type, const void *x, void *to) {
        return gp_scan_by_key(context(), key, n, in, type, x, to, &options);
    };
    EXPECT_EQ(GP_ERROR_DTYPE, call(99, 4, keys, GP_INT32, values, out));
    EXPECT_EQ(GP_ERROR_DTYPE, call(GP_INT32, 4, keys, GP_INT8, values, out));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, call(GP_INT32, 4, nullptr, GP_INT32, values, out));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, call(GP_INT32, 4, keys, GP_INT32, nullptr, out));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, call(GP_INT32, 4, keys, GP_INT32, values, nullptr));
    EXPECT_EQ(GP_ERROR_OVERLAP, call(GP_INT32, 4, out, GP_INT32, values, out));
    EXPECT_EQ(GP_ERROR_OVERLAP, call(GP_INT32, 3, keys, GP_INT32, out, out + 1));
    EXPECT_EQ(GP_ERROR_SIZE_OVERFLOW, call(GP_INT32, SIZE_MAX, keys, GP_INT32, values, out));
    EXPECT_EQ(GP_ERROR_ALIGNMENT, call(GP_INT32, 1, reinterpret_cast<const char *>(keys) + 1, GP_INT32, values, out));
    options.op = 9;
    EXPECT_EQ(GP_ERROR_OPERATOR, call(GP_INT32, 4, keys, GP_INT32, values, out));
    options.op = GP_ADD;
    options.kind = 2;
    EXPECT_EQ(GP_ERROR_OPTION, call(GP_INT32, 4, keys, GP_INT32, values, out));
    options.kind = GP_INCLUSIVE;
    options.reserved = 1;
    EXPECT_EQ(GP_ERROR_OPTION, call(GP_INT32, 4, keys, GP_INT32, values, out));
    options.reserved = 0;
    options.initial = out + 1;
    EXPECT_EQ(GP_ERROR_OVERLAP, call(GP_INT32, 4, keys, GP_INT32, values, out));
    options.initial = reinterpret_cast<const char *>(values) + 1;
    EXPECT_EQ(GP_ERROR_ALIGNMENT, call(GP_INT32, 4, keys, GP_INT32, values, out));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "options->initial is")) << gp_error_message();
    options.initial = nullptr;
    options.n_offset = 1;
    EXPECT_EQ(GP_ERROR_OPTION, call(GP_INT32, 4, keys, GP_INT32, values, out));
    options.n_offset = 0;
    DeviceArray<uint64_t> sizes(std::vector<uint64_t>{4});
    options.n_buffer = sizes.buffer();
    EXPECT_EQ(GP_ERROR_OPTION, call(GP_INT32, 4, keys, GP_INT32, values, out));
    EXPECT_EQ(GP_ERROR_OVERLAP,
              gp_enqueue_scan_by_key(context(), GP_INT32, 1, sizes.buffer(), 0, GP_INT32, sizes.buffer(), 0,
                                     sizes.buffer(), 0, &options, 0, nullptr, nullptr));
    DeviceArray<int32_t> device_keys({1, 1}), device_values({1, 2});
    const auto overlapping = [&](gp_buffer *to, size_t offset, const char *words) {
        EXPECT_EQ(GP_ERROR_OVERLAP,
                  gp_enqueue_scan_by_key(context(), GP_INT32, 2, device_keys.buffer(), 3, GP_INT32,
                                         device_values.buffer(), 3, to, offset, &options, 0, nullptr, nullptr));
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), words)) << gp_error_message();
    };
    overlapping(device_values.buffer(), 2, "values and out overlap");
    overlapping(device_keys.buffer(), 3, "keys overlaps out");
    overlapping(sizes.buffer(), 0, "options->n_buffer overlaps out");
    for (const int32_t each : out) EXPECT_EQ(77, each);
}

} // namespace

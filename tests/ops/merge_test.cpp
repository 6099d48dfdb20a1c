// Merge of two sorted arrays, of every type, with values and without, against a loop.
// SPDX-License-Identifier: MIT
#include "every_type.h"

#include "../reference/merge.h"

#include <numeric>

namespace {

using namespace test;

template <class T> class Merge : public testing::Test {};
TYPED_TEST_SUITE(Merge, EveryType, EveryTypeNames);

template <class T> bool is_before(T x, T y, bool descending) {
    return reference::before(reference::widen(x), reference::widen(y), descending);
}

// random: any bits, which NaN are among; zeros: of both signs, among subnormal numbers, NaN and the
// like; apart: all of a come before b; behind: all of b before a.
enum class Kind { random, few, equal, zeros, apart, behind };
constexpr Kind kKinds[] = {Kind::random, Kind::few, Kind::equal, Kind::zeros, Kind::apart, Kind::behind};

template <class T> struct Arrays { std::vector<T> a, b; };

template <class T> Arrays<T> arrays(Kind kind, size_t n_a, size_t n_b, bool descending) {
    std::mt19937_64 random(n_a * 31 + n_b + static_cast<size_t>(kind));
    std::vector<T> all(n_a + n_b);
    for (T &key : all) {
        const uint64_t bits = random();
        switch (kind) {
        case Kind::few: key = from_bits<T>((bits % 3) << (8 * sizeof(T) - 4)); break;
        case Kind::equal: key = from_bits<T>(5); break;
        case Kind::zeros:
            key = from_bits<T>(bits % 4 == 0   ? bits
                               : bits % 4 == 1 ? kSign<T>
                               : bits % 4 == 2 ? bits >> 8 & (kSign<T> | 7)
                                               : 0);
            break;
        default: key = from_bits<T>(bits);
        }
    }
    const auto sort = [&](auto first, auto last) {
        std::stable_sort(first, last, [&](T x, T y) { return is_before(x, y, descending); });
    };
    const bool whole = kind == Kind::apart || kind == Kind::behind;
    if (whole) sort(all.begin(), all.end());
    if (kind == Kind::behind) std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n_b), all.end());
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(n_a);
    if (!whole) {
        sort(all.begin(), middle);
        sort(middle, all.end());
    }
    return {{all.begin(), middle}, {middle, all.end()}};
}

std::vector<uint8_t> values_of(size_t n, size_t size, size_t seed) {
    std::mt19937_64 random(seed);
    std::vector<uint8_t> bytes(n * size);
    for (uint8_t &byte : bytes) byte = static_cast<uint8_t>(random());
    return bytes;
}

// The elements, `size` to each, of a with b behind it, in this order.
template <class T>
std::vector<T> ordered(std::vector<T> a, const std::vector<T> &b, const std::vector<size_t> &order, size_t size = 1) {
    a.insert(a.end(), b.begin(), b.end());
    std::vector<T> result;
    result.reserve(a.size());
    for (const size_t i : order)
        result.insert(result.end(), a.begin() + static_cast<std::ptrdiff_t>(i * size),
                      a.begin() + static_cast<std::ptrdiff_t>((i + 1) * size));
    return result;
}

template <class T> void check(const Arrays<T> &in, bool descending, size_t value_size) {
    const size_t n_a = in.a.size(), n_b = in.b.size(), n = n_a + n_b;
    const auto order = reference::merge_order(in.a, in.b, descending);
    const auto expected = ordered(in.a, in.b, order);
    const auto a_bytes = values_of(n_a, value_size, 1), b_bytes = values_of(n_b, value_size, 2);
    const auto expected_values = ordered(a_bytes, b_bytes, order, value_size);
    gp_merge_options options = GP_MERGE_OPTIONS_INIT;
    options.order = descending ? GP_DESCENDING : GP_ASCENDING;
    for (const char *algorithm : algorithms(GP_MERGE, is_named<T>())) {
        if (testing::Test::HasFatalFailure()) return;
        SCOPED_TRACE(std::to_string(n_a) + " and " + std::to_string(n_b) + " keys, values of " +
                     std::to_string(value_size) + (descending ? ", descending, " : ", ascending, ") + name(algorithm));
        options.algorithm = algorithm;
        Guarded<T> a(in.a), b(in.b), out(n);
        Guarded<uint8_t> a_values(a_bytes), b_values(b_bytes), out_values(n * value_size);
        const gp_status status =
            value_size == 0 ? gp_merge(context(), code<T>(), n_a, a.data(), n_b, b.data(), out.data(), &options)
                            : gp_merge_pairs(context(), code<T>(), n_a, a.data(), n_b, b.data(), out.data(), value_size,
                                             a_values.data(), b_values.data(), out_values.data(), &options);
        if (refused(GP_MERGE, algorithm, status)) continue;
        ASSERT_OK(status);
        ASSERT_TRUE(same_bits(expected, out.values()));
        ASSERT_TRUE(same_bits(expected_values, out_values.values()));
        ASSERT_TRUE(out.intact() && out_values.intact()) << "a canary was overwritten";
        ASSERT_TRUE(a.intact() && b.intact() && a_values.intact() && b_values.intact()) << "an input was written";
        ASSERT_TRUE(same_bits(in.a, a.values()) && same_bits(in.b, b.values())) << "an input was changed";
    }
}

// Both in one: a share of n keys in a.
constexpr size_t kEighths[] = {4, 0, 8, 1, 7};

TYPED_TEST(Merge, EveryKindOfKeysAtEverySize) {
    using T = TypeParam;
    size_t turn = 0;
    for (const size_t n : sizes()) {
        if (n > 5000 && !is_named<T>()) continue;
        for (const Kind kind : kKinds) {
            if (n > 5000 && kind != Kind::random && kind != Kind::zeros && kind != Kind::behind) continue;
            const size_t n_a = n * kEighths[turn++ % std::size(kEighths)] / 8;
            SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
            const bool descending = turn % 2 == 0;
            check(arrays<T>(kind, n_a, n - n_a, descending), descending, 0);
            if (this->HasFatalFailure()) return;
        }
    }
}

// Every share of a among few keys, and about vectors and the parts that threads take.
TYPED_TEST(Merge, EveryShare) {
    using T = TypeParam;
    size_t turn = 0;
    for (const size_t n : {2u, 7u, 16u, 33u, 65u, 97u})
        for (size_t n_a = 0; n_a <= n; n_a += n < 20 ? 1 : 5) {
            const bool descending = ++turn % 2 == 0;
            check(arrays<T>(kKinds[turn % std::size(kKinds)], n_a, n - n_a, descending), descending,
                  turn % 4 == 0 ? 4 : 0);
            if (this->HasFatalFailure()) return;
        }
    for (const size_t n_a : {32760u, 32767u, 32768u, 32769u}) {
        if (2 * n_a > max_n()) break;
        const bool descending = ++turn % 2 == 0;
        check(arrays<T>(Kind::zeros, n_a, n_a + 7, descending), descending, 0);
        if (this->HasFatalFailure()) return;
    }
}

TYPED_TEST(Merge, ValuesOfEverySize) {
    using T = TypeParam;
    size_t turn = 0;
    for (const size_t value_size : {1u, 2u, 3u, 4u, 8u, 12u, 16u, 33u, 64u}) {
        if (!is_named<T>() && value_size % 4 != 0) continue;
        for (const size_t n : {1u, 33u, 1009u, 4097u}) {
            if (n > max_n()) continue;
            // It leaves loops of a work-item after 65535 turns, of which each byte of a value takes
            // one.
            if (implementation() == "rusticl" && n * value_size > 20'000) continue;
            const size_t n_a = n * kEighths[turn++ % std::size(kEighths)] / 8;
            const bool descending = turn % 2 == 0;
            check(arrays<T>(turn % 3 == 0 ? Kind::few : Kind::random, n_a, n - n_a, descending), descending,
                  value_size);
            if (this->HasFatalFailure()) return;
        }
    }
}

TEST(MergeMany, WithValues) {
    const size_t n = std::min<size_t>(max_n(), 1000003);
    for (const size_t value_size : {4u, 8u, 12u})
        check(arrays<float>(Kind::random, n / 3, n - n / 3, false), false, value_size);
}

TYPED_TEST(Merge, BuffersAtOddOffsets) {
    using T = TypeParam;
    for (const size_t n : {2u, 77u, 3001u}) {
        if (n > max_n()) continue;
        const Arrays<T> in = arrays<T>(Kind::few, n / 2 + 1, n - n / 2 - 1, true);
        const auto order = reference::merge_order(in.a, in.b, true);
        std::vector<uint16_t> a_numbers(in.a.size()), b_numbers(in.b.size());
        std::iota(a_numbers.begin(), a_numbers.end(), uint16_t{0});
        std::iota(b_numbers.begin(), b_numbers.end(), uint16_t{40000});
        DeviceArray<T> a(in.a, 1), b(in.b, 5), out(std::vector<T>(n), 7);
        DeviceArray<uint16_t> a_values(a_numbers, 2), b_values(b_numbers, 3), out_values(std::vector<uint16_t>(n), 1);
        gp_merge_options options = GP_MERGE_OPTIONS_INIT;
        options.order = GP_DESCENDING;
        ASSERT_OK(gp_enqueue_merge(context(), code<T>(), in.a.size(), a.buffer(), a.offset(), in.b.size(), b.buffer(),
                                   b.offset(), out.buffer(), out.offset(), &options, 0, nullptr, nullptr));
        ASSERT_OK(gp_finish(context()));
        ASSERT_TRUE(same_bits(ordered(in.a, in.b, order), out.values()));
        DeviceArray<T> again(std::vector<T>(n), 3);
        ASSERT_OK(gp_enqueue_merge_pairs(context(), code<T>(), in.a.size(), a.buffer(), a.offset(), in.b.size(),
                                         b.buffer(), b.offset(), again.buffer(), again.offset(), 2, a_values.buffer(),
                                         a_values.offset(), b_values.buffer(), b_values.offset(), out_values.buffer(),
                                         out_values.offset(), &options, 0, nullptr, nullptr));
        ASSERT_OK(gp_finish(context()));
        ASSERT_TRUE(same_bits(ordered(in.a, in.b, order), again.values()));
        ASSERT_TRUE(same_bits(ordered(a_numbers, b_numbers, order), out_values.values()));
    }
}

// Whatever the arrays hold, nothing outside of them is touched, and what comes out was in them.
TEST(MergeUnsorted, StaysInBounds) {
    for (const size_t n : {2u, 33u, 1000u, 4099u, 40000u, 1000003u}) {
        if (n > max_n()) continue;
        std::mt19937_64 random(n);
        std::vector<uint32_t> a(n / 2 + n / 5), b(n - a.size());
        for (auto *array : {&a, &b})
            for (uint32_t &key : *array) key = static_cast<uint32_t>(random() % n);
        const auto number = [&](size_t first, size_t count) {
            std::vector<uint32_t> numbers(count);
            std::iota(numbers.begin(), numbers.end(), static_cast<uint32_t>(first));
            return numbers;
        };
        for (const char *algorithm : algorithms(GP_MERGE)) {
            SCOPED_TRACE(std::to_string(n) + " keys, " + name(algorithm));
            gp_merge_options options = GP_MERGE_OPTIONS_INIT;
            options.algorithm = algorithm;
            Guarded<uint32_t> from_a(a), from_b(b), out(n), alone(n), a_values(number(0, a.size())),
                b_values(number(a.size(), b.size())), out_values(n);
            const gp_status status =
                gp_merge_pairs(context(), GP_UINT32, a.size(), from_a.data(), b.size(), from_b.data(), out.data(), 4,
                               a_values.data(), b_values.data(), out_values.data(), &options);
            if (refused(GP_MERGE, algorithm, status)) continue;
            ASSERT_OK(status);
            ASSERT_OK(gp_merge(context(), GP_UINT32, a.size(), from_a.data(), b.size(), from_b.data(), alone.data(),
                               &options));
            ASSERT_TRUE(out.intact() && out_values.intact() && alone.intact()) << "a canary was overwritten";
            ASSERT_TRUE(same_bits(a, from_a.values()) && same_bits(b, from_b.values())) << "an input was changed";
            for (size_t k = 0; k < n; ++k) {
                const size_t value = out_values[k];
                ASSERT_LT(value, n);
                ASSERT_EQ(value < a.size() ? a[value] : b[value - a.size()], out[k]) << "a value has another's key";
                ASSERT_LT(alone[k], n) << "a key that was in neither array";
            }
        }
    }
}

class MergeArguments : public testing::Test {
  protected:
    gp_status call(gp_dtype type, size_t n_a, size_t n_b) {
        return gp_merge(context(), type, n_a, a_.data(), n_b, b_.data(), out_.data(), &options_);
    }
    gp_status pairs(size_t value_size) {
        return gp_merge_pairs(context(), GP_INT32, 2, a_.data(), 2, b_.data(), out_.data(), value_size, values_.data(),
                              values_.data() + 2, out_values_.data(), &options_);
    }
    void refuses(gp_status expected, gp_status got, const char *word) {
        EXPECT_EQ(expected, got);
        EXPECT_NE(std::string::npos, std::string(gp_error_message()).find(word)) << gp_error_message();
        EXPECT_EQ(std::vector<int32_t>(4, 9), out_);
        EXPECT_EQ(std::vector<int32_t>(4, 9), out_values_);
    }
    std::vector<int32_t> a_ = {1, 3}, b_ = {2, 4}, out_ = std::vector<int32_t>(4, 9), values_ = {5, 6, 7, 8},
                         out_values_ = std::vector<int32_t>(4, 9);
    gp_merge_options options_ = GP_MERGE_OPTIONS_INIT;
};

TEST_F(MergeArguments, BadOnesAreRefused) {
    refuses(GP_ERROR_DTYPE, call(99, 2, 2), "dtype");
    refuses(GP_ERROR_SIZE_OVERFLOW, call(GP_INT32, SIZE_MAX, 2), "n_a and n_b");
    refuses(GP_ERROR_SIZE_OVERFLOW, call(GP_INT32, SIZE_MAX / 8, SIZE_MAX / 8), "keys");
    refuses(GP_ERROR_VALUE_SIZE, pairs(0), "value_size");
    refuses(GP_ERROR_VALUE_SIZE, pairs(65), "value_size");
    options_.order = 2;
    refuses(GP_ERROR_OPTION, call(GP_INT32, 2, 2), "order");
    options_ = GP_MERGE_OPTIONS_INIT;
    options_.reserved = 1;
    refuses(GP_ERROR_OPTION, call(GP_INT32, 2, 2), "reserved");
    options_ = GP_MERGE_OPTIONS_INIT;
    options_.algorithm = "none";
    refuses(GP_ERROR_ALGORITHM, call(GP_INT32, 2, 2), "there are");
    options_ = GP_MERGE_OPTIONS_INIT;
    options_.struct_size = 0;
    refuses(GP_ERROR_STRUCT_SIZE, call(GP_INT32, 2, 2), "struct_size");
    options_ = GP_MERGE_OPTIONS_INIT;
    DeviceArray<uint64_t> number({2});
    options_.n_a_buffer = number.buffer();
    refuses(GP_ERROR_OPTION, call(GP_INT32, 2, 2), "options->n_a_buffer is for the calls on buffers");
    options_ = GP_MERGE_OPTIONS_INIT;
    options_.n_b_buffer = number.buffer();
    refuses(GP_ERROR_OPTION, call(GP_INT32, 2, 2), "options->n_b_buffer is for the calls on buffers");
    options_ = GP_MERGE_OPTIONS_INIT;
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_merge(nullptr, GP_INT32, 2, a_.data(), 2, b_.data(), out_.data(), nullptr));
}

TEST_F(MergeArguments, BadPointersAreRefused) {
    const auto merge = [&](const void *a, const void *b, void *out) {
        return gp_merge(context(), GP_INT32, 2, a, 2, b, out, nullptr);
    };
    const auto pairs = [&](const void *a_values, const void *b_values, void *out_values) {
        return gp_merge_pairs(context(), GP_INT32, 2, a_.data(), 2, b_.data(), out_.data(), 4, a_values, b_values,
                              out_values, nullptr);
    };
    refuses(GP_ERROR_NULL_POINTER, merge(nullptr, b_.data(), out_.data()), "a is");
    refuses(GP_ERROR_NULL_POINTER, merge(a_.data(), nullptr, out_.data()), "b is");
    refuses(GP_ERROR_NULL_POINTER, merge(a_.data(), b_.data(), nullptr), "out is");
    refuses(GP_ERROR_NULL_POINTER, pairs(nullptr, b_.data(), out_values_.data()), "a_values");
    refuses(GP_ERROR_NULL_POINTER, pairs(a_.data(), nullptr, out_values_.data()), "b_values");
    refuses(GP_ERROR_NULL_POINTER, pairs(a_.data(), b_.data(), nullptr), "out_values");
    refuses(GP_ERROR_ALIGNMENT, merge(reinterpret_cast<char *>(a_.data()) + 1, b_.data(), out_.data()), "a is");
    refuses(GP_ERROR_ALIGNMENT, merge(a_.data(), reinterpret_cast<char *>(b_.data()) + 1, out_.data()), "b is");
    refuses(GP_ERROR_OVERLAP, merge(out_.data() + 1, b_.data(), out_.data()), "out overlaps a");
    refuses(GP_ERROR_OVERLAP, merge(a_.data(), out_.data() + 3, out_.data()), "out overlaps b");
    refuses(GP_ERROR_OVERLAP, pairs(out_.data(), values_.data(), out_values_.data()), "out overlaps a_values");
    refuses(GP_ERROR_OVERLAP, pairs(values_.data(), out_values_.data() + 2, out_values_.data()), "b_values");
    refuses(GP_ERROR_OVERLAP, pairs(values_.data(), values_.data() + 2, out_.data()), "out_values overlaps out");
    refuses(GP_ERROR_OVERLAP, pairs(values_.data(), values_.data() + 2, a_.data()), "out_values overlaps a");
}

TEST_F(MergeArguments, InputsMayBeTheSame) {
    ASSERT_OK(gp_merge(context(), GP_INT32, 2, a_.data(), 2, a_.data(), out_.data(), nullptr));
    EXPECT_EQ((std::vector<int32_t>{1, 1, 3, 3}), out_);
    ASSERT_OK(gp_merge(context(), GP_INT32, 0, nullptr, 2, b_.data(), out_.data(), nullptr));
    EXPECT_EQ((std::vector<int32_t>{2, 4, 3, 3}), out_);
    ASSERT_OK(gp_merge(context(), GP_INT32, 0, nullptr, 0, nullptr, nullptr, nullptr));
}

TEST_F(MergeArguments, BuffersAreChecked) {
    DeviceArray<int32_t> a(a_), b(b_), out(out_);
    const auto enqueue = [&](size_t n_a, gp_buffer *to, size_t offset) {
        return gp_enqueue_merge(context(), GP_INT32, n_a, a.buffer(), a.offset(), 2, b.buffer(), b.offset(), to, offset,
                                nullptr, 0, nullptr, nullptr);
    };
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(6, out.buffer(), 0));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(2, out.buffer(), 7));
    EXPECT_EQ(GP_ERROR_OVERLAP, enqueue(2, a.buffer(), 2));
    EXPECT_EQ(GP_ERROR_OVERLAP, enqueue(2, b.buffer(), 4));
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_enqueue_merge_pairs(context(), GP_INT32, 2, a.buffer(), a.offset(), 2, b.buffer(),
                                                       b.offset(), out.buffer(), out.offset(), 1, a.buffer(), 0,
                                                       b.buffer(), 0, out.buffer(), 13, nullptr, 0, nullptr, nullptr));
    DeviceArray<int32_t> values(values_), out_values(out_values_);
    EXPECT_EQ(GP_ERROR_OVERLAP,
              gp_enqueue_merge_pairs(context(), GP_INT32, 2, a.buffer(), a.offset(), 2, b.buffer(), b.offset(),
                                     out.buffer(), out.offset(), 4, out.buffer(), out.offset(), values.buffer(), 0,
                                     out_values.buffer(), 0, nullptr, 0, nullptr, nullptr));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "out overlaps a_values")) << gp_error_message();
    gp_context *other = nullptr;
    gp_buffer *foreign = nullptr;
    ASSERT_OK(gp_open(device().selector, &other));
    ASSERT_OK(gp_buffer_create(other, 64, &foreign));
    EXPECT_EQ(GP_ERROR_WRONG_CONTEXT, enqueue(2, foreign, 0));
    EXPECT_OK(gp_buffer_free(foreign));
    EXPECT_OK(gp_close(other));
    EXPECT_OK(gp_finish(context()));
    EXPECT_EQ(out_, out.values());
}

TEST_F(MergeArguments, TheEventHasTheTimes) {
    ASSERT_OK(gp_profile(context(), 1));
    gp_event *event = nullptr;
    options_.event = &event;
    ASSERT_OK(call(GP_INT32, 2, 2));
    ASSERT_OK(gp_profile(context(), 0));
    gp_timing timing = GP_TIMING_INIT;
    ASSERT_OK(gp_event_timing(event, &timing));
    EXPECT_GE(timing.kernels, 1u);
    EXPECT_OK(gp_event_free(event));
}

} // namespace

// Whether rows and columns are sorted, of every type, against one loop a row.
// SPDX-License-Identifier: MIT
#include "rows.h"

#include "../reference/search.h"

namespace {

using namespace test;

template <class T> class IsSorted : public testing::Test {};
TYPED_TEST_SUITE(IsSorted, EveryType, EveryTypeNames);

// Any bits: of floats also infinities and NaN of both signs, and zeros.
template <class T> T any(std::mt19937_64 &random) {
    const uint64_t bits = random();
    if (kFloat<T> && bits % 8 == 0) return from_bits<T>(kInfinity<T> | (bits >> 40 & 3) | (bits >> 3 & 1) * kSign<T>);
    if (kFloat<T> && bits % 8 == 1) return from_bits<T>((bits >> 3 & 1) * kSign<T>);
    return from_bits<T>(bits >> 8);
}

// A sorted row, with equal elements where it may have some, and one out of order at `at`, if it is
// in the row.
template <class T> std::vector<T> row_of(size_t n, bool descending, bool strict, size_t at, std::mt19937_64 &random) {
    std::vector<T> row(n);
    for (T &element : row) element = any<T>(random);
    std::stable_sort(row.begin(), row.end(),
                     [=](const T &a, const T &b) { return reference::comes_before(a, b, descending); });
    if (strict) // as far as the type has different ones
        row.erase(std::unique(row.begin(), row.end(),
                              [=](const T &a, const T &b) { return !reference::comes_before(a, b, descending); }),
                  row.end());
    row.resize(n, row.empty() ? T{} : row.back());
    if (at > 0 && at < n) row[at] = strict ? row[at - 1] : row[0];
    return row;
}

gp_is_sorted_options options_for(const Shape &shape, size_t stride, bool descending, bool strict) {
    gp_is_sorted_options options = GP_IS_SORTED_OPTIONS_INIT;
    options.order = descending ? GP_DESCENDING : GP_ASCENDING;
    options.strict = strict ? 1 : 0;
    options.batch = shape.batch;
    options.stride_in = shape.stride();
    options.step_in = shape.next();
    options.stride_out = stride > 1 ? stride : 0;
    return options;
}

// Rows most of which are sorted up to some place.
template <class T> std::vector<T> matrix(const Shape &shape, bool descending, bool strict) {
    std::mt19937_64 random(shape.n * 3 + shape.batch);
    std::vector<T> in(shape.span());
    for (T &element : in) element = any<T>(random);
    for (size_t row = 0; row < shape.batch; ++row) {
        const auto elements = row_of<T>(shape.n, descending, strict, random() % (2 * shape.n + 1), random);
        for (size_t i = 0; i < shape.n; ++i) in[shape.at(row, i)] = elements[i];
    }
    return in;
}

template <class T> std::vector<uint64_t> expected_of(const std::vector<T> &in, const Shape &shape, size_t stride,
                                                     bool descending, bool strict) {
    std::vector<uint64_t> expected((shape.batch - 1) * stride + 1, 77); // what lies between keeps what it held
    for (size_t row = 0; row < shape.batch; ++row) {
        std::vector<T> elements(shape.n);
        for (size_t i = 0; i < shape.n; ++i) elements[i] = in[shape.at(row, i)];
        expected[row * stride] = reference::first_break(elements, descending, strict);
    }
    return expected;
}

template <class T>
void check(const std::vector<T> &in, const Shape &shape, size_t stride, bool descending, bool strict, bool named) {
    const auto expected = expected_of(in, shape, stride, descending, strict);
    gp_is_sorted_options options = options_for(shape, stride, descending, strict);
    for (const char *algorithm : algorithms(GP_IS_SORTED, named)) {
        if (testing::Test::HasFatalFailure()) return;
        SCOPED_TRACE(shape.text() + (descending ? ", descending" : ", ascending") + (strict ? ", strict, " : ", ") +
                     name(algorithm));
        options.algorithm = algorithm;
        Guarded<T> source(in);
        Guarded<uint64_t> out(std::vector<uint64_t>(expected.size(), 77));
        const gp_status status = gp_is_sorted(context(), code<T>(), shape.n, source.data(), out.data(), &options);
        if (refused(GP_IS_SORTED, algorithm, status)) continue;
        ASSERT_OK(status);
        ASSERT_TRUE(same_bits(expected, out.values()));
        ASSERT_TRUE(source.intact() && out.intact()) << "a canary was overwritten";
        ASSERT_TRUE(same_bits(in, source.values())) << "the input was changed";
    }
}

// Sorted; and with a single element out of order at either end, and next to where vectors, blocks
// and chunks meet.
TYPED_TEST(IsSorted, EverySizeAndPlace) {
    using T = TypeParam;
    for (const size_t n : {0u, 1u, 2u, 3u, 33u, 255u, 256u, 257u, 1009u, 1024u, 1025u, 4097u, 65537u, 1048577u}) {
        if (n > max_n() || (n > 5000 && !is_named<T>())) continue;
        std::mt19937_64 random(n);
        for (const bool descending : {false, true}) {
            for (const bool strict : {false, true}) {
                for (const size_t at : {n, size_t{1}, size_t{2}, size_t{32}, n / 2, n - n % 16, n - 1}) {
                    if (at > n || (n > 5000 && (at % 3 == 0) != strict)) continue;
                    // The host takes every type of that size, most places by int32 alone.
                    if (on_host() && n > 100'000 && at != n / 2 && at != n && !std::is_same_v<T, int32_t>) continue;
                    SCOPED_TRACE("at " + std::to_string(at));
                    check(row_of<T>(n, descending, strict, at, random), Shape{n, 1}, 1, descending, strict,
                          is_named<T>() && !(descending && strict));
                    if (this->HasFatalFailure()) return;
                }
            }
        }
    }
}

// Each place of a row that is cut into many parts.
TYPED_TEST(IsSorted, EveryPlaceOfARow) {
    using T = TypeParam;
    if (!is_named<T>()) GTEST_SKIP() << "as other types do";
    const size_t n = std::min<size_t>(max_n(), on_host() ? 3000 : 700), step = max_n() < 1000 ? 37 : 1;
    std::vector<T> in(n);
    for (size_t i = 0; i < n; ++i) in[i] = reference::narrow<T>(static_cast<reference::Wide<T>>(i + 10));
    for (size_t at = 1; at < n; at += step) {
        const T kept = in[at];
        in[at] = reference::narrow<T>(reference::Wide<T>(3));
        check(in, Shape{n, 1}, 1, false, false, at % 16 == 1);
        in[at] = kept;
        if (this->HasFatalFailure()) return;
    }
}

TYPED_TEST(IsSorted, EveryShape) {
    using T = TypeParam;
    for (const Shape &shape : shapes<Pair<T>>()) {
        if (shape.span() > 5000 && !is_named<T>()) continue;
        for (const bool strict : {false, true}) {
            const bool descending = (shape.batch % 2 != 0) == strict;
            const auto in = matrix<T>(shape, descending, strict);
            check(in, shape, strict ? 1 : 3, descending, strict, is_named<T>());
            if (this->HasFatalFailure()) return;
        }
    }
}

TYPED_TEST(IsSorted, VectorsAtEveryOffset) {
    using T = TypeParam;
    if (on_host()) GTEST_SKIP() << "the host has no such algorithm";
    const size_t wanted = max_n() < 1000 ? 16 : 64, group = device().work_group_size < wanted ? 1 : wanted;
    const auto set = [&](const char *name, size_t value) {
        EXPECT_OK(gp_parameter_set(context(), GP_IS_SORTED, code<T>(), "rows", name, value));
    };
    set("group", group);
    set("loads", 1);
    for (const Shape &shape : vector_shapes()) {
        const bool strict = shape.n % 2 == 0;
        const auto in = matrix<T>(shape, false, strict);
        const size_t offset = (shape.n / 2 + shape.batch) % 8;
        SCOPED_TRACE(shape.text() + ", offset " + std::to_string(offset));
        gp_is_sorted_options options = options_for(shape, 1, false, strict);
        options.algorithm = "rows";
        DeviceArray<T> source(in, offset);
        DeviceArray<uint64_t> out(std::vector<uint64_t>(shape.batch), 1);
        const gp_status status = gp_enqueue_is_sorted(context(), code<T>(), shape.n, source.buffer(), source.offset(),
                                                      out.buffer(), out.offset(), &options, 0, nullptr, nullptr);
        if (refused(GP_IS_SORTED, "rows", status)) continue;
        ASSERT_OK(status);
        ASSERT_OK(gp_finish(context()));
        ASSERT_TRUE(same_bits(expected_of(in, shape, 1, false, strict), out.values()));
    }
    set("group", 0);
    set("loads", 0);
}

TYPED_TEST(IsSorted, BuffersAtOddOffsets) {
    using T = TypeParam;
    for (const Shape &shape : {Shape{33, 1}, Shape{1, 4}, Shape{40, 5, false, 3}, Shape{20, 30, true, 1}}) {
        const auto in = matrix<T>(shape, true, false);
        const gp_is_sorted_options options = options_for(shape, 1, true, false);
        DeviceArray<T> source(in, 3);
        DeviceArray<uint64_t> out(std::vector<uint64_t>(shape.batch), 5);
        ASSERT_OK(gp_enqueue_is_sorted(context(), code<T>(), shape.n, source.buffer(), source.offset(), out.buffer(),
                                       out.offset(), &options, 0, nullptr, nullptr));
        ASSERT_OK(gp_finish(context()));
        ASSERT_TRUE(same_bits(expected_of(in, shape, 1, true, false), out.values())) << shape.text();
    }
}

class IsSortedArguments : public testing::Test {
  protected:
    gp_status call(gp_dtype type) { return gp_is_sorted(context(), type, 4, in_.data(), positions_.data(), &options_); }
    void refuses(gp_status expected, gp_status got, const char *word) {
        EXPECT_EQ(expected, got);
        EXPECT_NE(std::string::npos, std::string(gp_error_message()).find(word)) << gp_error_message();
        EXPECT_EQ(std::vector<uint64_t>(4, 9), positions_);
    }
    std::vector<int32_t> in_ = {1, 2, 2, 1};
    std::vector<uint64_t> positions_ = std::vector<uint64_t>(4, 9);
    gp_is_sorted_options options_ = GP_IS_SORTED_OPTIONS_INIT;
};

TEST_F(IsSortedArguments, Errors) {
    refuses(GP_ERROR_DTYPE, call(99), "dtype");
    options_.order = 2;
    refuses(GP_ERROR_OPTION, call(GP_INT32), "options->order is 2");
    options_ = GP_IS_SORTED_OPTIONS_INIT;
    options_.strict = 2;
    refuses(GP_ERROR_OPTION, call(GP_INT32), "options->strict is 2");
    options_ = GP_IS_SORTED_OPTIONS_INIT;
    options_.algorithm = "none";
    refuses(GP_ERROR_ALGORITHM, call(GP_INT32), "there are");
    options_ = GP_IS_SORTED_OPTIONS_INIT;
    options_.struct_size = 0;
    refuses(GP_ERROR_STRUCT_SIZE, call(GP_INT32), "struct_size");
    const auto with = [&](const void *in, void *positions, size_t n = 4) {
        return gp_is_sorted(context(), GP_INT32, n, in, static_cast<uint64_t *>(positions), nullptr);
    };
    refuses(GP_ERROR_NULL_POINTER, with(nullptr, positions_.data()), "in");
    refuses(GP_ERROR_NULL_POINTER, with(in_.data(), nullptr), "positions");
    refuses(GP_ERROR_ALIGNMENT, with(reinterpret_cast<char *>(in_.data()) + 1, positions_.data()), "in");
    refuses(GP_ERROR_OVERLAP, with(positions_.data(), positions_.data()), "positions");
    refuses(GP_ERROR_ALIGNMENT, with(in_.data(), reinterpret_cast<char *>(positions_.data()) + 4), "positions is");
    DeviceArray<uint64_t> number({4});
    options_ = GP_IS_SORTED_OPTIONS_INIT;
    options_.n_buffer = number.buffer();
    refuses(GP_ERROR_OPTION, call(GP_INT32), "options->n_buffer is for the calls on buffers");
    refuses(GP_ERROR_SIZE_OVERFLOW, with(in_.data(), positions_.data(), ~size_t{0}), "n elements");
}

TEST_F(IsSortedArguments, RowsWithoutElementsAreSorted) {
    options_.batch = 3;
    EXPECT_OK(gp_is_sorted(context(), GP_INT32, 0, nullptr, positions_.data(), &options_));
    EXPECT_EQ((std::vector<uint64_t>{0, 0, 0, 9}), positions_);
}

TEST_F(IsSortedArguments, ErrorsOfBuffers) {
    DeviceArray<int32_t> in({1, 2, 2, 1});
    DeviceArray<uint64_t> out({9, 9});
    const auto enqueue = [&](size_t in_offset, size_t out_offset) {
        return gp_enqueue_is_sorted(context(), GP_INT32, 4, in.buffer(), in_offset, out.buffer(), out_offset, nullptr,
                                    0, nullptr, nullptr);
    };
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(7, 3));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(3, 8));
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_enqueue_is_sorted(context(), GP_INT32, 4, in.buffer(), 0, in.buffer(), 1, nullptr, 0,
                                                     nullptr, nullptr));
    EXPECT_OK(gp_finish(context()));
    EXPECT_EQ((std::vector<uint64_t>{9, 9}), out.values());
}

TEST_F(IsSortedArguments, TheEventHasTheTimes) {
    ASSERT_OK(gp_profile(context(), 1));
    gp_event *event = nullptr;
    options_.event = &event;
    ASSERT_OK(call(GP_INT32));
    ASSERT_OK(gp_profile(context(), 0));
    EXPECT_EQ(3u, positions_[0]);
    gp_timing timing = GP_TIMING_INIT;
    EXPECT_OK(gp_event_timing(event, &timing));
    EXPECT_GE(timing.commands, 1u);
    EXPECT_OK(gp_event_free(event));
}

} // namespace

// Arg-reduce of rows and columns, of every type, against one loop a row.
// SPDX-License-Identifier: MIT
#include "elements.h"
#include "rows.h"

#include "../reference/arg_reduce.h"

namespace {

using namespace test;

template <class T> class ArgReduce : public testing::Test {};
TYPED_TEST_SUITE(ArgReduce, EveryType, EveryTypeNames);

constexpr Kind kKinds[] = {Kind::random,  Kind::few,      Kind::equal, Kind::rising,
                           Kind::falling, Kind::extremes, Kind::zeros, Kind::few_nan};

template <class T> struct Expected {
    std::vector<uint64_t> positions;
    std::vector<T> values;
};

// What lies between results keeps what it held.
template <class T>
Expected<T> expected_of(const std::vector<T> &in, const Shape &shape, bool largest, size_t stride, T between) {
    const size_t count = (shape.batch - 1) * stride + 1;
    Expected<T> expected{std::vector<uint64_t>(count, 77), std::vector<T>(count, between)};
    for (size_t row = 0; row < shape.batch; ++row) {
        std::vector<T> elements(shape.n);
        for (size_t i = 0; i < shape.n; ++i) elements[i] = in[shape.at(row, i)];
        const size_t position = reference::arg_reduce(elements, largest);
        expected.positions[row * stride] = position;
        expected.values[row * stride] = elements[position];
    }
    return expected;
}

gp_arg_reduce_options options_for(const Shape &shape, size_t stride) {
    gp_arg_reduce_options options = GP_ARG_REDUCE_OPTIONS_INIT;
    options.batch = shape.batch;
    options.stride_in = shape.stride();
    options.step_in = shape.next();
    options.stride_out = stride > 1 ? stride : 0;
    return options;
}

template <class T, class Index>
void check(const std::vector<T> &in, const Shape &shape, bool largest, size_t stride, bool with_values, bool named) {
    const T between = number<T>(5);
    const Expected<T> expected = expected_of(in, shape, largest, stride, between);
    const size_t count = expected.positions.size();
    const std::vector<Index> positions(expected.positions.begin(), expected.positions.end());
    gp_arg_reduce_options options = options_for(shape, stride);
    for (const char *algorithm : algorithms(GP_ARG_REDUCE, named)) {
        if (testing::Test::HasFatalFailure()) return;
        SCOPED_TRACE(shape.text() + (largest ? ", largest, " : ", smallest, ") + name(algorithm));
        options.algorithm = algorithm;
        Guarded<T> source(in), values(std::vector<T>(count, between));
        Guarded<Index> out(std::vector<Index>(count, Index{77}));
        const gp_status status =
            gp_arg_reduce(context(), largest ? GP_MAXIMUM : GP_MINIMUM, code<T>(), shape.n, source.data(),
                          dtype<Index>(), out.data(), with_values ? values.data() : nullptr, &options);
        if (refused(GP_ARG_REDUCE, algorithm, status)) continue;
        ASSERT_OK(status);
        ASSERT_TRUE(same_bits(positions, out.values()));
        ASSERT_TRUE(same_bits(with_values ? expected.values : std::vector<T>(count, between), values.values()));
        ASSERT_TRUE(source.intact() && out.intact() && values.intact()) << "a canary was overwritten";
        ASSERT_TRUE(same_bits(in, source.values())) << "the input was changed";
    }
}

TYPED_TEST(ArgReduce, EveryKindOfElementsAtEverySize) {
    using T = TypeParam;
    for (const size_t n :
         {1u, 2u, 3u, 33u, 255u, 256u, 257u, 1009u, 1024u, 1025u, 4095u, 4096u, 4097u, 65537u, 1048577u}) {
        if (n > max_n() || (n > 5000 && !is_named<T>())) continue;
        for (const Kind kind : kKinds) {
            SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
            if (n > 5000 && kind != Kind::random && kind != Kind::few_nan && kind != Kind::equal) continue;
            const auto in = elements<T>(kind, n);
            for (const bool largest : {false, true})
                check<T, uint64_t>(in, Shape{n, 1}, largest, 1, kind != Kind::few, is_named<T>());
            if (this->HasFatalFailure()) return;
        }
    }
}

// The host takes rows by vectors of its own: every length about those, and where it looks once or
// twice.
TYPED_TEST(ArgReduce, EveryShortRow) {
    using T = TypeParam;
    if (!on_host()) GTEST_SKIP() << "devices have no forms for so many lengths";
    for (size_t n = 1; n <= 520; n = n == 72 ? 250 : n == 260 ? 505 : n + 1) {
        for (const Kind kind : kKinds) {
            const Shape rows{n, 3};
            const auto in = elements<T>(kind, rows.span());
            for (const bool largest : {false, true}) check<T, uint32_t>(in, rows, largest, 1, true, false);
            if (this->HasFatalFailure()) return;
        }
    }
}

TYPED_TEST(ArgReduce, VectorsAtEveryOffset) {
    using T = TypeParam;
    if (on_host()) GTEST_SKIP() << "the host has no such algorithms";
    const VectorShape small(GP_ARG_REDUCE, code<T>());
    for (const Shape &shape : vector_shapes()) {
        const bool largest = shape.n % 2 == 0;
        const auto in = elements<T>(kKinds[(shape.n + shape.batch) % std::size(kKinds)], shape.span());
        const Expected<T> expected = expected_of(in, shape, largest, 1, number<T>(5));
        gp_arg_reduce_options options = options_for(shape, 1);
        for (const char *algorithm : VectorShape::kVectorAlgorithms) {
            const size_t offset = (shape.n / 2 + shape.batch) % 8;
            SCOPED_TRACE(shape.text() + ", offset " + std::to_string(offset) + ", " + algorithm);
            options.algorithm = algorithm;
            DeviceArray<T> source(in, offset), values(std::vector<T>(shape.batch), 3);
            DeviceArray<uint64_t> out(std::vector<uint64_t>(shape.batch), 1);
            const gp_status status = gp_enqueue_arg_reduce(
                context(), largest ? GP_MAXIMUM : GP_MINIMUM, code<T>(), shape.n, source.buffer(), source.offset(),
                GP_UINT64, out.buffer(), out.offset(), values.buffer(), values.offset(), &options, 0, nullptr, nullptr);
            if (refused(GP_ARG_REDUCE, algorithm, status)) continue;
            ASSERT_OK(status);
            ASSERT_OK(gp_finish(context()));
            ASSERT_TRUE(same_bits(expected.positions, out.values()));
            ASSERT_TRUE(same_bits(expected.values, values.values()));
            ASSERT_TRUE(same_bits(in, source.values())) << "the input was changed";
        }
    }
}

TYPED_TEST(ArgReduce, EveryShape) {
    using T = TypeParam;
    for (Shape shape : shapes<Pair<T>>()) {
        if (shape.n == 0 || (shape.span() > 5000 && !is_named<T>())) continue;
        const auto in = elements<T>(shape.n % 2 != 0 ? Kind::few : Kind::random, shape.span());
        const bool largest = shape.batch % 2 != 0;
        check<T, uint32_t>(in, shape, largest, 1, true, is_named<T>());
        check<T, uint64_t>(in, shape, !largest, 3, shape.n % 3 != 0, is_named<T>());
        if (this->HasFatalFailure()) return;
    }
}

TYPED_TEST(ArgReduce, BuffersAtOddOffsets) {
    using T = TypeParam;
    for (const Shape &shape : {Shape{33, 1}, Shape{1, 4}, Shape{40, 5, false, 3}, Shape{20, 30, true, 1}}) {
        const auto in = elements<T>(Kind::few_nan, shape.span());
        const Expected<T> expected = expected_of(in, shape, true, 1, T{});
        const gp_arg_reduce_options options = options_for(shape, 1);
        DeviceArray<T> source(in, 3), values(std::vector<T>(shape.batch), 1);
        DeviceArray<uint64_t> out(std::vector<uint64_t>(shape.batch), 5);
        ASSERT_OK(gp_enqueue_arg_reduce(context(), GP_MAXIMUM, code<T>(), shape.n, source.buffer(), source.offset(),
                                        GP_UINT64, out.buffer(), out.offset(), values.buffer(), values.offset(),
                                        &options, 0, nullptr, nullptr));
        DeviceArray<uint32_t> alone(std::vector<uint32_t>(shape.batch), 5);
        ASSERT_OK(gp_enqueue_arg_reduce(context(), GP_MAXIMUM, code<T>(), shape.n, source.buffer(), source.offset(),
                                        GP_UINT32, alone.buffer(), alone.offset(), nullptr, 0, &options, 0, nullptr,
                                        nullptr));
        ASSERT_OK(gp_finish(context()));
        ASSERT_TRUE(same_bits(expected.positions, out.values())) << shape.text();
        ASSERT_TRUE(same_bits(expected.values, values.values())) << shape.text();
        ASSERT_TRUE(
            same_bits(std::vector<uint32_t>(expected.positions.begin(), expected.positions.end()), alone.values()))
            << shape.text();
    }
}

class ArgReduceArguments : public testing::Test {
  protected:
    gp_status call(gp_operator op, gp_dtype type, size_t n, gp_dtype index) {
        return gp_arg_reduce(context(), op, type, n, in_.data(), index, positions_.data(), values_.data(), &options_);
    }
    void refuses(gp_status expected, gp_status got, const char *word) {
        EXPECT_EQ(expected, got);
        EXPECT_NE(std::string::npos, std::string(gp_error_message()).find(word)) << gp_error_message();
        EXPECT_EQ(std::vector<uint64_t>(4, 9), positions_);
    }
    std::vector<int32_t> in_ = {3, 1, 2, 1}, values_ = std::vector<int32_t>(4);
    std::vector<uint64_t> positions_ = std::vector<uint64_t>(4, 9);
    gp_arg_reduce_options options_ = GP_ARG_REDUCE_OPTIONS_INIT;
};

TEST_F(ArgReduceArguments, BadOnesAreRefused) {
    refuses(GP_ERROR_EMPTY, call(GP_MINIMUM, GP_INT32, 0, GP_UINT64), "at least one element");
    refuses(GP_ERROR_OPERATOR, call(GP_ADD, GP_INT32, 4, GP_UINT64), "GP_MINIMUM or GP_MAXIMUM");
    refuses(GP_ERROR_OPERATOR, call(99, GP_INT32, 4, GP_UINT64), "GP_MINIMUM or GP_MAXIMUM");
    refuses(GP_ERROR_DTYPE, call(GP_MINIMUM, 99, 4, GP_UINT64), "dtype");
    refuses(GP_ERROR_DTYPE, call(GP_MINIMUM, GP_INT32, 4, GP_INT64), "index");
    options_.algorithm = "none";
    refuses(GP_ERROR_ALGORITHM, call(GP_MINIMUM, GP_INT32, 4, GP_UINT64), "there are");
    options_ = GP_ARG_REDUCE_OPTIONS_INIT;
    options_.struct_size = 0;
    refuses(GP_ERROR_STRUCT_SIZE, call(GP_MINIMUM, GP_INT32, 4, GP_UINT64), "struct_size");
    options_ = GP_ARG_REDUCE_OPTIONS_INIT;
    const auto null = [&](const void *in, void *positions) {
        return gp_arg_reduce(context(), GP_MINIMUM, GP_INT32, 4, in, GP_UINT64, positions, nullptr, nullptr);
    };
    refuses(GP_ERROR_NULL_POINTER, null(nullptr, positions_.data()), "in");
    refuses(GP_ERROR_NULL_POINTER, null(in_.data(), nullptr), "positions");
    refuses(GP_ERROR_ALIGNMENT, null(reinterpret_cast<char *>(in_.data()) + 1, positions_.data()), "in");
    refuses(GP_ERROR_ALIGNMENT, null(in_.data(), reinterpret_cast<char *>(positions_.data()) + 4), "positions is");
    refuses(GP_ERROR_ALIGNMENT,
            gp_arg_reduce(context(), GP_MINIMUM, GP_INT32, 4, in_.data(), GP_UINT64, positions_.data(),
                          reinterpret_cast<char *>(values_.data()) + 1, nullptr),
            "values is");
    DeviceArray<uint64_t> number({4});
    options_.n_buffer = number.buffer();
    refuses(GP_ERROR_OPTION, call(GP_MINIMUM, GP_INT32, 4, GP_UINT64), "options->n_buffer is for the calls on buffers");
    options_ = GP_ARG_REDUCE_OPTIONS_INIT;
    std::vector<uint64_t> shared(4, 9);
    EXPECT_EQ(GP_ERROR_OVERLAP, null(shared.data(), shared.data()));
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_arg_reduce(context(), GP_MINIMUM, GP_INT32, 4, in_.data(), GP_UINT64, shared.data(),
                                              shared.data(), nullptr));
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_arg_reduce(context(), GP_MINIMUM, GP_INT32, 4, in_.data(), GP_UINT64, shared.data(),
                                              in_.data() + 3, nullptr));
    EXPECT_EQ(GP_ERROR_TOO_LARGE, call(GP_MINIMUM, GP_INT8, (size_t{1} << 32) + 1, GP_UINT32));
}

TEST_F(ArgReduceArguments, BuffersAreChecked) {
    DeviceArray<int32_t> in({3, 1, 2, 1});
    DeviceArray<uint64_t> out({9, 9});
    const auto enqueue = [&](size_t in_offset, size_t out_offset) {
        return gp_enqueue_arg_reduce(context(), GP_MINIMUM, GP_INT32, 4, in.buffer(), in_offset, GP_UINT64,
                                     out.buffer(), out_offset, nullptr, 0, nullptr, 0, nullptr, nullptr);
    };
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(7, out.offset()));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(in.offset(), 8));
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_enqueue_arg_reduce(context(), GP_MINIMUM, GP_INT32, 4, in.buffer(), 0, GP_UINT32,
                                                      in.buffer(), 3, nullptr, 0, nullptr, 0, nullptr, nullptr));
    const auto overlapping = [&](gp_buffer *positions, gp_buffer *values) {
        return gp_enqueue_arg_reduce(context(), GP_MINIMUM, GP_INT32, 4, in.buffer(), in.offset(), GP_UINT32, positions,
                                     3, values, 3, nullptr, 0, nullptr, nullptr);
    };
    EXPECT_EQ(GP_ERROR_OVERLAP, overlapping(out.buffer(), in.buffer()));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "values overlaps in")) << gp_error_message();
    EXPECT_EQ(GP_ERROR_OVERLAP, overlapping(out.buffer(), out.buffer()));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "values overlaps positions")) << gp_error_message();
    gp_context *other = nullptr;
    gp_buffer *foreign = nullptr;
    ASSERT_OK(gp_open(device().selector, &other));
    ASSERT_OK(gp_buffer_create(other, 64, &foreign));
    EXPECT_EQ(GP_ERROR_WRONG_CONTEXT,
              gp_enqueue_arg_reduce(context(), GP_MINIMUM, GP_INT32, 4, in.buffer(), in.offset(), GP_UINT64,
                                    out.buffer(), out.offset(), foreign, 0, nullptr, 0, nullptr, nullptr));
    EXPECT_OK(gp_buffer_free(foreign));
    EXPECT_OK(gp_close(other));
    EXPECT_OK(gp_finish(context()));
    EXPECT_EQ((std::vector<uint64_t>{9, 9}), out.values());
}

TEST_F(ArgReduceArguments, TheEventHasTheTimes) {
    ASSERT_OK(gp_profile(context(), 1));
    gp_event *event = nullptr;
    options_.event = &event;
    ASSERT_OK(call(GP_MINIMUM, GP_INT32, 4, GP_UINT64));
    ASSERT_OK(gp_profile(context(), 0));
    EXPECT_EQ(1u, positions_[0]);
    EXPECT_EQ(1, values_[0]);
    gp_timing timing = GP_TIMING_INIT;
    EXPECT_OK(gp_event_timing(event, &timing));
    EXPECT_GE(timing.commands, 1u);
    EXPECT_OK(gp_event_free(event));
}

} // namespace

// Differences of neighbouring elements of every type, of rows and columns, against one loop a row.
// SPDX-License-Identifier: MIT
#include "rows.h"

#include "../reference/difference.h"

namespace {

using namespace test;

template <class T> class Difference : public testing::Test {
  protected:
    void SetUp() override {
        if (lacks(code<T>())) GTEST_SKIP() << "this device can't compute float64";
    }
};
TYPED_TEST_SUITE(Difference, EveryType, EveryTypeNames);

// Integers of any bits; floats whose differences are rounded.
template <class T> std::vector<T> any(size_t n) {
    std::mt19937_64 random(n);
    std::vector<T> values(n);
    for (T &value : values) {
        const uint64_t bits = random();
        if constexpr (std::is_integral_v<T>)
            value = static_cast<T>(bits);
        else
            value = reference::narrow<T>((static_cast<reference::Wide<T>>(bits % 200003) - 100001) / 37);
    }
    return values;
}

gp_difference_options options_for(const Shape &in, const Shape &out, bool kept, const char *algorithm) {
    gp_difference_options options = GP_DIFFERENCE_OPTIONS_INIT;
    options.first = kept ? GP_FIRST_KEPT : GP_FIRST_LEFT_OUT;
    options.algorithm = algorithm;
    options.batch = in.batch;
    options.stride_in = in.stride();
    options.step_in = in.next();
    options.stride_out = out.stride();
    options.step_out = out.next();
    return options;
}

// The results lie as the input does, or, if they are apart, with one more element of room for each.
Shape results_of(const Shape &in, bool kept, bool apart) {
    Shape out = in;
    if (!kept) out.n = std::max(in.n, size_t{1}) - 1;
    if (apart) ++out.gap;
    return out;
}

template <class T>
std::vector<T> expected_of(const std::vector<T> &in, const Shape &from, const Shape &to, bool kept, T old) {
    std::vector<T> expected(to.span(), old); // what lies between keeps what it held
    for (size_t row = 0; row < from.batch; ++row) {
        std::vector<T> elements(from.n);
        for (size_t i = 0; i < from.n; ++i) elements[i] = in[from.at(row, i)];
        const auto results = reference::differences(elements, kept);
        for (size_t i = 0; i < to.n; ++i) expected[to.at(row, i)] = results[i];
    }
    return expected;
}

template <class T> void check(const Shape &from, bool kept, bool apart, bool named) {
    const Shape to = results_of(from, kept, apart);
    const auto in = any<T>(from.span());
    const T old = number<T>(7);
    const auto expected = expected_of(in, from, to, kept, old);
    for (const char *algorithm : algorithms(GP_DIFFERENCE, named)) {
        SCOPED_TRACE(from.text() + (kept ? ", kept, " : ", left out, ") + name(algorithm));
        Guarded<T> source(in), out(std::vector<T>(expected.size(), old));
        const gp_difference_options options = options_for(from, to, kept, algorithm);
        const gp_status status = gp_difference(context(), code<T>(), from.n, source.data(), out.data(), &options);
        if (refused(GP_DIFFERENCE, algorithm, status)) continue;
        ASSERT_OK(status);
        ASSERT_TRUE(same_bits(expected, out.values()));
        ASSERT_TRUE(source.intact() && out.intact()) << "a canary was overwritten";
        ASSERT_TRUE(same_bits(in, source.values())) << "the input was changed";
    }
}

TYPED_TEST(Difference, EverySize) {
    using T = TypeParam;
    for (const size_t n : {0u, 1u, 2u, 3u, 33u, 255u, 257u, 1009u, 4095u, 4096u, 4097u, 65537u, 1048577u}) {
        if (n > max_n() || (n > 5000 && !is_named<T>() && !on_host())) continue;
        for (const bool kept : {false, true}) {
            if (!kept && is_brief() && !is_named<T>()) continue;
            check<T>(Shape{n, 1}, kept, false, is_named<T>());
            if (this->HasFatalFailure()) return;
        }
    }
}

TYPED_TEST(Difference, EveryShape) {
    using T = TypeParam;
    size_t turn = 0;
    for (const Shape &shape : shapes<Pair<T>>()) {
        if (shape.span() > 5000 && !is_named<T>()) continue;
        const bool kept = ++turn % 3 != 0 || (is_brief() && !is_named<T>());
        check<T>(shape, kept, turn % 2 == 0, is_named<T>());
        if (this->HasFatalFailure()) return;
    }
}

// Each alignment of the output and of the input, of rows that share a work-group and of several
// parts.
TYPED_TEST(Difference, VectorsAtEveryOffset) {
    using T = TypeParam;
    if (on_host()) GTEST_SKIP() << "the host has no such algorithm";
    if (!is_named<T>() && sizeof(T) > 2) GTEST_SKIP() << "as other types do";
    const size_t wanted = max_n() < 1000 ? 16 : 64, group = device().work_group_size < wanted ? 1 : wanted;
    const auto set = [&](const char *name, size_t value) {
        EXPECT_OK(gp_parameter_set(context(), GP_DIFFERENCE, code<T>(), "vectors", name, value));
    };
    set("group", group);
    set("loads", 1);
    for (Shape shape : vector_shapes()) {
        if (shape.columns) continue;
        const bool kept = shape.n % 2 == 0 || (is_brief() && !is_named<T>());
        const Shape to = results_of(shape, kept, shape.batch == 5);
        const size_t offset = (shape.n / 2 + shape.batch) % 8;
        SCOPED_TRACE(shape.text() + ", offset " + std::to_string(offset));
        const auto in = any<T>(shape.span());
        const T old = number<T>(7);
        const auto expected = expected_of(in, shape, to, kept, old);
        DeviceArray<T> source(in, offset), out(std::vector<T>(expected.size(), old), shape.n % 5);
        const gp_difference_options options = options_for(shape, to, kept, "vectors");
        const gp_status status = gp_enqueue_difference(context(), code<T>(), shape.n, source.buffer(), source.offset(),
                                                       out.buffer(), out.offset(), &options, 0, nullptr, nullptr);
        if (refused(GP_DIFFERENCE, "vectors", status)) continue;
        ASSERT_OK(status);
        ASSERT_OK(gp_finish(context()));
        ASSERT_TRUE(same_bits(expected, out.values()));
    }
    set("group", 0);
    set("loads", 0);
}

TEST(DifferenceOfFloats, NotNumbersAndZeros) {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> in = {-0.0F, -0.0F, 1, inf, inf, -inf, nan, 2, 2};
    std::vector<float> out(in.size());
    ASSERT_OK(gp_difference(context(), GP_FLOAT32, in.size(), in.data(), out.data(), nullptr));
    const std::vector<float> expected = {-0.0F, 0, 1, inf, nan, -inf, nan, nan, 0};
    for (size_t i = 0; i < in.size(); ++i) EXPECT_TRUE(same_value(expected[i], out[i])) << i << ": " << out[i];
    EXPECT_TRUE(std::signbit(out[0]));
}

// A scan gives the row again.
TEST(DifferenceOfRows, IsWhatAScanUndoes) {
    const size_t n = std::min<size_t>(max_n(), 10007);
    const auto in = any<int32_t>(n);
    std::vector<int32_t> out(n), again(n);
    ASSERT_OK(gp_difference(context(), GP_INT32, n, in.data(), out.data(), nullptr));
    ASSERT_OK(gp_scan(context(), GP_INT32, n, out.data(), again.data(), nullptr));
    EXPECT_TRUE(same_bits(in, again));
}

gp_status call(const char *text, const char *helpers, std::vector<int32_t> &out, const char *algorithm = nullptr) {
    const std::vector<int32_t> in = {1, 5, 2, 2, 9};
    out.assign(5, 9);
    gp_difference_options options = GP_DIFFERENCE_OPTIONS_INIT;
    options.operator_source = text;
    options.operator_helpers = helpers;
    options.algorithm = algorithm;
    return gp_difference(context(), GP_INT32, in.size(), in.data(), out.data(), &options);
}

TEST(DifferenceByText, OfNeighbours) {
    std::vector<int32_t> out;
    if (on_host()) {
        EXPECT_EQ(GP_ERROR_UNSUPPORTED_DEVICE, call("a == b", nullptr, out));
        return;
    }
    for (const char *algorithm : algorithms(GP_DIFFERENCE)) {
        const gp_status status =
            call("both(a, b) // of them \\", "T both(T a, T b) { return 10 * a + b; }", out, algorithm);
        if (refused(GP_DIFFERENCE, algorithm, status)) continue;
        ASSERT_OK(status);
        EXPECT_EQ((std::vector<int32_t>{1, 15, 52, 22, 29}), out) << name(algorithm);
    }
    EXPECT_EQ(GP_ERROR_BUILD, call("a - nothing", nullptr, out));
    EXPECT_NE(std::string::npos, std::string(gp_error_build_log()).find("nothing")) << gp_error_build_log();
    EXPECT_EQ(std::vector<int32_t>(5, 9), out);
    gp_difference_options options = GP_DIFFERENCE_OPTIONS_INIT; // halves are computed in float
    options.operator_source = "b / a";
    const std::vector<half> in = {number<half>(2), number<half>(3), number<half>(12)};
    std::vector<half> halves(3);
    ASSERT_OK(gp_difference(context(), GP_FLOAT16, 3, in.data(), halves.data(), &options));
    EXPECT_TRUE(same_bits({number<half>(2), reference::to_half(1.5), number<half>(4)}, halves));
}

class DifferenceArguments : public testing::Test {
  protected:
    gp_status call(gp_dtype type = GP_INT32) {
        return gp_difference(context(), type, 4, in_.data(), out_.data(), &options_);
    }
    void refuses(gp_status expected, gp_status got, const char *word) {
        EXPECT_EQ(expected, got);
        EXPECT_NE(std::string::npos, std::string(gp_error_message()).find(word)) << gp_error_message();
        EXPECT_EQ(std::vector<int32_t>(4, 9), out_);
        options_ = GP_DIFFERENCE_OPTIONS_INIT;
    }
    std::vector<int32_t> in_ = {1, 2, 2, 1}, out_ = std::vector<int32_t>(4, 9);
    gp_difference_options options_ = GP_DIFFERENCE_OPTIONS_INIT;
};

TEST_F(DifferenceArguments, Errors) {
    refuses(GP_ERROR_DTYPE, call(99), "dtype");
    options_.first = 2;
    refuses(GP_ERROR_OPTION, call(), "options->first is 2");
    options_.operator_source = " ";
    refuses(GP_ERROR_OPERATOR, call(), "options->operator_source");
    options_.operator_helpers = "int x;";
    refuses(GP_ERROR_OPTION, call(), "options->operator_helpers");
    options_.algorithm = "none";
    refuses(GP_ERROR_ALGORITHM, call(), "there are");
    options_.struct_size = 0;
    refuses(GP_ERROR_STRUCT_SIZE, call(), "struct_size");
    options_.batch = 2;
    options_.stride_out = 3;
    refuses(GP_ERROR_BATCH_STRIDE, call(), "options->stride_out is 3");
    DeviceArray<uint64_t> number({4});
    options_.n_buffer = number.buffer();
    refuses(GP_ERROR_OPTION, call(), "options->n_buffer is for the calls on buffers");
    const auto with = [&](const void *in, void *out, size_t n = 4) {
        return gp_difference(context(), GP_INT32, n, in, out, nullptr);
    };
    refuses(GP_ERROR_NULL_POINTER, with(nullptr, out_.data()), "in");
    refuses(GP_ERROR_NULL_POINTER, with(in_.data(), nullptr), "out");
    refuses(GP_ERROR_ALIGNMENT, with(reinterpret_cast<char *>(in_.data()) + 1, out_.data()), "in");
    refuses(GP_ERROR_OVERLAP, with(out_.data(), out_.data()), "out");
    refuses(GP_ERROR_SIZE_OVERFLOW, with(in_.data(), out_.data(), ~size_t{0}), "n elements");
}

TEST_F(DifferenceArguments, WithoutResults) {
    EXPECT_OK(gp_difference(context(), GP_INT32, 0, nullptr, nullptr, nullptr));
    options_.first = GP_FIRST_LEFT_OUT;
    EXPECT_OK(gp_difference(context(), GP_INT32, 1, in_.data(), nullptr, &options_));
    options_.batch = 3;
    EXPECT_OK(gp_difference(context(), GP_INT32, 1, in_.data(), out_.data(), &options_));
    EXPECT_EQ(std::vector<int32_t>(4, 9), out_);
}

TEST_F(DifferenceArguments, ErrorsOfBuffers) {
    DeviceArray<int32_t> in({1, 2, 2, 1}), out({9, 9, 9, 9});
    const auto enqueue = [&](gp_buffer *from, size_t in_offset, size_t out_offset) {
        return gp_enqueue_difference(context(), GP_INT32, 4, from, in_offset, out.buffer(), out_offset, nullptr, 0,
                                     nullptr, nullptr);
    };
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(in.buffer(), 7, 3));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(in.buffer(), 3, 7));
    EXPECT_EQ(GP_ERROR_OVERLAP, enqueue(out.buffer(), 3, 3));
    EXPECT_OK(gp_finish(context()));
    EXPECT_EQ((std::vector<int32_t>{9, 9, 9, 9}), out.values());
}

} // namespace

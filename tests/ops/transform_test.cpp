// Transforms by the caller's text: sizes, types, offsets, arrays of one element, in place, and
// texts that are none, against plain loops.
// SPDX-License-Identifier: MIT
#include "every_type.h"

#include <array>

namespace {

using namespace test;

class Transform : public testing::Test {
  protected:
    void SetUp() override {
        if (on_host()) GTEST_SKIP() << "the host can't run OpenCL C";
    }
};

template <class T> std::vector<T> numbers(size_t n, int from = -50) {
    std::vector<T> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = number<T>(static_cast<int>(i * 7919 % 101) + from);
    return values;
}

gp_transform_options named(const char *algorithm) {
    gp_transform_options options = GP_TRANSFORM_OPTIONS_INIT;
    options.algorithm = algorithm;
    return options;
}

// x0 * 2 + x1 of float and int32.
TEST_F(Transform, EverySize) {
    constexpr std::array<gp_dtype, 2> kTypes = {GP_FLOAT32, GP_INT32};
    for (const size_t n : sizes()) {
        const auto a = numbers<float>(n);
        const auto b = numbers<int32_t>(n, -3);
        std::vector<float> expected(n);
        for (size_t i = 0; i < n; ++i) expected[i] = a[i] * 2 + static_cast<float>(b[i]);
        for (const char *algorithm : algorithms(GP_TRANSFORM)) {
            SCOPED_TRACE(std::to_string(n) + " elements, " + name(algorithm));
            Guarded<float> x(a), out(n);
            Guarded<int32_t> y(b);
            const std::array<const void *, 2> in = {x.data(), y.data()};
            const gp_transform_options options = named(algorithm);
            const gp_status status = gp_transform(context(), n, 2, kTypes.data(), in.data(), GP_FLOAT32, out.data(),
                                                  "x0 * 2 + x1", &options);
            if (refused(GP_TRANSFORM, algorithm, status)) continue;
            ASSERT_OK(status);
            ASSERT_TRUE(same_bits(expected, out.values()));
            ASSERT_TRUE(x.intact() && y.intact() && out.intact()) << "a canary was overwritten";
            ASSERT_TRUE(same_bits(a, x.values()) && same_bits(b, y.values())) << "an input was changed";
        }
    }
}

// From each type to the next one: read as what it is, rounded or cut off as C does.
template <class From, class To> void check_types(const char *algorithm) {
    if (lacks(code<From>()) || lacks(code<To>())) return;
    SCOPED_TRACE(std::string(gp_dtype_name(code<From>())) + " to " + gp_dtype_name(code<To>()));
    const gp_dtype type = code<From>();
    const gp_transform_options options = named(algorithm);
    for (const size_t n : {1u, 33u, 1009u}) {
        if (n > max_n()) continue;
        const auto in = numbers<From>(n, 0);
        std::vector<To> expected(n);
        for (size_t i = 0; i < n; ++i) expected[i] = number<To>(static_cast<int>(i * 7919 % 101) / 2 + 3);
        DeviceArray<From> source(in, n % 5);
        DeviceArray<To> out(std::vector<To>(n), 1 + n % 3);
        const std::array<gp_buffer *, 1> buffers = {source.buffer()};
        const std::array<size_t, 1> offsets = {source.offset()};
        // The same of floats: halves are cut off before.
        const char *const text = kFloat<From> ? "floor(x0 / 2) + 3" : "x0 / 2 + 3";
        const gp_status status =
            gp_enqueue_transform(context(), n, 1, &type, buffers.data(), offsets.data(), code<To>(), out.buffer(),
                                 out.offset(), text, &options, 0, nullptr, nullptr);
        if (refused(GP_TRANSFORM, algorithm, status)) return;
        ASSERT_OK(status);
        ASSERT_OK(gp_finish(context()));
        ASSERT_TRUE(same_bits(expected, out.values()));
    }
}

TEST_F(Transform, EveryType) {
    check_types<int8_t, half>(nullptr);
    check_types<half, int8_t>("vectors");
    check_types<int16_t, double>("vectors");
    check_types<int32_t, uint8_t>(nullptr);
    check_types<int64_t, float>(nullptr);
    check_types<uint8_t, uint64_t>("vectors");
    check_types<uint16_t, uint16_t>("vectors");
    check_types<uint32_t, int16_t>(nullptr);
    check_types<uint64_t, uint32_t>(nullptr);
    check_types<float, int64_t>(nullptr);
    check_types<double, half>(nullptr);
    check_types<float, int32_t>("vectors");
}

TEST_F(Transform, HalvesAreRoundedOnce) {
    const gp_dtype type = GP_FLOAT16;
    const size_t n = std::min<size_t>(max_n(), 1000);
    std::vector<half> in(n), expected(n);
    for (size_t i = 0; i < n; ++i) {
        in[i].bits = static_cast<uint16_t>(i * 17 + 0x1000);
        expected[i] = reference::to_half(static_cast<float>(reference::to_double(in[i])) * 3.0F);
    }
    Guarded<half> x(in), out(n);
    const void *const source = x.data();
    ASSERT_OK(gp_transform(context(), n, 1, &type, &source, GP_FLOAT16, out.data(), "x0 * 3", nullptr));
    ASSERT_TRUE(same_bits(expected, out.values()));
    ASSERT_TRUE(out.intact());
}

// Vectors of the output are aligned, those of arrays are or are not.
TEST_F(Transform, EveryOffset) {
    constexpr std::array<gp_dtype, 2> kTypes = {GP_UINT8, GP_INT32};
    const size_t n = std::min<size_t>(max_n(), 2500);
    const auto a = numbers<uint8_t>(n, 0);
    const auto b = numbers<int32_t>(n);
    std::vector<int32_t> expected(n);
    for (size_t i = 0; i < n; ++i) expected[i] = a[i] - b[i] + static_cast<int32_t>(i);
    for (const char *algorithm : algorithms(GP_TRANSFORM)) {
        const gp_transform_options options = named(algorithm);
        for (size_t k = 0; k < 16; ++k) {
            SCOPED_TRACE(std::to_string(k) + ", " + name(algorithm));
            DeviceArray<uint8_t> x(a, k * 5 % 16);
            DeviceArray<int32_t> y(b, k % 4), out(std::vector<int32_t>(n), 1 + k / 4);
            const std::array<gp_buffer *, 2> in = {x.buffer(), y.buffer()};
            const std::array<size_t, 2> offsets = {x.offset(), y.offset()};
            const gp_status status =
                gp_enqueue_transform(context(), n, 2, kTypes.data(), in.data(), offsets.data(), GP_INT32, out.buffer(),
                                     out.offset(), "x0 - x1 + (int)i", &options, 0, nullptr, nullptr);
            if (refused(GP_TRANSFORM, algorithm, status)) break;
            ASSERT_OK(status);
            ASSERT_OK(gp_finish(context()));
            ASSERT_TRUE(same_bits(expected, out.values()));
        }
    }
}

// Eight arrays, two of them one element.
TEST_F(Transform, EightArraysAndBroadcast) {
    const size_t n = std::min<size_t>(max_n(), 3001);
    const std::array<gp_dtype, 8> types = {GP_INT32, GP_INT8,  GP_FLOAT16, GP_UINT16,
                                           GP_INT64, GP_INT32, GP_UINT8,   GP_FLOAT32};
    Guarded<int32_t> x0(numbers<int32_t>(n)), x5(numbers<int32_t>(n, 7));
    Guarded<int8_t> x1(numbers<int8_t>(n));
    Guarded<half> x2(std::vector<half>{number<half>(5)});
    Guarded<uint16_t> x3(numbers<uint16_t>(n, 0));
    Guarded<int64_t> x4(std::vector<int64_t>{-9});
    Guarded<uint8_t> x6(numbers<uint8_t>(n, 1));
    Guarded<float> x7(numbers<float>(n));
    const std::array<const void *, 8> in = {x0.data(), x1.data(), x2.data(), x3.data(),
                                            x4.data(), x5.data(), x6.data(), x7.data()};
    std::vector<int32_t> expected(n);
    for (size_t i = 0; i < n; ++i)
        expected[i] =
            x0[i] + 2 * x1[i] + 3 * 5 + 4 * x3[i] - 5 * 9 + 6 * x5[i] + 7 * x6[i] + 8 * static_cast<int>(x7[i]);
    for (const char *algorithm : algorithms(GP_TRANSFORM)) {
        SCOPED_TRACE(name(algorithm));
        gp_transform_options options = named(algorithm);
        options.broadcast = 1 << 2 | 1 << 4;
        Guarded<int32_t> out(n);
        const gp_status status =
            gp_transform(context(), n, 8, types.data(), in.data(), GP_INT32, out.data(),
                         "x0 + 2 * x1 + 3 * x2 + 4 * x3 + 5 * x4 + 6 * x5 + 7 * x6 + 8 * (int)x7", &options);
        if (refused(GP_TRANSFORM, algorithm, status)) continue;
        ASSERT_OK(status);
        ASSERT_TRUE(same_bits(expected, out.values()));
        ASSERT_TRUE(out.intact());
    }
}

TEST_F(Transform, WithoutArrays) {
    for (const char *algorithm : algorithms(GP_TRANSFORM)) {
        const gp_transform_options options = named(algorithm);
        Guarded<uint64_t> out(7);
        const gp_status status =
            gp_transform(context(), 7, 0, nullptr, nullptr, GP_UINT64, out.data(), "i * i", &options);
        if (refused(GP_TRANSFORM, algorithm, status)) continue;
        ASSERT_OK(status);
        EXPECT_EQ((std::vector<uint64_t>{0, 1, 4, 9, 16, 25, 36}), out.values());
        EXPECT_TRUE(out.intact());
    }
}

// Also into an array of another type of the same size.
TEST_F(Transform, InPlace) {
    constexpr std::array<gp_dtype, 2> kTypes = {GP_INT32, GP_INT32};
    for (const size_t n : {1u, 1000u, 70001u}) {
        if (n > max_n()) continue;
        const auto a = numbers<int32_t>(n), b = numbers<int32_t>(n, 9);
        std::vector<int32_t> expected(n), floats(n);
        for (size_t i = 0; i < n; ++i) {
            expected[i] = a[i] - b[i];
            const auto value = static_cast<float>(expected[i]);
            std::memcpy(&floats[i], &value, sizeof value);
        }
        Guarded<int32_t> x(a), y(b);
        const std::array<const void *, 2> in = {x.data(), y.data()};
        ASSERT_OK(gp_transform(context(), n, 2, kTypes.data(), in.data(), GP_INT32, x.data(), "x0 - x1", nullptr));
        ASSERT_TRUE(same_bits(expected, x.values()));
        ASSERT_TRUE(x.intact() && same_bits(b, y.values()));

        DeviceArray<int32_t> u(a, 3), v(b, 2);
        const std::array<gp_buffer *, 2> buffers = {u.buffer(), v.buffer()};
        const std::array<size_t, 2> offsets = {u.offset(), v.offset()};
        ASSERT_OK(gp_enqueue_transform(context(), n, 2, kTypes.data(), buffers.data(), offsets.data(), GP_FLOAT32,
                                       v.buffer(), v.offset(), "x0 - x1", nullptr, 0, nullptr, nullptr));
        ASSERT_OK(gp_finish(context()));
        ASSERT_TRUE(same_bits(floats, v.values()));
        ASSERT_TRUE(same_bits(a, u.values()));
    }
}

// The number of elements is read on the device.
TEST_F(Transform, NumberFromTheDevice) {
    const size_t n = std::min<size_t>(max_n(), 5000);
    const gp_dtype type = GP_INT32;
    for (const char *algorithm : algorithms(GP_TRANSFORM)) {
        for (const uint64_t count : {uint64_t{0}, uint64_t{1}, uint64_t{n / 2 + 1}, uint64_t{n}, ~uint64_t{0}}) {
            SCOPED_TRACE(std::to_string(count) + ", " + name(algorithm));
            DeviceArray<int32_t> in(numbers<int32_t>(n)), out(std::vector<int32_t>(n, 77));
            DeviceArray<uint64_t> counted({3, count}, 1);
            gp_transform_options options = named(algorithm);
            options.n_buffer = counted.buffer();
            options.n_offset = counted.offset() + 1;
            gp_buffer *const buffer = in.buffer();
            const size_t offset = in.offset();
            const gp_status status =
                gp_enqueue_transform(context(), n, 1, &type, &buffer, &offset, GP_INT32, out.buffer(), out.offset(),
                                     "-x0", &options, 0, nullptr, nullptr);
            if (refused(GP_TRANSFORM, algorithm, status)) break;
            ASSERT_OK(status);
            ASSERT_OK(gp_finish(context()));
            auto expected = numbers<int32_t>(n);
            for (size_t i = 0; i < n; ++i) expected[i] = i < count ? -expected[i] : 77;
            ASSERT_TRUE(same_bits(expected, out.values()));
        }
    }
}

// Made again and again, a call takes a shorter way: what it says counts.
TEST_F(Transform, TextsAndTypesOfRepeatedCallsAreTold) {
    const size_t n = 40;
    const auto a = numbers<int32_t>(n);
    DeviceArray<int32_t> in(a), out(a);
    gp_buffer *const buffer = in.buffer();
    for (int turn = 0; turn < 5; ++turn) {
        for (const int factor : {2, 3}) {
            for (const bool cut : {false, true}) {
                const size_t offset = in.offset();
                const gp_dtype type = cut ? GP_UINT32 : GP_INT32;
                const std::string text = "(x0 < 0) * " + std::to_string(factor);
                ASSERT_OK(gp_enqueue_transform(context(), n, 1, &type, &buffer, &offset, GP_INT32, out.buffer(),
                                               out.offset(), text.c_str(), nullptr, 0, nullptr, nullptr));
                ASSERT_OK(gp_finish(context()));
                std::vector<int32_t> expected(n);
                for (size_t i = 0; i < n; ++i) expected[i] = !cut && a[i] < 0 ? factor : 0;
                ASSERT_TRUE(same_bits(expected, out.values()));
            }
        }
    }
}

gp_status call(const char *text, const char *helpers, std::vector<float> &out) {
    const gp_dtype type = GP_FLOAT32;
    const std::vector<float> in = {1, -2, 3};
    const void *const x = in.data();
    out.assign(3, 9);
    gp_transform_options options = GP_TRANSFORM_OPTIONS_INIT;
    options.helpers = helpers;
    return gp_transform(context(), 3, 1, &type, &x, GP_FLOAT32, out.data(), text, &options);
}

TEST_F(Transform, TextsMayEndInCommentsAndUseHelpers) {
    std::vector<float> out;
    ASSERT_OK(call("x0 + 1 // one more", nullptr, out));
    EXPECT_EQ((std::vector<float>{2, -1, 4}), out);
    ASSERT_OK(call("x0 + 1 // one more \\", nullptr, out));
    EXPECT_EQ((std::vector<float>{2, -1, 4}), out);
    ASSERT_OK(call("x0 + 1 \\", nullptr, out));
    EXPECT_EQ((std::vector<float>{2, -1, 4}), out);
    ASSERT_OK(call("twice(x0)", "T twice(T x) { return 2 * x; } // helps", out));
    EXPECT_EQ((std::vector<float>{2, -4, 6}), out);
    ASSERT_OK(call("x0 > 0", nullptr, out));
    EXPECT_EQ((std::vector<float>{1, 0, 1}), out);
}

TEST_F(Transform, TextThatDoesNotBuildIsTold) {
    std::vector<float> out;
    for (const char *text : {"x0 + nothing", "x1", "x0 +", "x0 /*", "x0; x0"}) {
        SCOPED_TRACE(text);
        EXPECT_EQ(GP_ERROR_BUILD, call(text, nullptr, out));
        EXPECT_NE(std::string::npos, std::string(gp_error_build_log()).find("error")) << gp_error_build_log();
        EXPECT_EQ(std::vector<float>(3, 9), out);
    }
    EXPECT_EQ(GP_ERROR_BUILD, call("x0 + nothing", nullptr, out));
    EXPECT_NE(std::string::npos, std::string(gp_error_build_log()).find("nothing")) << gp_error_build_log();
}

class TransformArguments : public testing::Test {
  protected:
    gp_status call(size_t n = 4) {
        return gp_transform(context(), n, count_, types_.data(), in_.data(), out_type_, out_, text_, &options_);
    }
    void refuses(gp_status expected, const char *word, size_t n = 4) {
        EXPECT_EQ(expected, call(n));
        EXPECT_NE(std::string::npos, std::string(gp_error_message()).find(word)) << gp_error_message();
        EXPECT_EQ(std::vector<int32_t>(4, 9), result_);
        reset();
    }
    void SetUp() override { reset(); }
    void reset() {
        types_ = {GP_INT32, GP_INT32};
        in_ = {a_.data(), b_.data()};
        out_ = result_.data();
        count_ = 2;
        out_type_ = GP_INT32;
        text_ = "x0 + x1";
        options_ = GP_TRANSFORM_OPTIONS_INIT;
    }

    std::vector<int32_t> a_ = {1, 2, 3, 4, 5}, b_ = {1, 2, 3, 4, 5}, result_ = std::vector<int32_t>(4, 9);
    std::array<gp_dtype, 2> types_{};
    std::array<const void *, 2> in_{};
    void *out_ = nullptr;
    size_t count_ = 2;
    gp_dtype out_type_ = GP_INT32;
    const char *text_ = nullptr;
    gp_transform_options options_ = GP_TRANSFORM_OPTIONS_INIT;
};

TEST_F(TransformArguments, Errors) {
    count_ = 9;
    refuses(GP_ERROR_OPTION, "count is 9");
    text_ = nullptr;
    refuses(GP_ERROR_NULL_POINTER, "source");
    text_ = " \n";
    refuses(GP_ERROR_OPTION, "source is blank");
    types_[1] = 99;
    refuses(GP_ERROR_DTYPE, "dtypes[1]");
    out_type_ = 0;
    refuses(GP_ERROR_DTYPE, "dtype");
    options_.broadcast = 4;
    refuses(GP_ERROR_OPTION, "options->broadcast");
    options_.n_offset = 1;
    refuses(GP_ERROR_OPTION, "options->n_offset");
    options_.reserved = 1;
    refuses(GP_ERROR_OPTION, "reserved");
    options_.struct_size = 4;
    refuses(GP_ERROR_STRUCT_SIZE, "struct_size");
    if (on_host()) return refuses(GP_ERROR_UNSUPPORTED_DEVICE, "OpenCL C");
    in_[1] = nullptr;
    refuses(GP_ERROR_NULL_POINTER, "in[1]");
    out_ = nullptr;
    refuses(GP_ERROR_NULL_POINTER, "out");
    in_[0] = reinterpret_cast<char *>(a_.data()) + 1;
    refuses(GP_ERROR_ALIGNMENT, "in[0]");
    refuses(GP_ERROR_SIZE_OVERFLOW, "n elements", ~size_t{0} / 4);
    options_.algorithm = "none";
    refuses(GP_ERROR_ALGORITHM, "there are");
    in_[1] = result_.data() + 1;
    refuses(GP_ERROR_OVERLAP, "in[1] and out");
    in_[1] = result_.data();
    types_[1] = GP_INT16;
    refuses(GP_ERROR_OVERLAP, "in[1] and out");
    in_[0] = result_.data();
    options_.broadcast = 1;
    refuses(GP_ERROR_OVERLAP, "in[0] and out");
    const auto null = [&](const gp_dtype *types, const void *const *in) {
        EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_transform(context(), 4, 2, types, in, GP_INT32, out_, text_, nullptr));
        return std::string(gp_error_message());
    };
    EXPECT_NE(std::string::npos, null(nullptr, in_.data()).find("dtypes is NULL"));
    EXPECT_NE(std::string::npos, null(types_.data(), nullptr).find("in is NULL"));
    EXPECT_OK(call(0));
}

TEST_F(Transform, ErrorsOfBuffers) {
    const std::array<gp_dtype, 1> types = {GP_INT32};
    DeviceArray<int32_t> in({1, 2, 3, 4}), out({9, 9, 9, 9});
    DeviceArray<uint64_t> counted({4});
    const auto enqueue = [&](gp_buffer *from, size_t in_offset, size_t out_offset, gp_buffer *count) {
        gp_transform_options options = GP_TRANSFORM_OPTIONS_INIT;
        options.n_buffer = count;
        options.n_offset = count != nullptr ? 7 : 0;
        return gp_enqueue_transform(context(), 4, 1, types.data(), &from, &in_offset, GP_INT32, out.buffer(),
                                    out_offset, "x0", &options, 0, nullptr, nullptr);
    };
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(in.buffer(), 7, 3, nullptr));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(in.buffer(), 3, 7, nullptr));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(in.buffer(), 3, 3, counted.buffer()));
    EXPECT_EQ(GP_ERROR_OVERLAP, enqueue(out.buffer(), 4, 3, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, enqueue(nullptr, 0, 3, nullptr));
    EXPECT_EQ((std::vector<int32_t>{9, 9, 9, 9}), out.values());
    gp_context *other = nullptr;
    gp_buffer *foreign = nullptr;
    ASSERT_OK(gp_open(device().selector, &other));
    ASSERT_OK(gp_buffer_create(other, 64, &foreign));
    EXPECT_EQ(GP_ERROR_WRONG_CONTEXT, enqueue(foreign, 0, 3, nullptr));
    EXPECT_OK(gp_buffer_free(foreign));
    EXPECT_OK(gp_close(other));
    gp_transform_options options = GP_TRANSFORM_OPTIONS_INIT;
    options.n_buffer = out.buffer();
    options.n_offset = 2; // where the second to fourth element are
    gp_buffer *const source = in.buffer();
    const size_t begin = in.offset();
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_enqueue_transform(context(), 4, 1, types.data(), &source, &begin, GP_INT32,
                                                     out.buffer(), out.offset(), "x0", &options, 0, nullptr, nullptr));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "n_buffer")) << gp_error_message();
    options = GP_TRANSFORM_OPTIONS_INIT; // n_buffer is for buffers
    options.n_buffer = counted.buffer();
    int32_t x = 1, y = 9;
    const void *const from = &x;
    EXPECT_EQ(GP_ERROR_OPTION, gp_transform(context(), 1, 1, types.data(), &from, GP_INT32, &y, "x0", &options));
    EXPECT_EQ(9, y);
}

TEST_F(Transform, TheEventHasTheTimes) {
    ASSERT_OK(gp_profile(context(), 1));
    std::vector<uint64_t> out(3);
    gp_event *event = nullptr;
    gp_transform_options options = GP_TRANSFORM_OPTIONS_INIT;
    options.event = &event;
    ASSERT_OK(gp_transform(context(), 3, 0, nullptr, nullptr, GP_UINT64, out.data(), "i * i", &options));
    ASSERT_OK(gp_profile(context(), 0));
    gp_timing timing = GP_TIMING_INIT;
    ASSERT_OK(gp_event_timing(event, &timing));
    EXPECT_EQ(1u, timing.kernels);
    EXPECT_OK(gp_event_free(event));
}

} // namespace

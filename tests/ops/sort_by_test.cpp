// Sort by the caller's order: elements of many sizes, against std::stable_sort; orders that are
// none.
// SPDX-License-Identifier: MIT
#include "compare.h"

#include <array>
#include <numeric>

namespace {

using namespace test;

// An element: a key of a few values, and where it came from, as far as there is room for that.
struct Kind {
    size_t size;
    const char *type, *helpers, *comes_before;
};
constexpr Kind kKinds[] = {
    {1, "uchar", nullptr, "a < b"},
    {2, "ushort", "bool gp_less(ushort a, ushort b) { return a % 256 < b % 256; }", "gp_less(a, b)"},
    {3, "struct three", "struct three { uchar key, rest[2]; };", "a.key < b.key"},
    {4, "uint", nullptr, "a % 256u < b % 256u"},
    {5, "five", "typedef struct { uchar key, rest[4]; } five;", "a.key < b.key"},
    {8, "uint2", nullptr, "a.x % 256u < b.x % 256u"},
    {12, "struct edge", "struct edge { uint key, from, to; };", "a.key % 256u < b.key % 256u"},
    {16, "uint4", nullptr, "a.x % 256u < b.x % 256u"},
    {24, "struct wide", "struct wide { ulong key, a, b; };", "a.key % 256u < b.key % 256u"},
    {33, "struct odd", "struct odd { uchar key, rest[32]; };", "a.key < b.key"},
    {64, "struct large", "struct large { uint key, rest[15]; };", "a.key % 256u < b.key % 256u"},
};

std::vector<uint8_t> elements(size_t n, size_t size, unsigned keys) {
    std::mt19937_64 random(n * 64 + size);
    std::vector<uint8_t> bytes(n * size);
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 1; k < size; ++k) bytes[i * size + k] = static_cast<uint8_t>(i >> 8 * ((k - 1) % 4));
        bytes[i * size] = static_cast<uint8_t>(random() % keys);
    }
    return bytes;
}

// By the first byte.
std::vector<uint8_t> sorted(const std::vector<uint8_t> &bytes, size_t size) {
    std::vector<size_t> order(bytes.size() / size);
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t i, size_t j) { return bytes[i * size] < bytes[j * size]; });
    std::vector<uint8_t> result;
    for (const size_t i : order)
        result.insert(result.end(), bytes.begin() + static_cast<std::ptrdiff_t>(i * size),
                      bytes.begin() + static_cast<std::ptrdiff_t>((i + 1) * size));
    return result;
}

gp_sort_by_options with(const char *helpers) {
    gp_sort_by_options options = GP_SORT_BY_OPTIONS_INIT;
    options.helpers = helpers;
    return options;
}

class SortBy : public testing::Test {
  protected:
    void SetUp() override {
        if (on_host()) GTEST_SKIP() << "the host can't run OpenCL C";
    }
};

TEST_F(SortBy, ElementsOfEverySize) {
    size_t turn = 0;
    for (const Kind &kind : kKinds) {
        const gp_sort_by_options options = with(kind.helpers);
        for (const size_t n : {0u, 1u, 2u, 33u, 319u, 321u, 1000u, 1281u, 2817u, 10752u, 10753u, 20011u, 300007u}) {
            if (n > max_n() || (n > 20011 && kind.size != 4 && kind.size != 12)) continue;
            const auto in = elements(n, kind.size, ++turn % 3 == 0 ? 3 : 256);
            SCOPED_TRACE(std::to_string(n) + " elements of " + std::to_string(kind.size) + " bytes");
            Guarded<uint8_t> array(in);
            ASSERT_OK(gp_sort_by(context(), kind.size, n, array.data(), kind.type, kind.comes_before, &options));
            ASSERT_TRUE(same_bits(sorted(in, kind.size), array.values()));
            ASSERT_TRUE(array.intact()) << "a canary was overwritten";
        }
    }
}

TEST_F(SortBy, BuffersAtOddOffsets) {
    for (const size_t n : {7u, 400u, 5003u}) {
        if (n > max_n()) continue;
        std::vector<std::array<uint8_t, 12>> in(n);
        const auto bytes = elements(n, 12, 5);
        std::memcpy(in.data(), bytes.data(), bytes.size());
        DeviceArray<std::array<uint8_t, 12>> array(in, 5);
        const gp_sort_by_options options = with("struct edge { uint key, from, to; };");
        ASSERT_OK(gp_enqueue_sort_by(context(), 12, n, array.buffer(), array.offset(), "struct edge",
                                     "a.key % 256u < b.key % 256u", &options, 0, nullptr, nullptr));
        ASSERT_OK(gp_finish(context()));
        const auto out = array.values();
        std::vector<uint8_t> got(bytes.size());
        std::memcpy(got.data(), out.data(), got.size());
        ASSERT_TRUE(same_bits(sorted(bytes, 12), got));
    }
}

// As many elements as a buffer says; what lies behind them stays.
TEST_F(SortBy, SizesFromBuffers) {
    gp_sort_by_options options = GP_SORT_BY_OPTIONS_INIT;
    for (const size_t n : {1u, 400u, 20'011u}) {
        if (n > max_n()) continue;
        std::vector<uint32_t> in(n);
        const auto bytes = elements(n, 4, 256);
        std::memcpy(in.data(), bytes.data(), bytes.size());
        for (const size_t count : {n, size_t{0}, size_t{1}, n / 2, n - 1, n + 5}) {
            SCOPED_TRACE(std::to_string(count) + " of " + std::to_string(n));
            DeviceArray<uint32_t> array(in);
            DeviceArray<uint64_t> number(std::vector<uint64_t>{count});
            options.n_buffer = number.buffer();
            options.n_offset = number.offset();
            ASSERT_OK(gp_enqueue_sort_by(context(), 4, n, array.buffer(), array.offset(), "uint", "a % 256u < b % 256u",
                                         &options, 0, nullptr, nullptr));
            auto expected = in;
            std::stable_sort(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(std::min(count, n)),
                             [](uint32_t a, uint32_t b) { return a % 256 < b % 256; });
            ASSERT_TRUE(same_bits(expected, array.values()));
        }
    }
    uint32_t host[2] = {};
    EXPECT_EQ(GP_ERROR_OPTION, gp_sort_by(context(), 4, 2, host, "uint", "a < b", &options));
}

// What is no order ends, and leaves some order of the same elements.
TEST_F(SortBy, WhatIsNoOrderLeavesThem) {
    for (const char *comes_before : {"1", "a != b", "(a * 7u + b * 13u) % 5u < 2u", "a % 3u < b % 2u", "a <= b"}) {
        for (const size_t n : {2u, 100u, 3329u, 20011u, 50021u}) {
            if (n > max_n()) continue;
            SCOPED_TRACE(std::string(comes_before) + ", " + std::to_string(n) + " elements");
            std::vector<uint32_t> in(n);
            std::mt19937_64 random(n);
            for (uint32_t &x : in) x = static_cast<uint32_t>(random() % 1000);
            Guarded<uint32_t> array(in);
            ASSERT_OK(gp_sort_by(context(), 4, n, array.data(), "uint", comes_before, nullptr));
            ASSERT_TRUE(array.intact()) << "a canary was overwritten";
            auto out = array.values();
            std::sort(in.begin(), in.end());
            std::sort(out.begin(), out.end());
            ASSERT_TRUE(same_bits(in, out));
        }
    }
}

TEST_F(SortBy, TextThatDoesNotBuildIsTold) {
    std::vector<uint32_t> array = {3, 1, 2};
    const auto before = array;
    EXPECT_EQ(GP_ERROR_BUILD, gp_sort_by(context(), 4, 3, array.data(), "uint", "a < nothing", nullptr));
    EXPECT_NE(std::string::npos, std::string(gp_error_build_log()).find("nothing")) << gp_error_build_log();
    EXPECT_EQ(GP_ERROR_BUILD, gp_sort_by(context(), 4, 3, array.data(), "ulong", "a < b", nullptr));
    EXPECT_NE(std::string::npos, std::string(gp_error_build_log()).find("gp_element_size_is_not_that_of_type"))
        << gp_error_build_log();
    EXPECT_EQ(before, array);
    ASSERT_OK(gp_sort_by(context(), 4, 3, array.data(), "uint", "a < b", nullptr));
    EXPECT_EQ((std::vector<uint32_t>{1, 2, 3}), array);
}

TEST(SortByArguments, BadOnesAreRefused) {
    std::vector<uint32_t> array(4, 9);
    gp_sort_by_options options = GP_SORT_BY_OPTIONS_INIT;
    const auto call = [&](size_t size, size_t n, void *elements, const char *type, const char *comes_before) {
        return gp_sort_by(context(), size, n, elements, type, comes_before, &options);
    };
    EXPECT_EQ(GP_ERROR_VALUE_SIZE, call(0, 4, array.data(), "uint", "a < b"));
    EXPECT_EQ(GP_ERROR_VALUE_SIZE, call(65, 4, array.data(), "uint", "a < b"));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, call(4, 4, array.data(), nullptr, "a < b"));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, call(4, 4, array.data(), "uint", nullptr));
    EXPECT_EQ(GP_ERROR_OPTION, call(4, 4, array.data(), " ", "a < b"));
    EXPECT_EQ(GP_ERROR_OPTION, call(4, 4, array.data(), "uint", "\n"));
    EXPECT_EQ(GP_ERROR_SIZE_OVERFLOW, call(4, SIZE_MAX / 4, array.data(), "uint", "a < b"));
    if (on_host())
        EXPECT_EQ(GP_ERROR_UNSUPPORTED_DEVICE, call(4, 4, array.data(), "uint", "a < b"));
    else
        EXPECT_EQ(GP_ERROR_NULL_POINTER, call(4, 4, nullptr, "uint", "a < b"));
    if (!on_host()) {
        DeviceArray<uint64_t> number({4});
        options.n_buffer = number.buffer();
        EXPECT_EQ(GP_ERROR_OPTION, call(4, 4, array.data(), "uint", "a < b"));
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), "options->n_buffer is for the calls on buffers"))
            << gp_error_message();
    }
    options.struct_size = 1;
    EXPECT_EQ(GP_ERROR_STRUCT_SIZE, call(4, 4, array.data(), "uint", "a < b"));
    EXPECT_EQ(std::vector<uint32_t>(4, 9), array);
}

TEST_F(SortBy, BuffersAreChecked) {
    DeviceArray<uint32_t> array({3, 1, 2});
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS,
              gp_enqueue_sort_by(context(), 4, 3, array.buffer(), 7, "uint", "a < b", nullptr, 0, nullptr, nullptr));
    gp_context *other = nullptr;
    gp_buffer *foreign = nullptr;
    ASSERT_OK(gp_open(device().selector, &other));
    ASSERT_OK(gp_buffer_create(other, 64, &foreign));
    EXPECT_EQ(GP_ERROR_WRONG_CONTEXT,
              gp_enqueue_sort_by(context(), 4, 3, foreign, 0, "uint", "a < b", nullptr, 0, nullptr, nullptr));
    EXPECT_OK(gp_buffer_free(foreign));
    EXPECT_OK(gp_close(other));
    EXPECT_EQ((std::vector<uint32_t>{3, 1, 2}), array.values());
}

TEST_F(SortBy, TheEventHasTheTimes) {
    ASSERT_OK(gp_profile(context(), 1));
    std::vector<uint32_t> array = {3, 1, 2};
    gp_event *event = nullptr;
    gp_sort_by_options options = GP_SORT_BY_OPTIONS_INIT;
    options.event = &event;
    ASSERT_OK(gp_sort_by(context(), 4, 3, array.data(), "uint", "a < b", &options));
    ASSERT_OK(gp_profile(context(), 0));
    gp_timing timing = GP_TIMING_INIT;
    ASSERT_OK(gp_event_timing(event, &timing));
    EXPECT_EQ(1u, timing.kernels);
    EXPECT_OK(gp_event_free(event));
}

} // namespace

// Top-k of rows and columns, of every type, against a stable sort.
// SPDX-License-Identifier: MIT
#include "elements.h"
#include "rows.h"

#include "../reference/top_k.h"

namespace {

using namespace test;

template <class T> class TopK : public testing::Test {};
TYPED_TEST_SUITE(TopK, EveryType, EveryTypeNames);

constexpr Kind kKinds[] = {Kind::random,   Kind::few,   Kind::equal,    Kind::rising, Kind::falling,
                           Kind::extremes, Kind::zeros, Kind::most_nan, Kind::misled};

template <class T> struct Expected {
    std::vector<uint64_t> positions;
    std::vector<T> values;
};

// What lies between results keeps what it held.
template <class T>
Expected<T> expected_of(const std::vector<T> &in, const Shape &shape, size_t k, bool descending, size_t stride) {
    const size_t count = (shape.batch - 1) * stride + k;
    Expected<T> expected{std::vector<uint64_t>(count, 77), std::vector<T>(count, number<T>(5))};
    for (size_t row = 0; row < shape.batch; ++row) {
        std::vector<T> elements(shape.n);
        for (size_t i = 0; i < shape.n; ++i) elements[i] = in[shape.at(row, i)];
        const auto positions = reference::top_k(elements, k, descending);
        for (size_t i = 0; i < k; ++i) {
            expected.positions[row * stride + i] = positions[i];
            expected.values[row * stride + i] = elements[positions[i]];
        }
    }
    return expected;
}

gp_top_k_options options_for(const Shape &shape, size_t stride) {
    gp_top_k_options options = GP_TOP_K_OPTIONS_INIT;
    options.batch = shape.batch;
    options.stride_in = shape.stride();
    options.step_in = shape.next();
    options.stride_out = stride;
    return options;
}

struct Wanted {
    bool positions = true, values = true;
};

template <class T, class Index> void check(const std::vector<T> &in, const Shape &shape, size_t k, bool descending,
                                           size_t gap, Wanted wanted, bool named) {
    const size_t stride = k + gap;
    const Expected<T> expected = expected_of(in, shape, k, descending, stride);
    const size_t count = expected.positions.size();
    const std::vector<Index> positions(expected.positions.begin(), expected.positions.end());
    gp_top_k_options options = options_for(shape, gap == 0 ? 0 : stride);
    for (const char *algorithm : algorithms(GP_TOP_K, named)) {
        if (testing::Test::HasFatalFailure()) return;
        SCOPED_TRACE(shape.text() + ", k " + std::to_string(k) + (descending ? ", descending, " : ", ascending, ") +
                     name(algorithm));
        options.algorithm = algorithm;
        Guarded<T> source(in), values(std::vector<T>(count, number<T>(5)));
        Guarded<Index> out(std::vector<Index>(count, Index{77}));
        const gp_status status = gp_top_k(context(), descending ? GP_DESCENDING : GP_ASCENDING, code<T>(), shape.n,
                                          source.data(), k, dtype<Index>(), wanted.positions ? out.data() : nullptr,
                                          wanted.values ? values.data() : nullptr, &options);
        if (refused(GP_TOP_K, algorithm, status)) continue;
        ASSERT_OK(status);
        ASSERT_TRUE(same_bits(wanted.positions ? positions : std::vector<Index>(count, Index{77}), out.values()));
        ASSERT_TRUE(same_bits(wanted.values ? expected.values : std::vector<T>(count, number<T>(5)), values.values()));
        ASSERT_TRUE(source.intact() && out.intact() && values.intact()) << "a canary was overwritten";
        ASSERT_TRUE(same_bits(in, source.values())) << "the input was changed";
    }
}

template <class T> bool runs_all() { return std::is_same_v<T, double> || is_named<T>(); }

std::vector<size_t> counts_of(size_t n) {
    std::vector<size_t> all = {1};
    for (const size_t k : {size_t{2}, n / 100, size_t{32}, size_t{33}, n / 16, n / 3, n - 1, n})
        if (k > all.back() && k <= n) all.push_back(k);
    return all;
}

TYPED_TEST(TopK, EveryKindOfElementsAtEverySize) {
    using T = TypeParam;
    for (const size_t n : {1u, 2u, 3u, 33u, 255u, 256u, 257u, 512u, 513u, 1009u, 1025u, 4097u, 65537u, 1048577u}) {
        if (n > max_n() || (n > 5000 && !runs_all<T>())) continue;
        for (const Kind kind : kKinds) {
            SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
            if (n > 100000 && kind != Kind::random && kind != Kind::most_nan && kind != Kind::misled) continue;
            const auto in = elements<T>(kind, n);
            const auto counts = counts_of(n);
            for (size_t i = 0; i < counts.size(); ++i) {
                if (n > 100000 && counts[i] > n / 16) continue;
                check<T, uint64_t>(in, Shape{n, 1}, counts[i], (i + static_cast<size_t>(kind)) % 2 != 0, 0, {},
                                   runs_all<T>() && (n < 5000 || i % 3 == 0));
                if (this->HasFatalFailure()) return;
            }
        }
    }
}

// Of elements of 64 bits: most differ in low bits alone, and two are far off. Numbers that hold a
// rank and a place behind it have no room for those bits. Where elements are multiples of a large
// one, they need none.
TYPED_TEST(TopK, ManyDifferInLowBits) {
    using T = TypeParam;
    if constexpr (sizeof(T) == 8) {
        const auto base = std::bit_cast<uint64_t>(T{1});
        for (const size_t n : {200u, 600u, 5000u}) {
            if (n > max_n()) continue;
            for (const uint64_t step : {uint64_t{1}, uint64_t{1} << 20}) {
                SCOPED_TRACE("step " + std::to_string(step));
                std::vector<T> in(n);
                for (size_t i = 0; i < n; ++i) in[i] = std::bit_cast<T>(base + i * 7919 % 5 * step);
                in[n / 3] = std::numeric_limits<T>::lowest();
                in[n / 2] = std::numeric_limits<T>::max();
                for (const size_t k : {n / 40, n / 5, n / 2})
                    for (const bool descending : {false, true})
                        check<T, uint64_t>(in, Shape{n, 1}, k, descending, 0, {}, runs_all<T>());
                if (this->HasFatalFailure()) return;
            }
        }
    }
}

// The same of the last one taken and the next alone, of which the latter stands in front.
TYPED_TEST(TopK, LastDiffersInALowBit) {
    using T = TypeParam;
    if constexpr (sizeof(T) == 8) {
        const size_t n = 600, k = n / 2;
        const auto at = [](size_t i) { return std::bit_cast<uint64_t>(T{1}) + (i << 40); };
        std::vector<T> in(n);
        for (size_t i = 0; i < n; ++i) in[i] = std::bit_cast<T>(at(i));
        in.front() = std::numeric_limits<T>::lowest();
        in.back() = std::numeric_limits<T>::max();
        in[k - 1] = std::bit_cast<T>(at(k) + 1);
        check<T, uint64_t>(in, Shape{n, 1}, k, false, 0, {}, runs_all<T>());
    }
}

// Few elements of short rows, about as many as the host compares with each other. Devices, which
// have no such limits, take one k and a third of the kinds.
TYPED_TEST(TopK, FewOfShortRows) {
    using T = TypeParam;
    for (const size_t n : {5u, 10u, 16u, 31u, 32u, 33u, 63u, 64u, 65u, 97u, 128u, 500u})
        for (const Kind kind : kKinds) {
            if (n > max_n() || (!on_host() && (n + static_cast<size_t>(kind)) % 3 != 0)) continue;
            SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
            const Shape shape{n, 7, false, 3};
            const auto in = elements<T>(kind, shape.span());
            for (const size_t k : {2u, 5u, 8u, 9u, 31u, 32u})
                if (k <= n && (on_host() || k == 5))
                    check<T, uint64_t>(in, shape, k, k % 2 != 0, 1, {}, runs_all<T>() && k == 5);
            if (this->HasFatalFailure()) return;
        }
}

TYPED_TEST(TopK, EveryShape) {
    using T = TypeParam;
    for (Shape shape : shapes<Pair<T>>()) {
        if (shape.n == 0 || (shape.span() > 5000 && !runs_all<T>())) continue;
        const auto in = elements<T>(shape.n % 2 != 0 ? Kind::few : Kind::random, shape.span());
        const bool descending = shape.batch % 2 != 0;
        const size_t k = std::min<size_t>(shape.n, 7), more = shape.n / 2 + 1;
        check<T, uint32_t>(in, shape, k, descending, 0, {true, shape.n % 3 != 0}, runs_all<T>());
        check<T, uint64_t>(in, shape, more, !descending, 3, {shape.n % 3 != 0, true}, runs_all<T>());
        if (this->HasFatalFailure()) return;
    }
}

// In any order, the results are the same set.
TYPED_TEST(TopK, Unsorted) {
    using T = TypeParam;
    for (const size_t n : {100u, 5000u, 70001u}) {
        if (n > max_n()) continue;
        const auto in = elements<T>(Kind::few, n);
        for (const size_t k : {n / 50, n - 1}) {
            auto expected = reference::top_k(in, k, true);
            std::sort(expected.begin(), expected.end());
            gp_top_k_options options = GP_TOP_K_OPTIONS_INIT;
            options.unsorted = 1;
            for (const char *algorithm : algorithms(GP_TOP_K, runs_all<T>())) {
                options.algorithm = algorithm;
                std::vector<uint64_t> positions(k);
                std::vector<T> values(k);
                const gp_status status = gp_top_k(context(), GP_DESCENDING, code<T>(), n, in.data(), k, GP_UINT64,
                                                  positions.data(), values.data(), &options);
                if (refused(GP_TOP_K, algorithm, status)) continue;
                ASSERT_OK(status);
                for (size_t i = 0; i < k; ++i) {
                    ASSERT_LT(positions[i], n);
                    ASSERT_EQ(0, std::memcmp(&in[positions[i]], &values[i], sizeof(T)));
                }
                std::sort(positions.begin(), positions.end());
                ASSERT_TRUE(same_bits(expected, positions)) << n << " " << k << " " << name(algorithm);
            }
        }
    }
}

TYPED_TEST(TopK, BuffersAtOddOffsets) {
    using T = TypeParam;
    for (const Shape &shape :
         {Shape{33, 1}, Shape{1, 4}, Shape{40, 5, false, 3}, Shape{20, 30, true, 1}, Shape{4099, 1}}) {
        if (shape.span() > max_n()) continue;
        const size_t k = shape.n / 3 + 1;
        const auto in = elements<T>(Kind::most_nan, shape.span());
        const Expected<T> expected = expected_of(in, shape, k, true, k);
        gp_top_k_options options = options_for(shape, 0);
        for (const char *algorithm : algorithms(GP_TOP_K, runs_all<T>())) {
            SCOPED_TRACE(shape.text() + ", " + name(algorithm));
            options.algorithm = algorithm;
            DeviceArray<T> source(in, 3), values(std::vector<T>(shape.batch * k), 1);
            DeviceArray<uint64_t> out(std::vector<uint64_t>(shape.batch * k), 5);
            const gp_status status = gp_enqueue_top_k(context(), GP_DESCENDING, code<T>(), shape.n, source.buffer(),
                                                      source.offset(), k, GP_UINT64, out.buffer(), out.offset(),
                                                      values.buffer(), values.offset(), &options, 0, nullptr, nullptr);
            if (refused(GP_TOP_K, algorithm, status)) continue;
            ASSERT_OK(status);
            DeviceArray<uint32_t> alone(std::vector<uint32_t>(shape.batch * k), 5);
            ASSERT_OK(gp_enqueue_top_k(context(), GP_DESCENDING, code<T>(), shape.n, source.buffer(), source.offset(),
                                       k, GP_UINT32, alone.buffer(), alone.offset(), nullptr, 0, &options, 0, nullptr,
                                       nullptr));
            ASSERT_OK(gp_finish(context()));
            ASSERT_TRUE(same_bits(expected.positions, out.values()));
            ASSERT_TRUE(same_bits(expected.values, values.values()));
            ASSERT_TRUE(
                same_bits(std::vector<uint32_t>(expected.positions.begin(), expected.positions.end()), alone.values()));
            ASSERT_TRUE(same_bits(in, source.values())) << "the input was changed";
        }
    }
}

class TopKErrors : public testing::Test {
  protected:
    gp_status call(gp_order order, gp_dtype type, size_t n, size_t k, gp_dtype index) {
        return gp_top_k(context(), order, type, n, in_.data(), k, index, positions_.data(), values_.data(), &options_);
    }
    void refuses(gp_status expected, gp_status got, const char *word) {
        EXPECT_EQ(expected, got);
        EXPECT_NE(std::string::npos, std::string(gp_error_message()).find(word)) << gp_error_message();
        EXPECT_EQ(std::vector<uint64_t>(4, 9), positions_);
    }
    std::vector<int32_t> in_ = {3, 1, 2, 1}, values_ = std::vector<int32_t>(4);
    std::vector<uint64_t> positions_ = std::vector<uint64_t>(4, 9);
    gp_top_k_options options_ = GP_TOP_K_OPTIONS_INIT;
};

TEST_F(TopKErrors, BadArgumentsAreRefused) {
    refuses(GP_ERROR_OPTION, call(GP_ASCENDING, GP_INT32, 4, 5, GP_UINT64), "k is 5; expected at most n, which is 4");
    refuses(GP_ERROR_OPTION, call(GP_ASCENDING, GP_INT32, 4, SIZE_MAX, GP_UINT64), "looks negative: -1");
    refuses(GP_ERROR_OPTION, call(2, GP_INT32, 4, 2, GP_UINT64), "order is 2");
    refuses(GP_ERROR_DTYPE, call(GP_ASCENDING, 99, 4, 2, GP_UINT64), "dtype");
    refuses(GP_ERROR_DTYPE, call(GP_ASCENDING, GP_INT32, 4, 2, GP_INT64), "index");
    refuses(GP_ERROR_TOO_LARGE, call(GP_ASCENDING, GP_INT8, (size_t{1} << 32) + 1, 2, GP_UINT32), "uint32");
    options_.algorithm = "none";
    refuses(GP_ERROR_ALGORITHM, call(GP_ASCENDING, GP_INT32, 4, 2, GP_UINT64), "there are");
    options_ = GP_TOP_K_OPTIONS_INIT;
    options_.struct_size = 0;
    refuses(GP_ERROR_STRUCT_SIZE, call(GP_ASCENDING, GP_INT32, 4, 2, GP_UINT64), "struct_size");
    options_ = GP_TOP_K_OPTIONS_INIT;
    options_.reserved = 1;
    refuses(GP_ERROR_OPTION, call(GP_ASCENDING, GP_INT32, 4, 2, GP_UINT64), "reserved");
    options_ = GP_TOP_K_OPTIONS_INIT;
    options_.unsorted = 2;
    refuses(GP_ERROR_OPTION, call(GP_ASCENDING, GP_INT32, 4, 2, GP_UINT64), "unsorted");
    options_ = GP_TOP_K_OPTIONS_INIT;
    options_.batch = 2;
    options_.stride_out = 1;
    refuses(GP_ERROR_BATCH_STRIDE, call(GP_ASCENDING, GP_INT32, 2, 2, GP_UINT64), "stride_out is 1");
    options_ = GP_TOP_K_OPTIONS_INIT;
    const auto with = [&](const void *in, void *positions, void *values) {
        return gp_top_k(context(), GP_ASCENDING, GP_INT32, 4, in, 2, GP_UINT64, positions, values, nullptr);
    };
    refuses(GP_ERROR_NULL_POINTER, with(nullptr, positions_.data(), nullptr), "in");
    refuses(GP_ERROR_NULL_POINTER, with(in_.data(), nullptr, nullptr), "at least one");
    refuses(GP_ERROR_ALIGNMENT, with(reinterpret_cast<char *>(in_.data()) + 1, positions_.data(), nullptr), "in");
    refuses(GP_ERROR_ALIGNMENT, with(in_.data(), reinterpret_cast<char *>(positions_.data()) + 4, nullptr),
            "positions is");
    refuses(GP_ERROR_ALIGNMENT, with(in_.data(), nullptr, reinterpret_cast<char *>(values_.data()) + 1), "values is");
    std::vector<uint64_t> shared(4, 9);
    EXPECT_EQ(GP_ERROR_OVERLAP, with(shared.data(), shared.data(), nullptr));
    EXPECT_EQ(GP_ERROR_OVERLAP, with(in_.data(), shared.data(), shared.data()));
    EXPECT_EQ(GP_ERROR_OVERLAP, with(in_.data(), nullptr, in_.data() + 2));
}

TEST_F(TopKErrors, NoneOfThemAreNone) {
    EXPECT_OK(call(GP_ASCENDING, GP_INT32, 4, 0, GP_UINT64));
    EXPECT_OK(call(GP_DESCENDING, GP_INT32, 0, 0, GP_UINT64));
    EXPECT_OK(gp_top_k(context(), GP_ASCENDING, GP_INT32, 4, in_.data(), 0, GP_UINT64, nullptr, nullptr, nullptr));
    EXPECT_EQ(std::vector<uint64_t>(4, 9), positions_);
    EXPECT_EQ(std::vector<int32_t>(4), values_);
}

TEST_F(TopKErrors, BuffersAreChecked) {
    DeviceArray<int32_t> in({3, 1, 2, 1});
    DeviceArray<uint64_t> out({9, 9});
    const auto enqueue = [&](size_t in_offset, size_t out_offset) {
        return gp_enqueue_top_k(context(), GP_ASCENDING, GP_INT32, 4, in.buffer(), in_offset, 2, GP_UINT64,
                                out.buffer(), out_offset, nullptr, 0, nullptr, 0, nullptr, nullptr);
    };
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(7, out.offset()));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue(in.offset(), 7));
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_enqueue_top_k(context(), GP_ASCENDING, GP_INT32, 2, in.buffer(), 0, 1, GP_UINT32,
                                                 in.buffer(), 1, nullptr, 0, nullptr, 0, nullptr, nullptr));
    const auto overlapping = [&](gp_buffer *positions, gp_buffer *values, const char *words) {
        EXPECT_EQ(GP_ERROR_OVERLAP, gp_enqueue_top_k(context(), GP_ASCENDING, GP_INT32, 4, in.buffer(), in.offset(), 2,
                                                     GP_UINT32, positions, 3, values, 3, nullptr, 0, nullptr, nullptr));
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), words)) << gp_error_message();
    };
    overlapping(out.buffer(), in.buffer(), "values overlaps in");
    overlapping(out.buffer(), out.buffer(), "values overlaps positions");
    EXPECT_OK(enqueue(in.offset(), out.offset()));
    EXPECT_OK(gp_finish(context()));
    EXPECT_EQ((std::vector<uint64_t>{1, 3}), out.values());
}

} // namespace

// Large arrays in host memory pass through the device piece by piece: GPCL_STREAM makes small ones
// large. The other tests run with it, too; here is what they don't see: that there are pieces, of
// the size that is asked for, and when there are none.
// SPDX-License-Identifier: MIT
#include "compare.h"
#include "support/intervals.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace {

using namespace test;

constexpr size_t kPiece = 4096; // bytes

class Streams : public testing::TestWithParam<const char *> { // what GPCL_STAGING is
  protected:
    void SetUp() override {
        if (on_host()) GTEST_SKIP() << "nothing passes through the host";
        setenv("GPCL_STAGING", GetParam(), 1);
        setenv("GPCL_STREAM", std::to_string(kPiece).c_str(), 1);
        ASSERT_OK(gp_open(nullptr, &context_));
        ASSERT_OK(gp_profile(context_, 1));
    }
    void TearDown() override {
        unsetenv("GPCL_STAGING");
        unsetenv("GPCL_STREAM");
        EXPECT_OK(gp_close(context_));
    }
    // How many copies to the device and from it of so many bytes and more a call's event tells of;
    // frees it.
    static std::pair<size_t, size_t> copies(gp_event *event) {
        gp_timing timing = GP_TIMING_INIT;
        EXPECT_OK(gp_event_timing(event, &timing));
        std::pair<size_t, size_t> result;
        std::array<Intervals, 3> times; // up, down, at work
        for (size_t i = 0; i < timing.commands; ++i) {
            gp_command command = GP_COMMAND_INIT;
            EXPECT_OK(gp_event_command(event, i, &command));
            result.first += command.kind == GP_UPLOAD ? 1 : 0;
            result.second += command.kind == GP_DOWNLOAD ? 1 : 0;
            auto &others = times[command.kind == GP_UPLOAD ? 0 : command.kind == GP_DOWNLOAD ? 1 : 2];
            others.emplace_back(command.start_ns, command.start_ns + command.run_ns);
        }
        EXPECT_EQ(test::covered(times[0]), timing.upload_ns);
        EXPECT_EQ(test::covered(times[1]), timing.download_ns);
        EXPECT_EQ(test::covered(times[2]), timing.run_ns);
        EXPECT_GE(timing.span_ns, timing.upload_ns);
        EXPECT_GE(timing.span_ns, timing.run_ns);
        EXPECT_GE(timing.span_ns, timing.download_ns);
        EXPECT_OK(gp_event_free(event));
        return result;
    }
    gp_context *context_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Staged, Streams, testing::Values("0", "1024"));

// Around the borders of pieces: the whole's bits, and as many copies as pieces each way.
TEST_P(Streams, ScansAroundTheBorders) {
    constexpr size_t kN = kPiece / sizeof(int32_t);
    for (const size_t n :
         {kN - 1, kN, kN + 1, 2 * kN - 1, 2 * kN, 2 * kN + 1, 3 * kN, 3 * kN + 1, 4 * kN + 1, 7 * kN - 1})
        for (const gp_direction direction : {GP_FORWARD, GP_REVERSE})
            for (const bool in_place : {false, true}) {
                if (n > max_n()) continue;
                SCOPED_TRACE("n = " + std::to_string(n));
                std::vector<int32_t> in(n), expected(n);
                std::mt19937_64 random(n);
                for (int32_t &x : in) x = static_cast<int32_t>(random());
                uint32_t sum = 5;
                for (size_t k = 0; k < n; ++k) {
                    const size_t i = direction == GP_REVERSE ? n - 1 - k : k;
                    expected[i] = static_cast<int32_t>(sum += static_cast<uint32_t>(in[i]));
                }
                const int32_t initial = 5;
                int32_t last = 0;
                gp_event *event = nullptr;
                gp_scan_options options = GP_SCAN_OPTIONS_INIT;
                options.direction = direction;
                options.initial = &initial;
                options.final_value = &last;
                options.event = &event;
                Guarded<int32_t> source(in), target(n);
                Guarded<int32_t> &out = in_place ? source : target;
                ASSERT_OK(gp_scan(context_, GP_INT32, n, source.data(), out.data(), &options));
                ASSERT_TRUE(same_bits(expected, out.values()));
                ASSERT_TRUE(source.intact() && target.intact()) << "a canary was overwritten";
                ASSERT_EQ(static_cast<int32_t>(sum), last);
                const size_t pieces = (n + kN - 1) / kN;
                const auto [up, down] = copies(event);
                if (pieces < 2) continue;
                EXPECT_EQ(pieces + 1, up) << "and the initial value";
                EXPECT_EQ(pieces + 1, down) << "and the final value";
            }
}

TEST_P(Streams, ReductionsAndHistograms) {
    const size_t n = std::min<size_t>(max_n(), 10007);
    std::vector<uint32_t> in(n);
    std::mt19937_64 random(n);
    for (uint32_t &x : in) x = static_cast<uint32_t>(random() % 100);
    const size_t pieces = (n * sizeof(uint32_t) + kPiece - 1) / kPiece;
    if (pieces < 2) GTEST_SKIP() << "too few elements for a piece";
    gp_event *event = nullptr;
    gp_reduce_options reduce = GP_REDUCE_OPTIONS_INIT;
    reduce.event = &event;
    uint32_t sum = 0;
    ASSERT_OK(gp_reduce(context_, GP_UINT32, n, in.data(), &sum, &reduce));
    EXPECT_EQ(std::accumulate(in.begin(), in.end(), uint32_t(0)), sum);
    EXPECT_EQ(pieces, copies(event).first);

    gp_histogram_options histogram = GP_HISTOGRAM_OPTIONS_INIT;
    histogram.event = &event;
    std::vector<uint64_t> counts(100), expected(100);
    for (const uint32_t x : in) ++expected[x];
    ASSERT_OK(gp_histogram(context_, GP_UINT32, n, in.data(), counts.size(), counts.data(), &histogram));
    EXPECT_EQ(expected, counts);
    EXPECT_GE(copies(event).first, pieces);
}

TEST_P(Streams, Recurrences) {
    const size_t n = std::min<size_t>(max_n(), 10007);
    const size_t pieces = (n * sizeof(float) + kPiece - 1) / kPiece;
    if (pieces < 2) GTEST_SKIP() << "too few elements for a piece";
    const std::vector<float> x(n, 1), c = {-1, -1, -1};
    std::vector<float> expected(n), y(n);
    for (size_t t = 0; t < n; ++t) expected[t] = t % 4 == 0 ? 1.0f : 0.0f;
    gp_event *event = nullptr;
    gp_recurrence_options options = GP_RECURRENCE_OPTIONS_INIT;
    options.event = &event;
    ASSERT_OK(gp_recurrence(context_, GP_FLOAT32, n, x.data(), y.data(), c.size(), c.data(), &options));
    EXPECT_TRUE(same_bits(expected, y));
    const auto [up, down] = copies(event);
    EXPECT_EQ(pieces, up);
    EXPECT_EQ(pieces, down);
}

// B goes up once, in parts, A in blocks of rows of which the first is twice as high, C comes back
// in as many; what lies between C's rows stays. Each block has its part of a bias.
TEST_P(Streams, Products) {
    constexpr size_t kK = 61, kN = 50, kPartsOfB = 8;
    constexpr int32_t kHigh = 450000; // near the middle of the results
    for (const size_t m : {15, 32, 33, 100})
        for (const size_t ldc : {kN, kN + 3})
            for (const gp_layout layout : {GP_ROW_MAJOR, GP_COLUMN_MAJOR})
                for (const gp_transpose transpose_b : {gp_transpose(GP_NO_TRANSPOSE), gp_transpose(GP_TRANSPOSE)})
                    for (const int32_t beta : {0, 2}) {
                        SCOPED_TRACE(testing::Message() << "m = " << m << ", ldc = " << ldc << ", layout " << layout
                                                        << ", transpose " << transpose_b << ", beta = " << beta);
                        std::mt19937_64 random(m);
                        std::vector<int32_t> a(m * kK), b(kK * kN), before((m - 1) * ldc + kN);
                        for (auto *each : {&a, &b, &before})
                            for (int32_t &x : *each) x = static_cast<int32_t>(random() % 100);
                        const auto in_b = [&](size_t l, size_t j) {
                            return b[transpose_b == GP_TRANSPOSE ? j * kK + l : l * kN + j];
                        };
                        const int32_t alpha = 3;
                        std::vector<int32_t> bias(std::max(m, kN));
                        for (int32_t &x : bias) x = static_cast<int32_t>(random() % 100);
                        const bool by_row = ldc % 2 == 0; // of the matrix as it is computed here
                        const bool finishes = m != 33;
                        std::vector<int32_t> expected = before;
                        for (size_t i = 0; i < m; ++i)
                            for (size_t j = 0; j < kN; ++j) {
                                int32_t sum = 0;
                                for (size_t l = 0; l < kK; ++l) sum += a[i * kK + l] * in_b(l, j);
                                int32_t &x = expected[i * ldc + j];
                                x = alpha * sum + beta * before[i * ldc + j];
                                if (finishes) x = std::min(x + bias[by_row ? i : j], kHigh);
                            }
                        Guarded<int32_t> c(before);
                        gp_event *event = nullptr;
                        gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
                        options.layout = layout;
                        options.event = &event;
                        options.alpha = &alpha;
                        options.beta = &beta;
                        if (finishes) {
                            options.bias = bias.data();
                            options.bias_by = by_row == (layout == GP_ROW_MAJOR) ? GP_BIAS_BY_ROW : GP_BIAS_BY_COLUMN;
                            options.activation = GP_CLAMP;
                            options.clamp_high = &kHigh;
                        }
                        const size_t ldb = transpose_b == GP_TRANSPOSE ? kK : kN;
                        // What is row-major is the transpose of what is column-major: C' = B' A'.
                        (layout == GP_ROW_MAJOR ? options.transpose_b : options.transpose_a) = transpose_b;
                        ASSERT_OK(layout == GP_ROW_MAJOR ? gp_matmul(context_, GP_INT32, m, kN, kK, a.data(), kK,
                                                                     b.data(), ldb, c.data(), ldc, &options)
                                                         : gp_matmul(context_, GP_INT32, kN, m, kK, b.data(), ldb,
                                                                     a.data(), kK, c.data(), ldc, &options));
                        ASSERT_TRUE(same_bits(expected, c.values()));
                        ASSERT_TRUE(c.intact()) << "a canary was overwritten";
                        const auto [up, down] = copies(event);
                        if (m * kK * sizeof(int32_t) <= kPiece) continue;
                        const size_t rows = kPiece / (kK * sizeof(int32_t));
                        const size_t blocks = m <= 2 * rows ? 1 : 1 + (m - 2 * rows + rows - 1) / rows;
                        EXPECT_EQ(kPartsOfB + blocks * (beta != 0 ? 2 : 1), up)
                            << "B, and of each block A, and C that counts";
                        EXPECT_EQ(blocks, down);
                    }
}

// Keys, pairs and orders around the borders of pieces: what the whole gives, and as many copies to
// the device as pieces; in several ranges from there, but where all keys share the highest digit.
template <class T> struct Sorted {
    std::vector<T> keys;
    std::vector<uint64_t> order;
    Sorted(const std::vector<T> &in, bool descending) : keys(in.size()), order(in.size()) {
        std::iota(order.begin(), order.end(), uint64_t(0));
        std::stable_sort(order.begin(), order.end(),
                         [&](size_t a, size_t b) { return descending ? in[b] < in[a] : in[a] < in[b]; });
        for (size_t i = 0; i < in.size(); ++i) keys[i] = in[order[i]];
    }
};

template <class T> std::vector<T> sortable(size_t n, bool one_digit) {
    std::vector<T> keys(n);
    std::mt19937_64 random(n);
    for (T &key : keys) {
        const auto some = static_cast<int64_t>(random()) >> (8 * (8 - sizeof(T)));
        if constexpr (std::is_floating_point_v<T>)
            key = static_cast<T>(one_digit ? 1 + double(some & 0xff) / 512 : double(some) * (some % 3 == 0 ? 1e-9 : 1));
        else
            key = static_cast<T>(one_digit ? some & 0x7f : some);
        if (!one_digit && random() % 4 == 0) key = keys[random() % n]; // some twice
    }
    return keys;
}

template <class T> void check_sorts(gp_context *context, gp_dtype type, size_t n, bool descending, bool one_digit,
                                    const std::function<std::pair<size_t, size_t>(gp_event *)> &copies) {
    if (n > max_n()) return;
    SCOPED_TRACE(testing::Message() << gp_dtype_name(type) << ", n = " << n << (descending ? ", descending" : "")
                                    << (one_digit ? ", one digit" : ""));
    const auto in = sortable<T>(n, one_digit);
    const Sorted<T> sorted(in, descending);
    gp_event *event = nullptr;
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.order = descending ? GP_DESCENDING : GP_ASCENDING;
    options.event = &event;
    const auto check_copies = [&](size_t largest, size_t up_each, size_t down_each) {
        const size_t piece = kPiece / largest, pieces = (n + piece - 1) / piece;
        const auto [up, down] = copies(event);
        if (pieces < 2) return;
        EXPECT_EQ(pieces * up_each, up);
        if (one_digit) {
            EXPECT_EQ(1 + down_each, down) << "and where digits begin";
        } else if (pieces > 8) {
            EXPECT_GT(down, 1 + down_each);
        }
    };
    Guarded<T> keys(in);
    ASSERT_OK(gp_sort(context, type, n, keys.data(), &options));
    ASSERT_TRUE(same_bits(sorted.keys, keys.values()) && keys.intact());
    check_copies(sizeof(T), 1, 1);

    for (const size_t size : {1, 4, 20}) {
        std::vector<uint8_t> before(n * size), after(n * size);
        for (uint8_t &x : before) x = static_cast<uint8_t>((&x - before.data()) * 37 >> 2);
        for (size_t i = 0; i < n; ++i)
            std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(sorted.order[i] * size), size,
                        after.begin() + static_cast<std::ptrdiff_t>(i * size));
        Guarded<T> pairs(in);
        Guarded<uint8_t> values(before);
        ASSERT_OK(gp_sort_pairs(context, type, n, pairs.data(), size, values.data(), &options));
        ASSERT_TRUE(same_bits(sorted.keys, pairs.values()) && pairs.intact()) << "values of " << size;
        ASSERT_TRUE(same_bits(after, values.values()) && values.intact()) << "values of " << size;
        check_copies(std::max(size, sizeof(T)), 2, 2);
    }

    Guarded<T> read(in);
    Guarded<uint32_t> small(n);
    ASSERT_OK(gp_argsort(context, type, n, read.data(), GP_UINT32, small.data(), &options));
    ASSERT_TRUE(same_bits(std::vector<uint32_t>(sorted.order.begin(), sorted.order.end()), small.values()));
    check_copies(std::max(sizeof(T), sizeof(uint32_t)), 1, 1);
    Guarded<uint64_t> large(n);
    ASSERT_OK(gp_argsort(context, type, n, read.data(), GP_UINT64, large.data(), &options));
    ASSERT_TRUE(same_bits(sorted.order, large.values()));
    check_copies(sizeof(uint64_t), 1, 1);
    ASSERT_TRUE(same_bits(in, read.values()) && read.intact() && small.intact() && large.intact());
}

TEST_P(Streams, SortsAroundTheBorders) {
    for (const bool one_digit : {false, true}) {
        for (const size_t n : {kPiece / 8 - 1, kPiece / 8 + 1, kPiece / 4 - 1, kPiece / 4, kPiece / 4 + 1,
                               kPiece / 2 - 1, kPiece / 2 + 1, 5 * kPiece + 1})
            check_sorts<int32_t>(context_, GP_INT32, n, n % 2 == 0, one_digit, copies);
        for (const size_t n : {kPiece / 4 + 1, 3 * kPiece - 7}) {
            check_sorts<uint64_t>(context_, GP_UINT64, n, n % 2 == 0, one_digit, copies);
            check_sorts<float>(context_, GP_FLOAT32, n, n % 2 == 0, one_digit, copies);
            check_sorts<int16_t>(context_, GP_INT16, n, n % 2 != 0, one_digit, copies);
        }
        if (HasFatalFailure()) return;
    }
}

// By a range of the keys' bits, of fewer than a digit and of more; whoever names an algorithm, or
// lends work space, gets the whole.
TEST_P(Streams, SortsByBitsAndWhole) {
    const size_t n = std::min<size_t>(max_n(), 5000);
    const auto in = sortable<int32_t>(n, false);
    for (const auto &[begin, end] : {std::pair<uint32_t, uint32_t>{3, 8}, {5, 24}, {31, 32}}) {
        auto expected = in;
        std::stable_sort(expected.begin(), expected.end(), [begin = begin, end = end](int32_t a, int32_t b) {
            const auto digit = [&](int32_t x) {
                const uint64_t ordered = static_cast<uint32_t>(x) ^ 0x80000000u;
                return (ordered & ((uint64_t(1) << end) - 1)) >> begin;
            };
            return digit(a) < digit(b);
        });
        gp_sort_options options = GP_SORT_OPTIONS_INIT;
        options.begin_bit = begin;
        options.end_bit = end;
        Guarded<int32_t> keys(in);
        ASSERT_OK(gp_sort(context_, GP_INT32, n, keys.data(), &options));
        ASSERT_TRUE(same_bits(expected, keys.values()) && keys.intact()) << begin << " to " << end;
    }
    gp_event *event = nullptr;
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.event = &event;
    options.algorithm = "merged-runs";
    Guarded<int32_t> keys(in);
    ASSERT_OK(gp_sort(context_, GP_INT32, n, keys.data(), &options));
    ASSERT_TRUE(same_bits(Sorted<int32_t>(in, false).keys, keys.values()));
    const auto [up, down] = copies(event);
    EXPECT_LE(up, 1u);
    EXPECT_LE(down, 1u);
}

// An algorithm that takes no carries takes the whole; switched off, every call does.
TEST_P(Streams, WholeWhereTheyMustBe) {
    const size_t n = std::min<size_t>(max_n(), 5000);
    std::vector<int32_t> in(n, 1), out(n);
    for (const char *off : {"4096", "0"}) {
        setenv("GPCL_STREAM", off, 1);
        gp_event *event = nullptr;
        gp_scan_options options = GP_SCAN_OPTIONS_INIT;
        options.event = &event;
        options.algorithm = *off == '0' ? nullptr : "work-efficient";
        ASSERT_OK(gp_scan(context_, GP_INT32, n, in.data(), out.data(), &options));
        EXPECT_EQ(static_cast<int32_t>(n), out[n - 1]);
        const auto [up, down] = copies(event);
        EXPECT_LE(up, 1u);
        EXPECT_LE(down, 1u);
    }
}

} // namespace

// Scan of rows, columns and segments, with accumulators of other types, against one loop a segment.
// SPDX-License-Identifier: MIT
#include "rows.h"

#include "../reference/scan.h"

namespace {

using namespace test;
using reference::half;
using reference::widen;

constexpr uint8_t kNone = 0, kSome = 1, kMany = 2, kAll = 3, kBorders = 4, kEnds = 5; // where segments begin
constexpr uint8_t kPatterns[] = {kNone, kSome, kMany, kAll, kBorders, kEnds};

// Any byte but 0 is a flag. kBorders: at, before and behind every place at which an algorithm might
// begin anew; kEnds: the last element alone is a segment.
uint8_t flag(uint8_t pattern, size_t i, size_t n, std::mt19937_64 &random) {
    const auto some = static_cast<uint8_t>(1 + random() % 255);
    switch (pattern) {
    case kSome: return random() % 50 == 0 ? some : 0;
    case kMany: return random() % 3 == 0 ? some : 0;
    case kAll: return some;
    case kBorders: return (i + 1) % 256 <= 2 && random() % 2 == 0 ? some : 0;
    case kEnds: return i + 1 == n ? some : 0;
    default: return 0;
    }
}

template <class P> struct Case {
    using In = typename P::in;
    using Sum = typename P::sum;
    Shape from, to;
    std::vector<In> in;
    std::vector<uint8_t> heads;
    std::vector<Sum> before, expected; // of out; gaps keep what `before` holds
    gp_scan_options options = GP_SCAN_OPTIONS_INIT;

    Case(const Shape &from, const Shape &to, uint8_t pattern, bool exclusive, bool reverse, gp_operator op = GP_ADD)
        : from(from), to(to), in(addends<In, Sum>(from.span(), from.n + from.batch)), heads(from.span(), 0),
          before(to.span(), Sum(77)), expected(before) {
        std::mt19937_64 random(from.n + pattern);
        for (size_t row = 0; row < from.batch; ++row) {
            std::vector<Sum> values(from.n);
            std::vector<bool> begins(from.n);
            for (size_t i = 0; i < from.n; ++i) {
                const size_t at = from.at(row, i);
                values[i] = static_cast<Sum>(widen(in[at]));
                heads[at] = flag(pattern, i, from.n, random);
                begins[i] = heads[at] != 0;
            }
            const auto result = reference::scan_segments(
                values, begins, reference::identity<Sum>(op),
                [op](Sum a, Sum b) { return reference::combine(op, a, b); }, exclusive, reverse);
            for (size_t i = 0; i < from.n; ++i) expected[to.at(row, i)] = result[i];
        }
        options.op = op;
        options.kind = exclusive ? GP_EXCLUSIVE : GP_INCLUSIVE;
        options.direction = reverse ? GP_REVERSE : GP_FORWARD;
        options.batch = from.batch;
        options.stride_in = from.stride();
        options.stride_out = to.stride();
        options.step_in = from.next();
        options.step_out = to.next();
        if constexpr (!std::is_same_v<In, Sum>) options.accumulator = code<Sum>();
        name = from.text() + " to " + to.text() + ", pattern " + std::to_string(pattern) +
               (exclusive ? ", exclusive" : ", inclusive") + (reverse ? ", reverse" : ", forward");
    }
    std::string name;
};

template <class P> void check_by(const std::vector<const char *> &names, Case<P> data, bool segmented) {
    using In = typename P::in;
    using Sum = typename P::sum;
    for (const char *algorithm : names) {
        if (testing::Test::HasFatalFailure()) return;
        SCOPED_TRACE(data.name + ", " + name(algorithm));
        data.options.algorithm = algorithm;
        Guarded<In> source(data.in);
        Guarded<uint8_t> heads(data.heads);
        Guarded<Sum> out(data.before);
        data.options.heads = segmented ? heads.data() : nullptr;
        const gp_status status = gp_scan(context(), code<In>(), data.from.n, source.data(), out.data(), &data.options);
        if (refused(GP_SCAN, algorithm, status)) {
            EXPECT_TRUE(same_bits(data.before, out.values()));
            continue;
        }
        ASSERT_OK(status);
        ASSERT_TRUE(same_bits(data.expected, out.values()));
        ASSERT_TRUE(source.intact() && out.intact()) << "a canary was overwritten";
        ASSERT_TRUE(same_bits(data.in, source.values())) << "the input was changed";
    }
}

template <class P> void check(Case<P> data, bool segmented, bool named) {
    check_by(algorithms(GP_SCAN, named), std::move(data), segmented);
}

template <class P> class ScanRows : public RowsTest<P> {};
TYPED_TEST_SUITE(ScanRows, RowTypes, RowTypeNames);

TYPED_TEST(ScanRows, EveryShape) {
    size_t turn = 0;
    for (const Shape &shape : shapes<TypeParam>()) {
        for (const bool other : {false, true}) { // out lies differently
            Shape to = shape;
            if (other) to.gap += 3;
            if (to.span() > max_n() || this->HasFatalFailure()) continue;
            ++turn;
            check(Case<TypeParam>(shape, to, kNone, turn % 2 == 0, turn / 2 % 2 == 0), false, named_for<TypeParam>());
        }
    }
}

TYPED_TEST(ScanRows, EverySegmentation) {
    size_t turn = 0;
    for (const Shape &shape : shapes<TypeParam>()) {
        for (const uint8_t pattern : kPatterns) {
            if (this->HasFatalFailure()) return;
            const bool exclusive = ++turn % 2 == 0, reverse = turn / 2 % 2 == 0;
            check(Case<TypeParam>(shape, shape, pattern, exclusive, reverse), true, named_for<TypeParam>());
        }
    }
}

// The elements that a work-group takes at once, from what the algorithm's parameters say.
size_t tile_of(gp_dtype type, const char *algorithm) {
    size_t count = 0, tile = 1;
    EXPECT_OK(gp_parameters(GP_SCAN, &count));
    for (size_t i = 0; i < count; ++i) {
        gp_parameter_info info = {};
        info.struct_size = sizeof info;
        EXPECT_OK(gp_parameter_describe(context(), GP_SCAN, type, i, &info));
        const std::string_view of = info.algorithm, name = info.name;
        if (of != algorithm) continue;
        if (name == "group" || name == "items") tile *= info.value;
        if (name == "vectors") tile *= info.value * 16 / gp_dtype_size(type);
    }
    return tile;
}

// Rows that end before, at and behind the ends of tiles, and in many of them; flags as well. So
// many elements that tiles need what comes before them.
template <class T> void check_tile_borders() {
    if (on_host()) GTEST_SKIP() << "\"host\" has no tiles";
    if (lacks(dtype<T>())) GTEST_SKIP() << "the device lacks the type";
    size_t turn = 0;
    for (const auto &[algorithm, fallback] : {std::pair("staged-rows", "staged-segments-fallback"),
                                              std::pair("staged-segments", "staged-segments-fallback"),
                                              std::pair("look-back-segments", "look-back-segments-fallback")}) {
        const size_t tile = tile_of(dtype<T>(), algorithm);
        for (const size_t n : {size_t{1}, size_t{2}, size_t{33}, tile / 2, tile / 2 + 1, tile - 1, tile, tile + 1,
                               2 * tile + 3, 3 * tile}) {
            const Shape shape{n, std::max<size_t>((3 * tile + 5) / n, 2)};
            if (shape.span() > max_n()) continue;
            for (const uint8_t pattern : {kNone, kSome, kBorders, kEnds}) {
                if (testing::Test::HasFailure()) return;
                const bool exclusive = ++turn % 2 == 0, reverse = turn / 2 % 2 == 0;
                check_by({algorithm, fallback}, Case<Pair<T>>(shape, shape, pattern, exclusive, reverse),
                         pattern != kNone);
            }
        }
    }
}

TEST(ScanRowsTiles, BordersOfInt32) { check_tile_borders<int32_t>(); }
TEST(ScanRowsTiles, BordersOfFloat64) { check_tile_borders<double>(); }

// Sums of reals, whose last bits tell in which order they were added.
TEST(ScanRowsTiles, SameBitsEachTime) {
    const size_t n = std::min<size_t>(max_n(), 200003);
    const auto in = real_values<float>(n);
    std::vector<uint8_t> heads(n);
    for (size_t i = 0; i < n; ++i) heads[i] = i % 30011 == 7;
    for (const char *algorithm : {"staged-rows", "staged-segments", "staged-segments-fallback", "look-back-segments",
                                  "look-back-segments-fallback", "segments", "columns"})
        for (const bool segmented : {false, true}) {
            SCOPED_TRACE(std::string(algorithm) + (segmented ? ", flags" : ", rows"));
            gp_scan_options options = GP_SCAN_OPTIONS_INIT;
            options.algorithm = algorithm;
            options.batch = segmented ? 1 : 3;
            options.heads = segmented ? heads.data() : nullptr;
            std::vector<float> first;
            for (int run = 0; run < 5; ++run) {
                std::vector<float> out(n, 77);
                const gp_status status =
                    gp_scan(context(), GP_FLOAT32, n / options.batch, in.data(), out.data(), &options);
                if (refused(GP_SCAN, algorithm, status)) break;
                ASSERT_OK(status);
                if (run == 0) first = out;
                ASSERT_TRUE(same_bits(first, out)) << "run " << run;
            }
        }
}

// One row without segments, at the ends of chunks and where threads begin on "host".
TYPED_TEST(ScanRows, OneRow) {
    for (const size_t n : {1u, 2u, 33u, 1009u, 16511u, 16512u, 16513u, 33025u, 160001u, 200003u}) {
        if (n > max_n()) break;
        for (const gp_operator op : {GP_ADD, GP_MAXIMUM})
            for (const auto &[exclusive, reverse] :
                 {std::pair(false, false), std::pair(true, false), std::pair(false, true), std::pair(true, true)}) {
                if (this->HasFatalFailure()) return;
                check(Case<TypeParam>(Shape{n, 1}, Shape{n, 1}, kNone, exclusive, reverse, op), false, false);
            }
    }
}

// More than the caches hold, which CPUs scan slab by slab.
TYPED_TEST(ScanRows, PastTheCaches) {
    const size_t n = past_caches(sizeof(typename TypeParam::in) + sizeof(typename TypeParam::sum));
    if (!takes_past_caches()) GTEST_SKIP() << "so many elements take too long here";
    const Shape one{n, 1}, three{n / 3 + 1, 3, false, 5};
    check(Case<TypeParam>(one, one, kBorders, true, false), true, false);
    check(Case<TypeParam>(three, three, kSome, false, true), true, false);
    if (std::is_integral_v<typename TypeParam::sum>) // floats' sums would be rounded
        check(Case<TypeParam>(three, three, kNone, true, true), false, false);
}

TYPED_TEST(ScanRows, MinimumOfSegments) {
    for (const Shape &shape : {Shape{300, 3}, Shape{70, 40, true}, Shape{10007, 1}}) {
        if (shape.span() > max_n()) continue;
        check(Case<TypeParam>(shape, shape, kSome, false, false, GP_MINIMUM), true, false);
        check(Case<TypeParam>(shape, shape, kSome, true, true, GP_MINIMUM), true, false);
    }
}

// The enqueue form, at odd offsets, with the flags at another; in place where the types allow it.
TYPED_TEST(ScanRows, BuffersAtOddOffsets) {
    using In = typename TypeParam::in;
    using Sum = typename TypeParam::sum;
    for (const Shape &shape : {Shape{33, 1}, Shape{40, 5, false, 3}, Shape{20, 30, true, 1}, Shape{10007, 1}}) {
        if (shape.span() > max_n()) continue;
        for (const bool reverse : {false, true}) {
            Case<TypeParam> data(shape, shape, kSome, false, reverse);
            SCOPED_TRACE(data.name);
            DeviceArray<In> source(data.in, 3);
            DeviceArray<uint8_t> heads(data.heads, 7);
            DeviceArray<Sum> out(data.before, 5);
            data.options.heads_buffer = heads.buffer();
            data.options.heads_offset = heads.offset();
            ASSERT_OK(gp_enqueue_scan(context(), code<In>(), shape.n, source.buffer(), source.offset(), out.buffer(),
                                      out.offset(), &data.options, 0, nullptr, nullptr));
            ASSERT_OK(gp_finish(context()));
            ASSERT_TRUE(same_bits(data.expected, out.values()));
            ASSERT_TRUE(same_bits(data.in, source.values()));
            if constexpr (std::is_same_v<In, Sum>) {
                ASSERT_OK(gp_enqueue_scan(context(), code<In>(), shape.n, source.buffer(), source.offset(),
                                          source.buffer(), source.offset(), &data.options, 0, nullptr, nullptr));
                auto expected = data.in; // its own gaps
                for (size_t row = 0; row < shape.batch; ++row)
                    for (size_t i = 0; i < shape.n; ++i) expected[shape.at(row, i)] = data.expected[shape.at(row, i)];
                ASSERT_OK(gp_finish(context()));
                ASSERT_TRUE(same_bits(expected, source.values()));
            }
        }
    }
}

// Maps that do not commute, composed within segments.
TEST(ScanRowsText, AffineSegments) {
    if (on_host()) GTEST_SKIP() << "the host takes no operator text";
    for (const Shape &shape : {Shape{257, 3, false, 1}, Shape{9001, 1}, Shape{50, 70, true}}) {
        if (shape.span() > max_n()) continue;
        for (const bool reverse : {false, true}) {
            Case<Pair<uint64_t>> data(shape, shape, kSome, false, reverse);
            data.in = affine_maps(shape.span());
            data.expected = data.before;
            for (size_t row = 0; row < shape.batch; ++row) {
                std::vector<uint64_t> values(shape.n);
                std::vector<bool> begins(shape.n);
                for (size_t i = 0; i < shape.n; ++i) {
                    values[i] = data.in[shape.at(row, i)];
                    begins[i] = data.heads[shape.at(row, i)] != 0;
                }
                const auto result = reference::scan_segments(values, begins, kAffineOne, affine, false, reverse);
                for (size_t i = 0; i < shape.n; ++i) data.expected[shape.at(row, i)] = result[i];
            }
            data.options.operator_source = kAffineSource;
            data.options.operator_identity = kAffineIdentity;
            data.options.operator_helpers = kAffineHelpers;
            check(data, true, true);
        }
    }
}

// NaN and infinity end with their segment; a sum of -0 is +0.
TEST(ScanRowsSpecial, StayInTheirSegment) {
    constexpr size_t kN = 90;
    std::vector<float> in(kN, -0.0f), expected(kN, 0.0f);
    std::vector<uint8_t> heads(kN);
    heads[30] = heads[60] = 1;
    in[10] = std::numeric_limits<float>::infinity();
    std::fill(expected.begin() + 10, expected.begin() + 30, in[10]);
    in[40] = std::numeric_limits<float>::quiet_NaN();
    for (const char *algorithm : algorithms(GP_SCAN)) {
        SCOPED_TRACE(name(algorithm));
        gp_scan_options options = GP_SCAN_OPTIONS_INIT;
        options.algorithm = algorithm;
        options.heads = heads.data();
        std::vector<float> out(kN, 77);
        const gp_status status = gp_scan(context(), GP_FLOAT32, kN, in.data(), out.data(), &options);
        if (refused(GP_SCAN, algorithm, status)) continue;
        ASSERT_OK(status);
        for (size_t i = 0; i < kN; ++i) {
            if (i >= 40 && i < 60) {
                ASSERT_TRUE(std::isnan(out[i])) << i;
            } else {
                ASSERT_EQ(expected[i], out[i]) << i;
                ASSERT_FALSE(std::signbit(out[i])) << i;
            }
        }
    }
}

TEST(ScanRowsErrors, AreRefused) {
    constexpr size_t kN = 12;
    std::vector<int32_t> in(100, 1), out(200, 7);
    std::vector<uint8_t> heads(100);
    const auto refused = [&](gp_status expected, const char *word, gp_dtype type, const void *from, void *to,
                             const auto &set) {
        gp_scan_options options = GP_SCAN_OPTIONS_INIT;
        set(options);
        EXPECT_EQ(expected, gp_scan(context(), type, kN, from, to, &options)) << word;
        EXPECT_NE(nullptr, std::strstr(gp_error_message(), word)) << gp_error_message();
        EXPECT_EQ(std::vector<int32_t>(200, 7), out);
    };
    const auto sum = [](gp_dtype type) { return [type](gp_scan_options &o) { o.accumulator = type; }; };
    refused(GP_ERROR_DTYPE, "accumulator", GP_INT32, in.data(), out.data(), sum(GP_UINT64));
    refused(GP_ERROR_DTYPE, "accumulator", GP_INT32, in.data(), out.data(), sum(GP_FLOAT32));
    refused(GP_ERROR_DTYPE, "accumulator", GP_FLOAT32, in.data(), out.data(), sum(GP_INT64));
    refused(GP_ERROR_DTYPE, "accumulator", GP_INT8, in.data(), out.data(), sum(GP_INT16));
    refused(GP_ERROR_DTYPE, "accumulator", GP_INT32, in.data(), out.data(), sum(99));
    refused(GP_ERROR_DTYPE, "dtype", GP_INT8, in.data(), out.data(), sum(0));
    refused(GP_ERROR_DTYPE, "dtype is unknown (99); expected a gp_dtype", 99, in.data(), out.data(), sum(GP_INT64));
    refused(GP_ERROR_BATCH_STRIDE, "stride_out", GP_INT32, in.data(), out.data(), [](gp_scan_options &o) {
        o.batch = 3;
        o.stride_out = kN - 1;
    });
    refused(GP_ERROR_BATCH_STRIDE, "step_out", GP_INT32, in.data(), out.data(), [](gp_scan_options &o) {
        o.batch = 3;
        o.stride_out = 1;
        o.step_out = 2;
    });
    refused(GP_ERROR_SIZE_OVERFLOW, "in", GP_INT32, in.data(), out.data(), [](gp_scan_options &o) {
        o.batch = SIZE_MAX / 2;
        o.stride_in = 3;
    });
    refused(GP_ERROR_OPTION, "heads_buffer", GP_INT32, in.data(), out.data(),
            [&](gp_scan_options &o) { o.heads_buffer = reinterpret_cast<gp_buffer *>(&o); });
    refused(GP_ERROR_OVERLAP, "heads", GP_INT32, in.data(), out.data(),
            [&](gp_scan_options &o) { o.heads = reinterpret_cast<const uint8_t *>(out.data() + 2); });
    refused(GP_ERROR_OVERLAP, "overlap", GP_INT32, out.data(), out.data(), [](gp_scan_options &o) { o.step_out = 2; });
    refused(GP_ERROR_OVERLAP, "overlap", GP_INT32, out.data(), out.data(), sum(GP_INT64));
}

} // namespace

// Reduce of rows and columns, with accumulators of other types, against one loop a row.
// SPDX-License-Identifier: MIT
#include "rows.h"

#include "../reference/reduce.h"

namespace {

using namespace test;
using reference::widen;

// Results with a gap of one between them keep what lies there.
template <class P, class Reduce> void check(const Shape &shape, const std::vector<typename P::in> &in,
                                            gp_reduce_options options, const std::vector<const char *> &names,
                                            const Reduce &reduce) {
    using In = typename P::in;
    using Sum = typename P::sum;
    for (const size_t stride : {1, 2}) {
        std::vector<Sum> before((shape.batch - 1) * stride + 1, Sum(77)), expected = before;
        for (size_t row = 0; row < shape.batch; ++row) {
            std::vector<Sum> values(shape.n);
            for (size_t i = 0; i < shape.n; ++i) values[i] = static_cast<Sum>(widen(in[shape.at(row, i)]));
            expected[row * stride] = reduce(values);
        }
        options.batch = shape.batch;
        options.stride_in = shape.stride();
        options.step_in = shape.next();
        options.stride_out = stride > 1 ? stride : 0;
        if constexpr (!std::is_same_v<In, Sum>) options.accumulator = code<Sum>();
        for (const char *algorithm : names) {
            if (testing::Test::HasFatalFailure()) return;
            SCOPED_TRACE(shape.text() + ", " + name(algorithm));
            options.algorithm = algorithm;
            Guarded<In> source(in);
            Guarded<Sum> out(before);
            const gp_status status = gp_reduce(context(), code<In>(), shape.n, source.data(), out.data(), &options);
            if (refused(GP_REDUCE, algorithm, status)) {
                EXPECT_TRUE(same_bits(before, out.values()));
                continue;
            }
            ASSERT_OK(status);
            ASSERT_TRUE(same_bits(expected, out.values()));
            ASSERT_TRUE(source.intact() && out.intact()) << "a canary was overwritten";
            ASSERT_TRUE(same_bits(in, source.values())) << "the input was changed";
        }
    }
}

template <class P> class ReduceRows : public RowsTest<P> {};
TYPED_TEST_SUITE(ReduceRows, RowTypes, RowTypeNames);

TYPED_TEST(ReduceRows, EveryShape) {
    using In = typename TypeParam::in;
    using Sum = typename TypeParam::sum;
    for (const Shape &shape : shapes<TypeParam>()) {
        for (const gp_operator op : {GP_ADD, GP_MAXIMUM}) {
            if (this->HasFatalFailure() || (op == GP_MAXIMUM && !named_for<TypeParam>())) continue;
            gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
            options.op = op;
            const auto in = addends<In, Sum>(shape.span(), shape.n + shape.batch);
            check<TypeParam>(shape, in, options, algorithms(GP_REDUCE, named_for<TypeParam>()),
                             [op](const std::vector<Sum> &row) {
                                 return reference::reduce(row, reference::identity<Sum>(op),
                                                          [op](Sum a, Sum b) { return reference::combine(op, a, b); });
                             });
        }
    }
}

// At the ends of vectors and of chunks on "host".
TYPED_TEST(ReduceRows, OneRow) {
    using In = typename TypeParam::in;
    using Sum = typename TypeParam::sum;
    for (const size_t n : {1u, 2u, 15u, 16u, 17u, 33u, 1009u, 16383u, 16384u, 16385u, 200003u}) {
        if (n > max_n() || this->HasFatalFailure()) return;
        for (const gp_operator op : {GP_ADD, GP_MINIMUM}) {
            gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
            options.op = op;
            check<TypeParam>(Shape{n, 1}, addends<In, Sum>(n, n), options, algorithms(GP_REDUCE, false),
                             [op](const std::vector<Sum> &row) {
                                 return reference::reduce(row, reference::identity<Sum>(op),
                                                          [op](Sum a, Sum b) { return reference::combine(op, a, b); });
                             });
        }
    }
}

template <class In, class Sum> std::vector<Sum> sums_of(const std::vector<In> &in, const Shape &shape) {
    std::vector<Sum> sums;
    for (size_t row = 0; row < shape.batch; ++row) {
        Sum sum{0};
        for (size_t i = 0; i < shape.n; ++i)
            sum = reference::wrapping_add(sum, static_cast<Sum>(widen(in[shape.at(row, i)])));
        sums.push_back(sum);
    }
    return sums;
}

template <class In, class Sum> gp_reduce_options options_of(const Shape &shape) {
    gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
    options.batch = shape.batch;
    options.stride_in = shape.stride();
    options.step_in = shape.next();
    if constexpr (!std::is_same_v<In, Sum>) options.accumulator = code<Sum>();
    return options;
}

// Sums of 8 and 16 bits that need all bits of their accumulators, of rows and of columns.
template <class In, class Sum> void check_sums_of(In element) {
    for (const Shape &shape : {Shape{40000, 1}, Shape{17, 40}, Shape{40000, 2, true, 0}, Shape{70, 37, true, 0}}) {
        if (shape.span() > max_n()) continue;
        const std::vector<In> in(shape.span(), element);
        const gp_reduce_options options = options_of<In, Sum>(shape);
        std::vector<Sum> out(shape.batch);
        ASSERT_OK(gp_reduce(context(), code<In>(), shape.n, in.data(), out.data(), &options));
        ASSERT_TRUE(same_bits(sums_of<In, Sum>(in, shape), out)) << shape.text();
    }
}
TEST(ReduceRowsSpecial, SumsOfExtremes) {
    check_sums_of<int8_t, int64_t>(-128);
    check_sums_of<uint8_t, uint64_t>(255);
    check_sums_of<int16_t, int64_t>(-32768);
    check_sums_of<uint16_t, uint64_t>(65535);
    check_sums_of<int32_t, int64_t>(INT32_MIN);
    check_sums_of<uint32_t, uint64_t>(UINT32_MAX);
}

TYPED_TEST(ReduceRows, BuffersAtOddOffsets) {
    using In = typename TypeParam::in;
    using Sum = typename TypeParam::sum;
    for (const Shape &shape : {Shape{33, 1}, Shape{0, 4}, Shape{40, 5, false, 3}, Shape{20, 30, true, 1}}) {
        const auto in = addends<In, Sum>(shape.span(), 5);
        const auto expected = sums_of<In, Sum>(in, shape);
        gp_reduce_options options = options_of<In, Sum>(shape);
        DeviceArray<In> source(in, 3);
        DeviceArray<Sum> out(std::vector<Sum>(shape.batch), 5);
        ASSERT_OK(gp_enqueue_reduce(context(), code<In>(), shape.n, source.buffer(), source.offset(), out.buffer(),
                                    out.offset(), &options, 0, nullptr, nullptr));
        ASSERT_OK(gp_finish(context()));
        ASSERT_TRUE(same_bits(expected, out.values())) << shape.text();
    }
}

TYPED_TEST(ReduceRows, VectorsAtEveryOffset) {
    using In = typename TypeParam::in;
    using Sum = typename TypeParam::sum;
    if (on_host()) GTEST_SKIP() << "the host has no such algorithms";
    const VectorShape small(GP_REDUCE, code<In>());
    for (const Shape &shape : vector_shapes()) {
        const auto in = addends<In, Sum>(shape.span(), shape.n + shape.batch);
        const auto expected = sums_of<In, Sum>(in, shape);
        gp_reduce_options options = options_of<In, Sum>(shape);
        for (const char *algorithm : VectorShape::kVectorAlgorithms) {
            const size_t offset = (shape.n / 2 + shape.batch) % 8;
            SCOPED_TRACE(shape.text() + ", offset " + std::to_string(offset) + ", " + algorithm);
            options.algorithm = algorithm;
            DeviceArray<In> source(in, offset);
            DeviceArray<Sum> out(std::vector<Sum>(shape.batch), 5);
            const gp_status status = gp_enqueue_reduce(context(), code<In>(), shape.n, source.buffer(), source.offset(),
                                                       out.buffer(), out.offset(), &options, 0, nullptr, nullptr);
            if (refused(GP_REDUCE, algorithm, status)) continue;
            ASSERT_OK(status);
            ASSERT_OK(gp_finish(context()));
            ASSERT_TRUE(same_bits(expected, out.values()));
            ASSERT_TRUE(same_bits(in, source.values())) << "the input was changed";
        }
    }
}

TEST(ReduceRowsText, ComposesMapsInSmallGroups) {
    if (on_host()) GTEST_SKIP() << "the host takes no operator text";
    gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
    options.operator_source = kAffineSource;
    options.operator_identity = kAffineIdentity;
    options.operator_helpers = kAffineHelpers;
    const VectorShape small(GP_REDUCE, GP_UINT64);
    for (const Shape &shape : vector_shapes())
        check<Pair<uint64_t>>(
            shape, affine_maps(shape.span()), options,
            {VectorShape::kVectorAlgorithms.begin(), VectorShape::kVectorAlgorithms.end()},
            [](const std::vector<uint64_t> &row) { return reference::reduce(row, kAffineOne, affine); });
}

TEST(ReduceRowsText, ComposesMaps) {
    if (on_host()) GTEST_SKIP() << "the host takes no operator text";
    gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
    options.operator_source = kAffineSource;
    options.operator_identity = kAffineIdentity;
    options.operator_helpers = kAffineHelpers;
    for (const Shape &shape : shapes<Pair<int32_t>>())
        check<Pair<uint64_t>>(
            shape, affine_maps(shape.span()), options, algorithms(GP_REDUCE),
            [](const std::vector<uint64_t> &row) { return reference::reduce(row, kAffineOne, affine); });
}

TEST(ReduceRowsErrors, AreRefused) {
    std::vector<int32_t> in(100, 1), out(20, 7);
    gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
    options.accumulator = GP_FLOAT32;
    EXPECT_EQ(GP_ERROR_DTYPE, gp_reduce(context(), GP_INT32, 10, in.data(), out.data(), &options));
    options.accumulator = GP_INT64;
    options.batch = SIZE_MAX;
    options.stride_in = 2;
    EXPECT_EQ(GP_ERROR_SIZE_OVERFLOW, gp_reduce(context(), GP_INT32, 10, in.data(), out.data(), &options));
    options = GP_REDUCE_OPTIONS_INIT;
    options.batch = 3; // the last row ends in the results
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_reduce(context(), GP_INT32, 10, in.data(), in.data() + 29, &options));
    EXPECT_EQ(GP_ERROR_ALIGNMENT,
              gp_reduce(context(), GP_INT32, 10, in.data(), reinterpret_cast<char *>(out.data()) + 1, nullptr));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "out is")) << gp_error_message();
    EXPECT_EQ(std::vector<int32_t>(20, 7), out);
}

} // namespace

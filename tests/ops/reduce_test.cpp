// Reduce: every type and operator against one loop.
// SPDX-License-Identifier: MIT
#include "running.h"

#include "../reference/reduce.h"

namespace {

using namespace test;
using reference::Wide;
using reference::widen;

template <class T> Wide<T> expected_of(const std::vector<T> &in, gp_operator op) {
    using W = Wide<T>;
    return reference::reduce(widen(in), reference::identity<W>(op),
                             [op](W a, W b) { return reference::combine(op, a, b); });
}

gp_reduce_options options_of(gp_operator op) {
    gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
    options.op = op;
    return options;
}

// The result may be `bound` away from the expected one.
template <class T>
void check(const std::vector<T> &in, gp_reduce_options options, Wide<T> expected, Wide<T> bound, bool named) {
    if (testing::Test::HasFailure()) return;
    for (const char *algorithm : algorithms(GP_REDUCE, named)) {
        SCOPED_TRACE(std::string(gp_dtype_name(dtype<T>())) + ", n = " + std::to_string(in.size()) + ", " +
                     (options.operator_source != nullptr ? options.operator_source : operator_name(options.op)) + ", " +
                     name(algorithm));
        options.algorithm = algorithm;
        Guarded<T> source(in), out(1);
        const gp_status status = gp_reduce(context(), dtype<T>(), in.size(), source.data(), out.data(), &options);
        if (refused(GP_REDUCE, algorithm, status)) {
            EXPECT_TRUE(out.untouched());
            continue;
        }
        ASSERT_OK(status);
        ASSERT_TRUE(close_to<T>({expected}, out.values(), {bound}));
        ASSERT_TRUE(source.intact() && out.intact()) << "a canary was overwritten";
        ASSERT_TRUE(same_bits(in, source.values())) << "the input was changed";
    }
}

template <class T> void check(const std::vector<T> &in, gp_operator op, Wide<T> expected, Wide<T> bound = 0) {
    check(in, options_of(op), expected, bound, with_named_algorithms<T>(op));
}

template <class T> class Reduce : public RunningTest<T> {};
TYPED_TEST_SUITE(Reduce, RunningTypes, TypeNames);

template <class T> class ReduceReals : public RunningTest<T> {};
TYPED_TEST_SUITE(ReduceReals, RealTypes, TypeNames);

template <class T> class ReduceText : public RunningTest<T> {};
TYPED_TEST_SUITE(ReduceText, TextTypes, TypeNames);

TYPED_TEST(Reduce, EveryOperatorAtEverySize) {
    for (const size_t n : sizes())
        for (const gp_operator op : kOperators)
            for (const bool falling : {false, true}) {
                const auto in = exact_values<TypeParam>(op, n, falling);
                check(in, op, expected_of(in, op));
            }
}

// The extreme alone, at the first, a middle and the last place.
TYPED_TEST(Reduce, FindsALoneExtreme) {
    for (const size_t n : sizes()) {
        if (n == 0) continue;
        for (const size_t place : {size_t(0), n / 2, n - 1})
            for (const gp_operator op : {GP_MINIMUM, GP_MAXIMUM}) {
                std::vector<TypeParam> in(n, TypeParam(50));
                in[place] = op == GP_MINIMUM ? TypeParam(7) : TypeParam(93);
                check(in, op, Wide<TypeParam>(op == GP_MINIMUM ? 7 : 93));
            }
    }
}

TYPED_TEST(ReduceReals, RandomRealsStayWithinTheBound) {
    using W = Wide<TypeParam>;
    for (const size_t n : sizes()) {
        const auto in = real_values<TypeParam>(n);
        auto magnitudes = in;
        for (TypeParam &x : magnitudes) x = std::fabs(x);
        const W bound =
            W(std::numeric_limits<TypeParam>::epsilon()) * static_cast<W>(n) * expected_of(magnitudes, GP_ADD);
        check(in, GP_ADD, expected_of(in, GP_ADD), bound);
    }
}

TYPED_TEST(ReduceReals, NanInfinityAndNegativeZero) {
    for (const size_t n : {size_t(5), size_t(300), size_t(10007)}) {
        if (n > max_n()) continue;
        for (const Special special : kSpecials)
            for (const gp_operator op : kOperators) {
                const auto in = special_values<TypeParam>(special, n);
                check(in, op, expected_of(in, op));
            }
    }
}

TYPED_TEST(ReduceReals, SameBitsFromRunToRun) {
    const size_t n = std::min<size_t>(max_n(), 1000003);
    Guarded<TypeParam> in(real_values<TypeParam>(n));
    for (const char *algorithm : algorithms(GP_REDUCE, with_named_algorithms<TypeParam>(GP_ADD))) {
        SCOPED_TRACE(name(algorithm));
        gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
        options.algorithm = algorithm;
        std::vector<TypeParam> first;
        for (int run = 0; run < 20; ++run) {
            Guarded<TypeParam> out(1);
            const gp_status status = gp_reduce(context(), dtype<TypeParam>(), n, in.data(), out.data(), &options);
            if (refused(GP_REDUCE, algorithm, status)) break;
            ASSERT_OK(status);
            if (run == 0) first = out.values();
            ASSERT_TRUE(same_bits(first, out.values())) << "run " << run;
        }
    }
}

TYPED_TEST(Reduce, BuffersAtOddOffsets) {
    for (const size_t n : {size_t(0), size_t(1), size_t(33), size_t(257), size_t(10007)}) {
        if (n > max_n()) continue;
        for (const gp_operator op : kOperators) {
            SCOPED_TRACE("n = " + std::to_string(n) + ", " + operator_name(op));
            const auto in = exact_values<TypeParam>(op, n, false);
            const auto options = options_of(op);
            DeviceArray<TypeParam> source(in, 3), result(std::vector<TypeParam>(1), 5);
            gp_event *event = nullptr;
            ASSERT_OK(gp_enqueue_reduce(context(), dtype<TypeParam>(), n, source.buffer(), source.offset(),
                                        result.buffer(), result.offset(), &options, 0, nullptr, &event));
            ASSERT_OK(gp_event_wait(event));
            ASSERT_OK(gp_event_free(event));
            ASSERT_TRUE(close_to<TypeParam>({expected_of(in, op)}, result.values()));
            ASSERT_TRUE(same_bits(in, source.values()));
        }
    }
}

// The last value that is not zero, as the caller's operator: it does not commute.
TYPED_TEST(ReduceText, LastThatIsNotZero) {
    gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
    options.operator_source = "b != 0 ? b : a";
    options.operator_identity = "0";
    if (on_host()) {
        Guarded<TypeParam> in(sparse_values<TypeParam>(10)), out(1);
        EXPECT_EQ(GP_ERROR_UNSUPPORTED_DEVICE,
                  gp_reduce(context(), dtype<TypeParam>(), 10, in.data(), out.data(), &options));
        EXPECT_TRUE(out.untouched());
        return;
    }
    const auto last = [](Wide<TypeParam> a, Wide<TypeParam> b) { return b != 0 ? b : a; };
    for (const size_t n : sizes()) {
        const auto in = sparse_values<TypeParam>(n);
        check(in, options, reference::reduce(widen(in), Wide<TypeParam>(0), last), Wide<TypeParam>(0), thorough());
    }
}

TEST(ReduceAffineText, ComposesMaps) {
    if (on_host()) GTEST_SKIP() << "the host takes no operator text";
    gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
    options.operator_source = kAffineSource;
    options.operator_identity = kAffineIdentity;
    options.operator_helpers = kAffineHelpers;
    for (const size_t n : sizes()) {
        const auto in = affine_maps(n);
        check(in, options, reference::reduce(in, kAffineOne, affine), uint64_t(0), true);
    }
}

} // namespace

// Linear recurrence: every algorithm against the plain loop; exactly, where whole numbers stay
// small, else within the bound.
// SPDX-License-Identifier: MIT
#include "running.h"

#include "../reference/recurrence.h"

namespace {

using namespace test;
using reference::Wide;
using reference::widen;

template <class T> struct Problem {
    size_t n = 0;
    std::vector<T> coefficients;
    size_t batch = 1, gap_in = 0, gap_out = 0; // elements between the rows
    bool has_in = true, has_initial = true, in_place = false, reverse = false;
    bool whole = false; // whole numbers, which are to come out exactly

    size_t order() const { return coefficients.size(); }
    size_t stride_in() const { return n + gap_in; }
    size_t stride_out() const { return n + (in_place ? gap_in : gap_out); }
    size_t span(size_t stride) const { return n == 0 ? 0 : (batch - 1) * stride + n; }
    std::string text() const {
        std::string words = std::string(gp_dtype_name(dtype<T>())) + ", n = " + std::to_string(n) + ", order " +
                            std::to_string(order()) + ", c[0] = " + std::to_string(coefficients[0]) + ", " +
                            std::to_string(batch) + " rows";
        if (gap_in + gap_out > 0) words += " with gaps";
        if (!has_in) words += ", no input";
        if (!has_initial) words += ", no initial state";
        if (reverse) words += ", reverse";
        return words + (in_place ? ", in place" : "");
    }
};

// What goes in and what is to come out; gaps of `out` keep what `before` holds.
template <class T> struct Case {
    std::vector<T> in, initial, before;
    std::vector<Wide<T>> expected, bounds;
    std::vector<Wide<T>> final_state, final_bounds;

    explicit Case(const Problem<T> &problem) {
        std::mt19937_64 random(problem.n + problem.order());
        const auto draw = [&] {
            if (problem.whole) return static_cast<T>(static_cast<int>(random() % 7) - 3);
            return static_cast<T>(std::uniform_real_distribution<double>(-10, 10)(random));
        };
        in.resize(problem.span(problem.stride_in()));
        initial.resize(problem.batch * problem.order());
        for (T &x : in) x = draw();
        for (T &x : initial) x = problem.has_initial ? draw() : T(0);
        before = problem.in_place ? in : std::vector<T>(problem.span(problem.stride_out()), T(77));
        expected = widen(before);
        bounds.resize(before.size());
        const auto c = widen(problem.coefficients);
        for (size_t row = 0; row < problem.batch && problem.n > 0; ++row) {
            const auto at = [](size_t i) { return static_cast<ptrdiff_t>(i); };
            const auto from = in.begin() + at(row * problem.stride_in());
            std::vector<T> x(from, from + at(problem.n));
            if (!problem.has_in) x.assign(problem.n, 0);
            if (problem.reverse) std::reverse(x.begin(), x.end());
            const auto first = initial.begin() + at(row * problem.order());
            const auto state = widen(std::vector<T>(first, first + at(problem.order())));
            auto y = reference::recurrence(widen(x), c, state);
            auto bound = problem.whole ? std::vector<Wide<T>>(problem.n)
                                       : reference::recurrence_bounds(widen(x), c, state,
                                                                      Wide<T>(std::numeric_limits<T>::epsilon()));
            for (size_t j = 0; j < problem.order(); ++j) {
                final_state.push_back(j < problem.n ? y[problem.n - 1 - j] : state[j - problem.n]);
                final_bounds.push_back(j < problem.n ? bound[problem.n - 1 - j] : 0);
            }
            if (problem.reverse) {
                std::reverse(y.begin(), y.end());
                std::reverse(bound.begin(), bound.end());
            }
            std::copy(y.begin(), y.end(), expected.begin() + at(row * problem.stride_out()));
            std::copy(bound.begin(), bound.end(), bounds.begin() + at(row * problem.stride_out()));
        }
    }
};

template <class T> gp_recurrence_options options_of(const Problem<T> &problem, const Case<T> &data) {
    gp_recurrence_options options = GP_RECURRENCE_OPTIONS_INIT;
    options.batch = problem.batch;
    options.stride_in = problem.gap_in > 0 ? problem.stride_in() : 0;
    options.stride_out = problem.stride_out() > problem.n ? problem.stride_out() : 0;
    options.initial = problem.has_initial ? data.initial.data() : nullptr;
    options.direction = problem.reverse ? GP_REVERSE : GP_FORWARD;
    return options;
}

template <class T> void check(const Problem<T> &problem, bool named = true) {
    if (testing::Test::HasFailure()) return;
    const Case<T> data(problem);
    gp_recurrence_options options = options_of(problem, data);
    for (const char *algorithm : algorithms(GP_RECURRENCE, named)) {
        SCOPED_TRACE(problem.text() + ", " + name(algorithm));
        options.algorithm = algorithm;
        Guarded<T> source(data.in), out(data.before), final_state(data.initial);
        options.final_state = problem.n > 0 ? final_state.data() : nullptr;
        if (problem.in_place && options.initial != nullptr) options.initial = final_state.data(); // one for both
        const T *from = !problem.has_in ? nullptr : problem.in_place ? out.data() : source.data();
        const gp_status status = gp_recurrence(context(), dtype<T>(), problem.n, from, out.data(), problem.order(),
                                               problem.coefficients.data(), &options);
        if (refused(GP_RECURRENCE, algorithm, status)) {
            EXPECT_TRUE(same_bits(data.before, out.values()));
            continue;
        }
        ASSERT_OK(status);
        ASSERT_TRUE(close_to<T>(data.expected, out.values(), data.bounds));
        if (options.final_state != nullptr) {
            ASSERT_TRUE(close_to<T>(data.final_state, final_state.values(), data.final_bounds));
        }
        ASSERT_TRUE(source.intact() && out.intact() && final_state.intact()) << "a canary was overwritten";
        ASSERT_TRUE(same_bits(data.in, source.values())) << "the input was changed";
    }
}

// Each order is another program: the named algorithms take the smallest, the next and the largest.
bool with_named_algorithms(size_t order) { return thorough() || order <= 2 || order == 8; }

template <class T> class Recurrence : public RunningTest<T> {};
TYPED_TEST_SUITE(Recurrence, RealTypes, TypeNames);

// With all coefficients -1 the answer to a 1 is 1, -1 and zeros, again and again: whole numbers
// stay small.
TYPED_TEST(Recurrence, EveryOrderAtEverySize) {
    for (size_t order = 1; order <= 8; ++order) {
        for (const size_t n : sizes()) {
            Problem<TypeParam> problem;
            problem.n = n;
            problem.coefficients.assign(order, TypeParam(-1));
            problem.whole = true;
            check(problem, with_named_algorithms(order));
        }
    }
}

TYPED_TEST(Recurrence, StableRealsStayWithinTheBound) {
    const std::vector<std::vector<TypeParam>> all = {{TypeParam(0.95)},
                                                     {TypeParam(1.2), TypeParam(-0.5)},
                                                     {TypeParam(0.1), TypeParam(0), TypeParam(0.2)},
                                                     std::vector<TypeParam>(8, TypeParam(0.12))};
    for (const auto &coefficients : all) {
        for (const size_t n : {size_t(1), size_t(33), size_t(1009), size_t(10007)}) {
            if (n > max_n()) continue;
            Problem<TypeParam> problem;
            problem.n = n;
            problem.coefficients = coefficients;
            check(problem, with_named_algorithms(coefficients.size()));
        }
    }
}

TYPED_TEST(Recurrence, UnstableRealsStayWithinTheBound) {
    for (const size_t n : {size_t(33), size_t(97), size_t(1009)}) {
        if (n > max_n()) continue;
        Problem<TypeParam> problem;
        problem.n = n;
        problem.coefficients = {TypeParam(1.05)};
        check(problem);
        problem.n = std::min<size_t>(n, 257); // then float32 overflows
        problem.coefficients = {TypeParam(-0.5), TypeParam(1)};
        check(problem);
    }
}

// More tiles than all work-groups have stages; each row ends amid a tile, and begins at any
// address.
TYPED_TEST(Recurrence, ManyLongRows) {
    if (std::string_view(device().vendor).find("NVIDIA") == std::string_view::npos) GTEST_SKIP() << "for NVIDIA GPUs";
    for (const size_t n : {14000, 14001}) {
        for (const bool in_place : {false, true}) {
            Problem<TypeParam> problem;
            problem.n = n;
            problem.batch = 700;
            problem.coefficients = {TypeParam(1), TypeParam(-1)}; // the answer to a 1 repeats after 6 elements
            problem.whole = true;
            problem.in_place = in_place;
            check(problem);
        }
    }
}

TYPED_TEST(Recurrence, BatchesGapsAndWhatMayBeLeftOut) {
    struct Shape {
        size_t n, batch, gap_in, gap_out;
    };
    for (const Shape &shape : {Shape{5, 90, 0, 0}, Shape{40, 7, 3, 5}, Shape{1, 3, 1, 0}, Shape{2500, 3, 0, 1},
                               Shape{10007, 2, 4, 0}, Shape{1030, 9, 0, 3}}) {
        if (shape.n > max_n()) continue;
        for (int variant = 0; variant < 5; ++variant) {
            Problem<TypeParam> problem;
            problem.n = shape.n;
            problem.batch = shape.batch;
            problem.gap_in = shape.gap_in;
            problem.gap_out = shape.gap_out;
            problem.coefficients = {TypeParam(1), TypeParam(-1)}; // the answer to a 1 repeats after 6 elements
            problem.whole = true;
            problem.in_place = variant == 1 || variant == 2;
            problem.has_initial = variant != 2 && variant != 3;
            problem.has_in = variant < 3;
            check(problem);
        }
    }
}

TYPED_TEST(Recurrence, FromTheEnd) {
    for (const size_t n : {size_t(1), size_t(2), size_t(33), size_t(1009), size_t(10007)}) {
        if (n > max_n()) continue;
        for (const bool in_place : {false, true}) {
            Problem<TypeParam> problem;
            problem.n = n;
            problem.batch = n > 2000 ? 1 : 3;
            problem.gap_in = 2;
            problem.reverse = true;
            problem.in_place = in_place;
            problem.coefficients = {TypeParam(1.2), TypeParam(-0.5)};
            check(problem);
            problem.coefficients.assign(3, TypeParam(-1));
            problem.whole = true;
            check(problem, false);
        }
    }
}

TYPED_TEST(Recurrence, FinalStateOfNothing) {
    const TypeParam half[] = {TypeParam(0.5), TypeParam(0.25)}, initial[] = {3, 4};
    TypeParam final_state[] = {7, 7};
    gp_recurrence_options options = GP_RECURRENCE_OPTIONS_INIT;
    options.initial = initial;
    options.final_state = final_state;
    ASSERT_OK(gp_recurrence(context(), dtype<TypeParam>(), 0, nullptr, nullptr, 2, half, &options));
    EXPECT_EQ(TypeParam(3), final_state[0]);
    EXPECT_EQ(TypeParam(4), final_state[1]);
    TypeParam x[2] = {1, 2};
    options.final_state = x + 1;
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_recurrence(context(), dtype<TypeParam>(), 2, x, x, 2, half, &options));
    gp_buffer *buffer = nullptr;
    ASSERT_OK(gp_buffer_create(context(), 64, &buffer));
    options.final_state = final_state;
    EXPECT_EQ(GP_ERROR_OPTION, gp_enqueue_recurrence(context(), dtype<TypeParam>(), 2, buffer, 0, buffer, 0, 2, half,
                                                     &options, 0, nullptr, nullptr));
    options.final_state = nullptr;
    options.direction = 2;
    EXPECT_EQ(GP_ERROR_OPTION, gp_recurrence(context(), dtype<TypeParam>(), 2, x, x, 2, half, &options));
    ASSERT_OK(gp_buffer_free(buffer));
}

TYPED_TEST(Recurrence, FibonacciUntilTheTypeOverflows) {
    const size_t n = std::min<size_t>(max_n(), 1024);
    const std::vector<TypeParam> ones = {1, 1}, initial = {1, 0};
    gp_recurrence_options options = GP_RECURRENCE_OPTIONS_INIT;
    options.initial = initial.data();
    for (const char *algorithm : algorithms(GP_RECURRENCE)) {
        SCOPED_TRACE(name(algorithm));
        options.algorithm = algorithm;
        Guarded<TypeParam> out(n);
        const gp_status status =
            gp_recurrence(context(), dtype<TypeParam>(), n, nullptr, out.data(), 2, ones.data(), &options);
        if (refused(GP_RECURRENCE, algorithm, status)) continue;
        ASSERT_OK(status);
        long double before = 0, expected = 1;
        for (size_t t = 0; t < n; ++t) {
            expected += std::exchange(before, expected);
            const TypeParam rounded = static_cast<TypeParam>(expected);
            const auto bound = 4 * static_cast<long double>(t + 1) * std::numeric_limits<TypeParam>::epsilon();
            const bool right = std::isinf(rounded)
                                   ? out[t] == rounded
                                   : std::fabs(static_cast<long double>(out[t]) - expected) <= bound * expected;
            ASSERT_TRUE(right) << "F(" << t + 2 << ") = " << text(expected) << ", got " << text(out[t]);
        }
    }
}

// What is not finite shows from its place on, to the end of the row, and nowhere else.
TYPED_TEST(Recurrence, InfinityAndNanSpreadForwards) {
    const size_t n = std::min<size_t>(max_n(), 5003);
    for (const size_t place : {size_t(0), n / 3, n - 1}) {
        for (const TypeParam bad :
             {std::numeric_limits<TypeParam>::infinity(), std::numeric_limits<TypeParam>::quiet_NaN()}) {
            std::vector<TypeParam> in(2 * n, TypeParam(1));
            in[place] = bad;
            const std::vector<TypeParam> half = {TypeParam(0.5)};
            gp_recurrence_options options = GP_RECURRENCE_OPTIONS_INIT;
            options.batch = 2;
            for (const char *algorithm : algorithms(GP_RECURRENCE)) {
                SCOPED_TRACE(std::string(name(algorithm)) + ", place " + std::to_string(place));
                options.algorithm = algorithm;
                std::vector<TypeParam> out(2 * n);
                const gp_status status =
                    gp_recurrence(context(), dtype<TypeParam>(), n, in.data(), out.data(), 1, half.data(), &options);
                if (refused(GP_RECURRENCE, algorithm, status)) continue;
                ASSERT_OK(status);
                for (size_t i = 0; i < 2 * n; ++i)
                    ASSERT_EQ(i < place || i >= n, std::isfinite(out[i])) << "element " << i << ": " << out[i];
            }
        }
    }
}

// Every other y is zero, until those between them leave the type's range. What looks ahead computes
// both from the same state.
TYPED_TEST(Recurrence, NothingIsFiniteAfterAnOverflow) {
    constexpr bool kFloat = std::is_same_v<TypeParam, float>;
    const size_t n = std::min<size_t>(max_n(), 1000);
    const TypeParam growth = kFloat ? TypeParam(1.5) : TypeParam(8);
    const std::vector<std::vector<TypeParam>> all_coefficients = {
        {0, growth}, {0, -growth}, {0, 0, growth}, {0, 0, 0, growth}, {0, 0, 0, 0, 0, 0, 0, growth}};
    for (const auto &coefficients : all_coefficients) {
        for (const size_t place : {size_t(0), size_t(1), size_t(6), n / 10}) {
            std::vector<TypeParam> in(n), out(n);
            in[place] = std::numeric_limits<TypeParam>::max() / TypeParam(1e9);
            gp_recurrence_options options = GP_RECURRENCE_OPTIONS_INIT;
            for (const char *algorithm : algorithms(GP_RECURRENCE)) {
                SCOPED_TRACE(std::string(name(algorithm)) + ", order " + std::to_string(coefficients.size()) +
                             ", place " + std::to_string(place));
                options.algorithm = algorithm;
                const gp_status status = gp_recurrence(context(), dtype<TypeParam>(), n, in.data(), out.data(),
                                                       coefficients.size(), coefficients.data(), &options);
                if (refused(GP_RECURRENCE, algorithm, status)) continue;
                ASSERT_OK(status);
                const auto bad = std::find_if(out.begin(), out.end(), [](TypeParam y) { return !std::isfinite(y); });
                if (n >= 900) {
                    ASSERT_NE(out.end(), bad);
                }
                for (auto y = bad; y != out.end(); ++y)
                    ASSERT_FALSE(std::isfinite(*y)) << "element " << y - out.begin() << " is " << *y << ", after "
                                                    << *bad << " at " << bad - out.begin();
            }
        }
    }
}

TYPED_TEST(Recurrence, SameBitsFromRunToRun) {
    Problem<TypeParam> problem;
    problem.n = std::min<size_t>(max_n(), 100003);
    problem.coefficients = {TypeParam(1.2), TypeParam(-0.5)};
    const Case<TypeParam> data(problem);
    gp_recurrence_options options = options_of(problem, data);
    for (const char *algorithm : algorithms(GP_RECURRENCE)) {
        SCOPED_TRACE(name(algorithm));
        options.algorithm = algorithm;
        std::vector<TypeParam> first;
        for (int run = 0; run < 5; ++run) {
            std::vector<TypeParam> out(problem.n);
            const gp_status status = gp_recurrence(context(), dtype<TypeParam>(), problem.n, data.in.data(), out.data(),
                                                   2, problem.coefficients.data(), &options);
            if (refused(GP_RECURRENCE, algorithm, status)) break;
            ASSERT_OK(status);
            if (run == 0) first = out;
            ASSERT_TRUE(same_bits(first, out)) << "run " << run;
        }
    }
}

// The enqueue form; what is host memory may go as soon as the call is back.
TYPED_TEST(Recurrence, BuffersAtOddOffsets) {
    for (const size_t n : {size_t(0), size_t(1), size_t(33), size_t(257), size_t(10007)}) {
        if (n > max_n()) continue;
        for (const bool in_place : {false, true}) {
            Problem<TypeParam> problem;
            problem.n = n;
            problem.batch = 2;
            problem.gap_in = problem.gap_out = 3;
            problem.in_place = in_place;
            problem.whole = true;
            problem.coefficients = {TypeParam(1), TypeParam(-1)};
            SCOPED_TRACE(problem.text());
            Case<TypeParam> data(problem);
            auto coefficients = problem.coefficients;
            const auto options = options_of(problem, data);
            DeviceArray<TypeParam> source(data.in, 3), result(data.before, 5);
            const auto &from = in_place ? result : source;
            gp_event *event = nullptr;
            ASSERT_OK(gp_enqueue_recurrence(context(), dtype<TypeParam>(), n, from.buffer(), from.offset(),
                                            result.buffer(), result.offset(), 2, coefficients.data(), &options, 0,
                                            nullptr, &event));
            coefficients.assign(2, TypeParam(1e30));
            data.initial.assign(data.initial.size(), TypeParam(1e30));
            ASSERT_OK(gp_event_wait(event));
            ASSERT_OK(gp_event_free(event));
            ASSERT_TRUE(close_to<TypeParam>(data.expected, result.values()));
            ASSERT_TRUE(same_bits(data.in, source.values()));
        }
    }
}

} // namespace

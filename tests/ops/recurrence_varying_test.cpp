// Recurrence whose coefficients vary: every algorithm against the plain loop; exactly, where whole
// numbers stay small, else within the bound.
// SPDX-License-Identifier: MIT
#include "running.h"

#include "../reference/recurrence.h"

namespace {

using namespace test;
using reference::Wide;
using reference::widen;

// Rows of coefficients and input and what is to come out; gaps of `out` keep what `before` holds.
template <class T> struct Problem {
    size_t n = 0, batch = 1;
    size_t gap_in = 0, gap_out = 0, gap_coefficients = 0; // elements between the rows
    bool has_in = true, has_initial = true, in_place = false, reverse = false, shared = false;
    bool exact = false; // results are the exact ones, rounded
    bool sinks = false; // numbers sink below the type's smallest

    std::vector<T> coefficients, in, initial; // filled by draw(), or by the test

    size_t stride_in() const { return n + gap_in; }
    size_t stride_out() const { return n + (in_place ? gap_in : gap_out); }
    size_t stride_coefficients() const { return shared ? 0 : n + gap_coefficients; }
    size_t span(size_t stride) const { return n == 0 ? 0 : (batch - 1) * stride + n; }

    // Random elements, each by a function of the generator.
    template <class Coefficient, class Input> void draw(Coefficient coefficient, Input input) {
        std::mt19937_64 random(n + batch);
        coefficients.resize(span(stride_coefficients()));
        in.resize(span(stride_in()));
        initial.resize(batch);
        for (T &a : coefficients) a = static_cast<T>(coefficient(random));
        for (T &x : in) x = static_cast<T>(input(random));
        for (T &y : initial) y = has_initial ? static_cast<T>(input(random)) : T(0);
    }
    // Sums of signed numbers, which begin anew here and there: whole numbers that stay small.
    void draw_whole() {
        exact = true;
        draw([](auto &random) { return random() % 50 == 0  ? 0
                                       : random() % 2 == 0 ? 1
                                                           : -1; },
             [](auto &random) { return static_cast<int>(random() % 7) - 3; });
    }

    std::string text() const {
        std::string words = std::string(gp_dtype_name(dtype<T>())) + ", n = " + std::to_string(n) + ", " +
                            std::to_string(batch) + " rows";
        if (gap_in + gap_out + gap_coefficients > 0) words += " with gaps";
        if (shared) words += ", shared coefficients";
        if (!has_in) words += ", no input";
        if (!has_initial) words += ", no initial state";
        if (reverse) words += ", reverse";
        return words + (in_place ? ", in place" : "");
    }
    gp_recurrence_options options() const {
        gp_recurrence_options options = GP_RECURRENCE_OPTIONS_INIT;
        options.batch = batch;
        options.stride_in = gap_in > 0 ? stride_in() : 0;
        options.stride_out = stride_out() > n ? stride_out() : 0;
        options.stride_coefficients = gap_coefficients > 0 && !shared ? stride_coefficients() : 0;
        options.share_coefficients = shared ? 1 : 0;
        options.initial = has_initial ? initial.data() : nullptr;
        options.direction = reverse ? GP_REVERSE : GP_FORWARD;
        return options;
    }
};

template <class T> struct Expected {
    std::vector<T> before;
    std::vector<Wide<T>> out, bounds, final_state, final_bounds; // no bounds where results are exact

    explicit Expected(const Problem<T> &problem)
        : before(problem.in_place ? problem.in : std::vector<T>(problem.span(problem.stride_out()), T(77))),
          out(widen(before)), bounds(problem.exact ? 0 : before.size()) {
        const auto row_of = [&](const std::vector<T> &from, size_t first) {
            const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first);
            auto row = widen(std::vector<T>(begin, begin + static_cast<std::ptrdiff_t>(problem.n)));
            if (problem.reverse) std::reverse(row.begin(), row.end());
            return row;
        };
        for (size_t row = 0; row < problem.batch && problem.n > 0; ++row) {
            const auto a = row_of(problem.coefficients, row * problem.stride_coefficients());
            auto x = row_of(problem.in, row * problem.stride_in());
            if (!problem.has_in) x.assign(problem.n, 0);
            const Wide<T> start = problem.has_initial ? widen(problem.initial[row]) : 0;
            const auto y = reference::recurrence_varying(a, x, start);
            const auto epsilon = Wide<T>(std::numeric_limits<T>::epsilon());
            const auto tiny = Wide<T>(problem.sinks ? std::numeric_limits<T>::min() : 0);
            const auto bound = reference::recurrence_varying_bounds(a, x, start, epsilon, tiny);
            final_state.push_back(y.back());
            if (!problem.exact) final_bounds.push_back(bound.back());
            for (size_t t = 0; t < problem.n; ++t) {
                const size_t at = row * problem.stride_out() + (problem.reverse ? problem.n - 1 - t : t);
                out[at] = y[t];
                if (!problem.exact) bounds[at] = bound[t];
            }
        }
    }
};

template <class T> void check(const Problem<T> &problem) {
    if (testing::Test::HasFailure()) return;
    const Expected<T> expected(problem);
    gp_recurrence_options options = problem.options();
    for (const char *algorithm : algorithms(GP_RECURRENCE_VARYING)) {
        SCOPED_TRACE(problem.text() + ", " + name(algorithm));
        options.algorithm = algorithm;
        Guarded<T> a(problem.coefficients), source(problem.in), out(expected.before), final_state(problem.initial);
        options.final_state = problem.n > 0 ? final_state.data() : nullptr;
        if (problem.in_place && options.initial != nullptr) options.initial = final_state.data(); // one for both
        const T *from = !problem.has_in ? nullptr : problem.in_place ? out.data() : source.data();
        const gp_status status =
            gp_recurrence_varying(context(), dtype<T>(), problem.n, a.data(), from, out.data(), &options);
        if (refused(GP_RECURRENCE_VARYING, algorithm, status)) {
            EXPECT_TRUE(same_bits(expected.before, out.values()));
            continue;
        }
        ASSERT_OK(status);
        ASSERT_TRUE(close_to<T>(expected.out, out.values(), expected.bounds));
        if (options.final_state != nullptr) {
            ASSERT_TRUE(close_to<T>(expected.final_state, final_state.values(), expected.final_bounds));
        }
        ASSERT_TRUE(a.intact() && source.intact() && out.intact() && final_state.intact())
            << "a canary was overwritten";
        ASSERT_TRUE(same_bits(problem.in, source.values()) && same_bits(problem.coefficients, a.values()))
            << "an input was changed";
    }
}

auto between(double low, double high) {
    return [=](auto &random) { return std::uniform_real_distribution<double>(low, high)(random); };
}

template <class T> class RecurrenceVarying : public RunningTest<T> {};
TYPED_TEST_SUITE(RecurrenceVarying, RealTypes, TypeNames);

TYPED_TEST(RecurrenceVarying, EverySize) {
    for (const size_t n : sizes()) {
        for (const bool reverse : {false, true}) {
            Problem<TypeParam> problem;
            problem.n = n;
            problem.reverse = reverse;
            problem.draw_whole();
            check(problem);
        }
    }
}

// Products that fade, stay, grow, and do any of that in turn.
TYPED_TEST(RecurrenceVarying, RealsStayWithinTheBound) {
    for (const size_t n : {size_t(1), size_t(33), size_t(257), size_t(1009), size_t(10007), size_t(100003)}) {
        if (n > max_n()) continue;
        Problem<TypeParam> problem;
        problem.n = n;
        for (const double a : {0.5, 0.99}) {
            problem.draw(between(a, a), between(-10, 10));
            check(problem);
        }
        problem.draw(between(-1, 1), between(-10, 10));
        check(problem);
        problem.draw(between(-2, 2), between(-10, 10));
        check(problem);
        if (n > 257) continue; // then float32 overflows
        problem.draw(between(1, 1.3), between(-10, 10));
        check(problem);
    }
}

TYPED_TEST(RecurrenceVarying, BatchesGapsAndWhatMayBeLeftOut) {
    struct Shape {
        size_t n, batch, gap_in, gap_out, gap_coefficients;
    };
    for (const Shape &shape :
         {Shape{5, 90, 0, 0, 0}, Shape{1, 3, 1, 0, 2}, Shape{40, 7, 3, 5, 0}, Shape{20, 5003, 0, 0, 0},
          Shape{2500, 3, 0, 1, 7}, Shape{40009, 2, 4, 0, 0}, Shape{1030, 9, 0, 3, 1}}) {
        if (shape.n * shape.batch > max_n()) continue;
        for (int variant = 0; variant < 6; ++variant) {
            Problem<TypeParam> problem;
            problem.n = shape.n;
            problem.batch = shape.batch;
            problem.gap_in = shape.gap_in;
            problem.gap_out = shape.gap_out;
            problem.gap_coefficients = shape.gap_coefficients;
            problem.in_place = variant == 1 || variant == 2;
            problem.has_initial = variant != 2 && variant != 3;
            problem.has_in = variant < 3 || variant == 5;
            problem.shared = variant == 4 || variant == 5;
            problem.reverse = variant % 2 == 1;
            problem.draw_whole();
            check(problem);
        }
    }
}

// Numbers that sink and rise again while products of their coefficients leave the type: y goes from
// 2^height to 2^-height and back, each in `steps` steps.
TYPED_TEST(RecurrenceVarying, ProductsBeyondTheType) {
    const bool is_float = std::is_same_v<TypeParam, float>;
    const double height = is_float ? 100 : 800;
    for (const size_t steps : {size_t(2), size_t(40), size_t(3000), size_t(50000)}) {
        Problem<TypeParam> problem;
        problem.n = std::min(steps * 5 + 300, max_n());
        problem.has_in = false;
        problem.draw(between(0, 0), between(0, 0));
        problem.initial = {static_cast<TypeParam>(std::ldexp(1, static_cast<int>(height)))};
        for (size_t t = 0; t < problem.n; ++t)
            problem.coefficients[t] =
                static_cast<TypeParam>(std::exp2((t / steps % 2 == 0 ? -2 : 2) * height / static_cast<double>(steps)));
        check(problem);
    }
}

// Where nothing but zeros came before, coefficients do not matter, however large their products
// are.
TYPED_TEST(RecurrenceVarying, ZerosTimesLargeProducts) {
    const TypeParam largest = std::numeric_limits<TypeParam>::max();
    Problem<TypeParam> problem;
    problem.n = std::min<size_t>(max_n(), 50021);
    problem.has_initial = false;
    problem.draw(between(-1, 1), between(-10, 10));
    for (size_t t = 0; t < problem.n; ++t) {
        const bool quiet = t < problem.n / 3 || (t > problem.n / 2 && t < 2 * problem.n / 3);
        if (quiet) problem.in[t] = 0;
        if (quiet) problem.coefficients[t] = t % 5 == 0 ? -largest : largest;
    }
    problem.coefficients[problem.n / 2 + 1] = 0;
    check(problem);
    problem.coefficients.assign(problem.n, 0); // and products of zeros are zeros
    check(problem);
    problem.coefficients.assign(problem.n, std::numeric_limits<TypeParam>::min());
    problem.in.assign(problem.n, 1);
    check(problem);
    problem.has_in = false; // and what sinks to zero stays there
    problem.has_initial = problem.sinks = true;
    problem.initial = {largest};
    check(problem);
    problem.coefficients.assign(problem.n, TypeParam(0.9));
    check(problem);
    problem.sinks = false; // also where coefficients grow again
    const int step = std::is_same_v<TypeParam, float> ? 100 : 900;
    for (size_t t = 0; t < problem.n; ++t)
        problem.coefficients[t] = std::ldexp(TypeParam(1), t < problem.n / 2 ? -step : step);
    problem.initial = {1};
    problem.exact = true;
    check(problem);
}

// What is not finite shows from its place on, to the end of the row, and nowhere else.
TYPED_TEST(RecurrenceVarying, InfinityAndNanSpreadForwards) {
    const size_t n = std::min<size_t>(max_n(), 50021);
    for (const size_t place : {size_t(0), n / 3, n - 1}) {
        for (const TypeParam bad :
             {std::numeric_limits<TypeParam>::infinity(), std::numeric_limits<TypeParam>::quiet_NaN()}) {
            for (const bool in_coefficients : {false, true}) {
                std::vector<TypeParam> in(2 * n, TypeParam(1)), a(2 * n, TypeParam(0.5));
                for (size_t i = 0; i < 2 * n; i += 100) a[i] = 0;
                (in_coefficients ? a : in)[place] = bad;
                gp_recurrence_options options = GP_RECURRENCE_OPTIONS_INIT;
                options.batch = 2;
                for (const char *algorithm : algorithms(GP_RECURRENCE_VARYING)) {
                    SCOPED_TRACE(std::string(name(algorithm)) + ", place " + std::to_string(place));
                    options.algorithm = algorithm;
                    std::vector<TypeParam> out(2 * n);
                    const gp_status status = gp_recurrence_varying(context(), dtype<TypeParam>(), n, a.data(),
                                                                   in.data(), out.data(), &options);
                    if (refused(GP_RECURRENCE_VARYING, algorithm, status)) continue;
                    ASSERT_OK(status);
                    for (size_t i = 0; i < 2 * n; ++i)
                        ASSERT_EQ(i < place || i >= n, std::isfinite(out[i])) << "element " << i << ": " << out[i];
                }
            }
        }
    }
}

TYPED_TEST(RecurrenceVarying, SameBitsFromRunToRun) {
    Problem<TypeParam> problem;
    problem.n = std::min<size_t>(max_n(), 100003);
    problem.draw(between(-1.2, 1.2), between(-10, 10));
    gp_recurrence_options options = problem.options();
    for (const char *algorithm : algorithms(GP_RECURRENCE_VARYING)) {
        SCOPED_TRACE(name(algorithm));
        options.algorithm = algorithm;
        std::vector<TypeParam> first;
        for (int run = 0; run < 5; ++run) {
            std::vector<TypeParam> out(problem.n);
            const gp_status status =
                gp_recurrence_varying(context(), dtype<TypeParam>(), problem.n, problem.coefficients.data(),
                                      problem.in.data(), out.data(), &options);
            if (refused(GP_RECURRENCE_VARYING, algorithm, status)) break;
            ASSERT_OK(status);
            if (run == 0) first = out;
            ASSERT_TRUE(same_bits(first, out)) << "run " << run;
        }
    }
}

// The enqueue form; what is host memory may go as soon as the call is back.
TYPED_TEST(RecurrenceVarying, BuffersAtOddOffsets) {
    for (const size_t n : {size_t(0), size_t(1), size_t(33), size_t(257), size_t(40009)}) {
        if (n > max_n()) continue;
        for (const bool in_place : {false, true}) {
            Problem<TypeParam> problem;
            problem.n = n;
            problem.batch = 2;
            problem.gap_in = problem.gap_out = problem.gap_coefficients = 3;
            problem.in_place = in_place;
            problem.reverse = in_place;
            problem.draw_whole();
            SCOPED_TRACE(problem.text());
            const Expected<TypeParam> expected(problem);
            const auto options = problem.options();
            DeviceArray<TypeParam> a(problem.coefficients, 2), source(problem.in, 3), result(expected.before, 5);
            const auto &from = in_place ? result : source;
            gp_event *event = nullptr;
            ASSERT_OK(gp_enqueue_recurrence_varying(context(), dtype<TypeParam>(), n, a.buffer(), a.offset(),
                                                    from.buffer(), from.offset(), result.buffer(), result.offset(),
                                                    &options, 0, nullptr, &event));
            problem.initial.assign(problem.initial.size(), TypeParam(1e30));
            ASSERT_OK(gp_event_wait(event));
            ASSERT_OK(gp_event_free(event));
            ASSERT_TRUE(close_to<TypeParam>(expected.out, result.values()));
            ASSERT_TRUE(same_bits(problem.in, source.values()) && same_bits(problem.coefficients, a.values()));
        }
    }
}

// Products of the coefficients: no input, and a 1 before them.
TYPED_TEST(RecurrenceVarying, FinalStateOfNothingAndProducts) {
    const TypeParam a[] = {2, 3, 4}, one = 1;
    TypeParam out[3], final_state = 7;
    gp_recurrence_options options = GP_RECURRENCE_OPTIONS_INIT;
    options.initial = &one;
    options.final_state = &final_state;
    ASSERT_OK(gp_recurrence_varying(context(), dtype<TypeParam>(), 3, a, nullptr, out, &options));
    EXPECT_EQ(TypeParam(2), out[0]);
    EXPECT_EQ(TypeParam(6), out[1]);
    EXPECT_EQ(TypeParam(24), out[2]);
    EXPECT_EQ(TypeParam(24), final_state);
    ASSERT_OK(gp_recurrence_varying(context(), dtype<TypeParam>(), 0, nullptr, nullptr, nullptr, &options));
    EXPECT_EQ(one, final_state);
    ASSERT_OK(gp_recurrence_varying(context(), dtype<TypeParam>(), 3, a, a, out, nullptr)); // one array for both
    EXPECT_EQ(TypeParam(2), out[0]);
    EXPECT_EQ(TypeParam(9), out[1]);
    EXPECT_EQ(TypeParam(40), out[2]);
}

TEST(RecurrenceVaryingErrors, AreToldBeforeAnythingRuns) {
    float a[] = {1, 2, 3, 4, 5, 6}, x[] = {1, 1, 1, 1, 1, 1}, out[6];
    const auto call = [&](const float *coefficients, float *to, const gp_recurrence_options *options) {
        return gp_recurrence_varying(context(), GP_FLOAT32, 3, coefficients, x, to, options);
    };
    EXPECT_EQ(GP_ERROR_NULL_POINTER, gp_recurrence_varying(nullptr, GP_FLOAT32, 3, a, x, out, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, call(nullptr, out, nullptr));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, call(a, nullptr, nullptr));
    EXPECT_EQ(GP_ERROR_ALIGNMENT,
              call(reinterpret_cast<const float *>(reinterpret_cast<const char *>(a) + 1), out, nullptr));
    EXPECT_EQ(GP_ERROR_OVERLAP, call(a, a, nullptr));
    EXPECT_NE(nullptr, std::strstr(gp_error_message(), "coefficients"));
    EXPECT_EQ(GP_ERROR_OVERLAP, call(a, a + 2, nullptr));
    EXPECT_EQ(GP_ERROR_OVERLAP, call(x + 1, x, nullptr));
    EXPECT_EQ(GP_ERROR_DTYPE, gp_recurrence_varying(context(), GP_INT32, 3, a, x, out, nullptr));
    EXPECT_EQ(GP_ERROR_SIZE_OVERFLOW, gp_recurrence_varying(context(), GP_FLOAT32, SIZE_MAX / 2, a, x, out, nullptr));
    gp_recurrence_options options = GP_RECURRENCE_OPTIONS_INIT;
    options.algorithm = "none-such";
    EXPECT_EQ(GP_ERROR_ALGORITHM, call(a, out, &options));
    options.algorithm = nullptr;
    options.share_coefficients = 2;
    EXPECT_EQ(GP_ERROR_OPTION, call(a, out, &options));
    options.share_coefficients = 1;
    options.stride_coefficients = 3;
    EXPECT_EQ(GP_ERROR_OPTION, call(a, out, &options));
    options.share_coefficients = 0;
    const float half = 0.5f;
    EXPECT_EQ(GP_ERROR_OPTION, gp_recurrence(context(), GP_FLOAT32, 3, x, out, 1, &half, &options));
    options.batch = 3;
    options.stride_coefficients = SIZE_MAX / 2;
    EXPECT_EQ(GP_ERROR_SIZE_OVERFLOW, call(a, out, &options));
    options.batch = 2;
    options.stride_coefficients = 0;
    options.final_state = a + 4;
    EXPECT_EQ(GP_ERROR_OVERLAP, call(a, out, &options));
    EXPECT_EQ(1, a[0]);
}

TEST(RecurrenceVaryingErrors, OfBuffers) {
    const std::vector<float> ones(8, 1.0f);
    const DeviceArray<float> first(ones), second(ones);
    gp_recurrence_options options = GP_RECURRENCE_OPTIONS_INIT;
    options.batch = 2;
    const auto call = [&](gp_buffer *a, size_t a_offset, size_t out_offset) {
        return gp_enqueue_recurrence_varying(context(), GP_FLOAT32, 4, a, a_offset, nullptr, 0, second.buffer(),
                                             out_offset, &options, 0, nullptr, nullptr);
    };
    const size_t offset = first.offset();
    EXPECT_EQ(GP_SUCCESS, call(first.buffer(), offset, offset));
    EXPECT_EQ(GP_ERROR_NULL_POINTER, call(nullptr, 0, offset));
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, call(first.buffer(), 2 * offset + 1, offset));
    EXPECT_EQ(GP_ERROR_OVERLAP, call(second.buffer(), offset + 1, offset));
    EXPECT_EQ(std::vector<float>(8), second.values());
    options.share_coefficients = 1; // one row of four is enough
    EXPECT_EQ(GP_SUCCESS, call(first.buffer(), 2 * offset + 4, offset));
    float final_state[2];
    options.final_state = final_state;
    EXPECT_EQ(GP_ERROR_OPTION, call(first.buffer(), offset, offset));
    EXPECT_OK(gp_finish(context()));
}

} // namespace

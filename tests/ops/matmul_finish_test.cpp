// What products do with their results before they are stored (bias, activation, the caller's text),
// results in another layout than the factors, and semirings by the caller's text, against three
// nested loops.
// SPDX-License-Identifier: MIT
#include "compare.h"

#include "../reference/matmul.h"

#include <array>
#include <optional>

namespace {

using namespace test;
using reference::Activation;
using reference::half;
using reference::MatmulShape;
using reference::Wide;

using Types = testing::Types<float, double, half, int32_t, int16_t>;

template <class T> constexpr gp_dtype dtype_of() {
    if constexpr (std::is_same_v<T, half>)
        return GP_FLOAT16;
    else
        return dtype<T>();
}

// The type that is computed in.
template <class T> using Computed = std::conditional_t<std::is_same_v<T, half>, float, T>;

struct TypeNames {
    template <class T> static std::string GetName(int) { return gp_dtype_name(dtype_of<T>()); }
};

enum class Bias { none, by_column, by_row };
enum class Finish { none, relu, gelu, gelu_tanh, clamp, text };
constexpr Finish kFinishes[] = {Finish::none,      Finish::relu,  Finish::gelu,
                                Finish::gelu_tanh, Finish::clamp, Finish::text};

// Semirings that the caller brings, and the same here. Their results are exact.
enum class Semiring { plus_times, min_plus, of_text_min_plus, of_text_distance, of_text_lopsided };

// Sums of absolute differences: no semiring in the strict sense, but what many ask for.
template <class W> struct Distance {
    static constexpr W zero = 0, one = 0;
    static W plus(W a, W b) { return reference::wrapping_add(a, b); }
    static W times(W a, W b) { return static_cast<W>(a < b ? b - a : a - b); }
};
// Which factor comes first counts.
template <class W> struct Lopsided {
    static constexpr W zero = 0, one = 1;
    static W plus(W a, W b) { return reference::wrapping_add(a, b); }
    static W times(W a, W b) { return reference::wrapping_add<W>(a, reference::wrapping_multiply<W>(3, b)); }
};

struct Texts {
    const char *plus, *times, *zero, *one, *helpers;
};

template <class T> Texts texts_of(Semiring semiring) {
    switch (semiring) {
    case Semiring::of_text_min_plus:
        return {"least(a, b)", "a + b",
                std::is_same_v<T, int16_t>   ? "SHRT_MAX"
                : std::is_same_v<T, int32_t> ? "INT_MAX"
                                             : "INFINITY",
                "0", "T least(T x, T y) { return y < x ? y : x; }"};
    case Semiring::of_text_distance: return {"a + b", "a < b ? b - a : a - b", "0", "0", nullptr};
    case Semiring::of_text_lopsided: return {"a + b", "a + 3 * b", "0", "1", nullptr};
    default: return {};
    }
}

bool is_text(Semiring semiring) { return semiring >= Semiring::of_text_min_plus; }

template <class W, class Visit> void with_semiring(Semiring semiring, const Visit &visit) {
    switch (semiring) {
    case Semiring::plus_times: return visit(reference::PlusTimes<W>());
    case Semiring::of_text_distance: return visit(Distance<W>());
    case Semiring::of_text_lopsided: return visit(Lopsided<W>());
    default: return visit(reference::MinPlus<W>());
    }
}

struct Request {
    size_t m = 0, n = 0, k = 0;
    gp_layout layout = GP_ROW_MAJOR;
    bool transpose_a = false, transpose_b = false, transpose_c = false;
    Semiring semiring = Semiring::plus_times;
    Bias bias = Bias::none;
    Finish finish = Finish::none;
    size_t padding = 0;
    std::optional<int> alpha, beta;
    size_t batch = 1;
    bool shared_bias = false, shared_b = false;
    gp_precision precision = GP_FULL;
    size_t gap = 3; // between the matrices of a batch
};

std::string text_of(const Request &r) {
    std::ostringstream out;
    out << "m, n, k = " << r.m << ", " << r.n << ", " << r.k << ", semiring " << static_cast<int>(r.semiring)
        << (r.layout == GP_COLUMN_MAJOR ? ", column-major" : ", row-major") << (r.transpose_a ? ", A transposed" : "")
        << (r.transpose_b ? ", B transposed" : "") << (r.transpose_c ? ", C transposed" : "") << ", bias "
        << static_cast<int>(r.bias) << (r.shared_bias ? " shared" : "") << ", finish " << static_cast<int>(r.finish)
        << ", padding " << r.padding << ", batch " << r.batch;
    if (r.alpha) out << ", alpha " << *r.alpha;
    if (r.beta) out << ", beta " << *r.beta;
    return out.str();
}

constexpr const char *kFinishText = "twice(x) + b + (T)(i % 3) - (T)(j % 5)";
constexpr const char *kFinishHelpers = "T twice(T x) { return x + x; }";
constexpr int kLow = -7, kHigh = 5;

template <class T> struct Problem {
    Request request;
    MatmulShape shape;
    std::vector<T> a, b, c, bias;
    size_t stride_bias = 0;
    Computed<T> alpha{}, beta{}, low = static_cast<Computed<T>>(kLow), high = static_cast<Computed<T>>(kHigh);
    Texts texts{};
    std::string helpers;
    std::vector<Wide<T>> expected, bounds;

    explicit Problem(const Request &r) : request(r), texts(texts_of<T>(r.semiring)) {
        std::mt19937_64 random(r.m * 1009 + r.n * 31 + r.k);
        const auto number = [&](int range) {
            return reference::narrow<T>(static_cast<Wide<T>>(static_cast<int>(random() % (2 * range + 1)) - range));
        };
        const auto filled = [&](size_t n, int range) {
            std::vector<T> all(n);
            for (T &x : all) x = number(range);
            return all;
        };
        shape.m = r.m, shape.n = r.n, shape.k = r.k;
        shape.column_major = r.layout == GP_COLUMN_MAJOR;
        shape.transpose_a = r.transpose_a, shape.transpose_b = r.transpose_b, shape.transpose_c = r.transpose_c;
        shape.batch = r.batch;
        const auto lay = [&](size_t rows, size_t columns, bool transposed, size_t padding, size_t &ld, size_t &stride,
                             bool shared) {
            const bool by_columns = transposed != shape.column_major;
            const size_t lines = by_columns ? columns : rows, length = by_columns ? rows : columns;
            ld = std::max<size_t>(length, 1) + padding;
            const size_t one = lines == 0 || length == 0 ? 0 : (lines - 1) * ld + length;
            stride = shared || r.batch == 1 ? 0 : one + r.gap;
            return one + stride * (r.batch - 1);
        };
        a = filled(lay(r.m, r.k, r.transpose_a, r.padding, shape.lda, shape.stride_a, false), 4);
        b = filled(lay(r.k, r.n, r.transpose_b, r.padding, shape.ldb, shape.stride_b, r.shared_b), 4);
        c = filled(lay(r.m, r.n, r.transpose_c, r.padding, shape.ldc, shape.stride_c, false), 9);
        const size_t count = r.bias == Bias::by_row ? r.m : r.n;
        stride_bias = r.shared_bias || r.batch == 1 ? 0 : count + 2;
        if (r.bias != Bias::none) bias = filled(count == 0 ? 0 : count + stride_bias * (r.batch - 1), 5);
        if (texts.helpers != nullptr) helpers = texts.helpers;
        if (r.finish == Finish::text) helpers += std::string("\n") + kFinishHelpers;
        with_semiring<Wide<T>>(r.semiring, [&](auto s) {
            using S = decltype(s);
            const Wide<T> wide_alpha = r.alpha ? static_cast<Wide<T>>(*r.alpha) : S::one;
            const Wide<T> wide_beta = r.beta ? static_cast<Wide<T>>(*r.beta) : S::zero;
            alpha = static_cast<Computed<T>>(wide_alpha);
            beta = static_cast<Computed<T>>(wide_beta);
            std::vector<Wide<T>> products;
            if (r.beta && wide_beta == S::zero) { // texts read C even so
                products = reference::matmul(s, shape, a, b, c, wide_alpha, S::zero);
                size_t at = 0;
                for (size_t g = 0; g < r.batch; ++g)
                    for (size_t i = 0; i < r.m; ++i)
                        for (size_t j = 0; j < r.n; ++j, ++at)
                            if (is_text(r.semiring))
                                products[at] =
                                    S::plus(products[at], S::times(wide_beta, reference::widen(c[shape.c(g, i, j)])));
            } else {
                products = reference::matmul(s, shape, a, b, c, wide_alpha, wide_beta);
            }
            finish(products);
        });
    }

    void finish(const std::vector<Wide<T>> &products) {
        size_t at = 0;
        for (size_t g = 0; g < request.batch; ++g)
            for (size_t i = 0; i < request.m; ++i)
                for (size_t j = 0; j < request.n; ++j, ++at) {
                    const Wide<T> x = products[at];
                    const Wide<T> of_bias =
                        request.bias == Bias::none
                            ? Wide<T>(0)
                            : reference::widen(bias[g * stride_bias + (request.bias == Bias::by_row ? i : j)]);
                    if (request.finish == Finish::text) {
                        const auto add = [](Wide<T> one, Wide<T> other) { return reference::wrapping_add(one, other); };
                        const auto shift = static_cast<Wide<T>>(static_cast<int>(i % 3) - static_cast<int>(j % 5));
                        expected.push_back(add(add(add(x, x), of_bias), shift));
                        bounds.push_back(0);
                        continue;
                    }
                    expected.push_back(reference::finish(x, of_bias, static_cast<Activation>(request.finish),
                                                         static_cast<Wide<T>>(kLow), static_cast<Wide<T>>(kHigh)));
                    if constexpr (!std::is_integral_v<T>) {
                        const Wide<T> y = std::fabs(x + of_bias), eps = std::numeric_limits<Computed<T>>::epsilon();
                        Wide<T> bound = 0;
                        if (request.finish == Finish::gelu) bound = std::fabs(expected.back()) * eps * (16 + y * y);
                        if (request.finish == Finish::gelu_tanh) bound = 8 * eps * y;
                        if (std::is_same_v<T, half>)
                            bound += std::max<Wide<T>>(std::fabs(expected.back()) * 0x1p-11, 0x1p-25);
                        bound += std::numeric_limits<Computed<T>>::min(); // devices may take subnormal numbers for 0
                        bounds.push_back(std::isfinite(bound) ? bound : 0);
                    }
                }
    }

    bool rounds() const { return request.finish == Finish::gelu || request.finish == Finish::gelu_tanh; }

    // Without the bias, which the two forms of the call give in different ways.
    gp_matmul_options options(const char *algorithm) const {
        gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
        options.layout = request.layout;
        options.transpose_a = request.transpose_a ? GP_TRANSPOSE : GP_NO_TRANSPOSE;
        options.transpose_b = request.transpose_b ? GP_TRANSPOSE : GP_NO_TRANSPOSE;
        options.transpose_c = request.transpose_c ? GP_TRANSPOSE : GP_NO_TRANSPOSE;
        if (request.semiring == Semiring::min_plus) options.semiring = GP_MIN_PLUS;
        options.precision = request.precision;
        options.plus_source = texts.plus;
        options.times_source = texts.times;
        options.zero_source = texts.zero;
        options.one_source = texts.one;
        options.helpers = helpers.empty() ? nullptr : helpers.c_str();
        options.alpha = request.alpha ? &alpha : nullptr;
        options.beta = request.beta ? &beta : nullptr;
        options.batch = request.batch;
        options.stride_a = shape.stride_a;
        options.stride_b = shape.stride_b;
        options.stride_c = shape.stride_c;
        options.algorithm = algorithm;
        if (request.bias == Bias::by_row) options.bias_by = GP_BIAS_BY_ROW;
        if (request.bias != Bias::none) options.stride_bias = stride_bias;
        constexpr gp_activation activations[] = {GP_NO_ACTIVATION, GP_RELU, GP_GELU, GP_GELU_TANH, GP_CLAMP};
        if (request.finish == Finish::text)
            options.finish_source = kFinishText;
        else
            options.activation = activations[static_cast<size_t>(request.finish)];
        if (request.finish == Finish::clamp) options.clamp_low = &low, options.clamp_high = &high;
        return options;
    }

    void verify(const std::vector<T> &got) const {
        std::vector<T> elements, rest = got, untouched = c;
        for (size_t g = 0; g < shape.batch; ++g)
            for (size_t i = 0; i < shape.m; ++i)
                for (size_t j = 0; j < shape.n; ++j) {
                    const size_t at = shape.c(g, i, j);
                    elements.push_back(got[at]);
                    rest[at] = untouched[at] = T();
                }
        ASSERT_TRUE(close_to(expected, elements, rounds() ? bounds : std::vector<Wide<T>>()))
            << "(elements are counted row after row)";
        ASSERT_TRUE(same_bits(untouched, rest)) << "the padding of C was written";
    }
};

template <class T> void run(const Problem<T> &problem, const char *algorithm) {
    const MatmulShape &s = problem.shape;
    Guarded<T> a(problem.a), b(problem.b), c(problem.c), bias(problem.bias);
    auto options = problem.options(algorithm);
    if (problem.request.bias != Bias::none) options.bias = bias.data();
    const gp_status status =
        gp_matmul(context(), dtype_of<T>(), s.m, s.n, s.k, a.data(), s.lda, b.data(), s.ldb, c.data(), s.ldc, &options);
    ASSERT_TRUE(c.intact()) << "a canary was overwritten";
    ASSERT_TRUE(same_bits(problem.bias, bias.values())) << "the bias was changed";
    if (on_host() && options.helpers != nullptr) {
        EXPECT_EQ(GP_ERROR_UNSUPPORTED_DEVICE, status) << "OpenCL C on the host";
        return;
    }
    if (refused(GP_MATMUL, algorithm, status)) {
        EXPECT_TRUE(same_bits(problem.c, c.values())) << "refused, yet C was written";
        return;
    }
    ASSERT_OK(status);
    problem.verify(c.values());
}

size_t round_up(size_t n, size_t step) { return (n + step - 1) / step * step; }

bool is_too_much(const Request &request) {
    const auto &[m, n, k] = std::array{request.m, request.n, request.k};
    return m * n * k * request.batch / 64 > max_n() || (max_n() <= 100 && (m + 16) * (n + 16) * (k + 16) > 200000);
}

template <class T> void check(const Request &request, const char *algorithm) {
    if (testing::Test::HasFatalFailure() || is_too_much(request)) return;
    SCOPED_TRACE(std::string(gp_dtype_name(dtype_of<T>())) + ": " + text_of(request) + ", " + name(algorithm));
    ASSERT_NO_FATAL_FAILURE(run(Problem<T>(request), algorithm));
}

// Texts with semirings and finishes that a type takes.
template <class T> bool takes(const Request &r) {
    if (std::is_integral_v<T> && (r.finish == Finish::gelu || r.finish == Finish::gelu_tanh)) return false;
    return !on_host() || (!is_text(r.semiring) && r.finish != Finish::text);
}

template <class T> class MatmulFinish : public testing::Test {
  protected:
    void SetUp() override {
        if (lacks(dtype_of<T>())) GTEST_SKIP() << "this device can't compute " << gp_dtype_name(dtype_of<T>());
    }
};
TYPED_TEST_SUITE(MatmulFinish, Types, TypeNames);

// Drivers of CPUs take a second to build a product, and every choice is another program. There,
// types but float32 and int32 take fewer cases, and the cases of a named algorithm are of one
// choice.
bool builds_slowly() { return !thorough() && device().kind == GP_DEVICE_CPU; }
template <class T> constexpr bool kUsual = std::is_same_v<T, float> || std::is_same_v<T, int32_t>;

// Every bias with every finish, in all layouts.
TYPED_TEST(MatmulFinish, EveryFinish) {
    constexpr std::array<size_t, 3> shapes[] = {{1, 1, 1}, {17, 13, 9}, {35, 33, 31}, {67, 5, 70}, {6, 70, 0}};
    const size_t step = builds_slowly() && !kUsual<TypeParam> ? 4 : 1;
    size_t number = 0;
    for (const auto &row : combinations_of({std::size(kFinishes), 3, 2, 2, 2, 2, std::size(shapes), 2, 2})) {
        if (number++ % step != 0) continue;
        Request r;
        std::tie(r.m, r.n, r.k) = std::tuple_cat(shapes[row[6]]);
        r.finish = kFinishes[row[0]];
        r.bias = static_cast<Bias>(row[1]);
        r.layout = row[2] == 0 ? GP_ROW_MAJOR : GP_COLUMN_MAJOR;
        r.transpose_a = row[3] == 1, r.transpose_b = row[4] == 1, r.transpose_c = row[5] == 1;
        r.padding = row[7] * 3;
        if (row[8] == 1) r.beta = 2, r.alpha = 3;
        if (takes<TypeParam>(r)) check<TypeParam>(r, nullptr);
    }
}

// Each algorithm stores its results through the finish: whole tiles, parts of them, slices of k,
// vectors, batches.
TYPED_TEST(MatmulFinish, EveryAlgorithm) {
    const bool slow = builds_slowly();
    size_t number = 0, of_algorithm = std::is_integral_v<TypeParam> ? 1 : 0;
    for (const char *algorithm : algorithms(GP_MATMUL)) {
        const std::string_view named = algorithm != nullptr ? algorithm : "";
        if (slow && !kUsual<TypeParam> && (named == "wide-tiles" || named == "direct-tiles" || is_brief())) continue;
        const bool host = named.substr(0, 4) == "host";
        for (const auto &[m, n, k, batch] : {std::array<size_t, 4>{65, 131, 33, 1},
                                             {33, 31, 1027, 2},
                                             {1, 70, 300, 3},
                                             {70, 1, 301, 1},
                                             {130, 129, 257, 1}}) {
            Request r;
            r.m = m, r.n = n, r.k = k, r.batch = batch;
            if (named.substr(0, 8) == "min-plus") r.semiring = Semiring::min_plus;
            const size_t choice = slow ? of_algorithm : number;
            constexpr Finish exact[] = {Finish::text, Finish::relu, Finish::clamp};
            r.finish = exact[host ? 1 + number % 2 : slow ? 0 : number % 3];
            r.bias = static_cast<Bias>(1 + choice % 2);
            r.layout = choice / 2 % 2 == 0 ? GP_ROW_MAJOR : GP_COLUMN_MAJOR;
            r.transpose_a = choice / 4 % 2 == 1;
            r.shared_bias = number % 3 == 0;
            r.padding = number % 2;
            if (choice % 4 == 0) r.beta = 2;
            if (named == "direct-groups" || named == "box-units") { // rows are multiples of 16 bytes
                r.m = round_up(m, 4), r.n = round_up(n, 4), r.k = round_up(k, 4);
                r.padding *= 4, r.gap = 4;
                r.transpose_a = false;
                if (named == "direct-groups") r.precision = GP_FAST;
            }
            ++number;
            check<TypeParam>(r, algorithm);
        }
        ++of_algorithm;
    }
}

// Rows and columns of the matrix and edges of vectors, with the bias of each.
TYPED_TEST(MatmulFinish, EdgesOfVectors) {
    size_t number = 0;
    for (const size_t s : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33})
        for (const auto &[m, n, k] : {std::array<size_t, 3>{s, 33, 5}, {33, s, 5}, {s, s, s}}) {
            Request r;
            r.m = m, r.n = n, r.k = k;
            r.finish = Finish::relu;
            r.bias = static_cast<Bias>(1 + number % 2);
            r.layout = number / 2 % 2 == 0 ? GP_ROW_MAJOR : GP_COLUMN_MAJOR;
            r.transpose_c = number / 4 % 2 == 1;
            ++number;
            check<TypeParam>(r, nullptr);
        }
}

TYPED_TEST(MatmulFinish, BuffersAtOddOffsets) {
    size_t number = 0;
    for (const Finish finish : kFinishes)
        for (const Bias of : {Bias::none, Bias::by_column, Bias::by_row}) {
            Request r;
            r.m = 19, r.n = 34, r.k = 17;
            r.finish = finish;
            r.bias = of;
            r.batch = 1 + number % 3;
            r.layout = number % 2 == 0 ? GP_ROW_MAJOR : GP_COLUMN_MAJOR;
            r.transpose_c = number % 5 == 0;
            ++number;
            if (!takes<TypeParam>(r) || is_too_much(r)) continue;
            SCOPED_TRACE(text_of(r));
            const Problem<TypeParam> problem(r);
            const MatmulShape &s = problem.shape;
            DeviceArray<TypeParam> a(problem.a, 1), b(problem.b, 3), c(problem.c, 5), bias(problem.bias, 7);
            auto options = problem.options(nullptr);
            if (of != Bias::none) options.bias_buffer = bias.buffer(), options.bias_offset = bias.offset();
            gp_event *event = nullptr;
            ASSERT_OK(gp_enqueue_matmul(context(), dtype_of<TypeParam>(), r.m, r.n, r.k, a.buffer(), a.offset(), s.lda,
                                        b.buffer(), b.offset(), s.ldb, c.buffer(), c.offset(), s.ldc, &options, 0,
                                        nullptr, &event));
            ASSERT_OK(gp_event_wait(event));
            ASSERT_OK(gp_event_free(event));
            ASSERT_NO_FATAL_FAILURE(problem.verify(c.values()));
        }
}

// Semirings by text: what the built-in one gives, and where factors have an order.
TYPED_TEST(MatmulFinish, SemiringsByText) {
    if (on_host()) GTEST_SKIP() << "\"host\" runs no texts";
    const bool slow = builds_slowly();
    size_t number = 0, of_algorithm = std::is_integral_v<TypeParam> ? 1 : 0;
    for (const char *algorithm : algorithms(GP_MATMUL)) {
        const std::string_view named = algorithm != nullptr ? algorithm : "";
        if (slow && !kUsual<TypeParam> && (named == "wide-tiles" || named == "direct-tiles" || is_brief())) continue;
        for (const auto &[m, n, k, batch] : {std::array<size_t, 4>{65, 67, 33, 1},
                                             {3, 5, 2, 7},
                                             {1, 70, 300, 2},
                                             {70, 1, 301, 1},
                                             {5, 3, 0, 1},
                                             {130, 129, 263, 1}}) {
            Request r;
            r.m = m, r.n = n, r.k = k, r.batch = batch;
            constexpr Semiring all[] = {Semiring::of_text_lopsided, Semiring::of_text_min_plus,
                                        Semiring::of_text_distance};
            const size_t choice = slow ? of_algorithm : number;
            r.semiring = all[slow ? 0 : number % 3];
            r.layout = choice / 2 % 2 == 0 ? GP_ROW_MAJOR : GP_COLUMN_MAJOR;
            r.transpose_b = choice / 4 % 2 == 1;
            if (choice % 3 == 1) r.beta = static_cast<int>(number % 2);
            if (choice % 5 == 2) r.alpha = 2;
            if (choice % 2 == 1) r.finish = Finish::relu, r.bias = Bias::by_row;
            ++number;
            check<TypeParam>(r, algorithm);
        }
        ++of_algorithm;
    }
    for (const Semiring semiring : {Semiring::of_text_lopsided, Semiring::of_text_min_plus, Semiring::of_text_distance})
        for (const size_t s : {1, 2, 7, 33}) {
            Request r;
            r.m = s, r.n = s + 2, r.k = s + 1;
            r.semiring = semiring;
            r.transpose_c = s == 7;
            r.finish = s == 33 ? Finish::text : Finish::none;
            check<TypeParam>(r, nullptr);
        }
}

// NaN and infinities go through the activations as the header says.
TEST(MatmulFinishOfFloats, NotFinite) {
    const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    const float x[] = {nan, infinity, -infinity, -0.0F, 0.0F}, one = 1;
    constexpr size_t kN = std::size(x);
    const float low = -2, high = 3;
    const auto apply = [&](gp_activation activation) {
        gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
        options.activation = activation;
        if (activation == GP_CLAMP) options.clamp_low = &low, options.clamp_high = &high;
        std::vector<float> c(kN);
        EXPECT_OK(gp_matmul(context(), GP_FLOAT32, 1, kN, 1, &one, 1, x, kN, c.data(), kN, &options));
        return c;
    };
    const auto expect = [&](gp_activation activation, const std::vector<float> &want) {
        const std::vector<float> got = apply(activation);
        for (size_t i = 0; i < kN; ++i)
            EXPECT_TRUE(same_value(want[i], got[i])) << "activation " << activation << " of " << x[i] << ": " << got[i];
    };
    expect(GP_RELU, {nan, infinity, 0, 0, 0});
    expect(GP_CLAMP, {nan, high, low, 0, 0});
    expect(GP_GELU, {nan, infinity, nan, 0, 0});
    expect(GP_GELU_TANH, {nan, infinity, nan, 0, 0});
}

// One bound of the two.
TEST(MatmulFinishOfFloats, HalfClamped) {
    const float x[] = {-5, 0, 5}, one = 1, bound = 1;
    for (const bool low : {false, true}) {
        gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
        options.activation = GP_CLAMP;
        (low ? options.clamp_low : options.clamp_high) = &bound;
        std::vector<float> c(3);
        ASSERT_OK(gp_matmul(context(), GP_FLOAT32, 1, 3, 1, &one, 1, x, 3, c.data(), 3, &options));
        EXPECT_EQ(low ? (std::vector<float>{1, 1, 5}) : (std::vector<float>{-5, 0, 1}), c);
    }
}

// float16 is rounded once: behind the finish.
TEST(MatmulFinishOfHalves, RoundsOnce) {
    // 2048 + 1 is no half and would be 2048, which with a bias of 1 and one rounding is 2050.
    const std::vector<half> a = {reference::to_half(2048.0), reference::to_half(1.0)},
                            b = {reference::to_half(1.0), reference::to_half(1.0)}, bias = {reference::to_half(1.0)};
    std::vector<half> c(1);
    gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
    options.bias = bias.data();
    ASSERT_OK(gp_matmul(context(), GP_FLOAT16, 1, 1, 2, a.data(), 2, b.data(), 1, c.data(), 1, &options));
    EXPECT_EQ(2050, reference::to_double(c[0]));
}

class MatmulFinishErrors : public testing::Test {
  protected:
    gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
    std::vector<float> a = std::vector<float>(16, 1), c = std::vector<float>(16, -1), bias = std::vector<float>(8, 1);

    gp_status call(gp_dtype dtype = GP_FLOAT32) {
        return gp_matmul(context(), dtype, 4, 4, 4, a.data(), 4, a.data(), 4, c.data(), 4, &options);
    }
    void expect(gp_status want, const char *part, gp_dtype dtype = GP_FLOAT32) {
        EXPECT_EQ(want, call(dtype));
        EXPECT_NE(std::string::npos, std::string(gp_error_message()).find(part)) << gp_error_message();
        EXPECT_EQ(std::vector<float>(16, -1), c) << "refused, yet C was written";
        options = GP_MATMUL_OPTIONS_INIT;
    }
};

TEST_F(MatmulFinishErrors, Refusals) {
    const float low = 2, high = 1, nan = std::numeric_limits<float>::quiet_NaN();
    options.activation = 5;
    expect(GP_ERROR_OPTION, "activation");
    options.bias_by = 2;
    expect(GP_ERROR_OPTION, "bias_by");
    options.transpose_c = 2;
    expect(GP_ERROR_OPTION, "transpose_c");
    options.bias_by = GP_BIAS_BY_ROW;
    expect(GP_ERROR_OPTION, "without a bias");
    options.stride_bias = 4;
    expect(GP_ERROR_OPTION, "without a bias");
    options.bias_offset = 1;
    expect(GP_ERROR_OPTION, "bias_offset");
    options.clamp_low = &low;
    expect(GP_ERROR_OPTION, "clamp_low");
    options.activation = GP_CLAMP, options.clamp_low = &low, options.clamp_high = &high;
    expect(GP_ERROR_OPTION, "low <= high");
    options.activation = GP_CLAMP, options.clamp_low = &nan;
    expect(GP_ERROR_OPTION, "low <= high");
    options.activation = GP_GELU;
    expect(GP_ERROR_OPTION, "floating-point", GP_INT32);
    options.finish_source = " \n";
    expect(GP_ERROR_OPTION, "blank");
    options.finish_source = "x", options.activation = GP_RELU;
    expect(GP_ERROR_OPTION, "expected one of them");
    options.helpers = "int f(void);";
    expect(GP_ERROR_OPTION, "helpers");
    options.plus_source = "a + b";
    expect(GP_ERROR_SEMIRING, "times_source");
    options.plus_source = options.times_source = options.zero_source = "a", options.one_source = "";
    expect(GP_ERROR_SEMIRING, "one_source");
    options.bias = reinterpret_cast<const char *>(bias.data()) + 1;
    expect(GP_ERROR_ALIGNMENT, "bias");
    options.bias = c.data() + 3;
    expect(GP_ERROR_OVERLAP, "bias");
}

TEST_F(MatmulFinishErrors, OfTheOtherForm) {
    DeviceArray<float> buffer(bias), wide(a), result(c);
    options.bias_buffer = buffer.buffer();
    expect(GP_ERROR_OPTION, "bias_buffer");
    const auto enqueue = [&] {
        const gp_status status =
            gp_enqueue_matmul(context(), GP_FLOAT32, 4, 4, 4, wide.buffer(), wide.offset(), 4, wide.buffer(),
                              wide.offset(), 4, result.buffer(), result.offset(), 4, &options, 0, nullptr, nullptr);
        options = GP_MATMUL_OPTIONS_INIT;
        return status;
    };
    options.bias = bias.data();
    EXPECT_EQ(GP_ERROR_OPTION, enqueue());
    options.bias_buffer = buffer.buffer(), options.bias_offset = 100;
    EXPECT_EQ(GP_ERROR_OUT_OF_BOUNDS, enqueue());
    options.bias_buffer = result.buffer(), options.bias_offset = result.offset() + 2;
    EXPECT_EQ(GP_ERROR_OVERLAP, enqueue());
}

// The whole log of a text that does not build.
TEST_F(MatmulFinishErrors, BuildLog) {
    if (on_host()) GTEST_SKIP() << "\"host\" runs no texts";
    options.finish_source = "x + no_such_name";
    EXPECT_EQ(GP_ERROR_BUILD, call());
    EXPECT_NE(std::string::npos, std::string(gp_error_build_log()).find("no_such_name")) << gp_error_build_log();
    options = GP_MATMUL_OPTIONS_INIT;
    options.plus_source = "a + b", options.times_source = "a * no_such_name", options.zero_source = "0",
    options.one_source = "1";
    EXPECT_EQ(GP_ERROR_BUILD, call());
    EXPECT_NE(std::string::npos, std::string(gp_error_build_log()).find("no_such_name")) << gp_error_build_log();
}

} // namespace

// Matrix products of bfloat16, int8 and uint8, and those whose C has another type than the factors:
// every layout and transpose, batches, alpha and beta, finishes, hard numbers, against three nested
// loops.
// SPDX-License-Identifier: MIT
#include "compare.h"

#include "../reference/bfloat.h"
#include "../reference/matmul.h"

#include <array>
#include <optional>

namespace {

using namespace test;
using reference::Activation;
using reference::bfloat;
using reference::half;
using reference::MatmulShape;

// A and B, and C.
template <class Factor, class C> struct Pair {
    using factor = Factor;
    using c = C;
};
using Pairs =
    testing::Types<Pair<bfloat, bfloat>, Pair<bfloat, float>, Pair<half, float>, Pair<int8_t, int8_t>,
                   Pair<int8_t, int32_t>, Pair<uint8_t, uint8_t>, Pair<uint8_t, int32_t>, Pair<int16_t, int32_t>>;

template <class T> constexpr gp_dtype code() {
    if constexpr (std::is_same_v<T, half>)
        return GP_FLOAT16;
    else if constexpr (std::is_same_v<T, bfloat>)
        return GP_BFLOAT16;
    else
        return dtype<T>();
}

struct PairNames {
    template <class P> static std::string GetName(int) {
        return std::string(gp_dtype_name(code<typename P::factor>())) + "_" + gp_dtype_name(code<typename P::c>());
    }
};

template <class T> constexpr bool is_two_bytes = std::is_same_v<T, half> || std::is_same_v<T, bfloat>;
// The type of alpha and beta, and the one that the oracle computes in, which holds every factor.
template <class P> using Scalar = std::conditional_t<is_two_bytes<typename P::factor>, float, int32_t>;
template <class P> using Exact = std::conditional_t<is_two_bytes<typename P::factor>, double, int32_t>;

template <class T, class W> T narrow(W x) {
    if constexpr (std::is_same_v<T, half>)
        return reference::to_half(x);
    else if constexpr (std::is_same_v<T, bfloat>)
        return reference::to_bfloat(x);
    else
        return static_cast<T>(x); // the low bits
}
template <class W, class T> W widen(T x) {
    if constexpr (is_two_bytes<T>)
        return to_double(x);
    else
        return static_cast<W>(x);
}

enum class Values {
    exact,     // sums are exact; integers have all bits, and wrap
    real,      // between -1 and 1
    lines,     // each row of A and column of B by a power of two of its own
    cancelling // each pair of terms nearly cancels
};

struct Request {
    size_t m = 0, n = 0, k = 0;
    size_t variant = 0; // a bit each: column-major, A, B and C transposed
    size_t padding = 0;
    std::optional<int> alpha, beta;
    size_t batch = 1;
    bool shared_b = false;
    gp_semiring semiring = GP_PLUS_TIMES;
    gp_activation activation = GP_NO_ACTIVATION;
    bool has_bias = false, bias_by_row = false;
    Values values = Values::exact;
    bool bit(size_t i) const { return (variant >> i & 1) != 0; }
};

std::string text_of(const Request &r) {
    std::ostringstream out;
    out << "m, n, k = " << r.m << ", " << r.n << ", " << r.k << ", variant " << r.variant << ", padding " << r.padding
        << ", semiring " << r.semiring << ", activation " << r.activation << ", bias " << r.has_bias << r.bias_by_row;
    if (r.alpha) out << ", alpha " << *r.alpha;
    if (r.beta) out << ", beta " << *r.beta;
    if (r.batch != 1) out << ", batch of " << r.batch << (r.shared_b ? ", B shared" : "");
    return out.str();
}

template <class P> class Problem {
  public:
    using F = typename P::factor;
    using C = typename P::c;
    using E = Exact<P>;

    Request request;
    MatmulShape shape;
    std::vector<F> a, b;
    std::vector<C> c, bias;
    Scalar<P> alpha{}, beta{}, low{}, high{};

    explicit Problem(const Request &r) : request(r), random_(r.m * 1000003 + r.n * 1009 + r.k) {
        shape.m = r.m, shape.n = r.n, shape.k = r.k, shape.batch = r.batch;
        shape.column_major = r.bit(0), shape.transpose_a = r.bit(1), shape.transpose_b = r.bit(2);
        shape.transpose_c = r.bit(3);
        const auto place = [&](size_t rows, size_t columns, bool turned, size_t padding, size_t &ld, size_t &stride) {
            const size_t lines = turned ? columns : rows, length = turned ? rows : columns;
            ld = std::max<size_t>(length, 1) + padding;
            stride = lines * ld + (r.batch > 1 ? 5 : 0);
            return stride * r.batch;
        };
        a.resize(place(r.m, r.k, r.bit(0) != r.bit(1), r.padding, shape.lda, shape.stride_a));
        b.resize(place(r.k, r.n, r.bit(0) != r.bit(2), 2 * r.padding, shape.ldb, shape.stride_b));
        c.assign(place(r.m, r.n, r.bit(0) != r.bit(3), 3 * r.padding, shape.ldc, shape.stride_c), poison());
        if (r.shared_b) shape.stride_b = 0;
        for (size_t g = 0; g < r.batch; ++g) {
            for (size_t p = 0; p < r.k; ++p) {
                for (size_t i = 0; i < r.m; ++i) a[shape.a(g, i, p)] = factor(i, p, false);
                for (size_t j = 0; j < r.n; ++j) b[shape.b(g, p, j)] = factor(j, p, true);
            }
            for (size_t i = 0; i < r.m && r.beta.value_or(0) != 0; ++i)
                for (size_t j = 0; j < r.n; ++j) c[shape.c(g, i, j)] = narrow<C>(small());
        }
        alpha = static_cast<Scalar<P>>(r.alpha.value_or(1));
        beta = static_cast<Scalar<P>>(r.beta.value_or(0));
        low = -3, high = 100;
        for (size_t i = 0; r.has_bias && i < (r.bias_by_row ? r.m : r.n); ++i) bias.push_back(narrow<C>(small()));
        solve();
    }

    gp_matmul_options options(const char *algorithm) const {
        gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
        options.layout = shape.column_major ? GP_COLUMN_MAJOR : GP_ROW_MAJOR;
        options.transpose_a = shape.transpose_a ? GP_TRANSPOSE : GP_NO_TRANSPOSE;
        options.transpose_b = shape.transpose_b ? GP_TRANSPOSE : GP_NO_TRANSPOSE;
        options.transpose_c = shape.transpose_c ? GP_TRANSPOSE : GP_NO_TRANSPOSE;
        options.semiring = request.semiring;
        options.alpha = request.alpha ? &alpha : nullptr;
        options.beta = request.beta ? &beta : nullptr;
        options.batch = shape.batch;
        options.stride_a = shape.stride_a, options.stride_b = shape.stride_b, options.stride_c = shape.stride_c;
        options.algorithm = algorithm;
        options.bias = request.has_bias ? bias.data() : nullptr;
        options.bias_by = request.bias_by_row ? GP_BIAS_BY_ROW : GP_BIAS_BY_COLUMN;
        options.activation = request.activation;
        if (request.activation == GP_CLAMP) options.clamp_low = &low, options.clamp_high = &high;
        options.c_dtype = std::is_same_v<F, C> ? 0 : code<C>();
        return options;
    }

    // The elements are as expected, and all between them are as they were.
    void verify(const std::vector<C> &got) const {
        std::vector<C> rest = got, untouched = c;
        size_t at = 0;
        for (size_t g = 0; g < shape.batch; ++g)
            for (size_t i = 0; i < shape.m; ++i)
                for (size_t j = 0; j < shape.n; ++j, ++at) {
                    const size_t place = shape.c(g, i, j);
                    const auto want = expected_[at], result = widen<E>(got[place]);
                    bool right = same_value(widen<E>(narrow<C>(want)), result);
                    if constexpr (is_two_bytes<F>)
                        if (!bounds_.empty()) right = within(want, result, bounds_[at]);
                    ASSERT_TRUE(right) << "product " << g << ", element (" << i << ", " << j << "): expected "
                                       << test::text(want) << ", got " << test::text(result);
                    rest[place] = untouched[place] = C{};
                }
        ASSERT_EQ(0, std::memcmp(untouched.data(), rest.data(), rest.size() * sizeof(C))) << "the padding was written";
    }

  private:
    std::mt19937_64 random_;
    std::vector<E> expected_, bounds_;

    static C poison() {
        if constexpr (is_two_bytes<F>)
            return narrow<C>(std::numeric_limits<double>::quiet_NaN());
        else
            return static_cast<C>(-123456789);
    }

    E small() { return static_cast<E>(random_() % 9) - 4; }

    F factor(size_t line, size_t p, bool is_b) {
        if constexpr (!is_two_bytes<F>) {
            return static_cast<F>(random_());
        } else {
            const double real = std::uniform_real_distribution<double>(-1, 1)(random_);
            switch (request.values) {
            case Values::real: return narrow<F>(real);
            case Values::lines: // C stays a number of its type
                return narrow<F>(real * std::ldexp(1, static_cast<int>(line % (std::is_same_v<F, half> ? 9 : 100)) *
                                                          (is_b ? -1 : 1)));
            case Values::cancelling:
                return narrow<F>(is_b ? 1 + static_cast<double>(line) : (p % 2 == 0 ? 1 : -1) * (100 + real));
            default: return narrow<F>(small());
            }
        }
    }

    void solve() {
        using L = std::conditional_t<is_two_bytes<F>, long double, int32_t>;
        const auto wide = [](const auto &values) {
            std::vector<E> result;
            for (const auto x : values) result.push_back(widen<E>(x));
            return result;
        };
        auto of_a = wide(a), of_b = wide(b), of_c = wide(c);
        const auto solved = [&](auto semiring) {
            const L from_alpha = request.alpha ? L(alpha) : semiring.one;
            const L from_beta = request.beta ? L(beta) : semiring.zero;
            return reference::matmul(semiring, shape, of_a, of_b, of_c, from_alpha, from_beta);
        };
        const auto result =
            request.semiring == GP_MIN_PLUS ? solved(reference::MinPlus<L>()) : solved(reference::PlusTimes<L>());
        for (size_t at = 0; at < result.size(); ++at) {
            const size_t i = at / shape.n % shape.m, j = at % shape.n;
            const E of_bias = request.has_bias ? widen<E>(bias[request.bias_by_row ? i : j]) : E{};
            const Activation activation = request.activation == GP_CLAMP  ? Activation::clamp
                                          : request.activation == GP_RELU ? Activation::relu
                                                                          : Activation::none;
            expected_.push_back(reference::finish(static_cast<E>(result[at]), of_bias, activation, E(low), E(high)));
        }
        if constexpr (is_two_bytes<F>) {
            if (request.values == Values::exact) return;
            // (k + 2) * eps * (|alpha| |A| |B| + |beta| |C|), and half a unit of the last place of
            // C.
            for (auto *all : {&of_a, &of_b, &of_c})
                for (E &x : *all) x = std::fabs(x);
            const auto magnitudes = reference::matmul(reference::PlusTimes<L>(), shape, of_a, of_b, of_c,
                                                      L(std::fabs(alpha)), L(std::fabs(beta)));
            for (size_t at = 0; at < magnitudes.size(); ++at) {
                E bound = static_cast<E>(magnitudes[at]) * static_cast<E>(shape.k + 2) * 0x1p-23 + 0x1p-149;
                if (std::is_same_v<C, bfloat>) bound += std::max(std::fabs(expected_[at]) * 0x1p-8, 0x1p-134);
                bounds_.push_back(bound);
            }
        }
    }
};

template <class P> void run(const Problem<P> &problem, const char *algorithm) {
    using F = typename P::factor;
    using C = typename P::c;
    const MatmulShape &s = problem.shape;
    Guarded<F> a(problem.a), b(problem.b);
    Guarded<C> c(problem.c);
    const auto options = problem.options(algorithm);
    const gp_status status =
        gp_matmul(context(), code<F>(), s.m, s.n, s.k, a.data(), s.lda, b.data(), s.ldb, c.data(), s.ldc, &options);
    ASSERT_TRUE(a.intact() && b.intact() && c.intact()) << "a canary was overwritten";
    if (refused(GP_MATMUL, algorithm, status)) return;
    ASSERT_OK(status);
    ASSERT_NO_FATAL_FAILURE(problem.verify(c.values()));
}

template <class P> void run_on_buffers(const Problem<P> &problem, const char *algorithm) {
    using F = typename P::factor;
    const MatmulShape &s = problem.shape;
    DeviceArray<F> a(problem.a, 16), b(problem.b, 16); // rows of whole vectors may stay where they are
    DeviceArray<typename P::c> c(problem.c);
    const auto bias = problem.request.has_bias ? std::make_unique<DeviceArray<typename P::c>>(problem.bias) : nullptr;
    auto options = problem.options(algorithm);
    options.bias = nullptr;
    if (bias) options.bias_buffer = bias->buffer(), options.bias_offset = bias->offset();
    gp_event *event = nullptr;
    const gp_status status =
        gp_enqueue_matmul(context(), code<F>(), s.m, s.n, s.k, a.buffer(), a.offset(), s.lda, b.buffer(), b.offset(),
                          s.ldb, c.buffer(), c.offset(), s.ldc, &options, 0, nullptr, &event);
    if (refused(GP_MATMUL, algorithm, status)) return;
    ASSERT_OK(status);
    ASSERT_OK(gp_event_wait(event));
    ASSERT_OK(gp_event_free(event));
    ASSERT_NO_FATAL_FAILURE(problem.verify(c.values()));
}

template <class P> void check(const Request &request, const char *algorithm, bool on_buffers = false) {
    if (testing::Test::HasFailure() || request.m * request.n * request.k * request.batch / 64 > max_n()) return;
    if (max_n() <= 100 && (request.m + 16) * (request.n + 16) * (request.k + 16) > 200000) return;
    SCOPED_TRACE(text_of(request) + ", " + name(algorithm));
    const Problem<P> problem(request);
    on_buffers ? run_on_buffers(problem, algorithm) : run(problem, algorithm);
}

Request request_of(size_t m, size_t n, size_t k, size_t variant, size_t padding = 0) {
    Request request;
    request.m = m, request.n = n, request.k = k, request.variant = variant, request.padding = padding;
    return request;
}

// Each program of a product takes such devices long to build.
bool builds_slowly() { return !thorough() && device().kind == GP_DEVICE_CPU; }

template <class P> class MatmulTypes : public testing::Test {};
TYPED_TEST_SUITE(MatmulTypes, Pairs, PairNames);

TYPED_TEST(MatmulTypes, EveryVariant) {
    size_t number = 0;
    for (size_t variant = 0; variant < 16; ++variant)
        for (const auto &[m, n, k] :
             {std::array<size_t, 3>{1, 1, 1}, {2, 3, 4}, {17, 13, 9}, {35, 33, 31}, {67, 5, 70}, {64, 65, 129}}) {
            ++number;
            check<TypeParam>(request_of(m, n, k, variant, number % 3), nullptr, number % 4 == 0);
        }
}

// Every algorithm, around its tiles.
TYPED_TEST(MatmulTypes, Algorithms) {
    const bool every = !builds_slowly();
    const bool usual =
        std::is_same_v<TypeParam, Pair<bfloat, float>> || std::is_same_v<TypeParam, Pair<int8_t, int32_t>>;
    for (const char *algorithm : algorithms(GP_MATMUL, every || usual)) {
        const std::string_view named = algorithm != nullptr ? algorithm : "";
        if (!every && (named == "wide-tiles" || named == "naive")) continue;
        size_t number = 0;
        for (const auto &[m, n, k] : {std::array<size_t, 3>{33, 31, 65},
                                      {1, 70, 303},
                                      {129, 1, 515},
                                      {65, 127, 129},
                                      {64, 64, 64},
                                      {72, 40, 48},
                                      {3, 5, 0},
                                      {128, 256, 384},
                                      {257, 255, 200}}) {
            Request r = request_of(m, n, k, every ? number * 5 % 16 : 0, number % 3 == 2 ? 1 : 0);
            if (number % 2 == 1) r.beta = 2, r.alpha = 3;
            if (number % 4 == 2) r.batch = 2, r.shared_b = number % 8 == 2;
            check<TypeParam>(r, algorithm, number % 2 == 0);
            ++number;
        }
    }
}

TYPED_TEST(MatmulTypes, AlphaBetaAndBatches) {
    size_t number = 0;
    for (const std::optional<int> alpha : {std::optional<int>(), std::optional<int>(0), std::optional<int>(-2)})
        for (const std::optional<int> beta : {std::optional<int>(), std::optional<int>(0), std::optional<int>(3)})
            for (const size_t batch : {1, 3})
                for (const auto &[m, n, k] : {std::array<size_t, 3>{5, 6, 4}, {34, 35, 33}, {3, 70, 0}}) {
                    ++number;
                    Request r = request_of(m, n, k, number % 16, number % 3);
                    r.alpha = alpha, r.beta = beta, r.batch = batch, r.shared_b = number % 2 == 0;
                    check<TypeParam>(r, nullptr, number % 3 == 0);
                }
    Request many = request_of(4, 5, 6, 0);
    many.batch = max_n() > 100 ? 300 : 6;
    check<TypeParam>(many, nullptr);
}

// On "host" vectors are converted a part at a time, and lanes of vectors have a product each.
TYPED_TEST(MatmulTypes, HostVectorsAndLanes) {
    if (!on_host()) GTEST_SKIP() << "for the host";
    size_t number = 0;
    for (const auto &[s, k] : {std::array<size_t, 2>{7, 33}, {33, 7}, {1025, 10}, {10, 1025}, {5, 4099}, {4099, 5}})
        for (size_t each = 0; each < 16; ++each, ++number) {
            Request r = request_of(number % 2 == 0 ? s : 1, number % 2 == 0 ? 1 : s, k, each, number % 3);
            if (number % 5 < 2) r.beta = 2, r.alpha = 3;
            check<TypeParam>(r, nullptr);
        }
    for (const size_t batch : {8, 17, 33})
        for (const size_t s : {1, 2, 5, 17}) {
            Request r = request_of(s, s + 1, s + 2, number % 16, number % 3);
            r.batch = batch, r.has_bias = number % 3 == 0, r.activation = number % 2 == 0 ? GP_RELU : GP_NO_ACTIVATION;
            if (++number % 5 < 2) r.beta = 2, r.alpha = 3;
            check<TypeParam>(r, nullptr);
        }
}

// The bias has C's type; what is computed is finished before it is rounded or cut.
TYPED_TEST(MatmulTypes, Finish) {
    size_t number = 0;
    for (const gp_activation activation : {GP_NO_ACTIVATION, GP_RELU, GP_CLAMP})
        for (const bool has_bias : {false, true})
            for (const auto &[m, n, k] : {std::array<size_t, 3>{5, 7, 3}, {66, 65, 40}, {1, 33, 200}, {40, 1, 70}}) {
                if (builds_slowly() && (activation != GP_CLAMP || !has_bias)) continue;
                ++number;
                Request r = request_of(m, n, k, number % 16, number % 2);
                r.activation = activation, r.has_bias = has_bias, r.bias_by_row = has_bias && number % 2 == 0;
                if (number % 3 == 0) r.beta = 2;
                check<TypeParam>(r, nullptr, number % 2 == 0);
            }
}

// What other devices than NVIDIA's refuse: around tiles and steps of k, in each way that A and B
// may lie, with rows of 16 bytes and others, slices of k.
TYPED_TEST(MatmulTypes, MatrixUnits) {
    if (std::string_view(device().vendor).find("NVIDIA") == std::string_view::npos) GTEST_SKIP() << "for NVIDIA GPUs";
    size_t number = 0;
    for (const auto &[m, n, k] : {std::array<size_t, 3>{64, 64, 64},
                                  {65, 63, 65},
                                  {129, 127, 200},
                                  {256, 512, 384},
                                  {8, 16, 3000},
                                  {1000, 264, 72},
                                  {2047, 2049, 129}})
        for (const char *algorithm : {"warp-groups", "matrix-units", "direct-units"})
            for (const size_t padding : {0, 1, 8}) {
                ++number;
                Request r = request_of(m, n, k, number % 16, padding);
                if (number % 2 == 0) r.beta = 2;
                if (number % 3 == 0 && m < 2000) r.batch = 2;
                if (number % 5 == 0) r.activation = GP_RELU, r.has_bias = true;
                check<TypeParam>(r, algorithm, number % 4 < 2);
            }
}

// Sums past 2^31, and slices of k.
TYPED_TEST(MatmulTypes, Deep) {
    size_t number = 0;
    for (const auto &[m, n, k] : {std::array<size_t, 3>{1, 1, 70001},
                                  {3, 5, 4099},
                                  {33, 2, 20011},
                                  {1, 70, 3001},
                                  {65, 1, 40097},
                                  {66, 65, 4096}})
        check<TypeParam>(request_of(m, n, k, ++number), nullptr);
}

template <class P> class MatmulTypesOfReals : public testing::Test {};
using RealPairs = testing::Types<Pair<bfloat, bfloat>, Pair<bfloat, float>, Pair<half, float>>;
TYPED_TEST_SUITE(MatmulTypesOfReals, RealPairs, PairNames);

// Within the header's bound, whatever the numbers are.
TYPED_TEST(MatmulTypesOfReals, Errors) {
    size_t number = 0;
    for (const Values values : {Values::real, Values::lines, Values::cancelling})
        for (const auto &[m, n, k] :
             {std::array<size_t, 3>{33, 35, 100}, {64, 64, 512}, {130, 129, 1000}, {1, 100, 5001}, {512, 512, 600}}) {
            ++number;
            Request r = request_of(m, n, k, number % 16);
            r.values = values;
            if (number % 3 == 0) r.beta = 2, r.alpha = -3;
            check<TypeParam>(r, nullptr, number % 2 == 0);
        }
}

TYPED_TEST(MatmulTypesOfReals, MinPlus) {
    size_t number = 0;
    for (const auto &[m, n, k] : {std::array<size_t, 3>{5, 7, 3}, {66, 65, 40}, {1, 33, 200}, {130, 260, 300}}) {
        ++number;
        Request r = request_of(m, n, k, number % 16, number % 2);
        r.semiring = GP_MIN_PLUS;
        check<TypeParam>(r, nullptr);
    }
}

// What is not finite, and numbers below the smallest normal one.
TYPED_TEST(MatmulTypesOfReals, NotFiniteAndSubnormal) {
    using F = typename TypeParam::factor;
    using C = typename TypeParam::c;
    const double infinity = std::numeric_limits<double>::infinity();
    const double tiny = std::is_same_v<F, half> ? 0x1p-24 : 0x1p-133; // the least
    for (const size_t n : {1, 3, 70})
        for (const double x : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN(), tiny, 3 * tiny}) {
            if (n * n > max_n()) continue;
            constexpr size_t kDeep = 66;
            std::vector<F> a(n * kDeep, narrow<F>(0.0)), b(kDeep * n, narrow<F>(1.0));
            for (size_t i = 0; i < n; ++i) a[i * kDeep + i % kDeep] = narrow<F>(x);
            std::vector<C> c(n * n, narrow<C>(7.0));
            gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
            options.c_dtype = code<C>();
            ASSERT_OK(
                gp_matmul(context(), code<F>(), n, n, kDeep, a.data(), kDeep, b.data(), n, c.data(), n, &options));
            for (const C got : c) ASSERT_TRUE(same_value(x, widen<double>(got))) << x << ", got " << widen<double>(got);
        }
}

// 257 lies between two bfloat16 and would be 256, which with a bias of 1 and one rounding is 258.
TEST(MatmulOfBfloats, RoundsOnce) {
    const std::vector<bfloat> a = {reference::to_bfloat(256), reference::to_bfloat(1)},
                              b = {reference::to_bfloat(1), reference::to_bfloat(1)}, bias = {reference::to_bfloat(1)};
    std::vector<bfloat> c(1);
    gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
    options.bias = bias.data();
    ASSERT_OK(gp_matmul(context(), GP_BFLOAT16, 1, 1, 2, a.data(), 2, b.data(), 1, c.data(), 1, &options));
    EXPECT_EQ(258, to_double(c[0]));
}

// Clamped to its bounds, int8 saturates.
TEST(MatmulOfBytes, Saturates) {
    const std::vector<int8_t> a = {100, -100}, b = {100, 2, 1};
    std::vector<int8_t> c(6);
    const int32_t low = -128, high = 127;
    gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
    ASSERT_OK(gp_matmul(context(), GP_INT8, 2, 3, 1, a.data(), 1, b.data(), 3, c.data(), 3, &options));
    EXPECT_EQ((std::vector<int8_t>{16, -56, 100, -16, 56, -100}), c);
    options.activation = GP_CLAMP, options.clamp_low = &low, options.clamp_high = &high;
    ASSERT_OK(gp_matmul(context(), GP_INT8, 2, 3, 1, a.data(), 1, b.data(), 3, c.data(), 3, &options));
    EXPECT_EQ((std::vector<int8_t>{127, 127, 100, -128, -128, -100}), c);
}

class MatmulTypesErrors : public testing::Test {
  protected:
    gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
    std::vector<int32_t> a = std::vector<int32_t>(16, 1), c = std::vector<int32_t>(16, -1);

    void expect(gp_status want, const char *part, gp_dtype dtype) {
        EXPECT_EQ(want, gp_matmul(context(), dtype, 4, 4, 4, a.data(), 4, a.data(), 4, c.data(), 4, &options));
        EXPECT_NE(std::string::npos, std::string(gp_error_message()).find(part)) << gp_error_message();
        EXPECT_EQ(std::vector<int32_t>(16, -1), c) << "refused, yet C was written";
        options = GP_MATMUL_OPTIONS_INIT;
    }
};

TEST_F(MatmulTypesErrors, Refusals) {
    expect(GP_ERROR_DTYPE, "expected one of int8, int16, int32, uint8, float16, float32, float64, bfloat16", GP_UINT32);
    for (const gp_dtype dtype :
         {GP_INT8, GP_INT16, GP_INT32, GP_UINT8, GP_FLOAT16, GP_FLOAT32, GP_FLOAT64, GP_BFLOAT16}) {
        const bool is_two = dtype == GP_FLOAT16 || dtype == GP_BFLOAT16;
        const bool widens = dtype == GP_INT8 || dtype == GP_UINT8 || dtype == GP_INT16;
        for (gp_dtype of_c = GP_INT8; of_c <= GP_BFLOAT16 + 1; ++of_c) {
            if (of_c == dtype || (is_two && of_c == GP_FLOAT32) || (widens && of_c == GP_INT32)) continue;
            options.c_dtype = of_c;
            expect(GP_ERROR_DTYPE, is_two ? ", or float32" : widens ? ", or int32" : "expected 0 or ", dtype);
        }
    }
    options.c_dtype = -1;
    expect(GP_ERROR_DTYPE, "unknown (-1)", GP_FLOAT16);
    options.semiring = GP_MIN_PLUS;
    expect(GP_ERROR_DTYPE, "plus-times product alone", GP_INT8);
    options.semiring = GP_OR_AND, options.c_dtype = GP_INT32;
    expect(GP_ERROR_DTYPE, "plus-times product alone", GP_INT16);
    options.plus_source = options.times_source = options.zero_source = options.one_source = "a";
    expect(GP_ERROR_DTYPE, "plus-times product alone", GP_UINT8);
    options.activation = GP_GELU;
    expect(GP_ERROR_OPTION, "floating-point", GP_INT8);
}

// C beside A in one matrix is allowed where they have one type alone.
TEST_F(MatmulTypesErrors, Overlap) {
    std::vector<int8_t> all(64, 1);
    options.c_dtype = GP_INT32;
    EXPECT_EQ(GP_ERROR_OVERLAP, gp_matmul(context(), GP_INT8, 2, 2, 2, all.data(), 16, all.data() + 48, 2,
                                          reinterpret_cast<int32_t *>(all.data() + 4), 4, &options));
    EXPECT_NE(std::string::npos, std::string(gp_error_message()).find("another type")) << gp_error_message();
}

} // namespace

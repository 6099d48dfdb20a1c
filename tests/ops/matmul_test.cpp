// Matrix product: every type, layout, transpose and semiring, strides and padding, against three
// nested loops.
// SPDX-License-Identifier: MIT
#include "compare.h"

#include "../reference/matmul.h"

#include <array>
#include <numeric>
#include <optional>
#include <thread>

namespace {

using namespace test;
using reference::half;
using reference::MatmulShape;
using reference::Wide;

using Types = testing::Types<float, double, half, int32_t, int16_t>;
using RealTypes = testing::Types<float, double, half>;

template <class T> constexpr gp_dtype dtype_of() {
    if constexpr (std::is_same_v<T, half>)
        return GP_FLOAT16;
    else
        return dtype<T>();
}

// The type that is computed in, and that alpha and beta have.
template <class T> using Scalar = std::conditional_t<std::is_same_v<T, half>, float, T>;

struct TypeNames {
    template <class T> static std::string GetName(int) { return gp_dtype_name(dtype_of<T>()); }
};

constexpr gp_semiring kSemirings[] = {GP_PLUS_TIMES, GP_MIN_PLUS, GP_MAX_PLUS, GP_MAX_MIN, GP_OR_AND};
constexpr const char *kSemiringNames[] = {"plus-times", "min-plus", "max-plus", "max-min", "or-and"};
constexpr gp_layout kLayouts[] = {GP_ROW_MAJOR, GP_COLUMN_MAJOR};
constexpr gp_transpose kTransposes[] = {GP_NO_TRANSPOSE, GP_TRANSPOSE};

// Calls visit(S) with an object of the semiring's class.
template <class W, class Visit> auto with_semiring(gp_semiring semiring, const Visit &visit) {
    switch (semiring) {
    case GP_MIN_PLUS: return visit(reference::MinPlus<W>());
    case GP_MAX_PLUS: return visit(reference::MaxPlus<W>());
    case GP_MAX_MIN: return visit(reference::MaxMin<W>());
    case GP_OR_AND: return visit(reference::OrAnd<W>());
    default: return visit(reference::PlusTimes<W>());
    }
}

enum class Values {
    exact,    // no result is rounded before the end, in any order of evaluation
    real,     // reals between -1 and 1
    nan,      // exact, with some NaN
    positive, // exact, as are the next
    negative,
    few_negative
};

struct Request {
    size_t m = 0, n = 0, k = 0;
    gp_semiring semiring = GP_PLUS_TIMES;
    gp_layout layout = GP_ROW_MAJOR;
    gp_transpose transpose_a = GP_NO_TRANSPOSE, transpose_b = GP_NO_TRANSPOSE;
    size_t padding = 0; // what the leading dimensions have beyond the row: this for A, twice for B, thrice for C
    std::optional<double> alpha, beta; // none: NULL
    size_t batch = 1;
    bool shared_a = false, shared_b = false;
    Values values = Values::exact;
    gp_precision precision = GP_FULL;
    size_t gap = 5; // between the matrices of a batch
};

std::string text_of(const Request &r) {
    std::ostringstream out;
    out << "m, n, k = " << r.m << ", " << r.n << ", " << r.k << ", " << kSemiringNames[r.semiring]
        << (r.layout == GP_COLUMN_MAJOR ? ", column-major" : ", row-major") << (r.transpose_a ? ", A transposed" : "")
        << (r.transpose_b ? ", B transposed" : "") << ", padding " << r.padding;
    if (r.alpha) out << ", alpha " << *r.alpha;
    if (r.beta) out << ", beta " << *r.beta;
    if (r.batch != 1) out << ", batch of " << r.batch;
    if (r.shared_a) out << ", A shared";
    if (r.shared_b) out << ", B shared";
    return out.str();
}

// An element of A, B or C.
template <class T> T value(const Request &r, std::mt19937_64 &random) {
    const auto whole = [&](int from, int to) {
        return from + static_cast<int>(random() % static_cast<unsigned>(to - from + 1));
    };
    if (r.values == Values::real)
        return reference::narrow<T>(static_cast<Wide<T>>(std::uniform_real_distribution<double>(-1, 1)(random)));
    if constexpr (std::is_integral_v<T>) {
        switch (r.semiring) {
        case GP_MIN_PLUS:
        case GP_MAX_PLUS:
            if constexpr (sizeof(T) == 2) return random() % 8 == 0 ? T(16000) : T(whole(-1000, 1000));
            return random() % 8 == 0 ? T(500000000) : T(whole(-1000000, 1000000));
        case GP_OR_AND: break;
        default: return static_cast<T>(random()); // all bits: the sums wrap
        }
    } else {
        using limits = std::numeric_limits<Wide<T>>;
        if (r.values == Values::nan && random() % 4 == 0) return reference::narrow<T>(limits::quiet_NaN());
        // Opposite infinities make NaN in min-plus.
        const bool positive = r.semiring == GP_MIN_PLUS && r.values != Values::nan;
        const Wide<T> sign = positive || random() % 2 == 0 ? 1 : -1;
        if (r.semiring == GP_MIN_PLUS || r.semiring == GP_MAX_MIN)
            if (random() % 8 == 0) return reference::narrow<T>(sign * limits::infinity());
        if (r.semiring == GP_MAX_PLUS && random() % 8 == 0) return reference::narrow<T>(-limits::infinity());
    }
    if (r.semiring == GP_OR_AND) {
        // So few are true that both results occur; most of them have no bit in common with another.
        if (static_cast<double>(random() % 1000) > 800 / std::sqrt(static_cast<double>(r.k) + 1))
            return reference::narrow<T>(0);
        constexpr int truths[] = {1, 2, 4, -8};
        return reference::narrow<T>(static_cast<Wide<T>>(truths[random() % 4]));
    }
    const int range = r.semiring == GP_PLUS_TIMES ? 4 : 200;
    int result = whole(-range, range);
    if (r.values == Values::positive || r.values == Values::few_negative) result = std::abs(result);
    if (r.values == Values::negative || (r.values == Values::few_negative && random() % 3000 == 0))
        result = -std::abs(result);
    return reference::narrow<T>(static_cast<Wide<T>>(result));
}

// What must never be read: NaN, or a number that no result could hide.
template <class T> T poison() {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(-123456789);
    else
        return reference::narrow<T>(std::numeric_limits<Wide<T>>::quiet_NaN());
}

// One matrix of the batch as it is stored: lines (rows of a row-major matrix) of `length` elements,
// `ld` apart. The memory ends with the last element of the last line.
struct Stored {
    size_t lines, length, ld, stride, total;

    Stored(size_t rows, size_t columns, bool transposed, const Request &r, size_t padding, bool shared)
        : lines(transposed == (r.layout == GP_ROW_MAJOR) ? columns : rows),
          length(transposed == (r.layout == GP_ROW_MAJOR) ? rows : columns), ld(std::max<size_t>(length, 1) + padding) {
        const size_t one = lines == 0 || length == 0 ? 0 : (lines - 1) * ld + length;
        stride = shared ? 0 : one + (r.batch > 1 ? r.gap : 0);
        total = one + stride * (r.batch - 1);
    }

    template <class T> std::vector<T> filled(const Request &r, std::mt19937_64 &random) const {
        std::vector<T> all(total, poison<T>());
        for (size_t g = 0; g < (stride == 0 ? 1 : r.batch); ++g)
            for (size_t line = 0; line < lines; ++line)
                for (size_t i = 0; i < length; ++i) all[g * stride + line * ld + i] = value<T>(r, random);
        return all;
    }
};

// The matrices of a request, and what must come out.
template <class T> struct Problem {
    Request request;
    MatmulShape shape;
    std::vector<T> a, b, c;
    Scalar<T> alpha, beta;
    std::vector<Wide<T>> expected, bounds;

    explicit Problem(const Request &r) : request(r) {
        const Stored stored_a(r.m, r.k, r.transpose_a != 0, r, r.padding, r.shared_a);
        const Stored stored_b(r.k, r.n, r.transpose_b != 0, r, 2 * r.padding, r.shared_b);
        const Stored stored_c(r.m, r.n, false, r, 3 * r.padding, false);
        shape.m = r.m, shape.n = r.n, shape.k = r.k;
        shape.column_major = r.layout == GP_COLUMN_MAJOR;
        shape.transpose_a = r.transpose_a != 0, shape.transpose_b = r.transpose_b != 0;
        shape.lda = stored_a.ld, shape.ldb = stored_b.ld, shape.ldc = stored_c.ld;
        shape.batch = r.batch;
        shape.stride_a = stored_a.stride, shape.stride_b = stored_b.stride, shape.stride_c = stored_c.stride;
        std::mt19937_64 random(r.m * 1000003 + r.n * 1009 + r.k);
        a = stored_a.filled<T>(r, random);
        b = stored_b.filled<T>(r, random);
        with_semiring<Wide<T>>(r.semiring, [&](auto semiring) {
            const Wide<T> wide_alpha = r.alpha ? static_cast<Wide<T>>(*r.alpha) : semiring.one;
            const Wide<T> wide_beta = r.beta ? static_cast<Wide<T>>(*r.beta) : semiring.zero;
            alpha = static_cast<Scalar<T>>(wide_alpha);
            beta = static_cast<Scalar<T>>(wide_beta);
            // With a beta of zero C is not read, so it is left poisoned.
            c = wide_beta == semiring.zero ? std::vector<T>(stored_c.total, poison<T>())
                                           : stored_c.filled<T>(r, random);
            expected = reference::matmul(semiring, shape, a, b, c, wide_alpha, wide_beta);
        });
        if constexpr (!std::is_integral_v<T>)
            if (r.values == Values::real) find_bounds();
    }

    // (k + 2) * eps * (|alpha| |A| |B| + |beta| |C|), and half a unit of the result's last place
    // for half.
    void find_bounds() {
        const auto magnitudes = [](std::vector<T> values) {
            for (T &x : values) x = reference::narrow<T>(std::fabs(reference::widen(x)));
            return values;
        };
        bounds = reference::matmul(reference::PlusTimes<Wide<T>>(), shape, magnitudes(a), magnitudes(b), magnitudes(c),
                                   static_cast<Wide<T>>(std::fabs(alpha)), static_cast<Wide<T>>(std::fabs(beta)));
        for (size_t i = 0; i < bounds.size(); ++i) {
            bounds[i] *= static_cast<Wide<T>>(shape.k + 2) * std::numeric_limits<Scalar<T>>::epsilon();
            if (std::is_same_v<T, half>) bounds[i] += std::max<Wide<T>>(std::fabs(expected[i]) * 0x1p-11, 0x1p-25);
        }
    }

    gp_matmul_options options(const char *algorithm) const {
        gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
        options.layout = request.layout;
        options.transpose_a = request.transpose_a;
        options.transpose_b = request.transpose_b;
        options.semiring = request.semiring;
        options.precision = request.precision;
        options.alpha = request.alpha ? &alpha : nullptr;
        options.beta = request.beta ? &beta : nullptr;
        options.batch = request.batch;
        options.stride_a = shape.stride_a;
        options.stride_b = shape.stride_b;
        options.stride_c = shape.stride_c;
        options.algorithm = algorithm;
        return options;
    }

    // The elements are as expected, and all between them are as they were.
    void verify(const std::vector<T> &got) const {
        std::vector<T> elements, rest = got, untouched = c;
        for (size_t g = 0; g < shape.batch; ++g)
            for (size_t i = 0; i < shape.m; ++i)
                for (size_t j = 0; j < shape.n; ++j) {
                    const size_t at = shape.c(g, i, j);
                    elements.push_back(got[at]);
                    rest[at] = untouched[at] = T();
                }
        ASSERT_TRUE(close_to(expected, elements, bounds)) << "(elements are counted row after row)";
        ASSERT_TRUE(same_bits(untouched, rest)) << "the padding of C was written";
    }
};

template <class T> void run(const Problem<T> &problem, const char *algorithm) {
    const MatmulShape &s = problem.shape;
    Guarded<T> a(problem.a), b(problem.b), c(problem.c);
    const auto options = problem.options(algorithm);
    const gp_status status =
        gp_matmul(context(), dtype_of<T>(), s.m, s.n, s.k, a.data(), s.lda, b.data(), s.ldb, c.data(), s.ldc, &options);
    ASSERT_TRUE(a.intact() && b.intact() && c.intact()) << "a canary was overwritten";
    ASSERT_TRUE(same_bits(problem.a, a.values()) && same_bits(problem.b, b.values())) << "an input was changed";
    if (refused(GP_MATMUL, algorithm, status)) {
        EXPECT_TRUE(same_bits(problem.c, c.values())) << "refused, yet C was written";
        return;
    }
    ASSERT_OK(status);
    problem.verify(c.values());
}

// Whether to run the named algorithms too, or the default alone: each is another program.
template <class T> bool with_named_algorithms(gp_semiring semiring) {
    switch (semiring) {
    case GP_PLUS_TIMES:
    case GP_MIN_PLUS: return thorough() || std::is_same_v<T, float>;
    case GP_MAX_PLUS: return thorough() || std::is_same_v<T, double>;
    case GP_MAX_MIN: return thorough();
    default: return thorough() || std::is_same_v<T, half>;
    }
}

// A naive interpreter of kernels takes long; 64 is the edge of a tile, of which thin matrices fill
// whole ones.
bool is_too_much(const Request &request) {
    const auto &[m, n, k] = std::array{request.m, request.n, request.k};
    return m * n * k * request.batch / 64 > max_n() || (max_n() <= 100 && (m + 16) * (n + 16) * (k + 16) > 200000);
}

template <class T> void check(const Request &request) {
    if (testing::Test::HasFailure() || is_too_much(request)) return;
    const Problem<T> problem(request);
    for (const char *algorithm : algorithms(GP_MATMUL, with_named_algorithms<T>(request.semiring))) {
        // They have four programs and more for each type and semiring, which CPU devices take long
        // to build.
        const std::string_view named = algorithm != nullptr ? algorithm : "";
        const bool slow = !thorough() && device().kind == GP_DEVICE_CPU;
        const bool usual = std::is_same_v<T, float> && request.semiring == GP_PLUS_TIMES;
        if (slow && ((named == "wide-tiles" && !usual) || named == "direct-tiles")) continue;
        SCOPED_TRACE(std::string(gp_dtype_name(dtype_of<T>())) + ": " + text_of(request) + ", " + name(algorithm));
        ASSERT_NO_FATAL_FAILURE(run(problem, algorithm));
    }
}

// Layouts and transposes by number, 0 to 7.
Request variant(size_t number, Request request) {
    request.layout = kLayouts[number / 4 % 2];
    request.transpose_a = kTransposes[number / 2 % 2];
    request.transpose_b = kTransposes[number % 2];
    return request;
}

Request request_of(size_t m, size_t n, size_t k, gp_semiring semiring = GP_PLUS_TIMES, size_t padding = 0) {
    Request request;
    request.m = m, request.n = n, request.k = k;
    request.semiring = semiring;
    request.padding = padding;
    return request;
}

constexpr size_t kEdges[] = {1,  2,  7,  8,  9,  13,  14,  15,  16,  17,  31,  32,
                             33, 63, 64, 65, 97, 101, 127, 128, 129, 255, 256, 257};

template <class T> class Matmul : public testing::Test {
  protected:
    void SetUp() override {
        if (lacks(dtype_of<T>())) GTEST_SKIP() << "this device can't compute " << gp_dtype_name(dtype_of<T>());
    }
};
TYPED_TEST_SUITE(Matmul, Types, TypeNames);

template <class T> class MatmulReals : public Matmul<T> {};
TYPED_TEST_SUITE(MatmulReals, RealTypes, TypeNames);

TYPED_TEST(Matmul, EveryVariantOfEverySemiring) {
    constexpr std::array<size_t, 3> shapes[] = {{1, 1, 1}, {2, 3, 4}, {17, 13, 9}, {35, 33, 31}, {67, 5, 70}};
    for (const auto &row : combinations_of({std::size(kSemirings), 2, 2, 2, std::size(shapes), 2})) {
        const auto &[m, n, k] = shapes[row[4]];
        check<TypeParam>(
            variant(4 * row[1] + 2 * row[2] + row[3], request_of(m, n, k, kSemirings[row[0]], row[5] == 0 ? 0 : 3)));
    }
}

// All sizes around the edges of tiles, in all three dimensions at once and in one alone.
TYPED_TEST(Matmul, EdgesOfTiles) {
    size_t number = 0;
    for (const size_t s : kEdges)
        for (const auto &[m, n, k] : {std::array<size_t, 3>{s, s, s}, {s, 33, 16}, {33, s, 16}, {16, 33, s}}) {
            check<TypeParam>(variant(number, request_of(m, n, k, GP_PLUS_TIMES, number % 3)));
            if (m * n * k < 3000000)
                check<TypeParam>(variant(number, request_of(m, n, k, kSemirings[1 + number % 4], number % 2)));
            number = (number + 5) % 24; // pairs every variant with every padding
        }
}

TYPED_TEST(Matmul, Rectangles) {
    constexpr std::array<size_t, 3> shapes[] = {
        {1, 1000, 1}, {1000, 1, 1},  {1, 1, 1000},  {1, 257, 129},   {257, 1, 129}, {1009, 3, 7}, {3, 1009, 7},
        {5, 7, 2003}, {300, 200, 1}, {200, 300, 2}, {127, 131, 137}, {1, 100, 5},   {100, 1, 5},  {1, 1, 100}};
    for (const auto &row : combinations_of({2, 2, 2, std::size(shapes)})) {
        const size_t number = 4 * row[0] + 2 * row[1] + row[2];
        const auto &[m, n, k] = shapes[row[3]];
        check<TypeParam>(variant(number, request_of(m, n, k, GP_PLUS_TIMES, number)));
    }
}

TYPED_TEST(Matmul, AlphaAndBeta) {
    using W = Wide<TypeParam>;
    for (const gp_semiring semiring : kSemirings) {
        const auto [zero, one] = with_semiring<W>(semiring, [](auto s) {
            return std::pair<double, double>(static_cast<double>(s.zero), static_cast<double>(s.one));
        });
        // With the largest whole number as alpha the sums would wrap.
        const bool wraps = std::is_integral_v<TypeParam> && (semiring == GP_MIN_PLUS || semiring == GP_MAX_PLUS);
        const std::optional<double> none, alphas[] = {none, one, 3, -2}, betas[] = {none, zero, one, 3, -2};
        for (const auto &row : combinations_of({std::size(alphas), std::size(betas), 2})) {
            const size_t size = row[2] == 0 ? 5 : 34;
            Request request = request_of(size, size + 1, size - 1, semiring, 2);
            request.alpha = alphas[row[0]];
            request.beta = betas[row[1]];
            check<TypeParam>(variant(size % 8, request));
        }
        if (wraps) continue;
        Request request = request_of(19, 18, 17, semiring, 1);
        request.alpha = zero;
        request.beta = one;
        check<TypeParam>(request);
    }
}

// k = 0 gives the zero of the semiring, or beta * C; m = 0 or n = 0 nothing at all.
TYPED_TEST(Matmul, EmptySizes) {
    constexpr std::array<size_t, 3> shapes[] = {{3, 5, 0}, {70, 33, 0}, {0, 5, 3}, {5, 0, 3}, {0, 0, 0}};
    for (const auto &row : combinations_of({std::size(kSemirings), 2, 2, 2, std::size(shapes), 2})) {
        const auto &[m, n, k] = shapes[row[4]];
        Request request = variant(4 * row[1] + 2 * row[2] + row[3], request_of(m, n, k, kSemirings[row[0]], 1));
        if (row[5] == 1) request.beta = 3;
        check<TypeParam>(request);
    }
}

TYPED_TEST(Matmul, Batches) {
    constexpr std::array<size_t, 3> shapes[] = {{1, 1, 1}, {9, 17, 33}, {65, 31, 16}};
    size_t number = 0;
    for (const auto &row : combinations_of({std::size(kSemirings), 2, 2, std::size(shapes)})) {
        const auto &[m, n, k] = shapes[row[3]];
        Request request = variant(number, request_of(m, n, k, kSemirings[row[0]], number % 3));
        request.batch = 2 + number % 4;
        request.shared_a = row[1] == 1;
        request.shared_b = row[2] == 1;
        if (number % 2 == 0) request.beta = 2;
        check<TypeParam>(request);
        ++number;
    }
}

// More products than a work-group has work-items, of every small size.
TYPED_TEST(Matmul, ManySmallProducts) {
    for (const auto &[m, n, k] :
         {std::array<size_t, 3>{4, 4, 4}, {1, 1, 3}, {3, 5, 2}, {1, 7, 4}, {6, 1, 5}, {8, 8, 8}}) {
        Request request = request_of(m, n, k, m == 3 ? GP_MIN_PLUS : GP_PLUS_TIMES);
        request.batch = max_n() > 100 ? 300 : all_types() ? 40 : 6; // Oclgrind takes milliseconds a work-item
        check<TypeParam>(request);
        request.beta = 2;
        request.transpose_a = request.transpose_b = GP_TRANSPOSE;
        check<TypeParam>(request);
    }
}

// Small C and large k, which is cut into slices.
TYPED_TEST(Matmul, SmallAndDeep) {
    size_t number = 0;
    for (const auto &[m, n, k] :
         {std::array<size_t, 3>{1, 1, 5003}, {3, 5, 4099}, {33, 2, 2049}, {1, 70, 3001}, {65, 1, 4097}, {2, 2, 512}})
        for (const gp_semiring semiring : {GP_PLUS_TIMES, GP_MIN_PLUS}) {
            Request request = variant(number, request_of(m, n, k, semiring, number % 2));
            ++number;
            if (number % 3 == 0) request.beta = 2;
            if (number % 4 == 0) request.batch = 2;
            check<TypeParam>(request);
        }
}

// Several panels, blocks of C and threads on "host", in each dimension.
TYPED_TEST(Matmul, HostPanels) {
    if (!on_host()) GTEST_SKIP() << "for the host";
    size_t number = 0;
    for (const auto &[m, n, k, batch] : {std::array<size_t, 4>{7, 2101, 2203, 1},
                                         {3, 710, 6200, 1},
                                         {301, 131, 401, 1},
                                         {131, 301, 770, 2},
                                         {150, 70, 385, 9},
                                         {40, 300, 40, 9}}) {
        Request request = variant(number, request_of(m, n, k, GP_PLUS_TIMES, number % 3));
        request.batch = batch;
        if (++number % 2 == 0) request.beta = 2;
        if (m * n * k / 64 > max_n()) continue;
        SCOPED_TRACE(std::string(gp_dtype_name(dtype_of<TypeParam>())) + ": " + text_of(request));
        ASSERT_NO_FATAL_FAILURE(run(Problem<TypeParam>(request), nullptr));
    }
}

// Few rows or columns, for which "host" packs nothing. Edges of vectors, of blocks of columns and
// of slices of k.
TYPED_TEST(Matmul, HostThin) {
    if (!on_host() || !std::is_floating_point_v<TypeParam>) GTEST_SKIP() << "for reals of the host";
    size_t number = 0;
    for (const size_t few : {1, 2, 3, 4, 5, 8, 9})
        for (const size_t k : {1, 7, 64, 1000})
            for (const size_t many : {1, 5, 33, 150})
                for (size_t each = number / 8 % 2; each < 16; each += 2, ++number) {
                    const size_t m = each < 8 ? few : many, n = each < 8 ? many : few;
                    Request request = variant(each, request_of(m, n, k, GP_PLUS_TIMES, number % 3));
                    if (number % 5 == 0) request.alpha = -2;
                    if (number % 7 < 3) request.beta = 2;
                    if (number % 11 == 0) request.batch = 3;
                    if (m * n * k / 64 > max_n()) continue;
                    SCOPED_TRACE(std::string(gp_dtype_name(dtype_of<TypeParam>())) + ": " + text_of(request));
                    ASSERT_NO_FATAL_FAILURE(run(Problem<TypeParam>(request), nullptr));
                }
    for (const auto &[few, many, k] : {std::array<size_t, 3>{1, 1, 300001},
                                       {1, 9001, 70},
                                       {2, 1030, 700},
                                       {3, 31, 20011},
                                       {4, 4, 20011},
                                       {8, 1021, 517},
                                       {1, 300, 5003}})
        for (size_t each = number / 8 % 2; each < 16; each += 2, ++number) {
            const size_t m = each < 8 ? few : many, n = each < 8 ? many : few;
            Request request = variant(each, request_of(m, n, k, GP_PLUS_TIMES, number % 3));
            if (number % 5 < 2) request.beta = 2;
            if (m * n * k / 64 > max_n()) continue;
            SCOPED_TRACE(std::string(gp_dtype_name(dtype_of<TypeParam>())) + ": " + text_of(request));
            ASSERT_NO_FATAL_FAILURE(run(Problem<TypeParam>(request), nullptr));
        }
}

// A matrix and a vector, in each way that they may lie: edges of vectors, of lines that go
// together, of what is converted at a time, of pieces and of slices of k.
TYPED_TEST(Matmul, HostVectors) {
    if (!on_host()) GTEST_SKIP() << "for the host";
    size_t number = 0;
    const auto check_host = [&](size_t many, size_t k, size_t each, gp_semiring semiring) {
        Request request = variant(each, request_of(each < 8 ? 1 : many, each < 8 ? many : 1, k, semiring, number % 3));
        if (number % 5 == 0 && semiring == GP_PLUS_TIMES) request.alpha = -2;
        if (number % 7 < 3) request.beta = 2;
        if (number % 11 == 0) request.batch = 3;
        if (number % 4 == 0) request.values = Values::nan;
        ++number;
        if (many * k * request.batch / 64 > max_n()) return;
        SCOPED_TRACE(std::string(gp_dtype_name(dtype_of<TypeParam>())) + ": " + text_of(request));
        ASSERT_NO_FATAL_FAILURE(run(Problem<TypeParam>(request), nullptr));
    };
    constexpr size_t kFew[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 67};
    for (const size_t many : kFew)
        for (const size_t k : kFew) check_host(many, k, number % 16, kSemirings[number / 3 % std::size(kSemirings)]);
    for (const auto &[many, k] : {std::array<size_t, 2>{3, 0},
                                  {1023, 5},
                                  {1025, 4},
                                  {5, 1024},
                                  {6, 1025},
                                  {4097, 13},
                                  {13, 4095},
                                  {13, 4097},
                                  {9, 8209},
                                  {9001, 17},
                                  {4096, 33},
                                  {10, 20011},
                                  {20011, 10},
                                  {300, 1009},
                                  {1, 70001}})
        for (size_t each = 0; each < 16; ++each)
            check_host(many, k, each, each % 2 == 0 ? GP_PLUS_TIMES : kSemirings[number % std::size(kSemirings)]);
}

// Products each of which is in a lane of vectors: as many as lanes, one fewer and one more.
TYPED_TEST(Matmul, HostLanes) {
    if (!on_host()) GTEST_SKIP() << "for the host";
    size_t number = 0;
    for (const size_t batch : {7, 8, 9, 15, 16, 17, 31, 33, 1031})
        for (const auto &[m, n, k] : {std::array<size_t, 3>{1, 1, 1},
                                      {2, 2, 2},
                                      {3, 3, 3},
                                      {4, 4, 4},
                                      {5, 1, 4},
                                      {1, 7, 2},
                                      {2, 5, 3},
                                      {3, 2, 0},
                                      {9, 8, 7},
                                      {18, 17, 16},
                                      {2, 3, 64}}) {
            const gp_semiring semiring =
                number % 2 == 0 ? GP_PLUS_TIMES : kSemirings[number / 2 % std::size(kSemirings)];
            Request request = variant(number % 8, request_of(m, n, k, semiring, number % 3));
            request.batch = batch;
            request.shared_a = number % 9 == 0;
            request.shared_b = number % 10 == 0;
            if (number % 5 == 0 && semiring == GP_PLUS_TIMES) request.alpha = -2;
            if (number % 7 < 3) request.beta = 2;
            ++number;
            if (m * n * k * batch / 64 > max_n()) continue;
            SCOPED_TRACE(std::string(gp_dtype_name(dtype_of<TypeParam>())) + ": " + text_of(request));
            ASSERT_NO_FATAL_FAILURE(run(Problem<TypeParam>(request), nullptr));
        }
}

// The same product once, which threads share, and so often that each is one thread's.
TYPED_TEST(MatmulReals, HostThinBitsOfThreads) {
    if (!on_host() || !std::is_floating_point_v<TypeParam>) GTEST_SKIP() << "for reals of the host";
    const size_t often = 4 * std::max(std::thread::hardware_concurrency(), 1U);
    for (const auto &[m, n, k] :
         {std::array<size_t, 3>{1, 300, 5003}, {2, 70, 9001}, {3, 9001, 170}, {260, 4, 3001}, {1, 1, 700001}})
        for (const size_t number : {0, 1, 2, 3}) {
            if (m * n * k / 64 > max_n()) continue;
            Request request = variant(number, request_of(m, n, k));
            request.values = Values::real;
            request.shared_a = request.shared_b = true;
            SCOPED_TRACE(text_of(request));
            Problem<TypeParam> problem(request);
            const MatmulShape &s = problem.shape;
            std::vector<TypeParam> c(often * m * n);
            gp_matmul_options options = problem.options(nullptr);
            for (const size_t batch : {size_t{1}, often}) {
                options.batch = batch;
                options.stride_c = m * n;
                ASSERT_OK(gp_matmul(context(), dtype_of<TypeParam>(), m, n, k, problem.a.data(), s.lda,
                                    problem.b.data(), s.ldb, c.data(), n, &options));
                if (batch == 1) problem.c.assign(c.begin(), c.begin() + static_cast<std::ptrdiff_t>(m * n));
            }
            for (size_t g = 0; g < often; ++g) {
                const auto first = c.begin() + static_cast<std::ptrdiff_t>(g * m * n);
                ASSERT_TRUE(
                    same_bits(problem.c, std::vector<TypeParam>(first, first + static_cast<std::ptrdiff_t>(m * n))));
            }
        }
}

// An element of the large matrix that is not finite reaches the results of its row and column
// alone.
TYPED_TEST(MatmulReals, HostThinInfinity) {
    if (!on_host()) GTEST_SKIP() << "for the host";
    using T = TypeParam;
    const T one = reference::narrow<T>(1), infinity = reference::narrow<T>(std::numeric_limits<Wide<T>>::infinity());
    for (const size_t k : {71, 1003})
        for (const bool transposed : {false, true})
            for (const size_t column : {0, 31, 36}) {
                constexpr size_t kFew = 2, kMany = 37;
                for (const size_t p : {size_t{0}, k / 2, k - 1}) {
                    std::vector<T> a(kFew * k, one), b(k * kMany, one), c(kFew * kMany, one);
                    b[transposed ? column * k + p : p * kMany + column] = infinity;
                    gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
                    options.transpose_b = transposed ? GP_TRANSPOSE : GP_NO_TRANSPOSE;
                    ASSERT_OK(gp_matmul(context(), dtype_of<T>(), kFew, kMany, k, a.data(), k, b.data(),
                                        transposed ? k : kMany, c.data(), kMany, &options));
                    for (size_t i = 0; i < c.size(); ++i) {
                        const auto want = i % kMany == column ? reference::widen(infinity) : static_cast<Wide<T>>(k);
                        ASSERT_EQ(want, reference::widen(c[i])) << "k " << k << ", element " << i;
                    }
                }
            }
}

// Large tiles of packed blocks, and slices of them along k; other devices than NVIDIA's refuse
// them.
TYPED_TEST(Matmul, LargeTiles) {
    if (std::string_view(device().vendor).find("NVIDIA") == std::string_view::npos) GTEST_SKIP() << "for NVIDIA GPUs";
    size_t number = 0;
    for (const auto &[m, n, k] : {std::array<size_t, 3>{130, 260, 530}, {97, 193, 1000}, {128, 256, 256}})
        for (const gp_semiring semiring : kSemirings)
            for (const char *algorithm : {"bulk-tiles", "matrix-units", "warp-groups", "direct-tiles"}) {
                Request request = variant(number, request_of(m, n, k, semiring, number % 3));
                ++number;
                if (number % 3 == 0) request.beta = 2;
                if (number % 4 == 0) request.batch = 2;
                SCOPED_TRACE(std::string(gp_dtype_name(dtype_of<TypeParam>())) + ": " + text_of(request) + ", " +
                             algorithm);
                ASSERT_NO_FATAL_FAILURE(run(Problem<TypeParam>(request), algorithm));
            }
}

// Tiles whose blocks of k several work-groups share, and many tiles. Edges of tiles and of words.
TYPED_TEST(Matmul, BulkTiles) {
    if (std::string_view(device().vendor).find("NVIDIA") == std::string_view::npos) GTEST_SKIP() << "for NVIDIA GPUs";
    size_t number = 0;
    for (const auto &[m, n, k] : {std::array<size_t, 3>{129, 127, 3001}, {255, 513, 992}, {2303, 2175, 259}})
        for (const gp_semiring semiring : {GP_PLUS_TIMES, GP_MIN_PLUS, GP_OR_AND}) {
            if (m > 1000 && semiring == GP_OR_AND) continue;
            Request request = variant(number, request_of(m, n, k, semiring, number % 3));
            if (++number % 2 == 0) request.beta = 2;
            if (m < 1000 && number % 3 == 0) request.batch = 3;
            SCOPED_TRACE(std::string(gp_dtype_name(dtype_of<TypeParam>())) + ": " + text_of(request));
            ASSERT_NO_FATAL_FAILURE(run(Problem<TypeParam>(request), "bulk-tiles"));
        }
}

// Which sums are least is found by their signs.
TYPED_TEST(MatmulReals, BulkTilesOfSigns) {
    if (std::string_view(device().vendor).find("NVIDIA") == std::string_view::npos) GTEST_SKIP() << "for NVIDIA GPUs";
    size_t number = 0;
    for (const Values values : {Values::exact, Values::positive, Values::negative, Values::few_negative, Values::nan})
        for (const gp_semiring semiring : {GP_MIN_PLUS, GP_MAX_PLUS}) {
            Request request = variant(number, request_of(257, 383, 700, semiring, 0));
            request.values = values;
            ++number;
            SCOPED_TRACE(std::string(gp_dtype_name(dtype_of<TypeParam>())) + ": " + text_of(request));
            ASSERT_NO_FATAL_FAILURE(run(Problem<TypeParam>(request), "bulk-tiles"));
        }
}

// One less and one more than whole tiles, of every size of them that a device chooses among; every
// semiring.
TYPED_TEST(Matmul, DirectTiles) {
    constexpr bool kFloat = std::is_same_v<TypeParam, float>;
    size_t number = kFloat ? 0 : 2;
    for (const auto &[m, n, k] : {std::array<size_t, 3>{31, 65, 33},
                                  {33, 63, 31},
                                  {63, 129, 64},
                                  {65, 127, 95},
                                  {513, 64, 15},
                                  {64, 513, 17},
                                  {511, 513, 16},
                                  {30, 70, 700}}) {
        Request request = variant(number, request_of(m, n, k, kSemirings[number % 5], number % 4));
        if (++number % 2 == 0) request.beta = 2;
        if (number % 3 == 0) request.batch = 2;
        const bool slow = !thorough() && !kFloat && device().kind == GP_DEVICE_CPU; // to build
        if (m * n * k / 64 > max_n() || (slow && m + n > 500)) continue;
        SCOPED_TRACE(std::string(gp_dtype_name(dtype_of<TypeParam>())) + ": " + text_of(request));
        ASSERT_NO_FATAL_FAILURE(run(Problem<TypeParam>(request), "direct-tiles"));
    }
}

// One less and one more than whole tiles and steps of k, slices of k, every transpose, matrices
// whose rows are multiples of 16 bytes and others.
TYPED_TEST(Matmul, WarpGroups) {
    size_t number = 0;
    for (const auto &[m, n, k] : {std::array<size_t, 3>{64, 64, 64},
                                  {65, 63, 65},
                                  {63, 65, 63},
                                  {40, 72, 136},
                                  {8, 16, 1000},
                                  {129, 127, 200},
                                  {257, 255, 64},
                                  {1000, 264, 72},
                                  {2047, 2049, 129}})
        for (const size_t padding : {0, 1, 8}) {
            Request request = variant(number, request_of(m, n, k, GP_PLUS_TIMES, padding));
            if (++number % 2 == 0) request.beta = 2;
            if (number % 3 == 0 && m < 2000) request.batch = 2;
            const bool slow = !thorough() && device().kind == GP_DEVICE_CPU && m * n * k > 1'000'000;
            if (m * n * k / 64 > max_n() || slow) continue;
            SCOPED_TRACE(std::string(gp_dtype_name(dtype_of<TypeParam>())) + ": " + text_of(request));
            ASSERT_NO_FATAL_FAILURE(run(Problem<TypeParam>(request), "warp-groups"));
        }
}

// The ways in which A and B lie, around tiles and steps of k, lines of any number, batches.
TEST(MatmulFast, DirectGroups) {
    if (on_host()) GTEST_SKIP() << "for devices";
    size_t number = 0;
    for (const auto &[m, n, k] : {std::array<size_t, 3>{4, 4, 4},
                                  {33, 36, 36},
                                  {36, 33, 32},
                                  {64, 128, 28},
                                  {128, 64, 64},
                                  {60, 132, 36},
                                  {132, 260, 40},
                                  {8, 16, 1000},
                                  {1000, 264, 72},
                                  {2044, 2052, 132}})
        for (const size_t transposes : {0, 1, 3}) {
            Request request = variant(4 * (number % 2) + transposes, request_of(m, n, k, GP_PLUS_TIMES, 0));
            request.precision = GP_FAST;
            request.padding = number % 3 * 4;
            request.gap = 8;
            if (++number % 2 == 0) request.beta = 2;
            if (number % 5 < 2 && m < 500) request.batch = 2, request.shared_a = number % 5 == 0;
            const bool slow = !thorough() && device().kind == GP_DEVICE_CPU && m * n * k > 1'000'000;
            if (m * n * k / 64 > max_n() || slow) continue;
            SCOPED_TRACE(text_of(request));
            ASSERT_NO_FATAL_FAILURE(run(Problem<float>(request), "direct-groups"));
        }
}

// All four ways in which A and B lie, around tiles and steps of k, batches.
TEST(MatmulFloat64, BoxUnits) {
    if (on_host() || lacks(GP_FLOAT64)) GTEST_SKIP() << "for devices with float64";
    size_t number = 0;
    for (const auto &[m, n, k] : {std::array<size_t, 3>{2, 2, 2},
                                  {31, 34, 18},
                                  {34, 31, 16},
                                  {64, 64, 14},
                                  {32, 130, 32},
                                  {130, 32, 34},
                                  {66, 126, 64},
                                  {16, 8, 1000},
                                  {258, 254, 34},
                                  {1030, 1000, 50}})
        for (const size_t transposes : {0, 1, 2, 3}) {
            Request request = variant(4 * (number % 2) + transposes, request_of(m, n, k, GP_PLUS_TIMES, 0));
            request.padding = number % 3 * 2;
            request.gap = 4;
            if (++number % 2 == 0) request.beta = 2;
            if (number % 5 < 2 && m < 500) request.batch = 2, request.shared_a = number % 5 == 0;
            const bool slow = !thorough() && device().kind == GP_DEVICE_CPU && m * n * k > 1'000'000;
            if (m * n * k / 64 > max_n() || slow) continue;
            SCOPED_TRACE(text_of(request));
            ASSERT_NO_FATAL_FAILURE(run(Problem<double>(request), "box-units"));
        }
}

// All four ways in which A and B lie, vectors of 16 bytes and less, tiles' edges, slices of k.
TYPED_TEST(MatmulReals, DirectUnits) {
    size_t number = 0;
    for (const auto &[m, n, k] : {std::array<size_t, 3>{1, 1, 1},
                                  {31, 33, 17},
                                  {33, 31, 16},
                                  {64, 64, 64},
                                  {32, 32, 32},
                                  {65, 127, 95},
                                  {72, 40, 48},
                                  {130, 70, 15},
                                  {30, 70, 700},
                                  {700, 31, 33},
                                  {8, 9, 5000}}) {
        for (const bool padded : {false, true}) {
            Request request = variant(number, request_of(m, n, k, GP_PLUS_TIMES, padded ? 1 + number % 3 : 0));
            const bool slow = !thorough() && device().kind == GP_DEVICE_CPU && number % 5 != 3; // to build
            if (++number % 2 == 0) request.beta = 2;
            if (number % 3 == 0) request.batch = 2;
            if (is_too_much(request) || slow) continue;
            SCOPED_TRACE(std::string(gp_dtype_name(dtype_of<TypeParam>())) + ": " + text_of(request));
            ASSERT_NO_FATAL_FAILURE(run(Problem<TypeParam>(request), "direct-units"));
        }
    }
}

// A line's length, and how many of them, around vectors, lanes and parts; offsets within vectors.
TYPED_TEST(Matmul, VectorLanes) {
    size_t number = 0;
    for (const size_t lines : {1, 2, 3, 33, 129, 1025})
        for (const size_t k : {1, 2, 7, 33, 127, 513, 4099, 70001}) {
            const bool column = ++number % 2 == 0;
            Request request = variant(number / 2, request_of(column ? lines : 1, column ? 1 : lines, k,
                                                             kSemirings[number % 5], number % 3 * (number % 5)));
            if (number % 3 == 0) request.batch = 3;
            if (number % 4 == 0) request.beta = 2;
            if (is_too_much(request) || lines * k > 1 << 22) continue;
            SCOPED_TRACE(std::string(gp_dtype_name(dtype_of<TypeParam>())) + ": " + text_of(request));
            ASSERT_NO_FATAL_FAILURE(run(Problem<TypeParam>(request), "vector-lanes"));
        }
}

// Matrices that end with their buffer, whose lines begin anywhere in a vector: Oclgrind reports
// what is read beyond.
TYPED_TEST(Matmul, VectorLanesReadNothingBeyond) {
    for (const size_t lines : {1, 6, 299})
        for (const size_t k : {129, 301}) {
            const Request request = request_of(lines, 1, k, GP_PLUS_TIMES, 0);
            if (is_too_much(request)) continue;
            const Problem<TypeParam> problem(request);
            const MatmulShape &s = problem.shape;
            const DeviceArray<TypeParam> a(problem.a, 0), b(problem.b, 0), c(problem.c, 0);
            const auto options = problem.options("vector-lanes");
            const gp_status status =
                gp_enqueue_matmul(context(), dtype_of<TypeParam>(), s.m, s.n, s.k, a.buffer(), 0, s.lda, b.buffer(), 0,
                                  s.ldb, c.buffer(), 0, s.ldc, &options, 0, nullptr, nullptr);
            if (refused(GP_MATMUL, "vector-lanes", status)) continue;
            ASSERT_OK(status);
            problem.verify(c.values());
        }
}

// Whatever value a parameter has, the result is right, or the algorithm says why it can't.
TEST(MatmulParameters, EveryValue) {
    size_t count = 0;
    ASSERT_OK(gp_parameters(GP_MATMUL, &count));
    for (size_t i = 0; i < count && !on_host(); ++i) {
        gp_parameter_info info{};
        info.struct_size = sizeof info;
        ASSERT_OK(gp_parameter_describe(context(), GP_MATMUL, GP_FLOAT32, i, &info));
        for (size_t v = 0; v < info.value_count; ++v) {
            SCOPED_TRACE(std::string(info.algorithm) + ", " + info.name + " " + std::to_string(info.values[v]));
            ASSERT_OK(gp_parameter_set(context(), GP_MATMUL, GP_FLOAT32, info.algorithm, info.name, info.values[v]));
            for (const auto &[m, n, k] : {std::array<size_t, 3>{9, 8, 70},
                                          {13, 1, 400},
                                          {1, 37, 140},
                                          {37, 1, 1300},
                                          {1, 530, 71},
                                          {70, 65, 33},
                                          {150, 40, 530}}) {
                if (m * n * k / 64 > max_n()) continue;
                for (const size_t number : {0, 7})
                    ASSERT_NO_FATAL_FAILURE(
                        run(Problem<float>(variant(number, request_of(m, n, k, GP_PLUS_TIMES, 1))), info.algorithm));
            }
        }
        ASSERT_OK(gp_parameter_set(context(), GP_MATMUL, GP_FLOAT32, info.algorithm, info.name, 0));
    }
}

// Slices of k that the last work-group of a tile adds up, and those that another launch does, again
// and again: what the first counts with is left as it was.
template <class T> void slices_of_k(const char *algorithm, gp_precision precision = GP_FULL,
                                    bool in_fours = false) { // rows are multiples of four
    for (const size_t slices : {3, 20}) {
        SCOPED_TRACE(std::string(algorithm) + " of " + gp_dtype_name(dtype_of<T>()) + ", slices " +
                     std::to_string(slices));
        ASSERT_OK(gp_parameter_set(context(), GP_MATMUL, dtype_of<T>(), algorithm, "slices", slices));
        size_t number = 0;
        for (const auto &[m, n, k] :
             {std::array<size_t, 3>{5, in_fours ? 8u : 6u, in_fours ? 132u : 130u}, {65, in_fours ? 36u : 33u, 700}}) {
            Request request = variant(number, request_of(m, n, k, GP_PLUS_TIMES, (in_fours ? 4 : 3) * number));
            request.precision = precision;
            if (in_fours) request.gap = 8;
            if (number % 2 == 1) request.beta = 2, request.batch = 2;
            ++number;
            // Each is a program: a CPU takes few slices of one shape, many of the other.
            const bool is_other = (slices > 10) != (number == 2);
            if (m * n * k / 64 > max_n() || (is_other && !thorough() && device().kind == GP_DEVICE_CPU)) continue;
            for (int twice = 0; twice < 2; ++twice) ASSERT_NO_FATAL_FAILURE(run(Problem<T>(request), algorithm));
        }
        ASSERT_OK(gp_parameter_set(context(), GP_MATMUL, dtype_of<T>(), algorithm, "slices", 0));
    }
}

TEST(MatmulParameters, SlicesOfK) {
    if (on_host()) GTEST_SKIP() << "for devices";
    slices_of_k<float>("direct-tiles");
    slices_of_k<int>("direct-tiles");
    slices_of_k<float>("direct-groups", GP_FAST, true);
    slices_of_k<reference::half>("direct-units");
    if (!lacks(GP_FLOAT64)) {
        slices_of_k<double>("direct-units");
        slices_of_k<double>("box-units", GP_FULL, true);
    }
    slices_of_k<reference::half>("warp-groups");
}

// A tile that has rows for one of its warps, and slices that each warp adds up for itself: Oclgrind
// reports what is read beyond their sums.
TEST(MatmulBoxes, FewRowsInSlices) {
    if (on_host()) GTEST_SKIP() << "for devices";
    ASSERT_OK(gp_parameter_set(context(), GP_MATMUL, GP_FLOAT16, "warp-groups", "slices", 3));
    ASSERT_NO_FATAL_FAILURE(run(Problem<reference::half>(request_of(5, 136, 192)), "warp-groups"));
    ASSERT_OK(gp_parameter_set(context(), GP_MATMUL, GP_FLOAT16, "warp-groups", "slices", 0));
}

// Work-groups take several tiles one after the other: a tile that came to its place before the last
// one was read would make some of many runs wrong.
TEST(MatmulBoxes, ManyRunsOfManyTiles) {
    if (on_host() || lacks(GP_FLOAT64)) GTEST_SKIP() << "for devices with float64";
    const bool is_fast = device().kind == GP_DEVICE_GPU && max_n() > 5000;
    for (const auto &[m, n, k, batch] :
         {std::array<size_t, 4>{130, 66, 72, is_fast ? 300u : 2u}, {64, 32, 40, is_fast ? 3000u : 3u}}) {
        Request request = request_of(m, n, k, GP_PLUS_TIMES, 0);
        request.batch = batch;
        const Problem<double> problem(request);
        for (int times = is_fast ? 40 : 2; times > 0; --times) ASSERT_NO_FATAL_FAILURE(run(problem, "box-units"));
    }
}

// All four ways in which A and B lie, around blocks of lines and of k; whole numbers stay exact.
TEST(MatmulResidues, Shapes) {
    if (on_host() || lacks(GP_FLOAT64)) GTEST_SKIP() << "for devices with float64";
    size_t number = 0;
    for (const auto &[m, n, k] : {std::array<size_t, 3>{1, 1, 1},
                                  {2, 3, 5},
                                  {63, 65, 7},
                                  {64, 64, 256},
                                  {65, 66, 257},
                                  {130, 70, 255},
                                  {16, 8, 1000},
                                  {3, 2, 4099},
                                  {258, 254, 34},
                                  {1030, 1000, 50},
                                  {1031, 515, 1025}})
        for (const size_t transposes : {0, 1, 2, 3}) {
            Request request = variant(4 * (number % 2) + transposes, request_of(m, n, k, GP_PLUS_TIMES, 0));
            request.padding = number % 3;
            if (++number % 2 == 0) request.beta = 2;
            if (number % 5 < 2 && m < 200) request.batch = 2, request.shared_a = number % 5 == 0;
            const bool slow = !thorough() && device().kind == GP_DEVICE_CPU && m * n * k > 500'000;
            if (m * n * k / 64 > max_n() || slow) continue;
            if (max_n() < 1000 && (m != 2 || transposes != 1)) continue; // a simulator takes a minute
            SCOPED_TRACE(text_of(request));
            ASSERT_NO_FATAL_FAILURE(run(Problem<double>(request), "residues"));
        }
}

// Numbers of a matrix whose lines are rows of k.
using Fill = double (*)(size_t line, size_t p, bool is_b, std::mt19937_64 &random);

struct Lines {
    size_t m, n, k;
    std::vector<double> a, b;

    Lines(size_t rows, size_t columns, size_t deep, Fill fill)
        : m(rows), n(columns), k(deep), a(rows * deep), b(columns * deep) {
        std::mt19937_64 random(3);
        for (size_t i = 0; i < a.size(); ++i) a[i] = fill(i / k, i % k, false, random);
        for (size_t i = 0; i < b.size(); ++i) b[i] = fill(i / k, i % k, true, random);
    }

    // By residues; empty where the device refuses.
    std::vector<double> product(gp_context *context, gp_matmul_options options = GP_MATMUL_OPTIONS_INIT) const {
        std::vector<double> c(m * n, 7);
        options.algorithm = "residues";
        options.transpose_b = GP_TRANSPOSE;
        const gp_status status =
            gp_matmul(context, GP_FLOAT64, m, n, k, a.data(), k, b.data(), k, c.data(), n, &options);
        if (refused(GP_MATMUL, options.algorithm, status)) return {};
        EXPECT_OK(status);
        return c;
    }

    // The greatest error of an element, in units of 2^-53 of the sum of the products' magnitudes.
    double error(const std::vector<double> &c) const {
        double worst = 0;
        for (size_t i = 0; i < m * n; ++i) {
            long double exact = 0, magnitudes = 0;
            for (size_t p = 0; p < k; ++p) {
                const long double term = static_cast<long double>(a[i / n * k + p]) * b[i % n * k + p];
                exact += term, magnitudes += std::fabs(term);
            }
            if (!std::isfinite(exact)) {
                if (std::isnan(exact) ? !std::isnan(c[i]) : c[i] != static_cast<double>(exact)) return INFINITY;
            } else {
                const long double least = std::numeric_limits<double>::denorm_min() * static_cast<long double>(k);
                const long double error = std::fabs(c[i] - exact) / (magnitudes * 0x1p-53L + least);
                worst = std::max(worst, static_cast<double>(error));
            }
        }
        return worst;
    }
};

double between_ones(std::mt19937_64 &random) { return std::uniform_real_distribution<double>(-1, 1)(random); }

// Whatever the numbers, an element's error is below the bound of ordinary sums.
TEST(MatmulResidues, HardNumbers) {
    if (on_host() || lacks(GP_FLOAT64)) GTEST_SKIP() << "for devices with float64";
    const std::pair<const char *, Fill> kinds[] = {
        {"lines of their own scale",
         [](size_t line, size_t, bool, std::mt19937_64 &random) {
             return std::ldexp(between_ones(random), static_cast<int>(line * 37 % 1000) - 500);
         }},
        {"steps of k of their own scale, which B takes back",
         [](size_t, size_t p, bool is_b, std::mt19937_64 &random) {
             const int scale = static_cast<int>(p * 7 % 61) - 30;
             return std::ldexp(between_ones(random), is_b ? -scale : scale);
         }},
        {"one large number in each line, which meets a zero",
         [](size_t, size_t p, bool is_b, std::mt19937_64 &random) {
             return p == 3 ? (is_b ? 0 : 0x1p70) : p == 5 ? (is_b ? 0x1p70 : 0) : between_ones(random);
         }},
        {"of log-normal size",
         [](size_t, size_t, bool, std::mt19937_64 &random) {
             return std::copysign(std::exp(std::normal_distribution<double>(0, 3)(random)), between_ones(random));
         }},
        {"few of them, and lines of zeros",
         [](size_t line, size_t, bool, std::mt19937_64 &random) {
             return line % 5 == 2 || random() % 16 != 0 ? 0 : between_ones(random);
         }},
        {"NaN and infinity in a line each",
         [](size_t line, size_t p, bool is_b, std::mt19937_64 &random) {
             const double x = between_ones(random);
             return is_b || p != 4 ? x : line == 3 ? NAN : line == 5 ? INFINITY : x;
         }},
        {"below the normal numbers",
         [](size_t, size_t, bool is_b, std::mt19937_64 &random) {
             return std::ldexp(between_ones(random), is_b ? 0 : -1060);
         }},
        {"from the smallest to the largest", [](size_t, size_t p, bool is_b, std::mt19937_64 &random) {
             return std::ldexp(between_ones(random), p % 2 == 0 ? (is_b ? -1040 : 1000) : (is_b ? 1000 : -1040));
         }}};
    const size_t k = max_n() < 1000 ? 40 : 700;
    size_t number = 0;
    for (const auto &[name, fill] : kinds) {
        SCOPED_TRACE(name);
        if (++number % 4 != 2 && max_n() < 1000) continue;
        const Lines lines(21, 34, k, fill);
        const auto c = lines.product(context());
        if (c.empty()) GTEST_SKIP() << "refused";
        EXPECT_LE(lines.error(c), static_cast<double>(k) + 2);
    }
}

// The greatest error of ordinary sums of such numbers is above 1: it would be seen if another
// kernel computed them. Integers have fewer bits and probes are fewer where k is large.
TEST(MatmulResidues, AreMoreAccurateThanSums) {
    if (on_host() || lacks(GP_FLOAT64)) GTEST_SKIP() << "for devices with float64";
    if (max_n() < 1000) GTEST_SKIP() << "too few elements for errors of sums";
    const Fill uniform = [](size_t, size_t, bool, std::mt19937_64 &random) { return between_ones(random); };
    const Fill scaled = [](size_t line, size_t, bool, std::mt19937_64 &random) {
        return std::ldexp(between_ones(random), static_cast<int>(line * 37 % 1000) - 500);
    };
    for (const size_t k : {1000, 2100, 5000, 24000, 65535})
        for (const Fill fill : {uniform, scaled}) {
            if (fill == scaled && k > 5000) continue;
            const Lines lines(k > 5000 ? 5 : 21, k > 5000 ? 7 : 34, k, fill);
            const auto c = lines.product(context());
            if (c.empty()) GTEST_SKIP() << "refused";
            EXPECT_LE(lines.error(c), 0.25) << "k = " << k;
        }
}

// Sums of residues as large as they get, and products whose large terms meet zeros: small integers
// come out exact, below zero too.
TEST(MatmulResidues, LargeAndSmallIntegers) {
    if (on_host() || lacks(GP_FLOAT64)) GTEST_SKIP() << "for devices with float64";
    const auto numbers = [](std::vector<double> a, std::vector<double> b) {
        Lines lines(1, 1, a.size(), [](size_t, size_t, bool, std::mt19937_64 &) { return 0.0; });
        lines.a = std::move(a), lines.b = std::move(b);
        return lines;
    };
    const std::pair<Lines, double> cases[] = {{numbers({0x1p49, 0, -1}, {0, 0x1p49, 1}), -1},
                                              {numbers({0x1p52, 0, -3}, {0, 0x1p52, 1048577}), -3145731},
                                              {numbers({0x1p52, 0, 3}, {0, 0x1p52, 1048577}), 3145731},
                                              {numbers({0x1p40, 0, -1}, {0, 0x1p40, 0x1p20}), -0x1p20}};
    size_t number = 0;
    for (const auto &[lines, expected] : cases) {
        if (number++ > 0 && max_n() < 1000) break;
        const auto c = lines.product(context());
        if (c.empty()) GTEST_SKIP() << "refused";
        EXPECT_EQ(c[0], expected);
    }
    if (max_n() < 1000) return;
    // An integer whose residues are nearly as large as they get.
    constexpr long double x = 697408047371392;
    const Lines large(2, 3, 65535, [](size_t, size_t, bool, std::mt19937_64 &) { return static_cast<double>(x); });
    for (const double c : large.product(context())) EXPECT_LE(std::fabs(c / (65535 * x * x) - 1), 0x1p-53L);
    const Lines too_large(1, 1, 65536, [](size_t, size_t, bool, std::mt19937_64 &) { return 1.0; });
    EXPECT_TRUE(too_large.product(context()).empty()); // the manifest tells for which reason
}

// Panels of C, where a context has little memory, are the same bits; each has its part of a bias.
TEST(MatmulResidues, Panels) {
    if (on_host() || lacks(GP_FLOAT64)) GTEST_SKIP() << "for devices with float64";
    if (max_n() < 1000) GTEST_SKIP() << "too few elements for panels";
    const Lines lines(300, 530, 64, [](size_t, size_t, bool, std::mt19937_64 &random) { return between_ones(random); });
    const auto whole = lines.product(context());
    if (whole.empty()) GTEST_SKIP() << "refused";
    EXPECT_LE(lines.error(whole), 1);
    gp_open_options open = GP_OPEN_OPTIONS_INIT;
    open.memory_bytes = 16 << 20;
    gp_context *bounded = nullptr;
    ASSERT_OK(gp_open_with(nullptr, &open, &bounded));
    std::vector<double> bias(lines.n);
    std::iota(bias.begin(), bias.end(), 1.0);
    const double alpha = 0.5, beta = -2;
    for (const gp_bias bias_by : {GP_BIAS_BY_COLUMN, GP_BIAS_BY_ROW}) {
        gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
        options.alpha = &alpha, options.beta = &beta;
        options.bias = bias.data(), options.bias_by = bias_by;
        std::vector<double> expected(whole.size());
        for (size_t i = 0; i < whole.size(); ++i)
            expected[i] = 0.5 * whole[i] - 2 * 7 + bias[bias_by == GP_BIAS_BY_ROW ? i / lines.n : i % lines.n];
        EXPECT_EQ(expected, lines.product(context(), options));
        EXPECT_EQ(expected, lines.product(bounded, options));
    }
    gp_close(bounded);
}

// The same bits every time.
TEST(MatmulResidues, ManyRuns) {
    if (on_host() || lacks(GP_FLOAT64)) GTEST_SKIP() << "for devices with float64";
    if (max_n() < 1000) GTEST_SKIP() << "minutes on a simulator";
    const bool is_fast = device().kind == GP_DEVICE_GPU && max_n() > 5000;
    const Lines lines(is_fast ? 1030 : 70, is_fast ? 1290 : 65, is_fast ? 1000 : 130,
                      [](size_t, size_t, bool, std::mt19937_64 &random) { return between_ones(random); });
    const auto first = lines.product(context());
    if (first.empty()) GTEST_SKIP() << "refused";
    for (int times = is_fast ? 40 : 2; times > 0; --times) ASSERT_EQ(first, lines.product(context()));
}

TYPED_TEST(MatmulReals, RandomRealsStayWithinTheBound) {
    size_t number = 0;
    for (const auto &[m, n, k] :
         {std::array<size_t, 3>{7, 9, 8}, {33, 31, 65}, {64, 64, 64}, {129, 65, 257}, {5, 3, 2003}, {200, 180, 220}})
        for (const bool scaled : {false, true}) {
            Request request = variant(number++, request_of(m, n, k, GP_PLUS_TIMES, 1));
            request.values = Values::real;
            if (scaled) request.alpha = 0.75, request.beta = -1.25;
            check<TypeParam>(request);
        }
}

// NaN goes through a sum, and a minimum or maximum leaves it out.
TYPED_TEST(MatmulReals, NotANumber) {
    for (const gp_semiring semiring : {GP_PLUS_TIMES, GP_MIN_PLUS, GP_MAX_PLUS, GP_OR_AND})
        for (const auto &[m, n, k] : {std::array<size_t, 3>{5, 4, 1}, {17, 35, 3}, {40, 33, 34}}) {
            Request request = request_of(m, n, k, semiring, 1);
            request.values = Values::nan;
            check<TypeParam>(request);
        }
}

// alpha = 0 still computes the product: NaN and infinity count.
TYPED_TEST(MatmulReals, AlphaOfZeroKeepsNan) {
    Request request = request_of(33, 17, 5);
    request.values = Values::nan;
    request.alpha = 0;
    check<TypeParam>(request);
    request.beta = 2;
    check<TypeParam>(request);
}

TYPED_TEST(Matmul, BuffersAtOddOffsets) {
    size_t number = 0;
    for (const auto &[m, n, k] : {std::array<size_t, 3>{1, 1, 1}, {16, 16, 16}, {33, 31, 35}, {64, 128, 64}}) {
        if (m * n * k / 64 > max_n()) continue;
        for (const gp_semiring semiring : {GP_PLUS_TIMES, GP_MIN_PLUS}) {
            Request request = variant(number, request_of(m, n, k, semiring, number % 2));
            if (number++ % 3 == 0) request.batch = 3;
            SCOPED_TRACE(std::string(gp_dtype_name(dtype_of<TypeParam>())) + ": " + text_of(request));
            const Problem<TypeParam> problem(request);
            const MatmulShape &s = problem.shape;
            DeviceArray<TypeParam> a(problem.a, 1), b(problem.b, 3), c(problem.c, 5);
            auto options = problem.options(nullptr);
            gp_event *event = nullptr, *again = nullptr;
            // Twice, the second after the first: C is overwritten, not added to.
            for (gp_event **out : {&event, &again})
                ASSERT_OK(gp_enqueue_matmul(context(), dtype_of<TypeParam>(), m, n, k, a.buffer(), a.offset(), s.lda,
                                            b.buffer(), b.offset(), s.ldb, c.buffer(), c.offset(), s.ldc, &options,
                                            event == nullptr ? 0 : 1, event == nullptr ? nullptr : &event, out));
            ASSERT_OK(gp_event_wait(again));
            ASSERT_OK(gp_event_free(event));
            ASSERT_OK(gp_event_free(again));
            ASSERT_NO_FATAL_FAILURE(problem.verify(c.values()));
            ASSERT_TRUE(same_bits(problem.a, a.values()) && same_bits(problem.b, b.values()));
        }
    }
}

// float32 numbers that a split into shorter ones must not harm.
enum class Scales {
    alike,  // between -1 and 1
    lines,  // each row of A and column of B by a power of two of its own
    apart,  // each number by a power of two of its own
    tiny,   // the numbers of A have no full precision any more (subnormal), those of B make up for it
    special // with infinities and NaN
};

void check_precision(Scales scales, gp_precision precision, size_t m, size_t n, size_t k) {
    if (m * n * k / 64 > max_n()) return;
    std::mt19937_64 random(m + n + k);
    const auto power = [&](int range) { return static_cast<int>(random() % static_cast<unsigned>(2 * range)) - range; };
    const auto fill = [&](size_t lines, int shift) { // line after line, k numbers each
        std::vector<float> x(lines * k);
        for (size_t line = 0; line < lines; ++line) {
            const int of_line = scales == Scales::lines ? power(30) : shift;
            for (size_t p = 0; p < k; ++p) {
                const double one = std::uniform_real_distribution<double>(-1, 1)(random);
                x[line * k + p] = static_cast<float>(std::ldexp(one, scales == Scales::apart ? power(25) : of_line));
            }
        }
        if (scales == Scales::special) {
            x[k / 2] = std::numeric_limits<float>::infinity();
            x[k * (lines / 2) + k / 3] = -std::numeric_limits<float>::infinity();
            x[k * (lines - 1) + k - 1] = std::numeric_limits<float>::quiet_NaN();
        }
        return x;
    };
    const std::vector<float> a = fill(m, scales == Scales::tiny ? -130 : 0),
                             b = fill(n, scales == Scales::tiny ? 60 : 0);
    std::vector<double> expected(m * n), bounds(m * n);
    const double eps = std::numeric_limits<float>::epsilon();
    const double relative = static_cast<double>(k + 2) * eps + (precision == GP_FAST ? std::ldexp(1.0, -10) : 0.0);
    for (size_t i = 0; i < m; ++i)
        for (size_t j = 0; j < n; ++j) {
            double magnitude = 0, largest_a = 0, largest_b = 0;
            for (size_t p = 0; p < k; ++p) {
                const double x = a[i * k + p], y = b[j * k + p];
                expected[i * n + j] += x * y;
                magnitude += std::fabs(x * y);
                largest_a = std::max(largest_a, std::fabs(x));
                largest_b = std::max(largest_b, std::fabs(y));
            }
            bounds[i * n + j] = relative * magnitude;
            if (precision == GP_FAST) bounds[i * n + j] += static_cast<double>(k) * 0x1p-37 * largest_a * largest_b;
            // Devices may take subnormal numbers for 0.
            if (scales == Scales::tiny) bounds[i * n + j] += static_cast<double>(k) * 0x1p-126 * largest_b;
        }
    for (const char *algorithm : algorithms(GP_MATMUL)) {
        SCOPED_TRACE(name(algorithm));
        gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
        options.transpose_b = GP_TRANSPOSE;
        options.precision = precision;
        options.algorithm = algorithm;
        Guarded<float> c(std::vector<float>(m * n, poison<float>()));
        const gp_status status =
            gp_matmul(context(), GP_FLOAT32, m, n, k, a.data(), k, b.data(), k, c.data(), n, &options);
        if (refused(GP_MATMUL, algorithm, status)) continue;
        ASSERT_OK(status);
        ASSERT_TRUE(c.intact());
        ASSERT_TRUE(close_to(expected, c.values(), bounds));
    }
}

class MatmulPrecision : public testing::TestWithParam<std::pair<Scales, gp_precision>> {};

TEST_P(MatmulPrecision, StaysWithinTheBound) {
    const auto [scales, precision] = GetParam();
    for (const auto &[m, n, k] : {std::array<size_t, 3>{7, 9, 300}, {130, 65, 96}, {129, 258, 257}}) {
        SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k);
        ASSERT_NO_FATAL_FAILURE(check_precision(scales, precision, m, n, k));
    }
}

INSTANTIATE_TEST_SUITE_P(Full, MatmulPrecision,
                         testing::Values(std::pair(Scales::alike, GP_FULL), std::pair(Scales::lines, GP_FULL),
                                         std::pair(Scales::apart, GP_FULL), std::pair(Scales::tiny, GP_FULL),
                                         std::pair(Scales::special, GP_FULL)));
INSTANTIATE_TEST_SUITE_P(Fast, MatmulPrecision,
                         testing::Values(std::pair(Scales::alike, GP_FAST), std::pair(Scales::lines, GP_FAST),
                                         std::pair(Scales::apart, GP_FAST), std::pair(Scales::tiny, GP_FAST),
                                         std::pair(Scales::special, GP_FAST)));

} // namespace

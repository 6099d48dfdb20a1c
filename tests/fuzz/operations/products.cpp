// Products of matrices, shortest paths, recurrences, and calls that "host" refuses.
// SPDX-License-Identifier: MIT
#include "operations.h"

#include "reference/matmul.h"
#include "reference/paths.h"
#include "reference/recurrence.h"

#include <cmath>

namespace fuzz {
namespace {

// How far a matrix reaches, of rows (or columns) that lie ld apart, in a batch.
Size reach(size_t outer, size_t inner, size_t ld, size_t batch, size_t stride) {
    if (outer == 0 || inner == 0) return 0;
    return Size{batch - 1} * stride + Size{outer - 1} * ld + inner;
}

// One number; integers are cut to the type.
template <class W> W number_of(const Array &one) {
    return static_cast<W>(one.at<std::conditional_t<std::is_integral_v<W>, int64_t, long double>>(0));
}

template <class T> Array product(const gp_matmul_options &o, const reference::MatmulShape &shape, const Array &a,
                                 const Array &b, const Array &before, const Array &alpha, const Array &beta,
                                 const Array &bias) {
    using W = reference::Wide<T>;
    Array expected = before;
    const auto compute = [&](auto ring) {
        using S = decltype(ring);
        const W factor = o.alpha != nullptr ? number_of<W>(alpha) : S::one;
        const W old = o.beta != nullptr ? number_of<W>(beta) : S::zero;
        const auto result =
            reference::matmul(ring, shape, a.vector<T>(), b.vector<T>(), before.vector<T>(), factor, old);
        size_t next = 0;
        for (size_t g = 0; g < shape.batch; ++g)
            for (size_t i = 0; i < shape.m; ++i)
                for (size_t j = 0; j < shape.n; ++j) {
                    const size_t place = g * o.stride_bias + (o.bias_by == GP_BIAS_BY_ROW ? i : j);
                    const W added = o.bias != nullptr ? reference::widen(bias.at<T>(place)) : W(0);
                    const auto activation =
                        o.activation == GP_RELU ? reference::Activation::relu : reference::Activation::none;
                    expected.put(shape.c(g, i, j),
                                 reference::narrow<T>(reference::finish<W>(result[next++], added, activation, 0, 0)));
                }
    };
    switch (o.semiring) {
    case GP_PLUS_TIMES: compute(reference::PlusTimes<W>{}); break;
    case GP_MIN_PLUS: compute(reference::MinPlus<W>{}); break;
    case GP_MAX_PLUS: compute(reference::MaxPlus<W>{}); break;
    case GP_MAX_MIN: compute(reference::MaxMin<W>{}); break;
    default: compute(reference::OrAnd<W>{});
    }
    return expected;
}

// The gp_dtype that alpha and beta have.
gp_dtype computed_in(gp_dtype dtype, gp_dtype c_dtype) {
    if (dtype == GP_FLOAT16 || dtype == GP_BFLOAT16) return GP_FLOAT32;
    return dtype == GP_INT8 || dtype == GP_UINT8 || c_dtype == GP_INT32 ? GP_INT32 : dtype;
}

} // namespace

void matmul(Case &c) {
    Options<gp_matmul_options> options(c);
    options->algorithm = c.algorithm(GP_MATMUL);
    options->event = c.event();
    options->finish_source = options->plus_source = options->times_source = options->zero_source = options->one_source =
        options->helpers = nullptr;
    options->alpha = options->beta = options->bias = options->clamp_low = options->clamp_high = nullptr;
    const gp_dtype dtype = c.dtype();
    gp_matmul_options o = options.seen();
    const auto length = [&] { return c.below(8) == 0 ? c.size() : c.below(20); };
    const size_t m = length(), n = length(), k = length();
    if (m > 2000 || n > 2000 || k > 2000) throw Skip{};
    if (Size{m} * n * k > 100000) throw Skip{};
    reference::MatmulShape shape{m, n, k, o.layout != 0, o.transpose_a != 0, o.transpose_b != 0, o.transpose_c != 0};
    const auto dimension = [&](size_t rows, size_t columns, bool transposed) { // what a row of storage holds
        return (o.layout != 0) != transposed ? rows : columns;
    };
    const size_t of_a = dimension(m, k, shape.transpose_a), of_b = dimension(k, n, shape.transpose_b),
                 of_c = dimension(m, n, shape.transpose_c);
    shape.lda = c.flag() ? of_a : c.size();
    shape.ldb = c.flag() ? of_b : c.size();
    shape.ldc = c.flag() ? of_c : c.size();
    shape.batch = o.batch != 0 ? o.batch : 1;
    if (shape.batch > kMostRows) throw Skip{};
    shape.stride_a = o.stride_a;
    shape.stride_b = o.stride_b;
    shape.stride_c = o.stride_c;
    const gp_dtype result = o.c_dtype != 0 ? o.c_dtype : dtype, inner = computed_in(dtype, o.c_dtype);
    const Array a = c.array(dtype, reach(of_a == 0 ? 0 : m * k / of_a, of_a, shape.lda, shape.batch, o.stride_a), true),
                b = c.array(dtype, reach(of_b == 0 ? 0 : k * n / of_b, of_b, shape.ldb, shape.batch, o.stride_b), true);
    Array out = c.array(result, reach(of_c == 0 ? 0 : m * n / of_c, of_c, shape.ldc, shape.batch, o.stride_c), true);
    const Array alpha = c.array(inner, 1, true), beta = c.array(inner, 1, true);
    const bool has_bias = c.flag();
    const size_t biases = m == 0 || n == 0 ? 0 : o.bias_by == GP_BIAS_BY_ROW ? m : n;
    const Array bias = c.array(result, has_bias ? reach(1, biases, 0, shape.batch, o.stride_bias) : 0, true);
    if (c.flag()) options->alpha = alpha.data();
    if (c.flag()) options->beta = beta.data();
    if (has_bias) options->bias = bias.data();
    o = options.seen();
    if (!c.call("gp_matmul", {&out}, [&] {
            return gp_matmul(host(), dtype, m, n, k, a.data(), shape.lda, b.data(), shape.ldb, out.data(), shape.ldc,
                             options.get());
        }))
        return;
    const bool is_narrow = dtype == GP_INT8 || dtype == GP_UINT8; // which other operators see as int32
    if (result != dtype || dtype == GP_BFLOAT16 || o.activation > GP_RELU || (is_narrow && o.activation != 0)) return;
    typed(dtype, [&](auto zero) {
        using T = decltype(zero);
        equal(out, product<T>(o, shape, a, b, c.before(0), alpha, beta, bias), "matmul");
    });
}

void paths(Case &c) {
    Options<gp_paths_options> options(c);
    options->algorithm = c.algorithm(GP_PATHS);
    options->event = c.event();
    uint64_t has_cycle = 2;
    options->negative_cycle = c.flag() ? &has_cycle : nullptr;
    const gp_paths_options o = options.seen();
    const gp_dtype dtype = c.dtype({GP_INT16, GP_INT32, GP_FLOAT32, GP_FLOAT64});
    const size_t n = c.below(30), ld_in = c.flag() ? n : c.size(), ld_out = c.flag() ? n : c.size(),
                 ld_before = c.flag() ? n : c.size();
    const bool has_before = c.flag();
    Array in = c.array(dtype, reach(n, n, ld_in, 1, 0), true);
    Array out = c.array(dtype, reach(n, n, ld_out, 1, 0), true),
          before = c.array(GP_INT32, has_before ? reach(n, n, ld_before, 1, 0) : 0);
    const auto with_lengths = [&](auto &&f) {
        if (dtype == GP_INT16) f(int16_t{});
        if (dtype == GP_INT32) f(int32_t{});
        if (dtype == GP_FLOAT32) f(float{});
        if (dtype == GP_FLOAT64) f(double{});
    };
    const size_t seed = c.take(), most = c.flag() ? 2 : 50, least = c.below(4) == 0 ? 1 : 0;
    with_lengths([&](auto zero) {
        using T = decltype(zero);
        for (size_t i = 0; i < in.size(); ++i) {
            const size_t number = (seed + i) * 2654435761U / 64;
            in.put(i, number % 3 == 0 ? reference::kNoPath<T>
                                      : static_cast<T>(static_cast<int>(number % most) - static_cast<int>(least)));
        }
    });
    if (!c.call("gp_paths", {&out, &before}, [&] {
            return gp_paths(host(), dtype, n, in.data(), ld_in, out.data(), ld_out,
                            has_before ? reinterpret_cast<int32_t *>(before.data()) : nullptr, ld_before,
                            options.get());
        }))
        return;
    with_lengths([&](auto zero) {
        using T = decltype(zero);
        std::vector<T> edges;
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < n; ++j) edges.push_back(in.at<T>(i * ld_in + j));
        const reference::Paths<T> right(n, edges);
        if (o.negative_cycle != nullptr) require(has_cycle == right.has_negative_cycle(), "paths' negative cycle");
        if (right.has_negative_cycle()) return;
        Array expected = c.before(0);
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < n; ++j) {
                const size_t at = i * n + j;
                expected.put(i * ld_out + j,
                             right.exists[at] ? static_cast<T>(right.length[at]) : reference::kNoPath<T>);
                if (!has_before) continue;
                const auto p = static_cast<size_t>(before.at<int32_t>(i * ld_before + j));
                if (i == j || !right.exists[at]) {
                    require(before.at<int32_t>(i * ld_before + j) == -9999, "paths' missing predecessors");
                } else {
                    require(p < n && right.exists[i * n + p] && edges[p * n + j] != reference::kNoPath<T>,
                            "paths' predecessors");
                    require(right.length[i * n + p] + static_cast<reference::Length<T>>(edges[p * n + j]) ==
                                right.length[at],
                            "paths' predecessors are on shortest paths");
                }
            }
        equal(out, expected, "paths");
    });
}

namespace {

// Of one row: results within the bounds, up to where numbers grow too large to tell.
template <class T> void check_recurrence(const std::vector<long double> &expected,
                                         const std::vector<long double> &bounds, const std::vector<T> &results) {
    constexpr long double kLarge = std::is_same_v<T, float> ? 1e30L : 1e290L;
    for (size_t t = 0; t < expected.size(); ++t) {
        if (!(std::fabs(expected[t]) < kLarge && bounds[t] < kLarge)) return;
        require(std::fabs(expected[t] - static_cast<long double>(results[t])) <= bounds[t], "recurrence");
    }
}

void any_recurrence(Case &c, bool varying) {
    Options<gp_recurrence_options> options(c);
    options->algorithm = c.algorithm(varying ? GP_RECURRENCE_VARYING : GP_RECURRENCE);
    options->event = c.event();
    options->initial = nullptr;
    options->final_state = nullptr;
    gp_recurrence_options o = options.seen();
    const gp_dtype dtype = c.dtype({GP_FLOAT32, GP_FLOAT64});
    const size_t n = c.size(), order = varying ? 1 : c.below(10);
    const Rows from(n, o.batch, o.stride_in, 1), to(n, o.batch, o.stride_out, 1),
        factors(n, o.share_coefficients != 0 ? 1 : o.batch, o.stride_coefficients, 1);
    const Array in = c.array(dtype, from.extent(), true),
                coefficients = c.array(dtype, varying ? factors.extent() : order, true),
                initial = c.array(dtype, Size{from.batch} * order, true);
    const bool has_last = c.flag(), has_in = c.below(8) != 0;
    Array out = c.array(dtype, to.extent(), true), last = c.array(dtype, has_last ? Size{from.batch} * order : 0, true);
    if (c.flag()) options->initial = initial.data();
    if (has_last) options->final_state = last.data();
    o = options.seen();
    if (!c.call("gp_recurrence", {&out, &last}, [&] {
            const void *x = has_in ? in.data() : nullptr;
            if (varying)
                return gp_recurrence_varying(host(), dtype, n, coefficients.data(), x, out.data(), options.get());
            return gp_recurrence(host(), dtype, n, x, out.data(), order, coefficients.data(), options.get());
        }))
        return;
    const auto compare = [&](auto zero) {
        using T = decltype(zero);
        using W = long double;
        const W epsilon = std::numeric_limits<T>::epsilon();
        for (size_t row = 0; row < from.batch; ++row) {
            std::vector<W> x, a, state;
            std::vector<T> results;
            for (size_t t = 0; t < n; ++t) {
                const size_t i = o.direction != 0 ? n - 1 - t : t;
                x.push_back(has_in ? in.at<W>(from.at(row, i)) : 0);
                results.push_back(out.at<T>(to.at(row, i)));
                if (varying) a.push_back(coefficients.at<W>(factors.at(o.share_coefficients != 0 ? 0 : row, i)));
            }
            for (size_t j = 0; j < order; ++j)
                state.push_back(o.initial != nullptr ? initial.at<W>(row * order + j) : 0);
            const auto all = coefficients.vector<W>();
            if (varying)
                check_recurrence<T>(reference::recurrence_varying(a, x, state[0]),
                                    reference::recurrence_varying_bounds(a, x, state[0], epsilon, W(0)), results);
            else
                check_recurrence<T>(reference::recurrence(x, all, state),
                                    reference::recurrence_bounds(x, all, state, epsilon), results);
            for (size_t j = 0; j < order && o.final_state != nullptr; ++j) {
                const T value = last.at<T>(row * order + j),
                        right = j < n ? results[n - 1 - j] : static_cast<T>(state[j - n]);
                require(value == right || (value != value && right != right), "recurrence's final state");
            }
        }
    };
    if (dtype == GP_FLOAT32)
        compare(float{});
    else
        compare(double{});
}

} // namespace

void recurrence(Case &c) { any_recurrence(c, false); }
void recurrence_varying(Case &c) { any_recurrence(c, true); }

// Texts are refused, whatever else is wrong with the call.
void texts(Case &c) {
    const gp_dtype dtype = c.dtype();
    const size_t n = c.below(40), size = c.below(70);
    const std::string text = c.text(c.below(10));
    Array out = c.array(dtype, n), elements = c.bytes(size, n);
    if (c.flag()) {
        Options<gp_transform_options> options(c);
        options->helpers = nullptr;
        options->algorithm = c.algorithm(GP_TRANSFORM);
        options->event = c.event();
        require(!c.call("gp_transform", {&out},
                        [&] {
                            return gp_transform(host(), n, 0, nullptr, nullptr, dtype, out.data(), text.c_str(),
                                                options.get());
                        }),
                "\"host\" runs no text");
    } else {
        Options<gp_sort_by_options> options(c);
        options->helpers = nullptr;
        options->event = c.event();
        require(
            !c.call("gp_sort_by", {&elements},
                    [&] { return gp_sort_by(host(), size, n, elements.data(), "int", text.c_str(), options.get()); }),
            "\"host\" runs no text");
    }
}

} // namespace fuzz

// The oracle of matmul: three nested loops over a semiring.
// SPDX-License-Identifier: MIT
#pragma once

#include "wide.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace reference {

template <class W> constexpr W largest = std::numeric_limits<W>::has_infinity ? std::numeric_limits<W>::infinity()
                                                                              : std::numeric_limits<W>::max();
template <class W> constexpr W lowest = std::numeric_limits<W>::has_infinity ? -std::numeric_limits<W>::infinity()
                                                                             : std::numeric_limits<W>::lowest();

// A minimum and a maximum that leave out NaN.
template <class W> W least(W a, W b) { return a != a || b < a ? b : a; }
template <class W> W greatest(W a, W b) { return a != a || b > a ? b : a; }

template <class W> struct PlusTimes {
    static constexpr W zero = 0, one = 1;
    static W plus(W a, W b) { return wrapping_add(a, b); }
    static W times(W a, W b) { return wrapping_multiply(a, b); }
};
template <class W> struct MinPlus {
    static constexpr W zero = largest<W>, one = 0;
    static W plus(W a, W b) { return least(a, b); }
    static W times(W a, W b) { return wrapping_add(a, b); }
};
template <class W> struct MaxPlus {
    static constexpr W zero = lowest<W>, one = 0;
    static W plus(W a, W b) { return greatest(a, b); }
    static W times(W a, W b) { return wrapping_add(a, b); }
};
template <class W> struct MaxMin {
    static constexpr W zero = lowest<W>, one = largest<W>;
    static W plus(W a, W b) { return greatest(a, b); }
    static W times(W a, W b) { return a != a || b != b ? zero : least(a, b); }
};
template <class W> struct OrAnd {
    static constexpr W zero = 0, one = 1;
    static W plus(W a, W b) { return a != 0 || b != 0; }
    static W times(W a, W b) { return a != 0 && b != 0; }
};

// Where the elements of the matrices of a (batched, strided) product stand.
struct MatmulShape {
    size_t m = 0, n = 0, k = 0;
    bool column_major = false, transpose_a = false, transpose_b = false, transpose_c = false;
    size_t lda = 0, ldb = 0, ldc = 0;
    size_t batch = 1, stride_a = 0, stride_b = 0, stride_c = 0;

    // Element (i, p) of op(A), (p, j) of op(B), (i, j) of C, in product number g.
    size_t a(size_t g, size_t i, size_t p) const { return g * stride_a + at(transpose_a, i, p, lda); }
    size_t b(size_t g, size_t p, size_t j) const { return g * stride_b + at(transpose_b, p, j, ldb); }
    size_t c(size_t g, size_t i, size_t j) const { return g * stride_c + at(transpose_c, i, j, ldc); }

  private:
    size_t at(bool transpose, size_t row, size_t column, size_t ld) const {
        if (transpose) std::swap(row, column);
        return column_major ? column * ld + row : row * ld + column;
    }
};

// alpha * op(A) * op(B) + beta * C as batch * m * n wide values, row after row; C is not read when
// beta is zero.
template <class S, class T> std::vector<Wide<T>> matmul(S, const MatmulShape &shape, const std::vector<T> &narrow_a,
                                                        const std::vector<T> &narrow_b, const std::vector<T> &narrow_c,
                                                        Wide<T> alpha, Wide<T> beta) {
    const auto a = widen(narrow_a), b = widen(narrow_b), c = widen(narrow_c);
    std::vector<Wide<T>> result;
    for (size_t g = 0; g < shape.batch; ++g) {
        for (size_t i = 0; i < shape.m; ++i) {
            for (size_t j = 0; j < shape.n; ++j) {
                Wide<T> sum = S::zero;
                for (size_t p = 0; p < shape.k; ++p)
                    sum = S::plus(sum, S::times(a[shape.a(g, i, p)], b[shape.b(g, p, j)]));
                sum = S::times(alpha, sum);
                if (beta != S::zero) sum = S::plus(sum, S::times(beta, c[shape.c(g, i, j)]));
                result.push_back(sum);
            }
        }
    }
    return result;
}

// What an element x of C becomes before it is rounded; W: the type that an oracle computes in.
enum class Activation { none, relu, gelu, gelu_tanh, clamp };

template <class W> W finish(W x, W bias, Activation activation, W low, W high) {
    const W y = wrapping_add(x, bias);
    switch (activation) {
    case Activation::relu: return y < 0 ? W(0) : y;
    case Activation::clamp: return y < low ? low : y > high ? high : y;
    default: break;
    }
    if constexpr (std::is_floating_point_v<W>) {
        if (activation == Activation::gelu) return y / 2 * std::erfc(-y / std::sqrt(W(2)));
        if (activation == Activation::gelu_tanh) {
            const W pi = std::acos(W(-1));
            return y / 2 * (1 + std::tanh(std::sqrt(2 / pi) * (y + W(0.044715L) * y * y * y)));
        }
    }
    return y;
}

} // namespace reference

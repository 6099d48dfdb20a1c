// Many small matrix products, in any semiring. Lane l of vectors has product number l of a group:
// elements are collected from the group's matrices into vectors, and C's are dealt out.
// SPDX-License-Identifier: MIT
#include "host/matmul_lanes.h"

#include "core/cpu.h"
#include "core/scratch.h"
#include "core/size.h"
#include "host/gemm.h"
#include "host/matmul_types.h"
#include "host/parallel.h"

namespace gpcl::host {
namespace {

// Products of matrices whose elements are vectors. Rows of A, B and C lie one after the other.
template <class Value> struct Group {
    size_t m, n, k;
    const Value *a, *b;
    Value *c;
};

// Some columns of a row of C.
template <class S, size_t columns, class Value = typename S::Value>
[[gnu::always_inline]] inline void multiply_row(const Group<Value> &x, const Value *a, const Value *b, Value *c) {
    constexpr size_t kWidth = kLanesOf<Value>;
    Vector<Value> sum[columns];
#pragma GCC unroll 4
    for (size_t j = 0; j < columns; ++j) sum[j] = S::zero - Vector<Value>{}; // in all lanes
    for (size_t p = 0; p < x.k; ++p, a += kWidth, b += x.n * kWidth) {
        Vector<Value> factor;
        load_vector(a, factor);
#pragma GCC unroll 4
        for (size_t j = 0; j < columns; ++j) {
            Vector<Value> other;
            load_vector(b + j * kWidth, other);
            S::accumulate(sum[j], factor, other);
        }
    }
#pragma GCC unroll 4
    for (size_t j = 0; j < columns; ++j) store_vector(sum[j], c + j * kWidth);
}

template <class S, class Value = typename S::Value>
[[gnu::always_inline]] inline void multiply_group_inline(const Group<Value> &x) {
    constexpr size_t kColumns = 4, kWidth = kLanesOf<Value>;
    for (size_t i = 0; i < x.m; ++i)
        for (size_t j = 0; j < x.n; j += kColumns)
            with_rows<kColumns>(
                std::min(kColumns, x.n - j), [&](auto constant) __attribute__((always_inline)) {
                    multiply_row<S, constant()>(x, x.a + i * x.k * kWidth, x.b + j * kWidth,
                                                x.c + (i * x.n + j) * kWidth);
                });
}

template <class S> void multiply_group_portable(const Group<typename S::Value> &x) { multiply_group_inline<S>(x); }
#if defined(GPCL_HAVE_X86)
template <class S> [[gnu::target("avx2,fma")]] void multiply_group_avx2(const Group<typename S::Value> &x) {
    multiply_group_inline<S>(x);
}
template <class S> auto best_multiply_group() {
    return has_avx2_fma() ? multiply_group_avx2<S> : multiply_group_portable<S>;
}
#else
template <class S> auto best_multiply_group() { return multiply_group_portable<S>; }
#endif

// Collects `count` matrices of rows x columns, of which each lane has one.
template <class S, class Computed, class Stored, class Value = typename S::Value>
void collect(const Stored *from, size_t batch_stride, size_t count, size_t rows, size_t row_stride, size_t columns,
             size_t column_stride, Value *to) {
    constexpr size_t kWidth = kLanesOf<Value>;
    for (size_t i = 0; i < rows; ++i, from += row_stride) {
        const Stored *first = from;
        for (size_t j = 0; j < columns; ++j, first += column_stride, to += kWidth) {
            const Stored *element = first;
            if (count == kWidth) {
#pragma GCC unroll 16
                for (size_t l = 0; l < kWidth; ++l, element += batch_stride) to[l] = S::from(load<Computed>(*element));
                continue;
            }
            for (size_t l = 0; l < count; ++l, element += batch_stride) to[l] = S::from(load<Computed>(*element));
            std::fill(to + count, to + kWidth, Value{});
        }
    }
}

template <class S, class T> void multiply(const MatmulProblem &x) {
    using Value = typename S::Value;
    using Computed = typename T::Computed;
    using Stored = typename T::Stored;
    constexpr size_t kWidth = kLanesOf<Value>;
    const Ending<S, T> end(x);
    const auto multiply_group = best_multiply_group<S>();
    const size_t of_a = x.m * x.k, of_b = x.k * x.n, of_c = x.m * x.n;
    const size_t one = kWidth * (of_a + of_b + of_c) / 2 + product_cost(x.m, x.n, x.k, 2);
    parallel_for(ceil_div(x.batch, kWidth), one, [&](size_t group) {
        Scratch memory((of_a + of_b + of_c) * sizeof(Vector<Value>));
        Value *const a = memory.as<Value>(), *const b = a + of_a * kWidth, *const c = b + of_b * kWidth;
        const size_t g = group * kWidth, count = std::min(kWidth, x.batch - g);
        collect<S, Computed>(static_cast<const Stored *>(x.a) + g * x.stride_a, x.stride_a, count, x.m, x.a_row_stride,
                             x.k, x.a_column_stride, a);
        collect<S, Computed>(static_cast<const Stored *>(x.b) + g * x.stride_b, x.stride_b, count, x.k, x.b_row_stride,
                             x.n, x.b_column_stride, b);
        multiply_group({x.m, x.n, x.k, a, b, c});
        const Value *sums = c;
        for (size_t i = 0; i < x.m; ++i)
            for (size_t j = 0; j < x.n; ++j, sums += kWidth)
                end(sums, count, static_cast<typename T::Result *>(x.c) + g * x.stride_c + i * x.ldc + j, x.stride_c,
                    [&](size_t l, const auto &f) { f(g + l, i, j); });
    });
}

} // namespace

bool is_for_lanes(const MatmulProblem &x) {
    // Elements of a product that are moved. gemm() and multiply_vector() move none, and take less
    // time beyond the first number; more than the second, in vectors, leave the first-level cache.
    constexpr size_t kLeastBatch = 8, kMostSide = 512, kMostOfFew = 48, kMost = 1024;
    if (x.batch < kLeastBatch || std::max({x.m, x.n, x.k}) > kMostSide) return false;
    const size_t moved = x.m * x.k + x.k * x.n + x.m * x.n;
    const bool has_gemm = x.semiring == GP_PLUS_TIMES && (x.dtype == GP_FLOAT32 || x.dtype == GP_FLOAT64);
    return moved <= (has_gemm || x.m == 1 || x.n == 1 ? kMostOfFew : kMost);
}

void multiply_lanes(const MatmulProblem &problem) {
    with_types_and_semiring(problem,
                            [&](auto types, auto semiring) { multiply<decltype(semiring), decltype(types)>(problem); });
}

} // namespace gpcl::host

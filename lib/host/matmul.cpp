// Matrix product on the host: multiply_lanes() for many small products, multiply_vector() for
// matrices by vectors, gemm() for the ordinary product of float32 and float64, for everything else
// register tiles over packed blocks (Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication", 2008).
// SPDX-License-Identifier: MIT
#include "host/matmul.h"

#include "core/cpu.h"
#include "core/size.h"
#include "host/gemm.h"
#include "host/matmul_lanes.h"
#include "host/matmul_types.h"
#include "host/matmul_vector.h"
#include "host/parallel.h"

#include <vector>

namespace gpcl::host {
namespace {

// A block of C and the panels of A and B that go into it stay in the second-level cache.
constexpr size_t kRows = 256, kColumns = 256, kDepth = 128;
constexpr size_t kTileRows = 4;
template <class Value> constexpr size_t kTileColumns = 64 / sizeof(Value);

// Packs `count` rows of op(A), or columns of op(B), in strips of `width` that lie side by side at
// each depth.
template <class S, class Computed, class Stored> void pack(const Stored *from, size_t count, size_t stride,
                                                           size_t depth, size_t depth_stride, size_t width,
                                                           typename S::Value *to) {
    for (size_t strip = 0; strip < count; strip += width) {
        const size_t filled = std::min(width, count - strip);
        for (size_t p = 0; p < depth; ++p, to += width) {
            const Stored *const line = from + strip * stride + p * depth_stride;
            for (size_t i = 0; i < filled; ++i) to[i] = S::from(load<Computed>(line[i * stride]));
            std::fill(to + filled, to + width, typename S::Value{});
        }
    }
}

// sum += a * b for packed panels; rows and columns are whole tiles.
template <class S, class Value = typename S::Value> [[gnu::always_inline]] inline void
add_product(size_t rows, size_t columns, size_t depth, const Value *a, const Value *b, Value *sum) {
    constexpr size_t kLanes = sizeof(Vector<Value>) / sizeof(Value);
    constexpr size_t kWidth = kTileColumns<Value>;
    static_assert(kWidth == 2 * kLanes);
    for (size_t j0 = 0; j0 < columns; j0 += kWidth) {
        for (size_t i0 = 0; i0 < rows; i0 += kTileRows) {
            const Value *left = a + i0 * depth;
            const Value *right = b + j0 * depth;
            const auto corner = [=](size_t i, size_t j) { return sum + (i0 + i) * columns + j0 + j * kLanes; };
            Vector<Value> tile[kTileRows][2]; // in registers, thanks to the unrolled loops
#pragma GCC unroll 4
            for (size_t i = 0; i < kTileRows; ++i) {
                load_vector(corner(i, 0), tile[i][0]);
                load_vector(corner(i, 1), tile[i][1]);
            }
            for (size_t p = 0; p < depth; ++p, left += kTileRows, right += kWidth) {
                Vector<Value> first, second;
                load_vector(right, first);
                load_vector(right + kLanes, second);
#pragma GCC unroll 4
                for (size_t i = 0; i < kTileRows; ++i) {
                    const Vector<Value> factor = left[i] - Vector<Value>{}; // in all lanes
                    S::accumulate(tile[i][0], factor, first);
                    S::accumulate(tile[i][1], factor, second);
                }
            }
#pragma GCC unroll 4
            for (size_t i = 0; i < kTileRows; ++i) {
                store_vector(tile[i][0], corner(i, 0));
                store_vector(tile[i][1], corner(i, 1));
            }
        }
    }
}

template <class S, class Value = typename S::Value>
void add_product_portable(size_t rows, size_t columns, size_t depth, const Value *a, const Value *b, Value *sum) {
    add_product<S>(rows, columns, depth, a, b, sum);
}

#if defined(GPCL_HAVE_X86)
template <class S, class Value = typename S::Value> [[gnu::target("avx2")]] void
add_product_avx2(size_t rows, size_t columns, size_t depth, const Value *a, const Value *b, Value *sum) {
    add_product<S>(rows, columns, depth, a, b, sum);
}

template <class S> auto best_add_product() { return has_avx2() ? add_product_avx2<S> : add_product_portable<S>; }
#else
template <class S> auto best_add_product() { return add_product_portable<S>; }
#endif

// Computes the block of C number `batch` that begins at (i0, j0).
template <class S, class T> void compute_block(const MatmulProblem &x, size_t batch, size_t i0, size_t j0) {
    using Value = typename S::Value;
    using Stored = typename T::Stored;
    using Result = typename T::Result;
    using Computed = typename T::Computed;
    const size_t rows = std::min(kRows, x.m - i0), columns = std::min(kColumns, x.n - j0);
    const size_t whole_rows = round_up(rows, kTileRows), whole_columns = round_up(columns, kTileColumns<Value>);
    const size_t depth = std::min(kDepth, x.k);
    std::vector<Value> sum(whole_rows * whole_columns, S::zero);
    std::vector<Value> a(whole_rows * depth), b(whole_columns * depth);
    const auto *const from_a = static_cast<const Stored *>(x.a) + batch * x.stride_a + i0 * x.a_row_stride;
    const auto *const from_b = static_cast<const Stored *>(x.b) + batch * x.stride_b + j0 * x.b_column_stride;
    for (size_t p0 = 0; p0 < x.k; p0 += kDepth) {
        const size_t now = std::min(kDepth, x.k - p0);
        pack<S, Computed>(from_a + p0 * x.a_column_stride, rows, x.a_row_stride, now, x.a_column_stride, kTileRows,
                          a.data());
        pack<S, Computed>(from_b + p0 * x.b_row_stride, columns, x.b_column_stride, now, x.b_row_stride,
                          kTileColumns<Value>, b.data());
        best_add_product<S>()(whole_rows, whole_columns, now, a.data(), b.data(), sum.data());
    }
    const Ending<S, T> end(x);
    for (size_t i = 0; i < rows; ++i) {
        Result *const c = static_cast<Result *>(x.c) + batch * x.stride_c + (i0 + i) * x.ldc + j0;
        end(sum.data() + i * whole_columns, columns, c, 1, [&](size_t j, const auto &f) { f(batch, i0 + i, j0 + j); });
    }
}

template <class S, class T> void blocked_product(const MatmulProblem &x) {
    const size_t down = ceil_div(x.m, kRows), across = ceil_div(x.n, kColumns);
    parallel_for(x.batch * down * across, product_cost(std::min(x.m, kRows), std::min(x.n, kColumns), x.k, 8),
                 [&](size_t i) {
                     compute_block<S, T>(x, i / (down * across), i / across % down * kRows, i % across * kColumns);
                 });
}

template <class S, class T> void loop_product(const MatmulProblem &x) {
    using Stored = typename T::Stored;
    using Result = typename T::Result;
    using Value = typename T::Computed;
    const Ending<S, T> end(x);
    for (size_t g = 0; g < x.batch; ++g) {
        const auto *const a = static_cast<const Stored *>(x.a) + g * x.stride_a;
        const auto *const b = static_cast<const Stored *>(x.b) + g * x.stride_b;
        auto *const c = static_cast<Result *>(x.c) + g * x.stride_c;
        for (size_t i = 0; i < x.m; ++i) {
            for (size_t j = 0; j < x.n; ++j) {
                typename S::Value sum = S::zero;
                for (size_t p = 0; p < x.k; ++p)
                    sum = S::plus(sum, S::times(S::from(load<Value>(a[i * x.a_row_stride + p * x.a_column_stride])),
                                                S::from(load<Value>(b[p * x.b_row_stride + j * x.b_column_stride]))));
                end(&sum, 1, c + i * x.ldc + j, 1, [&](size_t, const auto &f) { f(g, i, j); });
            }
        }
    }
}

} // namespace

void matmul(const MatmulProblem &problem) {
    if (problem.m == 0 || problem.n == 0) return;
    if (is_for_lanes(problem)) return multiply_lanes(problem);
    if (problem.m == 1 || problem.n == 1) return multiply_vector(problem);
    if (problem.semiring == GP_PLUS_TIMES && problem.k > 0) {
        if (problem.dtype == GP_FLOAT32) gemm<float>(problem);
        if (problem.dtype == GP_FLOAT64) gemm<double>(problem);
        if (problem.dtype == GP_FLOAT32 || problem.dtype == GP_FLOAT64) return finish_product(problem);
    }
    with_types_and_semiring(
        problem, [&](auto types, auto semiring) { blocked_product<decltype(semiring), decltype(types)>(problem); });
}

void finish_product(const MatmulProblem &problem) {
    if (problem.finish == nullptr) return;
    with_types(problem, [&](auto types) {
        using Stored = typename decltype(types)::Result;
        using Value = typename decltype(types)::Computed;
        const Finisher<Stored, Value> finisher(*problem.finish);
        const size_t each =
            problem.finish->activation == GP_GELU || problem.finish->activation == GP_GELU_TANH ? 10 : 1;
        parallel_for(problem.batch * problem.m, problem.n * each, [&](size_t line) {
            const size_t g = line / problem.m, i = line % problem.m;
            Stored *const c = static_cast<Stored *>(problem.c) + g * problem.stride_c + i * problem.ldc;
            for (size_t j = 0; j < problem.n; ++j) c[j] = store<Stored>(finisher(load<Value>(c[j]), g, i, j));
        });
    });
}

void matmul_loop(const MatmulProblem &problem) {
    with_types_and_semiring(
        problem, [&](auto types, auto semiring) { loop_product<decltype(semiring), decltype(types)>(problem); });
}

} // namespace gpcl::host

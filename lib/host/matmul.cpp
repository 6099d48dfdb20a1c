// Matrix product on the host: CBLAS for the ordinary product of float32 and float64, for everything else register tiles
// over packed blocks (Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008).
// SPDX-License-Identifier: MIT
#include "host/matmul.h"

#include "core/half.h"
#include "core/size.h"
#include "host/parallel.h"
#include "host/semiring.h"

#include <optional>

#if defined(GPCL_HAVE_CBLAS)
#include <cblas.h>
#endif

namespace gpcl::host {
namespace {

struct Half {
    uint16_t bits;
};

template <class Stored> struct ComputedIn { using type = Stored; };
template <> struct ComputedIn<Half> { using type = float; };
template <class Stored> using Computed = typename ComputedIn<Stored>::type;

template <class Stored> Computed<Stored> load(Stored x) {
    if constexpr (std::is_same_v<Stored, Half>)
        return half_to_float(x.bits);
    else
        return x;
}

template <class Stored> Stored store(Computed<Stored> x) {
    if constexpr (std::is_same_v<Stored, Half>)
        return {float_to_half(x)};
    else
        return x;
}

// A block of C and the panels of A and B that go into it stay in the second-level cache.
constexpr size_t kRows = 256, kColumns = 256, kDepth = 128;
constexpr size_t kTileRows = 4;
template <class Value> constexpr size_t kTileColumns = 64 / sizeof(Value);

// Packs `count` rows of op(A), or columns of op(B), in strips of `width` that lie side by side at each depth.
template <class S, class Stored> void pack(const Stored *from, size_t count, size_t stride, size_t depth,
                                           size_t depth_stride, size_t width, typename S::Value *to) {
    for (size_t strip = 0; strip < count; strip += width) {
        const size_t filled = std::min(width, count - strip);
        for (size_t p = 0; p < depth; ++p, to += width) {
            const Stored *const line = from + strip * stride + p * depth_stride;
            for (size_t i = 0; i < filled; ++i) to[i] = S::from(load(line[i * stride]));
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
            const auto corner = [=](size_t i, size_t j) -> auto & {
                return reinterpret_cast<VectorInMemory<Value> &>(sum[(i0 + i) * columns + j0 + j * kLanes]);
            };
            Vector<Value> tile[kTileRows][2]; // in registers, thanks to the unrolled loops
#pragma GCC unroll 4
            for (size_t i = 0; i < kTileRows; ++i) tile[i][0] = corner(i, 0), tile[i][1] = corner(i, 1);
            for (size_t p = 0; p < depth; ++p, left += kTileRows, right += kWidth) {
                const Vector<Value> first = reinterpret_cast<const VectorInMemory<Value> &>(right[0]);
                const Vector<Value> second = reinterpret_cast<const VectorInMemory<Value> &>(right[kLanes]);
#pragma GCC unroll 4
                for (size_t i = 0; i < kTileRows; ++i) {
                    const Vector<Value> factor = left[i] - Vector<Value>{}; // in all lanes
                    S::accumulate(tile[i][0], factor, first);
                    S::accumulate(tile[i][1], factor, second);
                }
            }
#pragma GCC unroll 4
            for (size_t i = 0; i < kTileRows; ++i) corner(i, 0) = tile[i][0], corner(i, 1) = tile[i][1];
        }
    }
}

template <class S, class Value = typename S::Value>
void add_product_portable(size_t rows, size_t columns, size_t depth, const Value *a, const Value *b, Value *sum) {
    add_product<S>(rows, columns, depth, a, b, sum);
}

#if defined(__x86_64__) && defined(__GNUC__)
template <class S, class Value = typename S::Value> [[gnu::target("avx2")]] void
add_product_avx2(size_t rows, size_t columns, size_t depth, const Value *a, const Value *b, Value *sum) {
    add_product<S>(rows, columns, depth, a, b, sum);
}

template <class S> auto best_add_product() {
    return __builtin_cpu_supports("avx2") ? add_product_avx2<S> : add_product_portable<S>;
}
#else
template <class S> auto best_add_product() { return add_product_portable<S>; }
#endif

// Computes the block of C number `batch` that begins at (i0, j0).
template <class S, class Stored> void compute_block(const MatmulProblem &x, size_t batch, size_t i0, size_t j0) {
    using Value = typename S::Value;
    const size_t rows = std::min(kRows, x.m - i0), columns = std::min(kColumns, x.n - j0);
    const size_t whole_rows = round_up(rows, kTileRows), whole_columns = round_up(columns, kTileColumns<Value>);
    const size_t depth = std::min(kDepth, x.k);
    std::vector<Value> sum(whole_rows * whole_columns, S::zero);
    std::vector<Value> a(whole_rows * depth), b(whole_columns * depth);
    const auto *const from_a = static_cast<const Stored *>(x.a) + batch * x.stride_a + i0 * x.a_row_stride;
    const auto *const from_b = static_cast<const Stored *>(x.b) + batch * x.stride_b + j0 * x.b_column_stride;
    for (size_t p0 = 0; p0 < x.k; p0 += kDepth) {
        const size_t now = std::min(kDepth, x.k - p0);
        pack<S>(from_a + p0 * x.a_column_stride, rows, x.a_row_stride, now, x.a_column_stride, kTileRows, a.data());
        pack<S>(from_b + p0 * x.b_row_stride, columns, x.b_column_stride, now, x.b_row_stride, kTileColumns<Value>,
                b.data());
        best_add_product<S>()(whole_rows, whole_columns, now, a.data(), b.data(), sum.data());
    }
    const Value alpha = S::from(*static_cast<const Computed<Stored> *>(x.alpha));
    const Value beta = S::from(*static_cast<const Computed<Stored> *>(x.beta));
    for (size_t i = 0; i < rows; ++i) {
        Stored *const c = static_cast<Stored *>(x.c) + batch * x.stride_c + (i0 + i) * x.ldc + j0;
        for (size_t j = 0; j < columns; ++j) {
            Value value = S::times(alpha, sum[i * whole_columns + j]);
            if (!x.beta_is_zero) value = S::plus(value, S::times(beta, S::from(load(c[j]))));
            c[j] = store<Stored>(S::to(value));
        }
    }
}

// An estimate of the nanoseconds that an m x k times k x n product takes.
size_t cost(size_t m, size_t n, size_t k) {
    const double estimate = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k + 4) / 8;
    return static_cast<size_t>(std::min(estimate, 1e15));
}

template <class Stored> void blocked_product(const MatmulProblem &x) {
    const size_t down = ceil_div(x.m, kRows), across = ceil_div(x.n, kColumns);
    with_semiring<Computed<Stored>>(x.semiring, [&](auto semiring) {
        using S = decltype(semiring);
        parallel_for(x.batch * down * across, cost(std::min(x.m, kRows), std::min(x.n, kColumns), x.k), [&](size_t i) {
            compute_block<S, Stored>(x, i / (down * across), i / across % down * kRows, i % across * kColumns);
        });
    });
}

#if defined(GPCL_HAVE_CBLAS)
// A matrix as BLAS wants it.
struct View {
    CBLAS_TRANSPOSE transpose;
    int leading_dimension;
};

bool fits_int(size_t value) { return value <= static_cast<size_t>(std::numeric_limits<int>::max()); }

std::optional<View> view(size_t rows, size_t columns, size_t row_stride, size_t column_stride) {
    const auto make = [](CBLAS_TRANSPOSE transpose, size_t leading_dimension) -> std::optional<View> {
        if (!fits_int(leading_dimension)) return std::nullopt;
        return View{transpose, static_cast<int>(leading_dimension)};
    };
    if (column_stride == 1 && (row_stride >= columns || rows == 1))
        return make(CblasNoTrans, std::max(row_stride, columns));
    if (row_stride == 1 && (column_stride >= rows || columns == 1))
        return make(CblasTrans, std::max(column_stride, rows));
    return std::nullopt;
}

// False where BLAS can't do it: sizes beyond int, and alpha = 0, for which BLAS leaves NaN and infinity out.
template <class T> bool blas_product(const MatmulProblem &x) {
    const T alpha = *static_cast<const T *>(x.alpha);
    const T beta = x.beta_is_zero ? T{0} : *static_cast<const T *>(x.beta);
    const auto a = view(x.m, x.k, x.a_row_stride, x.a_column_stride);
    const auto b = view(x.k, x.n, x.b_row_stride, x.b_column_stride);
    if (alpha == 0 || x.k == 0 || !a || !b || !fits_int(std::max({x.m, x.n, x.k, x.ldc}))) return false;
    const auto m = static_cast<int>(x.m), n = static_cast<int>(x.n), k = static_cast<int>(x.k);
    const auto ldc = static_cast<int>(x.ldc);
    constexpr size_t kSmall = 100'000; // nanoseconds; BLAS spreads larger products over threads itself
    const size_t one = cost(x.m, x.n, x.k);
    parallel_for(x.batch, one < kSmall ? one : 0, [&](size_t i) {
        const T *const from_a = static_cast<const T *>(x.a) + i * x.stride_a;
        const T *const from_b = static_cast<const T *>(x.b) + i * x.stride_b;
        T *const c = static_cast<T *>(x.c) + i * x.stride_c;
        if constexpr (std::is_same_v<T, float>)
            cblas_sgemm(CblasRowMajor, a->transpose, b->transpose, m, n, k, alpha, from_a, a->leading_dimension, from_b,
                        b->leading_dimension, beta, c, ldc);
        else
            cblas_dgemm(CblasRowMajor, a->transpose, b->transpose, m, n, k, alpha, from_a, a->leading_dimension, from_b,
                        b->leading_dimension, beta, c, ldc);
    });
    return true;
}
#endif

// Calls f with an element of the type that is stored.
template <class F> void with_stored(gp_dtype dtype, F &&f) {
    switch (dtype) {
    case GP_INT16: return f(int16_t{});
    case GP_INT32: return f(int32_t{});
    case GP_FLOAT16: return f(Half{});
    case GP_FLOAT32: return f(float{});
    case GP_FLOAT64: return f(double{});
    default: fail(GP_ERROR_INTERNAL, "matmul has no ", gpcl::dtype(dtype).name);
    }
}

template <class Stored> void loop_product(const MatmulProblem &x) {
    using Value = Computed<Stored>;
    with_semiring<Value>(x.semiring, [&](auto semiring) {
        using S = decltype(semiring);
        const auto alpha = S::from(*static_cast<const Value *>(x.alpha));
        const auto beta = S::from(*static_cast<const Value *>(x.beta));
        for (size_t g = 0; g < x.batch; ++g) {
            const auto *const a = static_cast<const Stored *>(x.a) + g * x.stride_a;
            const auto *const b = static_cast<const Stored *>(x.b) + g * x.stride_b;
            auto *const c = static_cast<Stored *>(x.c) + g * x.stride_c;
            for (size_t i = 0; i < x.m; ++i) {
                for (size_t j = 0; j < x.n; ++j) {
                    typename S::Value sum = S::zero;
                    for (size_t p = 0; p < x.k; ++p)
                        sum = S::plus(sum, S::times(S::from(load(a[i * x.a_row_stride + p * x.a_column_stride])),
                                                    S::from(load(b[p * x.b_row_stride + j * x.b_column_stride]))));
                    auto value = S::times(alpha, sum);
                    if (!x.beta_is_zero) value = S::plus(value, S::times(beta, S::from(load(c[i * x.ldc + j]))));
                    c[i * x.ldc + j] = store<Stored>(S::to(value));
                }
            }
        }
    });
}

} // namespace

void matmul(const MatmulProblem &problem) {
    if (problem.m == 0 || problem.n == 0) return;
    if (matmul_blas(problem)) return;
    with_stored(problem.dtype, [&](auto stored) { blocked_product<decltype(stored)>(problem); });
}

bool matmul_blas([[maybe_unused]] const MatmulProblem &problem) {
#if defined(GPCL_HAVE_CBLAS)
    if (problem.semiring != GP_PLUS_TIMES) return false;
    if (problem.dtype == GP_FLOAT32) return blas_product<float>(problem);
    if (problem.dtype == GP_FLOAT64) return blas_product<double>(problem);
#endif
    return false;
}

void matmul_loop(const MatmulProblem &problem) {
    with_stored(problem.dtype, [&](auto stored) { loop_product<decltype(stored)>(problem); });
}

} // namespace gpcl::host

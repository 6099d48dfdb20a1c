// The system's BLAS through its C interface (Lawson et al., "Basic Linear Algebra Subprograms for
// Fortran Usage", 1979). It is loaded when it is first asked for, since OpenBLAS starts threads
// then.
// SPDX-License-Identifier: MIT
#include "host/blas.h"

#include "core/error.h"
#include "core/system.h"
#include "host/gemm.h"
#include "host/parallel.h"

#include <limits>
#include <optional>
#include <string>

// File names with commas between, the first that has CBLAS serves.
#if !defined(GPCL_BLAS)
#if defined(_WIN32)
#define GPCL_BLAS "libopenblas.dll"
#elif defined(__APPLE__)
#define GPCL_BLAS "/System/Library/Frameworks/Accelerate.framework/Accelerate", "libopenblas.dylib"
#else
#define GPCL_BLAS "libopenblas.so.0", "libcblas.so.3", "libblas.so.3"
#endif
#endif

namespace gpcl::host {
namespace {

// Of cblas.h, whose enumerations are ints.
enum : int { kRowMajor = 101, kNoTranspose = 111, kTranspose = 112 };
template <class T> using Gemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k, T alpha,
                                     const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc);

struct Blas {
    Gemm<float> *sgemm = nullptr;
    Gemm<double> *dgemm = nullptr;
    std::string trouble;
};

const Blas &blas() {
    static const Blas loaded = [] {
        Blas table;
        for (const char *file : {GPCL_BLAS}) {
            std::string why;
            void *library = open_library(file, why);
            if (library == nullptr) {
                table.trouble += text(table.trouble.empty() ? "no BLAS: " : "; ", why);
                continue;
            }
            table.sgemm = reinterpret_cast<Gemm<float> *>(find_symbol(library, "cblas_sgemm"));
            table.dgemm = reinterpret_cast<Gemm<double> *>(find_symbol(library, "cblas_dgemm"));
            if (table.sgemm != nullptr && table.dgemm != nullptr) {
                table.trouble.clear();
                break;
            }
            table.trouble += text(table.trouble.empty() ? "no BLAS: " : "; ", file, " has no cblas_sgemm");
        }
        return table;
    }();
    return loaded;
}

// A matrix as BLAS wants it.
struct View {
    int transpose, leading_dimension;
};

bool fits_int(size_t value) { return value <= static_cast<size_t>(std::numeric_limits<int>::max()); }

std::optional<View> view(size_t rows, size_t columns, size_t row_stride, size_t column_stride) {
    const auto make = [](int transpose, size_t leading_dimension) -> std::optional<View> {
        if (!fits_int(leading_dimension)) return std::nullopt;
        return View{transpose, static_cast<int>(leading_dimension)};
    };
    if (column_stride == 1 && (row_stride >= columns || rows == 1))
        return make(kNoTranspose, std::max(row_stride, columns));
    if (row_stride == 1 && (column_stride >= rows || columns == 1))
        return make(kTranspose, std::max(column_stride, rows));
    return std::nullopt;
}

// False where BLAS can't do it: sizes beyond int, and alpha = 0, for which BLAS leaves NaN and
// infinity out.
template <class T> bool product(Gemm<T> *gemm, const MatmulProblem &x) {
    const T alpha = *static_cast<const T *>(x.alpha);
    const T beta = x.beta_is_zero ? T{0} : *static_cast<const T *>(x.beta);
    const auto a = view(x.m, x.k, x.a_row_stride, x.a_column_stride);
    const auto b = view(x.k, x.n, x.b_row_stride, x.b_column_stride);
    if (alpha == 0 || x.k == 0 || !a || !b || !fits_int(std::max({x.m, x.n, x.k, x.ldc}))) return false;
    const auto m = static_cast<int>(x.m), n = static_cast<int>(x.n), k = static_cast<int>(x.k);
    const auto ldc = static_cast<int>(x.ldc);
    constexpr size_t kSmall = 100'000; // nanoseconds; BLAS spreads larger products over threads itself
    const size_t one = product_cost(x.m, x.n, x.k, 192 / sizeof(T));
    parallel_for(x.batch, one < kSmall ? one : 0, [&](size_t i) {
        gemm(kRowMajor, a->transpose, b->transpose, m, n, k, alpha, static_cast<const T *>(x.a) + i * x.stride_a,
             a->leading_dimension, static_cast<const T *>(x.b) + i * x.stride_b, b->leading_dimension, beta,
             static_cast<T *>(x.c) + i * x.stride_c, ldc);
    });
    return true;
}

} // namespace

const char *no_blas() { return blas().trouble.empty() ? nullptr : blas().trouble.c_str(); }

bool matmul_blas(const MatmulProblem &problem) {
    if (problem.semiring != GP_PLUS_TIMES || no_blas() != nullptr) return false;
    if (problem.dtype == GP_FLOAT32) return product(blas().sgemm, problem);
    if (problem.dtype == GP_FLOAT64) return product(blas().dgemm, problem);
    return false;
}

} // namespace gpcl::host

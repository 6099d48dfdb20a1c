// Products of matrices and vectors, batches of small products, small and odd shapes beside cuBLAS.
// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_fp16.h>

namespace {

template <typename T> struct CublasType;
template <> struct CublasType<__half> {
    static constexpr const char *kName = "float16";
    static constexpr gp_dtype kGpcl = GP_FLOAT16;
    static constexpr cudaDataType_t kData = CUDA_R_16F;
    static constexpr cublasComputeType_t kCompute = CUBLAS_COMPUTE_32F;
    static constexpr double kError = 0x1p-10; // of a stored result, and more of the sum
    using Scalar = float;
};
template <> struct CublasType<float> {
    static constexpr const char *kName = "float32";
    static constexpr gp_dtype kGpcl = GP_FLOAT32;
    static constexpr cudaDataType_t kData = CUDA_R_32F;
    static constexpr cublasComputeType_t kCompute = CUBLAS_COMPUTE_32F;
    static constexpr double kError = 4 * 0x1p-23;
    using Scalar = float;
};
template <> struct CublasType<double> {
    static constexpr const char *kName = "float64";
    static constexpr gp_dtype kGpcl = GP_FLOAT64;
    static constexpr cudaDataType_t kData = CUDA_R_64F;
    static constexpr cublasComputeType_t kCompute = CUBLAS_COMPUTE_64F;
    static constexpr double kError = 4 * 0x1p-52;
    using Scalar = double;
};

// Row-major products, one behind the other; where the bits say so, A or B is stored transposed.
struct SmallProduct {
    Shape shape;
    size_t batch = 1;
    bool turned_a = false, turned_b = false;

    size_t lda() const { return turned_a ? shape.m : shape.k; }
    size_t ldb() const { return turned_b ? shape.k : shape.n; }
    std::string text() const {
        return (batch > 1 ? std::to_string(batch) + "*" : "") + shape.text() + (turned_a ? " a'" : "") +
               (turned_b ? " b'" : "");
    }
};

// cuBLAS' gemv where there is one, else its gemm.
template <typename T> void cublas_product(cublasHandle_t handle, const SmallProduct &p, const T *a, const T *b, T *c) {
    using Type = CublasType<T>;
    const typename Type::Scalar one = 1, zero = 0;
    const auto m = static_cast<int>(p.shape.m), n = static_cast<int>(p.shape.n), k = static_cast<int>(p.shape.k);
    const auto lda = static_cast<int>(p.lda()), ldb = static_cast<int>(p.ldb());
    const auto turn = [](bool turned) { return turned ? CUBLAS_OP_T : CUBLAS_OP_N; };
    if constexpr (!std::is_same_v<T, __half>) {
        const auto gemv = [&](bool turned, int rows, int columns, const T *x, const T *y) {
            if constexpr (std::is_same_v<T, float>)
                check(cublasSgemv(handle, turn(turned), rows, columns, &one, x, rows, y, 1, &zero, c, 1));
            else
                check(cublasDgemv(handle, turn(turned), rows, columns, &one, x, rows, y, 1, &zero, c, 1));
        };
        // What lies in rows is the transpose of what lies in columns.
        if (p.batch == 1 && n == 1) return gemv(!p.turned_a, lda, p.turned_a ? k : m, a, b);
        if (p.batch == 1 && m == 1) return gemv(p.turned_b, ldb, p.turned_b ? n : k, b, a);
    }
    check(cublasGemmStridedBatchedEx(handle, turn(p.turned_b), turn(p.turned_a), n, m, k, &one, b, Type::kData, ldb,
                                     int64_t{k} * n, a, Type::kData, lda, int64_t{m} * k, &zero, c, Type::kData, n,
                                     int64_t{m} * n, static_cast<int>(p.batch), Type::kCompute, CUBLAS_GEMM_DEFAULT));
}

// Vectors are told by their memory traffic, all else by its operations.
template <typename T> void small_product(const Context &context, cublasHandle_t handle, Table &table,
                                         const char *operation, const SmallProduct &p, double copy) {
    using Type = CublasType<T>;
    const size_t m = p.shape.m, n = p.shape.n, k = p.shape.k;
    const auto values = [](size_t count, uint64_t seed) {
        const auto reals = random_reals<float>(count, seed);
        return std::vector<T>(reals.begin(), reals.end());
    };
    const auto host_a = values(m * k * p.batch, 1), host_b = values(k * n * p.batch, 2);
    const Buffer<T> a(context, host_a), b(context, host_b);
    Buffer<T> ours(context, m * n * p.batch);
    const Memory<T> their_a(host_a), their_b(host_b), theirs(m * n * p.batch);
    const auto times =
        alternately({[&] {
                         gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
                         options.batch = p.batch;
                         options.transpose_a = p.turned_a;
                         options.transpose_b = p.turned_b;
                         options.stride_a = m * k;
                         options.stride_b = k * n;
                         options.stride_c = m * n;
                         peers::check(gp_enqueue_matmul(context, Type::kGpcl, m, n, k, a, 0, p.lda(), b, 0, p.ldb(),
                                                        ours, 0, n, &options, 0, nullptr, nullptr));
                     },
                     [&] { context.finish(); }},
                    {[&] { cublas_product(handle, p, their_a.get(), their_b.get(), theirs.get()); }, finish});
    const bool is_vector = m == 1 || n == 1;
    const auto elements = static_cast<double>((m * k + k * n + m * n) * p.batch);
    table.row(operation, Type::kName, p.text(), times, is_vector && p.batch == 1 ? "cuBLAS gemv" : "cuBLAS gemm",
              is_vector ? elements * sizeof(T) : p.shape.operations() * static_cast<double>(p.batch),
              is_vector ? "GB/s" : "Gop/s", is_vector ? copy : 0,
              agree(ours.values(), theirs.values(), Type::kError * std::sqrt(static_cast<double>(k))));
}

template <typename T>
void small_products(const Context &context, cublasHandle_t handle, Table &table, const Settings &settings) {
    const auto all = [&](const char *operation, std::vector<SmallProduct> quick, std::vector<SmallProduct> products) {
        if (!settings.wants(operation)) return;
        for (const auto &p : settings.sizes(std::move(quick), std::move(products)))
            small_product<T>(context, handle, table, operation, p, settings.copy);
    };
    const size_t large = sizeof(T) == 8 ? 8192 : 16384;
    all("matmul-vector", {{{512, 1, 512}}, {{1, 512, 512}}},
        {{{1024, 1, 1024}},
         {{1, 1024, 1024}},
         {{4096, 1, 4096}},
         {{1, 4096, 4096}},
         {{large, 1, large}},
         {{1, large, large}},
         {{4097, 1, 4099}},
         {{1, 4097, 4099}},
         {{4096, 1, 4096}, 1, true},
         {{1, 4096, 4096}, 1, false, true},
         {{100003, 1, 77}},
         {{1, 1000, 50000}},
         {{64, 1, 1 << 20}},
         {{1, 64, 1 << 20}},
         {{512, 1, 512}, 100}});
    all("matmul-batch", {{{16}, 100}, {{33}, 20}},
        {{{4}, 100000},
         {{8}, 50000},
         {{16}, 20000},
         {{24}, 10000},
         {{32}, 10000},
         {{33}, 5000},
         {{64}, 4000},
         {{100}, 2000},
         {{128}, 1000},
         {{256}, 200},
         {{512}, 10},
         {{32}, 10000, true},
         {{64}, 4000, false, true},
         {{128, 8, 64}, 5000}});
    all("matmul-odd", {{{100, 300, 77}}},
        {{{128}},
         {{256}},
         {{512}},
         {{768}},
         {{1000}},
         {{1000, 3000, 77}},
         {{64, 4096, 4096}},
         {{4096, 64, 4096}},
         {{4096, 4096, 64}},
         {{16, 4096, 4096}},
         {{64, 64, 1 << 20}},
         {{127, 131, 8000}},
         {{100000, 32, 32}}});
}

inline void small_products(const Context &context, cublasHandle_t handle, Table &table, const Settings &settings) {
    small_products<float>(context, handle, table, settings);
    small_products<double>(context, handle, table, settings);
    small_products<__half>(context, handle, table, settings);
}

} // namespace

// Products of bfloat16 and int8, and of halves with results of float32, beside cuBLAS; the errors
// of some rows against float64.
// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace {

template <typename T> struct TypeOf;
template <> struct TypeOf<__half> {
    static constexpr const char *kName = "float16";
    static constexpr gp_dtype kGpcl = GP_FLOAT16;
    static constexpr cudaDataType_t kData = CUDA_R_16F;
};
template <> struct TypeOf<__nv_bfloat16> {
    static constexpr const char *kName = "bfloat16";
    static constexpr gp_dtype kGpcl = GP_BFLOAT16;
    static constexpr cudaDataType_t kData = CUDA_R_16BF;
};
template <> struct TypeOf<float> {
    static constexpr const char *kName = "float32";
    static constexpr gp_dtype kGpcl = GP_FLOAT32;
    static constexpr cudaDataType_t kData = CUDA_R_32F;
};
template <> struct TypeOf<int8_t> {
    static constexpr const char *kName = "int8";
    static constexpr gp_dtype kGpcl = GP_INT8;
    static constexpr cudaDataType_t kData = CUDA_R_8I;
};
template <> struct TypeOf<int32_t> {
    static constexpr const char *kName = "int32";
    static constexpr gp_dtype kGpcl = GP_INT32;
    static constexpr cudaDataType_t kData = CUDA_R_32I;
};

// The root of the mean of the squares of the errors of four rows of C, as a part of the sums' own;
// integers are right or wrong.
template <typename T, typename C> double error_of_rows(const Shape &s, bool turned_b, const std::vector<T> &a,
                                                       const std::vector<T> &b, const std::vector<C> &c) {
    double difference = 0, size = 0;
    std::vector<double> sum(s.n);
    for (const size_t i : {size_t{0}, s.m / 3, s.m / 2, s.m - 1}) {
        std::fill(sum.begin(), sum.end(), 0);
        for (size_t p = 0; p < s.k && !turned_b; ++p)
            for (size_t j = 0; j < s.n; ++j)
                sum[j] += static_cast<double>(a[i * s.k + p]) * static_cast<double>(b[p * s.n + j]);
        for (size_t j = 0; j < s.n && turned_b; ++j)
            for (size_t p = 0; p < s.k; ++p)
                sum[j] += static_cast<double>(a[i * s.k + p]) * static_cast<double>(b[j * s.k + p]);
        for (size_t j = 0; j < s.n; ++j) {
            const double d = static_cast<double>(c[i * s.n + j]) - sum[j];
            difference += d * d;
            size += sum[j] * sum[j];
        }
    }
    return std::sqrt(difference / size);
}

// B is stored transposed where turned_b, the only way in which cuBLAS' units take bytes.
template <typename T, typename C>
void product_of_types(const Context &context, cublasHandle_t handle, Table &table, const Shape &s, bool turned_b) {
    constexpr bool kBytes = sizeof(T) == 1;
    const auto values = [](size_t count, uint64_t seed) {
        if constexpr (kBytes) {
            return random_keys<T>(count, seed);
        } else {
            const auto reals = random_reals<float>(count, seed);
            return std::vector<T>(reals.begin(), reals.end());
        }
    };
    const auto host_a = values(s.m * s.k, 1), host_b = values(s.k * s.n, 2);
    const Buffer<T> a(context, host_a), b(context, host_b);
    Buffer<C> ours(context, s.m * s.n);
    const Memory<T> their_a(host_a), their_b(host_b);
    const Memory<C> theirs(s.m * s.n);
    using Scalar = std::conditional_t<kBytes, int32_t, float>;
    const Scalar one = 1, zero = 0;
    const auto m = static_cast<int>(s.m), n = static_cast<int>(s.n), k = static_cast<int>(s.k);
    const auto times = alternately(
        {[&] {
             gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
             options.transpose_b = turned_b ? GP_TRANSPOSE : GP_NO_TRANSPOSE;
             options.c_dtype = TypeOf<C>::kGpcl;
             peers::check(gp_enqueue_matmul(context, TypeOf<T>::kGpcl, s.m, s.n, s.k, a, 0, s.k, b, 0,
                                            turned_b ? s.k : s.n, ours, 0, s.n, &options, 0, nullptr, nullptr));
         },
         [&] { context.finish(); }},
        {[&] {
             check(cublasGemmEx(handle, turned_b ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, their_b.get(),
                                TypeOf<T>::kData, turned_b ? k : n, their_a.get(), TypeOf<T>::kData, k, &zero,
                                theirs.get(), TypeOf<C>::kData, n, kBytes ? CUBLAS_COMPUTE_32I : CUBLAS_COMPUTE_32F,
                                CUBLAS_GEMM_DEFAULT));
         },
         finish});
    const auto got = ours.values(), other = theirs.values();
    const double error = error_of_rows(s, turned_b, host_a, host_b, got),
                 their_error = error_of_rows(s, turned_b, host_a, host_b, other);
    const double bound = kBytes                      ? 0
                         : sizeof(C) == 4            ? 0x1p-23 * std::sqrt(static_cast<double>(s.k))
                         : std::is_same_v<C, __half> ? 2 * 0x1p-11
                                                     : 2 * 0x1p-8;
    const std::string type = std::string(TypeOf<T>::kName) + ">" + TypeOf<C>::kName;
    table.row("matmul-types", type.c_str(), s.text() + (turned_b ? " b'" : ""), times, "cuBLAS gemm", s.operations(),
              "Gop/s", 0, error <= bound && agree(got, other, bound));
    std::printf("    errors: %.3g, cuBLAS %.3g\n", error, their_error);
}

inline void products_of_types(const Context &context, cublasHandle_t handle, Table &table, const Settings &settings) {
    if (!settings.wants("matmul-types")) return;
    for (const Shape &s : settings.sizes<Shape>(
             {256},
             {512, 1024, 2048, 4096, 8192, {1000, 3000, 80}, {64, 4096, 4096}, {4096, 64, 4096}, {4096, 4096, 64}}))
        for (const bool turned_b : {false, true}) {
            if (!turned_b || s.m == 4096) {
                product_of_types<__nv_bfloat16, __nv_bfloat16>(context, handle, table, s, turned_b);
                product_of_types<__nv_bfloat16, float>(context, handle, table, s, turned_b);
                product_of_types<__half, float>(context, handle, table, s, turned_b);
            }
            if (turned_b || s.m % 4096 == 0) product_of_types<int8_t, int32_t>(context, handle, table, s, turned_b);
        }
}

} // namespace

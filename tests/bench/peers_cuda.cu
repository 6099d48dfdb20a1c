// gpcl beside NVIDIA's own libraries on the same GPU, data on the device: cuBLAS, CUB.
// usage: peers_cuda DEVICE [--quick]
// SPDX-License-Identifier: MIT
#include "peers.h"

#include <cub/cub.cuh>
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <memory>

namespace {

using namespace peers;

void check(cudaError_t status) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
    std::exit(1);
}
void check(cublasStatus_t status) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    std::fprintf(stderr, "cuBLAS: status %d\n", static_cast<int>(status));
    std::exit(1);
}
void finish() { check(cudaDeviceSynchronize()); }

template <typename T> class Memory {
  public:
    explicit Memory(size_t n) : n_(n) { check(cudaMalloc(&memory_, n * sizeof(T))); }
    explicit Memory(const std::vector<T> &values) : Memory(values.size()) {
        check(cudaMemcpy(memory_, values.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    Memory(const Memory &) = delete;
    ~Memory() { cudaFree(memory_); }
    T *get() const { return memory_; }
    std::vector<T> values() const {
        std::vector<T> result(n_);
        check(cudaMemcpy(result.data(), memory_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
        return result;
    }

  private:
    T *memory_ = nullptr;
    size_t n_;
};

// A call of CUB, which first says how much work space it wants. It runs once before it is timed, also where each run is
// timed alone, so that the GPU has turned to CUDA.
template <typename Call> Side cub_side(Call call) {
    size_t bytes = 0;
    check(call(nullptr, bytes));
    auto space = std::make_shared<Memory<char>>(std::max<size_t>(bytes, 1));
    const auto run = [call, space, bytes]() mutable { check(call(space->get(), bytes)); };
    return {run, finish, run};
}

cublasStatus_t gemm(cublasHandle_t handle, cublasComputeType_t how, int n, const float *a, const float *b, float *c) {
    const float one = 1, zero = 0; // row-major C = A B is column-major C' = B' A'
    return cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, CUDA_R_32F, n, a, CUDA_R_32F, n, &zero, c,
                        CUDA_R_32F, n, how, CUBLAS_GEMM_DEFAULT);
}
cublasStatus_t gemm(cublasHandle_t handle, cublasComputeType_t, int n, const double *a, const double *b, double *c) {
    const double one = 1, zero = 0;
    return cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, a, n, &zero, c, n);
}

template <typename T> void product(const Context &context, cublasHandle_t handle, Table &table, size_t n,
                                   const char *type, const char *peer, gp_precision precision, cublasComputeType_t how,
                                   double limit, double error) {
    const auto host_a = random_reals<T>(n * n, 1), host_b = random_reals<T>(n * n, 2);
    const Buffer<T> a(context, host_a), b(context, host_b);
    Buffer<T> ours(context, n * n);
    const Memory<T> their_a(host_a), their_b(host_b), theirs(n * n);
    const auto times = alternately(
        matmul(context, n, a, b, ours, precision),
        {[&] { check(gemm(handle, how, static_cast<int>(n), their_a.get(), their_b.get(), theirs.get())); }, finish});
    const auto side = static_cast<double>(n);
    table.row("matmul", type, size_text(n), times, peer, 2 * side * side * side, "Gop/s", limit,
              agree(ours.values(), theirs.values(), error * std::sqrt(side)));
}

void products(const Context &context, cublasHandle_t handle, Table &table, size_t n, const Settings &settings) {
    product<float>(context, handle, table, n, "float32", "cuBLAS SGEMM", GP_FULL, CUBLAS_COMPUTE_32F, settings.fma32,
                   4 * 0x1p-23);
    product<float>(context, handle, table, n, "f32 fast", "cuBLAS SGEMM tf32", GP_FAST, CUBLAS_COMPUTE_32F_FAST_TF32, 0,
                   1e-3); // tf32 keeps 10 bits of each factor: not a question of n, and this is generous
    product<double>(context, handle, table, n, "float64", "cuBLAS DGEMM", GP_FULL, CUBLAS_COMPUTE_64F, settings.fma64,
                    4 * 0x1p-52);
}

template <typename T> void scan(const Context &context, Table &table, const std::vector<T> &values, const char *type,
                                double copy, double error) {
    const auto n = values.size();
    const Buffer<T> in(context, values);
    Buffer<T> ours(context, n);
    const Memory<T> their_in(values), theirs(n);
    const auto times =
        alternately(exclusive_scan(context, n, in, ours), cub_side([&](void *space, size_t &bytes) {
                        return cub::DeviceScan::ExclusiveSum(space, bytes, their_in.get(), theirs.get(), n);
                    }));
    const auto a = ours.values(), b = theirs.values();
    table.row("scan", type, size_text(n), times, "CUB", 2.0 * sizeof(T) * static_cast<double>(n), "GB/s", copy,
              error > 0 ? agree(a, b, error) : a == b);
}

template <typename T> void keys_alone(const Context &context, Table &table, size_t n, const char *type, double copy) {
    const auto values = random_keys<T>(n);
    const Buffer<T> in(context, values);
    Buffer<T> ours(context, n);
    const Memory<T> their_in(values), theirs(n);
    const auto times =
        alternately(sort(context, n, in, ours), cub_side([&](void *space, size_t &bytes) {
                        return cub::DeviceRadixSort::SortKeys(space, bytes, their_in.get(), theirs.get(), n);
                    }),
                    true);
    table.row("sort", type, size_text(n), times, "CUB", static_cast<double>(n), "Gkey/s",
              sort_limit(copy, sizeof(T), 0), ours.values() == theirs.values());
}

void pairs(const Context &context, Table &table, size_t n, double copy) {
    const auto keys = random_keys<uint32_t>(n), values = random_keys<uint32_t>(n, 7);
    const Buffer<uint32_t> in(context, keys), values_in(context, values);
    Buffer<uint32_t> ours(context, n), our_values(context, n);
    const Memory<uint32_t> their_in(keys), their_values_in(values), theirs(n), their_values(n);
    const Side gpcl = {[&] {
                           peers::check(gp_enqueue_sort_pairs(context, GP_UINT32, n, ours, 0, 4, our_values, 0, nullptr,
                                                              0, nullptr, nullptr));
                       },
                       [&] { context.finish(); },
                       [&] {
                           ours.copy_from(in);
                           our_values.copy_from(values_in);
                       }};
    const auto times =
        alternately(gpcl, cub_side([&](void *space, size_t &bytes) {
                        return cub::DeviceRadixSort::SortPairs(space, bytes, their_in.get(), theirs.get(),
                                                               their_values_in.get(), their_values.get(), n);
                    }),
                    true);
    table.row("sort pairs", "u32, u32", size_text(n), times, "CUB", static_cast<double>(n), "Gkey/s",
              sort_limit(copy, 4, 4), ours.values() == theirs.values() && our_values.values() == their_values.values());
}

void reductions(const Context &context, Table &table, size_t n, double copy) {
    const auto values = random_keys<uint32_t>(n);
    const Buffer<uint32_t> in(context, values);
    Buffer<uint32_t> ours(context, 1);
    const Memory<uint32_t> their_in(values), theirs(1);
    const auto times = alternately(reduce(context, n, in, ours), cub_side([&](void *space, size_t &bytes) {
                                       return cub::DeviceReduce::Sum(space, bytes, their_in.get(), theirs.get(), n);
                                   }));
    table.row("reduce", "uint32", size_text(n), times, "CUB", 4 * static_cast<double>(n), "GB/s", copy,
              ours.values() == theirs.values());
}

void histograms(const Context &context, Table &table, size_t n, double copy, bool skewed) {
    auto values = random_keys<uint8_t>(n);
    if (skewed) // 15 of 16 are the same
        for (size_t i = 0; i < n; ++i)
            if (i * 0x9e3779b97f4a7c15u >> 60) values[i] = 77;
    const Buffer<uint8_t> in(context, values);
    Buffer<uint64_t> ours(context, 256);
    const Memory<uint8_t> their_in(values);
    const Memory<unsigned> theirs(256);
    const Side gpcl = {
        [&] {
            peers::check(gp_enqueue_histogram(context, GP_UINT8, n, in, 0, 256, ours, 0, nullptr, 0, nullptr, nullptr));
        },
        [&] { context.finish(); }};
    const auto times =
        alternately(gpcl, cub_side([&](void *space, size_t &bytes) {
                        return cub::DeviceHistogram::HistogramEven(space, bytes, their_in.get(), theirs.get(), 257, 0,
                                                                   256, static_cast<int>(n));
                    }));
    const auto a = ours.values();
    const auto b = theirs.values();
    table.row("histogram", skewed ? "u8 skewed" : "uint8", size_text(n), times, "CUB", static_cast<double>(n), "GB/s",
              copy, std::equal(a.begin(), a.end(), b.begin()));
}

} // namespace

int main(int argc, char **argv) {
    const Settings settings(argc, argv);
    const Context context(settings.device);
    Table table;
    cublasHandle_t handle = nullptr;
    check(cublasCreate(&handle));
    for (const auto n : settings.sizes<size_t>({512, 1000}, {1000, 2048, 4033, 4096, 8192}))
        products(context, handle, table, n, settings);
    for (const auto n : settings.sizes<size_t>({1 << 16, 1 << 20}, {1 << 10, 1 << 20, 1 << 24, 1 << 28})) {
        scan(context, table, random_keys<int32_t>(n), "int32", settings.copy, 0);
        scan(context, table, random_reals<float>(n, 3), "float32", settings.copy, 1e-3);
        scan(context, table, random_keys<int64_t>(n), "int64", settings.copy, 0);
        keys_alone<uint32_t>(context, table, n, "uint32", settings.copy);
        pairs(context, table, n, settings.copy);
        keys_alone<uint64_t>(context, table, n, "uint64", settings.copy);
        reductions(context, table, n, settings.copy);
        histograms(context, table, n, settings.copy, false);
        histograms(context, table, n, settings.copy, true);
    }
    cublasDestroy(handle);
    return table.status();
}

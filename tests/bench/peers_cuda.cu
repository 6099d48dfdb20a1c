// gpcl beside NVIDIA's own libraries on the same GPU, data on the device: cuBLAS, CUB, its copy.
// usage: peers_cuda DEVICE [--quick] [--only OPERATION] [--by-n] [--n N]
// SPDX-License-Identifier: MIT
#include "peers.h"

#include <cub/cub.cuh>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/scatter.h>
#include <thrust/system/cuda/execution_policy.h>

#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <thread>

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

// A call of CUB, which first says how much work space it wants. It runs once before it is timed,
// also where each run is timed alone, so that the GPU has turned to CUDA.
template <typename Call> Side cub_side(Call call) {
    size_t bytes = 0;
    check(call(nullptr, bytes));
    auto space = std::make_shared<Memory<char>>(std::max<size_t>(bytes, 1));
    const auto run = [call, space, bytes]() mutable { check(call(space->get(), bytes)); };
    return {run, finish, run};
}

// Row-major C = A B is column-major C' = B' A'.
cublasStatus_t gemm(cublasHandle_t handle, cublasComputeType_t how, const Shape &s, const float *a, const float *b,
                    float *c) {
    const float one = 1, zero = 0;
    const auto m = static_cast<int>(s.m), n = static_cast<int>(s.n), k = static_cast<int>(s.k);
    return cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, CUDA_R_32F, n, a, CUDA_R_32F, k, &zero, c,
                        CUDA_R_32F, n, how, CUBLAS_GEMM_DEFAULT);
}
cublasStatus_t gemm(cublasHandle_t handle, cublasComputeType_t, const Shape &s, const double *a, const double *b,
                    double *c) {
    const double one = 1, zero = 0;
    const auto m = static_cast<int>(s.m), n = static_cast<int>(s.n), k = static_cast<int>(s.k);
    return cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, c, n);
}

template <typename T> void product(const Context &context, cublasHandle_t handle, Table &table, const Shape &s,
                                   const char *type, const char *peer, gp_precision precision, cublasComputeType_t how,
                                   double limit, double error, const char *algorithm = nullptr) {
    const auto host_a = random_reals<T>(s.m * s.k, 1), host_b = random_reals<T>(s.k * s.n, 2);
    const Buffer<T> a(context, host_a), b(context, host_b);
    Buffer<T> ours(context, s.m * s.n);
    const Memory<T> their_a(host_a), their_b(host_b), theirs(s.m * s.n);
    const auto times =
        alternately(matmul(context, s, a, b, ours, precision, algorithm),
                    {[&] { check(gemm(handle, how, s, their_a.get(), their_b.get(), theirs.get())); }, finish});
    table.row("matmul", type, s.text(), times, peer, s.operations(), "Gop/s", limit,
              agree(ours.values(), theirs.values(), error * std::sqrt(static_cast<double>(s.k))));
}

// The best one that leaves the matrix units alone.
const char *plain_algorithm(const Context &context) {
    for (const char *name : {"bulk-tiles", "wide-tiles"}) {
        gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
        options.algorithm = name;
        float one = 1, result = 0;
        if (gp_matmul(context, GP_FLOAT32, 1, 1, 1, &one, 1, &one, 1, &result, 1, &options) == GP_SUCCESS) return name;
    }
    return nullptr;
}

void products(const Context &context, cublasHandle_t handle, Table &table, const Shape &s, const Settings &settings) {
    constexpr double kFloat = 4 * 0x1p-23, kDouble = 4 * 0x1p-52;
    product<float>(context, handle, table, s, "float32", "cuBLAS SGEMM", GP_FULL, CUBLAS_COMPUTE_32F, 0, kFloat);
    product<float>(context, handle, table, s, "f32 plain", "cuBLAS SGEMM", GP_FULL, CUBLAS_COMPUTE_32F, settings.fma32,
                   kFloat, plain_algorithm(context));
    product<float>(context, handle, table, s, "f32 fast", "cuBLAS SGEMM tf32", GP_FAST, CUBLAS_COMPUTE_32F_FAST_TF32, 0,
                   1e-3); // tf32 keeps 10 bits of each factor: not a question of n, and this is generous
    product<double>(context, handle, table, s, "float64", "cuBLAS DGEMM", GP_FULL, CUBLAS_COMPUTE_64F, 0, kDouble);
}

// Beside the kernel that this library began with.
void min_plus(const Context &context, Table &table, size_t n) {
    const Buffer<float> a(context, random_reals<float>(n * n, 1)), b(context, random_reals<float>(n * n, 2));
    Buffer<float> ours(context, n * n), theirs(context, n * n);
    const auto side = [&](const char *algorithm, Buffer<float> &c) {
        return Side{[&, algorithm] {
                        gp_matmul_options options = GP_MATMUL_OPTIONS_INIT;
                        options.semiring = GP_MIN_PLUS;
                        options.algorithm = algorithm;
                        peers::check(gp_enqueue_matmul(context, GP_FLOAT32, n, n, n, a, 0, n, b, 0, n, c, 0, n,
                                                       &options, 0, nullptr, nullptr));
                    },
                    [&] { context.finish(); }};
    };
    const auto times = alternately(side(nullptr, ours), side("min-plus", theirs));
    table.row("min-plus", "float32", size_text(n), times, "gpcl, min-plus", Shape(n).operations(), "Gop/s", 0,
              ours.values() == theirs.values());
}

// Numbers that are hard on a product whose operands are split: each row of A and column of B by a
// power of two of its own; each number by one; a second half of k that takes back almost all of the
// first; subnormal A; one infinity and one NaN.
enum class Data { random, lines, apart, cancelling, subnormal, special };
constexpr const char *kDataNames[] = {"random", "scaled lines", "scaled apart", "cancelling", "subnormal", "special"};

void fill(std::vector<float> &a, std::vector<float> &b, size_t n, Data data) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    const auto power = [&](int range) { return static_cast<int>(random() % static_cast<unsigned>(2 * range)) - range; };
    std::vector<int> rows(n), columns(n);
    for (size_t i = 0; i < n; ++i) rows[i] = power(25), columns[i] = power(25);
    const bool lines = data == Data::lines, apart = data == Data::apart, tiny = data == Data::subnormal;
    for (size_t i = 0; i < n; ++i)
        for (size_t p = 0; p < n; ++p) {
            const auto number = [&](int shift) { return static_cast<float>(std::ldexp(normal(random), shift)); };
            a[i * n + p] = number(lines ? rows[i] : apart ? power(12) : tiny ? -135 : 0);
            b[i * n + p] = number(lines ? columns[p] : apart ? power(12) : tiny ? 30 : 0);
        }
    if (data == Data::cancelling)
        for (size_t i = 0; i < n; ++i)
            for (size_t p = n / 2; p < n; ++p) {
                a[i * n + p] = -a[i * n + p - n / 2] * (1 + static_cast<float>(power(64)) * 0x1p-20f);
                b[p * n + i] = b[(p - n / 2) * n + i];
            }
    if (data == Data::special) a[n + 3] = std::numeric_limits<float>::infinity(), b[7] = std::nanf("");
}

// The relative error in Frobenius' norm, against float64; and how many results are not finite where
// float64's are, or the other way.
struct Error {
    double relative;
    size_t kinds;
};

Error error_of(const std::vector<float> &got, const std::vector<double> &exact) {
    double difference = 0, size = 0;
    size_t kinds = 0;
    for (size_t i = 0; i < got.size(); ++i) {
        const double x = got[i];
        if (std::isnan(x) != std::isnan(exact[i]) || std::isinf(x) != std::isinf(exact[i])) ++kinds;
        if (!std::isfinite(x) || !std::isfinite(exact[i])) continue;
        difference += (x - exact[i]) * (x - exact[i]);
        size += exact[i] * exact[i];
    }
    return {std::sqrt(difference / size), kinds};
}

// A table of its own: errors of float32 products beside cuBLAS'.
void errors(const Context &context, cublasHandle_t handle, size_t n) {
    std::printf("\nrelative error against float64, n = %zu (results of another kind)\n%-14s %18s %18s %18s %18s\n", n,
                "data", "gpcl", "cuBLAS SGEMM", "gpcl fast", "cuBLAS tf32");
    for (const auto data : {Data::random, Data::lines, Data::apart, Data::cancelling, Data::subnormal, Data::special}) {
        std::vector<float> a(n * n), b(n * n);
        fill(a, b, n, data);
        const Memory<double> wide_a(std::vector<double>(a.begin(), a.end())), wide_b({b.begin(), b.end()}), wide(n * n);
        check(gemm(handle, CUBLAS_COMPUTE_64F, n, wide_a.get(), wide_b.get(), wide.get()));
        const auto exact = wide.values();
        const Buffer<float> our_a(context, a), our_b(context, b);
        Buffer<float> ours(context, n * n);
        const Memory<float> their_a(a), their_b(b), theirs(n * n);
        std::printf("%-14s", kDataNames[static_cast<int>(data)]);
        for (const bool fast : {false, true}) {
            const auto side = matmul(context, n, our_a, our_b, ours, fast ? GP_FAST : GP_FULL);
            side.start();
            side.finish();
            check(gemm(handle, fast ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F, n, their_a.get(),
                       their_b.get(), theirs.get()));
            for (const auto &values : {ours.values(), theirs.values()}) {
                const Error error = error_of(values, exact);
                std::printf(" %11.2e %6zu", error.relative, error.kinds);
            }
        }
        std::printf("\n");
        std::fflush(stdout);
    }
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

template <typename T> void keys_alone(const Context &context, Table &table, const std::vector<T> &values,
                                      const char *operation, const char *type, double copy) {
    const auto n = values.size();
    const Buffer<T> in(context, values);
    Buffer<T> ours(context, n);
    const Memory<T> their_in(values), theirs(n);
    const auto times =
        alternately(sort(context, n, in, ours), cub_side([&](void *space, size_t &bytes) {
                        return cub::DeviceRadixSort::SortKeys(space, bytes, their_in.get(), theirs.get(), n);
                    }),
                    true);
    table.row(operation, type, size_text(n), times, "CUB", static_cast<double>(n), "Gkey/s",
              sort_limit(copy, sizeof(T), 0), ours.values() == theirs.values());
}

void pairs(const Context &context, Table &table, const std::vector<uint32_t> &keys, const char *operation,
           double copy) {
    const auto n = keys.size();
    const auto values = random_keys<uint32_t>(n, 7);
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
    table.row(operation, "u32, u32", size_text(n), times, "CUB", static_cast<double>(n), "Gkey/s",
              sort_limit(copy, 4, 4), ours.values() == theirs.values() && our_values.values() == their_values.values());
}

void distributions(const Context &context, Table &table, size_t n, double copy) {
    for (size_t i = 0; i < std::size(kKeysNames); ++i) {
        const auto which = static_cast<Keys>(i);
        const auto operation = std::string("sort ") + kKeysNames[i];
        keys_alone(context, table, keys_like<uint32_t>(which, n), operation.c_str(), "uint32", copy);
        pairs(context, table, keys_like<uint32_t>(which, n), operation.c_str(), copy);
        keys_alone(context, table, keys_like<uint64_t>(which, n / 2), operation.c_str(), "uint64", copy);
    }
}

#include "cuda_segments.cuh"

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

template <typename T>
void arg_reductions(const Context &context, Table &table, const std::vector<T> &values, const char *type, double copy) {
    const size_t n = values.size();
    const Buffer<T> in(context, values);
    Buffer<uint64_t> ours(context, 1);
    Buffer<T> our_value(context, 1);
    const Memory<T> their_in(values), their_value(1);
    const Memory<int64_t> theirs(1);
    const Side gpcl = {[&] {
                           peers::check(gp_enqueue_arg_reduce(context, GP_MINIMUM, peers::dtype<T>(), n, in, 0,
                                                              GP_UINT64, ours, 0, our_value, 0, nullptr, 0, nullptr,
                                                              nullptr));
                       },
                       [&] { context.finish(); }};
    const auto times = alternately(gpcl, cub_side([&](void *space, size_t &bytes) {
                                       return cub::DeviceReduce::ArgMin(space, bytes, their_in.get(), their_value.get(),
                                                                        theirs.get(), static_cast<int64_t>(n));
                                   }));
    const bool same = ours.values()[0] == static_cast<uint64_t>(theirs.values()[0]);
    table.row("arg-reduce", type, size_text(n), times, "CUB", static_cast<double>(sizeof(T) * n), "GB/s", copy,
              same && our_value.values() == their_value.values());
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

// y = a x + b, and one after the other.
struct Map {
    float a, b;
};
struct AfterEachOther {
    __host__ __device__ Map operator()(const Map &first, const Map &then) const {
        return {then.a * first.a, then.a * first.b + then.b};
    }
};
struct StepOf {
    float a;
    __host__ __device__ Map operator()(float x) const { return {a, x}; }
};
struct Constant {
    __host__ __device__ float operator()(const Map &map) const { return map.b; }
};

Side recurrence(const Context &context, size_t n, const std::vector<float> &coefficients, const Buffer<float> &in,
                Buffer<float> &out) {
    return {[&context, n, &coefficients, &in, &out] {
                peers::check(gp_enqueue_recurrence(context, GP_FLOAT32, n, in, 0, out, 0, coefficients.size(),
                                                   coefficients.data(), nullptr, 0, nullptr, nullptr));
            },
            [&context] { context.finish(); }};
}

// Order 1 beside CUB's scan of maps, order 2 beside the device's copy, which has no result to
// compare: a loop's.
void recurrences(const Context &context, Table &table, size_t n, double copy) {
    const auto values = random_reals<float>(n, 4);
    const Buffer<float> in(context, values);
    Buffer<float> ours(context, n);
    const Memory<float> their_in(values), theirs(n);
    const std::vector<float> first = {0.9f}, second = {1.6f, -0.8f};
    const auto maps = thrust::make_transform_iterator(their_in.get(), StepOf{first[0]});
    const auto results = thrust::make_transform_output_iterator(theirs.get(), Constant());
    const auto count = static_cast<double>(n);
    auto times =
        alternately(recurrence(context, n, first, in, ours), cub_side([&](void *space, size_t &bytes) {
                        return cub::DeviceScan::InclusiveScan(space, bytes, maps, results, AfterEachOther(), n);
                    }));
    table.row("recurrence", "order 1", size_text(n), times, "CUB, scan of maps", count, "Gelem/s", copy / 8,
              agree(ours.values(), theirs.values(), 1e-5));
    times = alternately(
        recurrence(context, n, second, in, ours),
        {[&] { check(cudaMemcpyAsync(theirs.get(), their_in.get(), n * sizeof(float), cudaMemcpyDeviceToDevice)); },
         finish});
    auto expected = values;
    for (size_t i = 1; i < n; ++i)
        expected[i] += second[0] * expected[i - 1] + (i > 1 ? second[1] * expected[i - 2] : 0);
    table.row("recurrence", "order 2", size_text(n), times, "copy", count, "Gelem/s", copy / 8,
              agree(ours.values(), expected, 1e-5));
}

// ---- Whole calls on host memory, beside CUDA's copies there and back with CUB or cuBLAS between
// ---

template <typename T> using HostArray = std::unique_ptr<T[], void (*)(T *)>;

// Pages that have been touched; pinned by the library that uses them, or not.
template <typename T> HostArray<T> ours(const Context &context, const std::vector<T> &values, bool pinned) {
    HostArray<T> array(nullptr, [](T *data) { delete[] data; });
    if (pinned) {
        void *data = nullptr;
        peers::check(gp_host_alloc(context, values.size() * sizeof(T), &data));
        array = {static_cast<T *>(data), [](T *memory) { peers::check(gp_host_free(memory)); }};
    } else {
        array.reset(new T[values.size()]);
    }
    std::copy(values.begin(), values.end(), array.get());
    return array;
}
template <typename T> HostArray<T> theirs(const std::vector<T> &values, bool pinned) {
    HostArray<T> array(nullptr, [](T *data) { delete[] data; });
    if (pinned) {
        T *data = nullptr;
        check(cudaMallocHost(&data, values.size() * sizeof(T)));
        array = {data, [](T *memory) { check(cudaFreeHost(memory)); }};
    } else {
        array.reset(new T[values.size()]);
    }
    std::copy(values.begin(), values.end(), array.get());
    return array;
}

template <typename T> void up(const Memory<T> &to, const HostArray<T> &from, size_t n) {
    check(cudaMemcpyAsync(to.get(), from.get(), n * sizeof(T), cudaMemcpyHostToDevice));
}
template <typename T> void down(const HostArray<T> &to, const Memory<T> &from, size_t n) {
    check(cudaMemcpyAsync(to.get(), from.get(), n * sizeof(T), cudaMemcpyDeviceToHost));
}
template <typename T> bool same(const HostArray<T> &a, const HostArray<T> &b, size_t n) {
    return std::equal(a.get(), a.get() + n, b.get());
}

void whole_calls(const Context &context, Table &table, size_t n, bool pinned) {
    const char *const peer = pinned ? "CUDA, pinned, CUB" : "CUDA, pageable, CUB";
    const auto row = [&](const char *operation, const char *type, const Times &times, bool verified) {
        table.row(operation, type, size_text(n), times, peer, static_cast<double>(n), "Gelem/s", 0, verified);
    };
    {
        const auto keys = random_keys<uint32_t>(n);
        const auto our_keys = ours(context, keys, pinned), their_keys = theirs(keys, pinned);
        const Memory<uint32_t> in(n), out(n);
        const auto sorts = cub_side([&](void *space, size_t &bytes) {
            return cub::DeviceRadixSort::SortKeys(space, bytes, in.get(), out.get(), n);
        });
        const auto prepare = [&](const HostArray<uint32_t> &to) { std::copy(keys.begin(), keys.end(), to.get()); };
        const auto times = alternately({[&] { peers::check(gp_sort(context, GP_UINT32, n, our_keys.get(), nullptr)); },
                                        [] {}, [&] { prepare(our_keys); }},
                                       {[&] {
                                            up(in, their_keys, n);
                                            sorts.start();
                                            down(their_keys, out, n);
                                        },
                                        finish, [&] { prepare(their_keys); }},
                                       true);
        row("whole sort", "uint32", times, same(our_keys, their_keys, n));
    }
    // Whole numbers whose sums float32 holds.
    std::vector<float> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = static_cast<float>(random_bits(9, i) % 3) - 1;
    const auto our_values = ours(context, values, pinned), their_values = theirs(values, pinned);
    const Memory<float> in(n);
    {
        const auto our_sums = ours(context, values, pinned), their_sums = theirs(values, pinned);
        const Memory<float> out(n);
        const auto scans = cub_side([&](void *space, size_t &bytes) {
            return cub::DeviceScan::InclusiveSum(space, bytes, in.get(), out.get(), n);
        });
        const auto times = alternately(
            {[&] { peers::check(gp_scan(context, GP_FLOAT32, n, our_values.get(), our_sums.get(), nullptr)); }},
            {[&] {
                 up(in, their_values, n);
                 scans.start();
                 down(their_sums, out, n);
             },
             finish},
            true);
        row("whole scan", "float32", times, same(our_sums, their_sums, n));
    }
    const auto our_sum = ours<float>(context, {0}, pinned), their_sum = theirs<float>({0}, pinned);
    const Memory<float> out(1);
    const auto sums = cub_side(
        [&](void *space, size_t &bytes) { return cub::DeviceReduce::Sum(space, bytes, in.get(), out.get(), n); });
    const auto times = alternately(
        {[&] { peers::check(gp_reduce(context, GP_FLOAT32, n, our_values.get(), our_sum.get(), nullptr)); }},
        {[&] {
             up(in, their_values, n);
             sums.start();
             down(their_sum, out, 1);
         },
         finish},
        true);
    row("whole reduce", "float32", times, same(our_sum, their_sum, 1));
}

void whole_product(const Context &context, cublasHandle_t handle, Table &table, size_t side, bool pinned) {
    const auto count = side * side;
    const auto values_a = random_reals<float>(count, 1), values_b = random_reals<float>(count, 2);
    const auto our_a = ours(context, values_a, pinned), our_b = ours(context, values_b, pinned);
    const auto their_a = theirs(values_a, pinned), their_b = theirs(values_b, pinned);
    const auto our_c = ours(context, values_a, pinned), their_c = theirs(values_a, pinned);
    const Memory<float> a(count), b(count), c(count);
    const auto times = alternately({[&] {
                                       peers::check(gp_matmul(context, GP_FLOAT32, side, side, side, our_a.get(), side,
                                                              our_b.get(), side, our_c.get(), side, nullptr));
                                   }},
                                   {[&] {
                                        up(a, their_a, count);
                                        up(b, their_b, count);
                                        check(gemm(handle, CUBLAS_COMPUTE_32F, side, a.get(), b.get(), c.get()));
                                        down(their_c, c, count);
                                    },
                                    finish},
                                   true);
    const std::vector<float> c_ours(our_c.get(), our_c.get() + count), c_theirs(their_c.get(), their_c.get() + count);
    table.row("whole matmul", "float32", size_text(side), times,
              pinned ? "CUDA, pinned, SGEMM" : "CUDA, pageable, SGEMM", Shape(side).operations(), "Gop/s", 0,
              agree(c_ours, c_theirs, 4 * 0x1p-23 * std::sqrt(static_cast<double>(side))));
}

#include "cuda_histogram.cuh"
#include "cuda_weights.cuh"
#include "cuda_small_sort.cuh"
#include "cuda_merge.cuh"
#include "cuda_sort_rows.cuh"
#include "cuda_sort_segments.cuh"
#include "cuda_sort_types.cuh"
#include "cuda_select.cuh"
#include "cuda_scan_by_key.cuh"
#include "cuda_gather.cuh"
#include "cuda_unique.cuh"
#include "cuda_chain.cuh"

} // namespace

#include "cuda_reduce.cuh"
#include "cuda_top_k.cuh"
#include "cuda_search.cuh"
#include "cuda_matmul_small.cuh"
#include "cuda_matmul_types.cuh"

int main(int argc, char **argv) {
    const Settings settings(argc, argv);
    const Context context(settings.device);
    Table table;
    cublasHandle_t handle = nullptr;
    check(cublasCreate(&handle));
    if (settings.wants("top-k")) top_ks(context, table, settings);
    if (settings.wants("matmul")) {
        for (const auto &s : settings.sizes<Shape>({512, 1000}, {512,
                                                                 1000,
                                                                 2048,
                                                                 4033,
                                                                 4096,
                                                                 8192,
                                                                 {1000, 3000, 77},
                                                                 {4096, 64, 4096},
                                                                 {64, 4096, 4096},
                                                                 {4096, 4096, 64}}))
            products(context, handle, table, s, settings);
        errors(context, handle, settings.quick ? 512 : 2048);
    }
    if (settings.wants("min-plus"))
        for (const auto n : settings.sizes<size_t>({1000}, {1000, 4000, 6300})) min_plus(context, table, n);
    auto sizes = settings.sizes<size_t>({1 << 16, 1 << 20}, {1 << 10, 1 << 20, 1 << 24, 1 << 28});
    if (settings.by_n) {
        sizes.clear();
        for (int power = 10; power <= 30; power += 2) sizes.push_back(size_t(1) << power);
    }
    const bool all_types = !settings.by_n; // else one of each operation
    for (const auto n : sizes) {
        if (settings.wants("scan")) {
            scan(context, table, random_keys<int32_t>(n), "int32", settings.copy, 0);
            if (all_types) scan(context, table, random_reals<float>(n, 3), "float32", settings.copy, 1e-3);
            if (all_types) scan(context, table, random_keys<int64_t>(n), "int64", settings.copy, 0);
        }
        if (settings.wants("sort")) {
            keys_alone(context, table, random_keys<uint32_t>(n), "sort", "uint32", settings.copy);
            if (n <= 1 << 28) pairs(context, table, random_keys<uint32_t>(n), "sort pairs", settings.copy);
            if (n <= 1 << 28) keys_alone(context, table, random_keys<uint64_t>(n), "sort", "uint64", settings.copy);
        }
        if (settings.wants("reduce")) reductions(context, table, n, settings.copy);
        if (settings.wants("arg-reduce")) {
            arg_reductions(context, table, random_reals<float>(n, 3), "float32", settings.copy);
            if (all_types) arg_reductions(context, table, random_keys<int64_t>(n), "int64", settings.copy);
        }
        if (settings.wants("histogram")) {
            histograms(context, table, n, settings.copy, false);
            if (all_types) histograms(context, table, n, settings.copy, true);
        }
        if (settings.wants("recurrence")) recurrences(context, table, n, settings.copy);
    }
    if (settings.wants("scan-rows")) scans_of_rows(context, table, settings);
    if (settings.wants("histogram-bins")) histogram_bins(context, table, settings);
    if (settings.wants("merge")) merges::all(context, table, settings);
    if (settings.wants("merge-runs")) merges::all_runs(context, table, settings);
    if (settings.wants("histogram-weighted")) histogram_weights(context, table, settings);
    if (settings.wants("sort-by")) merges::sorts_by(context, table, settings);
    if (settings.wants("small-sort")) small_sort::all(context, table, settings);
    if (settings.wants("sort-types")) sort_types::all(context, table, settings);
    if (settings.wants("sort-value-sizes")) sort_types::all_pairs(context, table, settings);
    if (settings.wants("sort-rows"))
        sort_rows::all(context, table, settings.count(1 << 24, 1 << 26), settings.quick);
    if (settings.wants("sort-segments"))
        sort_segments::all(context, table, settings.count(1 << 24, 1 << 26), settings.quick);
    if (settings.wants("select")) selects::all(context, table, settings);
    if (settings.wants("runs")) selects::all_runs(context, table, settings);
    if (settings.wants("scan-by-key")) scans_by_key::all(context, table, settings);
    if (settings.wants("unique")) uniques::all(context, table, settings);
    if (settings.wants("chain")) chains::all(context, table, settings);
    gathers::all(context, handle, table, settings);
    if (settings.wants("distributions"))
        distributions(context, table, settings.count(1 << 20, 1 << 26), settings.copy);
    if (settings.wants("whole")) {
        for (const bool pinned : {false, true}) {
            for (const auto n : settings.sizes<size_t>({1 << 20}, {1 << 16, 1 << 20, 1 << 24, 1 << 28}))
                whole_calls(context, table, n, pinned);
            for (const auto side : settings.sizes<size_t>({1024}, {1024, 4096, 8192, 16384}))
                whole_product(context, handle, table, side, pinned);
        }
    }
    reduce_batches(context, handle, table, settings);
    searches(context, table, settings);
    small_products(context, handle, table, settings);
    products_of_types(context, handle, table, settings);
    cublasDestroy(handle);
    return table.status();
}

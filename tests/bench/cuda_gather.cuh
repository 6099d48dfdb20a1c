// Gathers, scatters, transposes, expressions and differences, beside Thrust's, cuBLAS' and CUB's.
// peers_cuda.cu includes it behind what it uses.
// SPDX-License-Identifier: MIT
#pragma once

namespace gathers {

enum class Order { forward, near, random };
constexpr const char *kOrders[] = {"in order", "near", "random"};

// A permutation of 0 to n - 1; near: within blocks of 4096.
std::vector<uint32_t> positions_of(size_t n, Order order) {
    std::vector<uint32_t> positions(n);
    for (size_t i = 0; i < n; ++i) positions[i] = static_cast<uint32_t>(i);
    if (order == Order::forward) return positions;
    const size_t block = order == Order::near ? 4096 : n;
    for (size_t begin = 0; begin < n; begin += block)
        for (size_t i = std::min(block, n - begin) - 1; i > 0; --i)
            std::swap(positions[begin + i], positions[begin + random_bits(uint64_t{8} << 40, begin + i) % (i + 1)]);
    return positions;
}

template <typename T>
void rows(const Context &context, Table &table, size_t n, Order order, bool scatters, const char *type, double copy) {
    const auto values = random_keys<T>(n);
    const auto positions = positions_of(n, order);
    const Buffer<T> in(context, values);
    const Buffer<uint32_t> our_positions(context, positions);
    Buffer<T> ours(context, n);
    const Memory<T> their_in(values), theirs(n);
    const Memory<uint32_t> their_positions(positions);
    const auto gpcl = [&] {
        if (scatters)
            peers::check(gp_enqueue_scatter(context, sizeof(T), n, in, 0, GP_UINT32, our_positions, 0, n, ours, 0,
                                            nullptr, 0, nullptr, nullptr));
        else
            peers::check(gp_enqueue_gather(context, sizeof(T), n, in, 0, GP_UINT32, n, our_positions, 0, ours, 0,
                                           nullptr, 0, nullptr, nullptr));
    };
    const auto thrust_side = [&] {
        const auto policy = thrust::cuda::par_nosync;
        if (scatters)
            thrust::scatter(policy, their_in.get(), their_in.get() + n, their_positions.get(), theirs.get());
        else
            thrust::gather(policy, their_positions.get(), their_positions.get() + n, their_in.get(), theirs.get());
    };
    const auto times = alternately({gpcl, [&] { context.finish(); }}, {thrust_side, finish, thrust_side});
    const std::string called = std::string(scatters ? "scatter " : "gather ") + kOrders[static_cast<int>(order)];
    table.row(called.c_str(), type, size_text(n), times, "Thrust", static_cast<double>(n * (2 * sizeof(T) + 4)), "GB/s",
              copy, ours.values() == theirs.values());
}

cublasStatus_t geam(cublasHandle_t handle, int rows, int columns, const float *in, float *out) {
    const float one = 1, zero = 0;
    return cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one, in, columns, &zero, out, rows, out, rows);
}
cublasStatus_t geam(cublasHandle_t handle, int rows, int columns, const double *in, double *out) {
    const double one = 1, zero = 0;
    return cublasDgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one, in, columns, &zero, out, rows, out, rows);
}

template <typename T> void transpose(const Context &context, cublasHandle_t handle, Table &table, size_t lines,
                                     size_t columns, const char *type, double copy) {
    const auto values = random_reals<T>(lines * columns, 1);
    const Buffer<T> in(context, values);
    Buffer<T> ours(context, values.size());
    const Memory<T> their_in(values), theirs(values.size());
    check(cudaMemset(theirs.get(), 0, values.size() * sizeof(T)));
    const auto times = alternately(
        {[&] {
             peers::check(gp_enqueue_transpose_matrix(context, sizeof(T), lines, columns, in, 0, columns, ours, 0,
                                                      lines, nullptr, 0, nullptr, nullptr));
         },
         [&] { context.finish(); }},
        {[&] { check(geam(handle, static_cast<int>(lines), static_cast<int>(columns), their_in.get(), theirs.get())); },
         finish});
    table.row("transpose", type, std::to_string(lines) + "x" + std::to_string(columns), times, "cuBLAS geam",
              2.0 * static_cast<double>(values.size() * sizeof(T)), "GB/s", copy, ours.values() == theirs.values());
}

// Transposes of elements that cuBLAS does not take, beside a copy of as many bytes.
template <typename T> void transpose_alone(const Context &context, Table &table, size_t lines, size_t columns,
                                           const char *type, double copy) {
    const auto values = random_keys<T>(lines * columns, 1);
    const Buffer<T> in(context, values);
    Buffer<T> ours(context, values.size());
    const Memory<T> their_in(values), theirs(values.size());
    const auto times = alternately(
        {[&] {
             peers::check(gp_enqueue_transpose_matrix(context, sizeof(T), lines, columns, in, 0, columns, ours, 0,
                                                      lines, nullptr, 0, nullptr, nullptr));
         },
         [&] { context.finish(); }},
        {[&] {
             check(cudaMemcpyAsync(theirs.get(), their_in.get(), values.size() * sizeof(T), cudaMemcpyDeviceToDevice));
         },
         finish});
    const auto got = ours.values();
    bool is_right = true;
    for (size_t i = 0; i < lines; ++i)
        for (size_t j = 0; j < columns; ++j) is_right = is_right && got[j * lines + i] == values[i * columns + j];
    table.row("transpose", type, std::to_string(lines) + "x" + std::to_string(columns), times, "a copy",
              2.0 * static_cast<double>(values.size() * sizeof(T)), "GB/s", copy, is_right);
}

struct TwiceAndMore {
    __device__ float operator()(float a, float b) const { return a * 2 + b; }
};

void expression(const Context &context, Table &table, size_t n, double copy) {
    const auto a = random_reals<float>(n, 1), b = random_reals<float>(n, 2);
    const Buffer<float> our_a(context, a), our_b(context, b);
    Buffer<float> ours(context, n);
    const Memory<float> their_a(a), their_b(b), theirs(n);
    const gp_dtype types[] = {GP_FLOAT32, GP_FLOAT32};
    gp_buffer *const in[] = {our_a, our_b};
    const size_t offsets[] = {0, 0};
    const auto cub_call = [&] {
        check(cub::DeviceTransform::Transform(cuda::std::make_tuple(their_a.get(), their_b.get()), theirs.get(),
                                              static_cast<int64_t>(n), TwiceAndMore()));
    };
    const auto times =
        alternately({[&] {
                         peers::check(gp_enqueue_transform(context, n, 2, types, in, offsets, GP_FLOAT32, ours, 0,
                                                           "x0 * 2 + x1", nullptr, 0, nullptr, nullptr));
                     },
                     [&] { context.finish(); }},
                    {cub_call, finish, cub_call});
    table.row("transform", "float32", size_text(n), times, "CUB", 12.0 * static_cast<double>(n), "GB/s", copy,
              ours.values() == theirs.values());
}

template <typename T>
void difference(const Context &context, Table &table, const std::vector<T> &values, const char *type, double copy) {
    const size_t n = values.size();
    const Buffer<T> in(context, values);
    Buffer<T> ours(context, n);
    const Memory<T> their_in(values), theirs(n);
    const Side gpcl = {[&] {
                           peers::check(gp_enqueue_difference(context, peers::dtype<T>(), n, in, 0, ours, 0, nullptr, 0,
                                                              nullptr, nullptr));
                       },
                       [&] { context.finish(); }};
    const auto times = alternately(gpcl, cub_side([&](void *space, size_t &bytes) {
                                       return cub::DeviceAdjacentDifference::SubtractLeftCopy(
                                           space, bytes, their_in.get(), theirs.get(), static_cast<int64_t>(n));
                                   }));
    table.row("difference", type, size_text(n), times, "CUB", 2.0 * static_cast<double>(n * sizeof(T)), "GB/s", copy,
              ours.values() == theirs.values());
}

void all(const Context &context, cublasHandle_t handle, Table &table, const Settings &settings) {
    const auto sizes = settings.sizes<size_t>({1 << 12, 1 << 20}, {1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 27});
    if (settings.wants("gather"))
        for (const auto n : sizes)
            for (const auto order : {Order::forward, Order::near, Order::random})
                for (const bool scatters : {false, true}) {
                    rows<uint32_t>(context, table, n, order, scatters, "uint32", settings.copy);
                    if (n == 1 << 24) {
                        rows<uint64_t>(context, table, n, order, scatters, "uint64", settings.copy);
                        rows<uint8_t>(context, table, n, order, scatters, "uint8", settings.copy);
                    }
                }
    if (settings.wants("transpose")) {
        for (const auto &s : settings.sizes<std::pair<size_t, size_t>>({{512, 512}, {1000, 300}}, {{512, 512},
                                                                                                   {1000, 1000},
                                                                                                   {4096, 4096},
                                                                                                   {10000, 10000},
                                                                                                   {1 << 20, 64},
                                                                                                   {64, 1 << 20},
                                                                                                   {1 << 22, 3}})) {
            transpose<float>(context, handle, table, s.first, s.second, "float32", settings.copy);
            transpose<double>(context, handle, table, s.first, s.second, "float64", settings.copy);
        }
        for (const size_t n : settings.sizes<size_t>({512}, {4096, 10000, 10001})) {
            transpose_alone<uint8_t>(context, table, n, n, "1 byte", settings.copy);
            transpose_alone<uint16_t>(context, table, n, n, "2 bytes", settings.copy);
        }
    }
    for (const auto n : sizes) {
        if (settings.wants("transform")) expression(context, table, n, settings.copy);
        if (settings.wants("difference")) {
            difference(context, table, random_keys<int32_t>(n), "int32", settings.copy);
            difference(context, table, random_reals<float>(n, 3), "float32", settings.copy);
            difference(context, table, random_keys<uint64_t>(n), "uint64", settings.copy);
        }
    }
}

} // namespace gathers

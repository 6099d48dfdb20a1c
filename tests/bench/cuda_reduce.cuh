// Reduce and arg-reduce of rows and columns beside CUB's segmented forms and cuBLAS; small arrays
// in a chain of calls beside CUB.
// SPDX-License-Identifier: MIT
#pragma once

namespace {

// Rows of n elements, or the columns of a matrix with n rows.
struct Batch {
    size_t batch, n;
    bool columns;
    size_t elements() const { return batch * n; }
    std::string text() const { return size_text(batch) + (columns ? " c " : " x ") + size_text(n); }
    template <class Options> void set(Options &options) const {
        options.batch = batch;
        options.stride_in = columns ? 1 : n;
        options.step_in = columns ? batch : 1;
    }
};

inline Side row_sums(const Context &context, const Batch &b, const Buffer<float> &in, Buffer<float> &out) {
    return {[&] {
                gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
                b.set(options);
                peers::check(gp_enqueue_reduce(context, GP_FLOAT32, b.n, in, 0, out, 0, &options, 0, nullptr, nullptr));
            },
            [&] { context.finish(); }};
}

// A product with ones is the nearest that NVIDIA's libraries have to sums of columns.
inline void reduce_rows(const Context &context, cublasHandle_t handle, Table &table, const Batch &b, double copy) {
    const auto values = random_reals<float>(b.elements(), 5);
    const Buffer<float> in(context, values);
    Buffer<float> ours(context, b.batch);
    const Memory<float> their_in(values), theirs(b.batch), ones(std::vector<float>(b.n, 1));
    const float one = 1, zero = 0;
    const Side gemv = {[&] {
                           check(cublasSgemv(handle, CUBLAS_OP_N, static_cast<int>(b.batch), static_cast<int>(b.n),
                                             &one, their_in.get(), static_cast<int>(b.batch), ones.get(), 1, &zero,
                                             theirs.get(), 1));
                       },
                       finish};
    const auto times =
        alternately(row_sums(context, b, in, ours), b.columns ? gemv : cub_side([&](void *space, size_t &bytes) {
                        return cub::DeviceSegmentedReduce::Sum(space, bytes, their_in.get(), theirs.get(),
                                                               static_cast<int64_t>(b.batch), static_cast<int>(b.n));
                    }));
    const double error = 0x1p-22 * std::sqrt(static_cast<double>(b.n));
    table.row("reduce-rows", "float32", b.text(), times, b.columns ? "cuBLAS gemv" : "CUB segmented",
              4 * static_cast<double>(b.elements()), "GB/s", copy, agree(ours.values(), theirs.values(), error));
}

inline void arg_reduce_rows(const Context &context, Table &table, const Batch &b, double copy) {
    const auto values = random_reals<float>(b.elements(), 5);
    const Buffer<float> in(context, values);
    Buffer<uint32_t> ours(context, b.batch);
    Buffer<float> our_values(context, b.batch);
    const Memory<float> their_in(values);
    const Memory<cuda::std::pair<int, float>> theirs(b.batch);
    const Side gpcl = {[&] {
                           gp_arg_reduce_options options = GP_ARG_REDUCE_OPTIONS_INIT;
                           b.set(options);
                           peers::check(gp_enqueue_arg_reduce(context, GP_MINIMUM, GP_FLOAT32, b.n, in, 0, GP_UINT32,
                                                              ours, 0, our_values, 0, &options, 0, nullptr, nullptr));
                       },
                       [&] { context.finish(); }};
    // CUB has no columns: there its rows, of as many elements, are the measure.
    const auto times =
        alternately(gpcl, cub_side([&](void *space, size_t &bytes) {
                        return cub::DeviceSegmentedReduce::ArgMin(space, bytes, their_in.get(), theirs.get(),
                                                                  static_cast<int64_t>(b.batch), static_cast<int>(b.n));
                    }));
    const auto positions = ours.values();
    const auto smallest = our_values.values();
    bool same = true;
    if (b.columns) {
        for (size_t row = 0; row < b.batch; row += std::max<size_t>(b.batch / 64, 1)) {
            size_t best = 0;
            for (size_t i = 1; i < b.n; ++i)
                if (values[i * b.batch + row] < values[best * b.batch + row]) best = i;
            same = same && positions[row] == best && smallest[row] == values[best * b.batch + row];
        }
    } else {
        const auto pairs = theirs.values();
        for (size_t row = 0; row < b.batch; ++row)
            same = same && static_cast<int>(positions[row]) == pairs[row].first && smallest[row] == pairs[row].second;
    }
    table.row("arg-reduce-rows", "float32", b.text(), times, b.columns ? "CUB, as rows" : "CUB segmented",
              4 * static_cast<double>(b.elements()), "GB/s", copy, same);
}

template <typename T>
void reduce_small(const Context &context, Table &table, const std::vector<T> &values, const char *type) {
    const size_t n = values.size();
    const Buffer<T> in(context, values);
    Buffer<T> ours(context, 1);
    const Memory<T> their_in(values), theirs(1);
    const auto times = alternately(reduce(context, n, in, ours), cub_side([&](void *space, size_t &bytes) {
                                       return cub::DeviceReduce::Sum(space, bytes, their_in.get(), theirs.get(), n);
                                   }));
    double sizes = 0; // of the addends, whose sum may be near zero
    for (const T x : values) sizes += std::abs(static_cast<double>(x));
    const double error = std::is_integral_v<T> ? 0 : 0x1p-22 * sizes;
    table.row("reduce-small", type, size_text(n), times, "CUB", 1e6, "call/ms", 0,
              std::abs(static_cast<double>(ours.values()[0]) - static_cast<double>(theirs.values()[0])) <= error);
}

inline void reduce_batches(const Context &context, cublasHandle_t handle, Table &table, const Settings &settings) {
    const auto batches =
        settings.sizes<Batch>({{1 << 14, 64, false}, {1 << 10, 1 << 10, true}}, {{1 << 20, 64, false},
                                                                                 {1 << 22, 16, false},
                                                                                 {8192, 8192, false},
                                                                                 {64, 1 << 20, false},
                                                                                 {100003, 1000, false},
                                                                                 {1 << 21, 33, false},
                                                                                 {64, 1 << 20, true},
                                                                                 {8192, 8192, true},
                                                                                 {1000, 100003, true}});
    for (const Batch &b : batches) {
        if (settings.wants("reduce-rows")) reduce_rows(context, handle, table, b, settings.copy);
        if (settings.wants("arg-reduce-rows")) arg_reduce_rows(context, table, b, settings.copy);
    }
    if (settings.wants("reduce-small")) {
        for (const size_t n : {1, 1000, 1 << 12, 1 << 16}) {
            reduce_small(context, table, random_keys<uint32_t>(n), "uint32");
            reduce_small(context, table, random_reals<float>(n, 3), "float32");
        }
    }
}

} // namespace

// Scan of rows and of segments beside CUB's scan by keys. Included by peers_cuda.cu.
// SPDX-License-Identifier: MIT
#pragma once

// Which row an element lies in.
struct RowOf {
    uint32_t n;
    __host__ __device__ uint32_t operator()(uint32_t i) const { return i / n; }
};

inline Side segments_scan(const Context &context, const gp_scan_options &options, gp_dtype type, size_t n,
                          gp_buffer *in, gp_buffer *out) {
    return {[&context, options, type, n, in, out] {
                peers::check(gp_enqueue_scan(context, type, n, in, 0, out, 0, &options, 0, nullptr, nullptr));
            },
            [&context] { context.finish(); }};
}

// CUB computes its keys from positions, so that it reads none.
template <typename T> void scan_of_rows(const Context &context, Table &table, const char *type, size_t batch, size_t n,
                                        const std::vector<T> &values, double copy, double error) {
    const auto count = batch * n;
    const Buffer<T> in(context, values);
    Buffer<T> ours(context, count);
    const Memory<T> their_in(values), theirs(count);
    gp_scan_options options = GP_SCAN_OPTIONS_INIT;
    options.kind = GP_EXCLUSIVE;
    options.batch = batch;
    const auto keys =
        thrust::make_transform_iterator(thrust::counting_iterator<uint32_t>(0), RowOf{static_cast<uint32_t>(n)});
    const auto times = alternately(segments_scan(context, options, peers::dtype<T>(), n, in, ours),
                                   cub_side([&](void *space, size_t &bytes) {
                                       return cub::DeviceScan::ExclusiveSumByKey(space, bytes, keys, their_in.get(),
                                                                                 theirs.get(), static_cast<int>(count));
                                   }));
    const auto a = ours.values(), b = theirs.values();
    table.row("scan-rows", type, std::to_string(batch) + "x" + std::to_string(n), times, "CUB, by key",
              2.0 * sizeof(T) * static_cast<double>(count), "GB/s", copy, error > 0 ? agree(a, b, error) : a == b);
}

// A flag in `apart` elements, at random; CUB reads keys of four bytes. GB/s of what gpcl moves.
template <typename T> void scan_of_segments(const Context &context, Table &table, const char *type, size_t apart,
                                            const std::vector<T> &values, double copy, double error) {
    const auto count = values.size();
    std::vector<uint8_t> flags(count);
    std::vector<uint32_t> keys(count);
    for (size_t i = 0; i < count; ++i) {
        flags[i] = random_bits(uint64_t{77} << 40, i) % apart == 0;
        keys[i] = (i > 0 ? keys[i - 1] : 0) + flags[i];
    }
    const Buffer<T> in(context, values);
    const Buffer<uint8_t> heads(context, flags);
    Buffer<T> ours(context, count);
    const Memory<T> their_in(values), theirs(count);
    const Memory<uint32_t> their_keys(keys);
    gp_scan_options options = GP_SCAN_OPTIONS_INIT;
    options.kind = GP_EXCLUSIVE;
    options.heads_buffer = heads;
    const auto times = alternately(
        segments_scan(context, options, peers::dtype<T>(), count, in, ours), cub_side([&](void *space, size_t &bytes) {
            return cub::DeviceScan::ExclusiveSumByKey(space, bytes, their_keys.get(), their_in.get(), theirs.get(),
                                                      static_cast<int>(count));
        }));
    const auto a = ours.values(), b = theirs.values();
    table.row("scan-segments", type, "flag in " + std::to_string(apart), times, "CUB, by key",
              (2.0 * sizeof(T) + 1) * static_cast<double>(count), "GB/s", copy,
              error > 0 ? agree(a, b, error) : a == b);
}

inline void scans_of_rows(const Context &context, Table &table, const Settings &settings) {
    struct Size {
        size_t batch, n;
    };
    const std::vector<Size> all = {{1 << 26, 1},  {1 << 23, 8}, {2033601, 33}, {1 << 20, 64}, {67108, 1000},
                                   {16380, 4097}, {8192, 8192}, {64, 1 << 20}, {7, 9586981}};
    for (const auto &[batch, n] : settings.sizes<Size>({{1 << 14, 64}, {1024, 1000}}, all)) {
        scan_of_rows(context, table, "int32", batch, n, random_keys<int32_t>(batch * n), settings.copy, 0);
        if (n == 64 || n == 4097 || n == 1 << 20)
            scan_of_rows(context, table, "float32", batch, n, random_reals<float>(batch * n, 3), settings.copy, 1e-3);
    }
    const size_t count = settings.count(1 << 20, 1 << 26);
    for (const size_t apart : {1, 3, 50, 5000, 1 << 24})
        scan_of_segments(context, table, "int32", apart, random_keys<int32_t>(count), settings.copy, 0);
    scan_of_segments(context, table, "float32", 50, random_reals<float>(count, 3), settings.copy, 1e-3);
}

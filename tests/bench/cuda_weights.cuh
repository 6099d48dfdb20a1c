// Histograms of weights and of pairs beside CUDA kernels with atomicAdd, as CuPy's are, in shared
// memory where that has room: CUB has neither. Part of peers_cuda.cu. gpcl's sums are compared with
// those of "host": theirs depend on the order of additions, and their bins on how a product is
// rounded.
// SPDX-License-Identifier: MIT
#pragma once

constexpr int kWeightsGroup = 512;

// The bin of x between -1 and 1; `bins` outside.
__device__ inline unsigned even_bin(float x, unsigned bins) {
    const float place = (x + 1.0f) * (static_cast<float>(bins) * 0.5f);
    if (!(x >= -1.0f && x <= 1.0f)) return bins;
    return min(static_cast<unsigned>(place), bins - 1);
}

// Adds W{1} without weights. `inner`: sums of each block first.
template <typename Sum, typename W, bool pairs, bool inner> __global__ void __launch_bounds__(kWeightsGroup)
    weigh(const float *x, const float *y, const W *weights, size_t n, unsigned bins, unsigned cells, Sum *sums) {
    extern __shared__ char room[];
    Sum *own = reinterpret_cast<Sum *>(room);
    Sum *to = inner ? own : sums;
    if constexpr (inner) {
        for (unsigned i = threadIdx.x; i < cells; i += blockDim.x) own[i] = 0;
        __syncthreads();
    }
    for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += static_cast<size_t>(gridDim.x) * blockDim.x) {
        const unsigned bin = even_bin(x[i], bins);
        unsigned cell = bin < bins ? bin : cells;
        if constexpr (pairs) {
            const unsigned column = even_bin(y[i], bins);
            cell = bin < bins && column < bins ? bin * bins + column : cells;
        }
        if (cell < cells) atomicAdd(to + cell, weights != nullptr ? static_cast<Sum>(weights[i]) : Sum{1});
    }
    if constexpr (inner) {
        __syncthreads();
        for (unsigned i = threadIdx.x; i < cells; i += blockDim.x)
            if (own[i] != 0) atomicAdd(sums + i, own[i]);
    }
}

// Sums of weights of type W, or counts where W is unsigned.
template <typename W, bool pairs>
void weights_row(const Context &context, Table &table, size_t n, size_t bins, bool skewed, double copy) {
    constexpr bool counts = std::is_same_v<W, unsigned>;
    using Ours = std::conditional_t<counts, uint64_t, W>;
    const size_t cells = pairs ? bins * bins : bins;
    std::vector<float> x = random_reals<float>(n, 3);
    if (skewed)
        for (size_t i = 0; i < n; ++i)
            if (random_bits(5, i) % 16 != 0) x[i] = 0.3f; // 15 of 16 are equal
    const auto y = random_reals<float>(pairs ? n : 1, 4);
    std::vector<W> weights(counts ? 1 : n);
    if constexpr (!counts) {
        weights = random_reals<W>(n, 6);
        for (W &w : weights) w = (w + 1) / 2;
    }
    const Buffer<float> our_x(context, x), our_y(context, y);
    const Buffer<W> our_weights(context, weights);
    Buffer<Ours> ours(context, cells);
    const Memory<float> their_x(x), their_y(y);
    const Memory<W> their_weights(weights), theirs(cells);
    gp_histogram_weighted_options one = GP_HISTOGRAM_WEIGHTED_OPTIONS_INIT;
    gp_histogram_2d_options two = GP_HISTOGRAM_2D_OPTIONS_INIT;
    one.lower = two.lower_x = two.lower_y = -1;
    one.upper = two.upper_x = two.upper_y = 1;
    constexpr gp_dtype type = counts ? gp_dtype{0} : sizeof(W) == 8 ? gp_dtype{GP_FLOAT64} : gp_dtype{GP_FLOAT32};
    const Side gpcl = {
        [&] {
            gp_buffer *weighing = nullptr;
            if constexpr (!counts) weighing = our_weights;
            if constexpr (pairs)
                peers::check(gp_enqueue_histogram_2d(context, GP_FLOAT32, n, our_x, 0, our_y, 0, type, weighing, 0,
                                                     bins, bins, ours, 0, &two, 0, nullptr, nullptr));
            else
                peers::check(gp_enqueue_histogram_weighted(context, GP_FLOAT32, n, our_x, 0, type, weighing, 0, bins,
                                                           ours, 0, &one, 0, nullptr, nullptr));
        },
        [&] { context.finish(); }};
    const size_t room = cells * sizeof(W);
    const bool inner = room <= 96 * 1024;
    const auto kernel = inner ? weigh<W, W, pairs, true> : weigh<W, W, pairs, false>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 96 * 1024));
    const Side cuda = {[&] {
                           check(cudaMemsetAsync(theirs.get(), 0, cells * sizeof(W)));
                           kernel<<<132 * 4, kWeightsGroup, inner ? room : 0>>>(
                               their_x.get(), their_y.get(), counts ? nullptr : their_weights.get(), n,
                               static_cast<unsigned>(bins), static_cast<unsigned>(cells), theirs.get());
                           check(cudaGetLastError());
                       },
                       finish};
    const auto times = alternately(gpcl, cuda);
    // Both are exact sums, rounded once.
    static const Context host("host");
    std::vector<Ours> expected(cells);
    if constexpr (pairs)
        peers::check(gp_histogram_2d(host, GP_FLOAT32, n, x.data(), y.data(), type, counts ? nullptr : weights.data(),
                                     bins, bins, expected.data(), &two));
    else
        peers::check(
            gp_histogram_weighted(host, GP_FLOAT32, n, x.data(), type, weights.data(), bins, expected.data(), &one));
    const double bytes = static_cast<double>(n) * (sizeof(float) * (pairs ? 2 : 1) + (counts ? 0 : sizeof(W)));
    const std::string size = size_text(bins) + (pairs ? "^2" : "") + ", " + size_text(n);
    table.row(pairs ? "histogram-2d" : "histogram-weighted",
              counts           ? "counts"
              : sizeof(W) == 8 ? "w f64"
              : skewed         ? "w f32 skew"
                               : "w float32",
              size, times, "CUDA atomics", bytes, "GB/s", copy, ours.values() == expected);
}

inline void histogram_weights(const Context &context, Table &table, const Settings &settings) {
    for (const size_t n : settings.sizes<size_t>({1 << 20}, {1 << 20, 1 << 24})) {
        for (const size_t bins : {size_t{16}, size_t{256}, size_t{4096}, size_t{1} << 16})
            weights_row<float, false>(context, table, n, bins, false, settings.copy);
        weights_row<float, false>(context, table, n, 256, true, settings.copy);
        weights_row<double, false>(context, table, n, 256, false, settings.copy);
        weights_row<unsigned, true>(context, table, n, 16, false, settings.copy);
        weights_row<unsigned, true>(context, table, n, 100, false, settings.copy);
        weights_row<unsigned, true>(context, table, n, 1024, false, settings.copy);
        weights_row<float, true>(context, table, n, 64, false, settings.copy);
    }
    if (!settings.quick && settings.n == 0)
        weights_row<float, false>(context, table, size_t{1} << 26, 256, false, settings.copy);
}

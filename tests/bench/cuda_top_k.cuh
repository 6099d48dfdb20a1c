// Top-k beside CUB's, which gives the k elements in any order, and of equal ones any; where CUB has
// none, beside its sort of all pairs.
// SPDX-License-Identifier: MIT
#pragma once

#if __has_include(<cub/device/device_topk.cuh>)
#include <cub/device/device_topk.cuh>
#define PEERS_TOP_K
#endif

namespace {

#ifdef PEERS_TOP_K
inline const char *const kTopKPeer = "CUB";
#else
inline const char *const kTopKPeer = "CUB sort";
#endif

// The k largest, of pairs of a key and a position.
template <typename T>
Side largest_of(const Memory<T> &in, size_t n, Memory<T> &out, Memory<uint32_t> &places, size_t k) {
#ifdef PEERS_TOP_K
    return cub_side([&, n, k](void *space, size_t &bytes) {
        const thrust::counting_iterator<uint32_t> positions(0);
        const auto any = cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                                  cuda::execution::output_ordering::unsorted);
        return cub::DeviceTopK::MaxPairs(space, bytes, in.get(), out.get(), positions, places.get(),
                                         static_cast<uint32_t>(n), static_cast<uint32_t>(k), any);
    });
#else
    (void)k;
    std::vector<uint32_t> all(n);
    for (size_t i = 0; i < n; ++i) all[i] = static_cast<uint32_t>(i);
    const auto positions = std::make_shared<Memory<uint32_t>>(all);
    return cub_side([&, n, positions](void *space, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairsDescending(space, bytes, in.get(), out.get(), positions->get(),
                                                         places.get(), n);
    });
#endif
}

template <typename T> void top_k(const Context &context, Table &table, const std::vector<T> &values, size_t k,
                                 const char *type, double copy, bool unsorted) {
    const size_t n = values.size();
    const Buffer<T> in(context, values);
    Buffer<T> ours(context, k);
    Buffer<uint32_t> our_places(context, k);
    const Memory<T> their_in(values);
#ifdef PEERS_TOP_K
    const size_t room = k;
#else
    const size_t room = n;
#endif
    Memory<T> theirs(room);
    Memory<uint32_t> their_places(room);
    const Side gpcl = {[&] {
                           gp_top_k_options options = GP_TOP_K_OPTIONS_INIT;
                           options.unsorted = unsorted ? 1 : 0;
                           peers::check(gp_enqueue_top_k(context, GP_DESCENDING, peers::dtype<T>(), n, in, 0, k,
                                                         GP_UINT32, our_places, 0, ours, 0, &options, 0, nullptr,
                                                         nullptr));
                       },
                       [&] { context.finish(); }};
    const auto times = alternately(gpcl, largest_of(their_in, n, theirs, their_places, k));
    auto a = ours.values(), b = theirs.values();
    const auto places = our_places.values();
    bool same = true;
    for (size_t i = 0; i < k; ++i) same = same && places[i] < n && values[places[i]] == a[i];
    if (!unsorted)
        for (size_t i = 1; i < k; ++i)
            same = same && (a[i] < a[i - 1] || (a[i] == a[i - 1] && places[i] > places[i - 1]));
    std::sort(a.rbegin(), a.rend());
    std::sort(b.rbegin(), b.rend());
    b.resize(k);
    table.row(unsorted ? "top-k-any" : "top-k", type, size_text(k) + " of " + size_text(n), times, kTopKPeer,
              static_cast<double>(sizeof(T) * n), "GB/s", copy, same && a == b);
}

// Long rows, short ones in a chain of calls, and many equal elements.
inline void top_ks(const Context &context, Table &table, const Settings &settings) {
    struct Size {
        size_t n, k;
    };
    auto sizes = settings.sizes<Size>({{1 << 16, 64}, {1 << 20, 1000}}, {{1 << 12, 64},
                                                                         {1 << 16, 64},
                                                                         {1 << 16, 1 << 12},
                                                                         {1 << 18, 64},
                                                                         {1 << 20, 64},
                                                                         {1 << 20, 1 << 12},
                                                                         {1 << 22, 64},
                                                                         {1 << 24, 64},
                                                                         {1 << 24, 1 << 12},
                                                                         {1 << 28, 64},
                                                                         {1 << 28, 2048},
                                                                         {1 << 28, 1 << 16}});
    std::vector<float> reals;
    if (settings.n != 0) sizes = {{settings.n, 64}, {settings.n, std::min(settings.n, size_t{1} << 12)}};
    for (const Size &size : sizes) {
        if (reals.size() != size.n) reals = random_reals<float>(size.n, 3);
        top_k(context, table, reals, size.k, "float32", settings.copy, false);
        if (size.k > 2048) top_k(context, table, reals, size.k, "float32", settings.copy, true);
    }
    const size_t n = settings.count(1 << 20, 1 << 24);
    top_k(context, table, random_keys<uint64_t>(n), 1000, "uint64", settings.copy, false);
    auto few = random_keys<uint32_t>(n);
    for (uint32_t &x : few) x %= 3;
    top_k(context, table, few, 1000, "uint32 equal", settings.copy, false);
    // Of every fourth element a sample tells nothing.
    top_k(context, table, random_keys<uint32_t>(n), n / 4, "uint32", settings.copy, true);
    top_k(context, table, random_reals<float>(n, 3), n / 4, "float32", settings.copy, true);
}

} // namespace

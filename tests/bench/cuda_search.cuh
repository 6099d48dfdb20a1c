// Search in sorted arrays beside CUB's DeviceFind, or Thrust where CUB has none; is-sorted beside a
// sum, which reads as much.
// SPDX-License-Identifier: MIT
#pragma once

#if __has_include(<cub/device/device_find.cuh>)
#include <cub/device/device_find.cuh>
#define PEERS_HAVE_FIND
#endif
#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>

namespace {

// m values in an array of n elements.
struct Searched {
    size_t n, m;
    bool sorted; // the values
    std::string text() const { return size_text(m) + (sorted ? " s " : " in ") + size_text(n); }
};

// Random numbers in ascending order.
inline std::vector<uint32_t> ascending(size_t n, uint64_t seed) {
    std::vector<uint32_t> values(n);
    const double step = 0x1p32 / static_cast<double>(n);
    for (size_t i = 0; i < n; ++i) {
        const double within = static_cast<double>(random_bits(seed << 40, i) >> 11) * 0x1p-53;
        values[i] = static_cast<uint32_t>(std::min((static_cast<double>(i) + within) * step, 4294967295.0));
    }
    return values;
}

struct Less {
    __host__ __device__ bool operator()(uint32_t a, uint32_t b) const { return a < b; }
};

inline void search(const Context &context, Table &table, const Searched &s) {
    const auto array = ascending(s.n, 7), values = s.sorted ? ascending(s.m, 11) : random_keys<uint32_t>(s.m, 13);
    const Buffer<uint32_t> in(context, array), asked(context, values);
    Buffer<uint32_t> ours(context, s.m);
    const Memory<uint32_t> their_in(array), their_values(values), theirs(s.m);
    const Side gpcl = {[&] {
                           peers::check(gp_enqueue_search(context, GP_UINT32, s.n, in, 0, s.m, asked, 0, GP_UINT32,
                                                          ours, 0, nullptr, 0, nullptr, nullptr));
                       },
                       [&] { context.finish(); }};
#ifdef PEERS_HAVE_FIND
    const char *peer = s.sorted ? "CUB, sorted values" : "CUB";
    const auto times = alternately(
        gpcl, cub_side([&](void *space, size_t &bytes) {
            const auto n = static_cast<uint32_t>(s.n), m = static_cast<uint32_t>(s.m);
            return s.sorted ? cub::DeviceFind::LowerBoundSortedValues(space, bytes, their_in.get(), n,
                                                                      their_values.get(), m, theirs.get(), Less{})
                            : cub::DeviceFind::LowerBound(space, bytes, their_in.get(), n, their_values.get(), m,
                                                          theirs.get(), Less{});
        }));
#else
    const char *peer = "Thrust";
    const auto times =
        alternately(gpcl, {[&] {
                               thrust::lower_bound(thrust::device, their_in.get(), their_in.get() + s.n,
                                                   their_values.get(), their_values.get() + s.m, theirs.get(), Less{});
                           },
                           finish});
#endif
    table.row(s.sorted ? "search-sorted" : "search", "uint32", s.text(), times, peer, static_cast<double>(s.m), "G/s",
              0, ours.values() == theirs.values());
}

inline void is_sorted(const Context &context, Table &table, size_t n, double copy) {
    const auto array = ascending(n, 7);
    const Buffer<uint32_t> in(context, array);
    Buffer<uint64_t> ours(context, 1);
    const Memory<uint32_t> their_in(array), theirs(1);
    const Side gpcl = {
        [&] {
            peers::check(gp_enqueue_is_sorted(context, GP_UINT32, n, in, 0, ours, 0, nullptr, 0, nullptr, nullptr));
        },
        [&] { context.finish(); }};
    const auto times = alternately(gpcl, cub_side([&](void *space, size_t &bytes) {
                                       return cub::DeviceReduce::Sum(space, bytes, their_in.get(), theirs.get(), n);
                                   }));
    table.row("is-sorted", "uint32", size_text(n), times, "CUB sum", 4 * static_cast<double>(n), "GB/s", copy,
              ours.values()[0] == n);
}

inline void searches(const Context &context, Table &table, const Settings &settings) {
    if (settings.wants("search")) {
        for (const Searched &s : settings.sizes<Searched>({{1 << 16, 1 << 16, false}, {1 << 16, 1 << 16, true}},
                                                          {{1 << 12, 10'000'000, false},
                                                           {1 << 20, 10'000'000, false},
                                                           {1 << 24, 10'000'000, false},
                                                           {1 << 27, 10'000'000, false},
                                                           {1 << 24, 1000, false},
                                                           {1 << 27, 100'000, false},
                                                           {1 << 20, 10'000'000, true},
                                                           {1 << 24, 10'000'000, true},
                                                           {1 << 27, 10'000'000, true},
                                                           {1 << 26, 1 << 26, true},
                                                           {1 << 27, 100'000, true},
                                                           {1 << 16, 1 << 16, false},
                                                           {1 << 16, 1 << 16, true},
                                                           {1 << 24, 1 << 20, false},
                                                           {1 << 24, 1 << 20, true},
                                                           {1 << 20, 1 << 20, true},
                                                           {1 << 26, 1 << 26, false}}))
            search(context, table, s);
    }
    if (settings.wants("is-sorted"))
        for (const size_t n : settings.sizes<size_t>({1 << 20}, {1 << 20, 1 << 24, 1 << 28}))
            is_sorted(context, table, n, settings.copy);
}

} // namespace

// Merges, and sorts by a caller's order, beside CUB's. peers_cuda.cu includes it behind what it
// uses.
// SPDX-License-Identifier: MIT
#pragma once

#include <cub/device/device_merge.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

namespace merges {

// n ascending keys of any bits, as far as n keys can be apart.
template <typename T> std::vector<T> sorted(size_t n, uint64_t seed) {
    std::vector<T> keys = random_keys<T>(n, seed);
    const uint64_t mean = n < (size_t{1} << 30) ? (uint64_t{1} << 31) / std::max<size_t>(n, 1) : 1;
    uint64_t at = 0;
    for (T &key : keys) {
        at += static_cast<uint64_t>(key) % (2 * mean);
        key = static_cast<T>(at);
    }
    return keys;
}
template <> std::vector<float> sorted<float>(size_t n, uint64_t seed) {
    const auto keys = sorted<uint32_t>(n, seed);
    std::vector<float> result(n);
    for (size_t i = 0; i < n; ++i) result[i] = static_cast<float>(keys[i]) - 0x1p30f;
    return result;
}

template <typename T> void keys(const Context &context, Table &table, size_t n, const char *type, double copy) {
    const auto a = sorted<T>(n / 2, 1), b = sorted<T>(n - n / 2, 2);
    const Buffer<T> our_a(context, a), our_b(context, b);
    Buffer<T> ours(context, n);
    const Memory<T> their_a(a), their_b(b), theirs(n);
    const Side gpcl = {[&] {
                           peers::check(gp_enqueue_merge(context, peers::dtype<T>(), a.size(), our_a, 0, b.size(),
                                                         our_b, 0, ours, 0, nullptr, 0, nullptr, nullptr));
                       },
                       [&] { context.finish(); }};
    const auto times =
        alternately(gpcl, cub_side([&](void *space, size_t &bytes) {
                        return cub::DeviceMerge::MergeKeys(space, bytes, their_a.get(), static_cast<int64_t>(a.size()),
                                                           their_b.get(), static_cast<int64_t>(b.size()), theirs.get());
                    }));
    table.row("merge", type, size_text(n), times, "CUB", 2.0 * static_cast<double>(sizeof(T) * n), "GB/s", copy,
              ours.values() == theirs.values());
}

template <typename T, typename Value>
void pairs(const Context &context, Table &table, size_t n, const char *type, double copy) {
    const auto a = sorted<T>(n / 2, 1), b = sorted<T>(n - n / 2, 2);
    const auto of_a = random_keys<Value>(a.size(), 3), of_b = random_keys<Value>(b.size(), 4);
    const Buffer<T> our_a(context, a), our_b(context, b);
    const Buffer<Value> our_values_a(context, of_a), our_values_b(context, of_b);
    Buffer<T> ours(context, n);
    Buffer<Value> our_values(context, n);
    const Memory<T> their_a(a), their_b(b), theirs(n);
    const Memory<Value> their_values_a(of_a), their_values_b(of_b), their_values(n);
    const Side gpcl = {[&] {
                           peers::check(gp_enqueue_merge_pairs(context, peers::dtype<T>(), a.size(), our_a, 0, b.size(),
                                                               our_b, 0, ours, 0, sizeof(Value), our_values_a, 0,
                                                               our_values_b, 0, our_values, 0, nullptr, 0, nullptr,
                                                               nullptr));
                       },
                       [&] { context.finish(); }};
    const auto times = alternately(gpcl, cub_side([&](void *space, size_t &bytes) {
                                       return cub::DeviceMerge::MergePairs(
                                           space, bytes, their_a.get(), their_values_a.get(),
                                           static_cast<int64_t>(a.size()), their_b.get(), their_values_b.get(),
                                           static_cast<int64_t>(b.size()), theirs.get(), their_values.get());
                                   }));
    table.row("merge pairs", type, size_text(n), times, "CUB",
              2.0 * static_cast<double>((sizeof(T) + sizeof(Value)) * n), "GB/s", copy,
              ours.values() == theirs.values() && our_values.values() == their_values.values());
}

// `count` runs of some n / count keys each.
template <typename T> struct Runs {
    std::vector<T> keys;
    std::vector<uint64_t> offsets;

    Runs(size_t n, size_t count) {
        for (size_t run = 0; run <= count; ++run) {
            const size_t about = n / count * run;
            offsets.push_back(run == 0 ? 0 : run == count ? n : about + random_bits(5, run) % (n / count / 4 + 1));
        }
        keys.reserve(n);
        for (size_t run = 0; run < count; ++run) {
            const std::vector<T> one = sorted<T>(offsets[run + 1] - offsets[run], run + 1);
            keys.insert(keys.end(), one.begin(), one.end());
        }
    }
    size_t count() const { return offsets.size() - 1; }
};

// CUB has no merge of runs. Beside: its merge of two, once for each pair of each pass, as a program
// that knows the offsets on the host may call it; and its radix sort of all keys, without counting
// the copy of what it sorts.
template <typename T>
void runs(const Context &context, Table &table, size_t n, size_t count, const char *type, double copy) {
    const Runs<T> in(n, count);
    const Buffer<T> our_in(context, in.keys);
    const Buffer<uint64_t> our_offsets(context, in.offsets);
    Buffer<T> ours(context, n);
    const Memory<T> their_in(in.keys), one(n), other(n);
    const Side gpcl = {[&] {
                           peers::check(gp_enqueue_merge_runs(context, peers::dtype<T>(), n, our_in, 0, count,
                                                              our_offsets, 0, ours, 0, nullptr, 0, nullptr, nullptr));
                       },
                       [&] { context.finish(); }};
    size_t most = 0;
    check(cub::DeviceMerge::MergeKeys(nullptr, most, their_in.get(), static_cast<int64_t>(n), their_in.get(),
                                      static_cast<int64_t>(n), one.get()));
    const Memory<char> space(most);
    const T *merged = nullptr;
    const auto merge = [&] {
        const T *from = their_in.get();
        for (size_t step = 1; step < count; step *= 2) {
            T *const to = from == one.get() ? other.get() : one.get();
            for (size_t run = 0; run < count; run += 2 * step) {
                const uint64_t first = in.offsets[run], middle = in.offsets[std::min(run + step, count)],
                               end = in.offsets[std::min(run + 2 * step, count)];
                size_t bytes = most;
                check(cub::DeviceMerge::MergeKeys(space.get(), bytes, from + first,
                                                  static_cast<int64_t>(middle - first), from + middle,
                                                  static_cast<int64_t>(end - middle), to + first));
            }
            from = to;
        }
        merged = from;
    };
    const double bytes = 2.0 * static_cast<double>(sizeof(T) * n);
    const std::string called = "runs: " + std::to_string(count);
    const auto of_merges = alternately(gpcl, {merge, finish, merge});
    std::vector<T> theirs(n);
    check(cudaMemcpy(theirs.data(), merged, n * sizeof(T), cudaMemcpyDeviceToHost));
    table.row(called.c_str(), type, size_text(n), of_merges, "CUB merges", bytes, "GB/s", copy,
              ours.values() == theirs);
    const auto of_sort = alternately(gpcl, cub_side([&](void *room, size_t &needed) {
                                         return cub::DeviceRadixSort::SortKeys(room, needed, their_in.get(), one.get(),
                                                                               static_cast<int64_t>(n));
                                     }));
    table.row(called.c_str(), type, size_text(n), of_sort, "CUB radix sort", bytes, "GB/s", copy,
              ours.values() == one.values());
}

void all_runs(const Context &context, Table &table, const Settings &settings) {
    for (const auto n : settings.sizes<size_t>({1 << 16, 1 << 20}, {1 << 16, 1 << 20, 1 << 24, 1 << 28}))
        for (const size_t count : {2, 4, 8, 32, 128, 1024}) {
            runs<uint32_t>(context, table, n, count, "uint32", settings.copy);
            if (n == 1 << 20 || n == 1 << 28) runs<uint64_t>(context, table, n, count, "uint64", settings.copy);
        }
}

struct Edge {
    uint32_t key, from, to, weight;
    bool operator==(const Edge &other) const { return key == other.key && from == other.from; }
};
struct Less {
    __device__ bool operator()(uint32_t a, uint32_t b) const { return a < b; }
    __device__ bool operator()(uint64_t a, uint64_t b) const { return a < b; }
    __device__ bool operator()(const Edge &a, const Edge &b) const { return a.key < b.key; }
};

template <typename T> void sort_by(const Context &context, Table &table, const std::vector<T> &in, const char *name,
                                   const char *type, const char *helpers, const char *comes_before, double copy) {
    const size_t n = in.size();
    const Buffer<T> our_in(context, in);
    Buffer<T> ours(context, n);
    const Memory<T> their_in(in), theirs(n);
    gp_sort_by_options options = GP_SORT_BY_OPTIONS_INIT;
    options.helpers = helpers;
    const Side gpcl = {[&] {
                           peers::check(gp_enqueue_sort_by(context, sizeof(T), n, ours, 0, type, comes_before, &options,
                                                           0, nullptr, nullptr));
                       },
                       [&] { context.finish(); }, [&] { ours.copy_from(our_in); }};
    Side cub = cub_side([&](void *space, size_t &bytes) {
        return cub::DeviceMergeSort::StableSortKeys(space, bytes, theirs.get(), static_cast<int64_t>(n), Less());
    });
    cub.prepare = [&] { check(cudaMemcpy(theirs.get(), their_in.get(), n * sizeof(T), cudaMemcpyDeviceToDevice)); };
    const auto times = alternately(gpcl, cub, true);
    table.row("sort by", name, size_text(n), times, "CUB merge sort", 2.0 * static_cast<double>(sizeof(T) * n), "GB/s",
              copy, ours.values() == theirs.values());
}

void sorts_by(const Context &context, Table &table, const Settings &settings) {
    for (const auto n : settings.sizes<size_t>({1 << 16, 1 << 20}, {1 << 10, 1 << 16, 1 << 20, 1 << 24, 1 << 27})) {
        sort_by(context, table, random_keys<uint32_t>(n), "uint32", "uint", nullptr, "a < b", settings.copy);
        if (n < 1 << 20) continue;
        sort_by(context, table, random_keys<uint64_t>(n), "uint64", "ulong", nullptr, "a < b", settings.copy);
        const auto keys = random_keys<uint32_t>(n);
        std::vector<Edge> edges(n);
        for (size_t i = 0; i < n; ++i) edges[i] = {keys[i] % 100000, static_cast<uint32_t>(i), 0, 0};
        sort_by(context, table, edges, "16 bytes", "struct edge", "struct edge { uint key, from, to, weight; };",
                "a.key < b.key", settings.copy);
    }
}

void all(const Context &context, Table &table, const Settings &settings) {
    for (const auto n : settings.sizes<size_t>({1 << 16, 1 << 20}, {1 << 10, 1 << 16, 1 << 20, 1 << 24, 1 << 28})) {
        keys<uint32_t>(context, table, n, "uint32", settings.copy);
        if (n < 1 << 20) continue;
        keys<float>(context, table, n, "float32", settings.copy);
        keys<uint64_t>(context, table, n, "uint64", settings.copy);
        pairs<uint32_t, uint32_t>(context, table, n, "uint32, 4 bytes", settings.copy);
    }
}

} // namespace merges

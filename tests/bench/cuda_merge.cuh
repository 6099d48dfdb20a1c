// Merges beside CUB's. peers_cuda.cu includes it behind what it uses.
// SPDX-License-Identifier: MIT
#pragma once

#include <cub/device/device_merge.cuh>

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
    const auto times = alternately(gpcl, cub_side([&](void *space, size_t &bytes) {
                                       return cub::DeviceMerge::MergeKeys(space, bytes, their_a.get(),
                                                                          static_cast<int64_t>(a.size()), their_b.get(),
                                                                          static_cast<int64_t>(b.size()), theirs.get());
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
                           peers::check(gp_enqueue_merge_pairs(
                               context, peers::dtype<T>(), a.size(), our_a, 0, b.size(), our_b, 0, ours, 0,
                               sizeof(Value), our_values_a, 0, our_values_b, 0, our_values, 0, nullptr, 0, nullptr,
                               nullptr));
                       },
                       [&] { context.finish(); }};
    const auto times =
        alternately(gpcl, cub_side([&](void *space, size_t &bytes) {
                        return cub::DeviceMerge::MergePairs(space, bytes, their_a.get(), their_values_a.get(),
                                                            static_cast<int64_t>(a.size()), their_b.get(),
                                                            their_values_b.get(), static_cast<int64_t>(b.size()),
                                                            theirs.get(), their_values.get());
                    }));
    table.row("merge pairs", type, size_text(n), times, "CUB",
              2.0 * static_cast<double>((sizeof(T) + sizeof(Value)) * n), "GB/s", copy,
              ours.values() == theirs.values() && our_values.values() == their_values.values());
}

template <typename T> void sweep_of(const Context &context, size_t n, bool with_values) {
    const auto a = sorted<T>(n / 2, 1), b = sorted<T>(n / 2, 2);
    const Buffer<T> our_a(context, a), our_b(context, b), values(context, n / 2);
    Buffer<T> ours(context, n), our_values(context, n);
    struct Setting { int group, items, reg; };
    for (const Setting &s : {Setting{128, 11, 1}, {128, 15, 1}, {128, 19, 1}, {128, 23, 1}, {256, 7, 1}, {256, 9, 1}, {256, 11, 1},
                             {256, 13, 1}, {256, 15, 1}, {256, 17, 1}, {256, 21, 1}, {512, 7, 1}, {512, 9, 1}, {512, 11, 1}, {512, 15, 1},
                             {512, 19, 1}, {256, 11, 0}, {256, 15, 0}, {256, 19, 0}, {512, 11, 0}, {512, 15, 0}, {128, 15, 0}}) {
        setenv("GP_M_GROUP", std::to_string(s.group).c_str(), 1);
        setenv("GP_M_ITEMS", std::to_string(s.items).c_str(), 1);
        setenv("GP_M_REG", std::to_string(s.reg).c_str(), 1);
        const auto call = [&] {
            peers::check(with_values
                             ? gp_enqueue_merge_pairs(context, peers::dtype<T>(), n / 2, our_a, 0, n / 2, our_b, 0, ours, 0,
                                                      sizeof(T), values, 0, values, 0, our_values, 0, nullptr, 0, nullptr, nullptr)
                             : gp_enqueue_merge(context, peers::dtype<T>(), n / 2, our_a, 0, n / 2, our_b, 0, ours, 0,
                                                nullptr, 0, nullptr, nullptr));
        };
        if (with_values && s.reg) continue;
        call();
        context.finish();
        double best = 1e9;
        for (int i = 0; i < 3; ++i)
            best = std::min(best, milliseconds([&] {
                                for (int k = 0; k < 4; ++k) call();
                                context.finish();
                            }) / 4);
        std::printf("%zu bytes%s %d x %d %s: %.3f ms, %.0f GB/s\n", sizeof(T), with_values ? " pairs" : "", s.group, s.items,
                    s.reg ? "registers" : "numbers", best, (with_values ? 4.0 : 2.0) * n * sizeof(T) / best * 1e-6);
    }
    std::fflush(stdout);
}
void sweep(const Context &context) {
    sweep_of<uint32_t>(context, 1 << 28, false);
    sweep_of<uint64_t>(context, 1 << 27, false);
    sweep_of<uint32_t>(context, 1 << 27, true);
    for (const auto *own : {"1", "4", "8", "32", "1000"})
        for (const size_t n : {1 << 18, 1 << 20, 1 << 22, 1 << 24}) {
            setenv("GP_M_GROUP", "256", 1); setenv("GP_M_ITEMS", "15", 1); setenv("GP_M_REG", "1", 1); setenv("GP_M_OWN", own, 1);
            const auto a = sorted<uint32_t>(n / 2, 1);
            const Buffer<uint32_t> our_a(context, a);
            Buffer<uint32_t> ours(context, n);
            const auto call = [&] {
                peers::check(gp_enqueue_merge(context, GP_UINT32, n / 2, our_a, 0, n / 2, our_a, 0, ours, 0, nullptr, 0, nullptr, nullptr));
            };
            call();
            context.finish();
            std::printf("own %s n %zu: %.4f ms\n", own, n, milliseconds([&] { for (int k = 0; k < 50; ++k) call(); context.finish(); }) / 50);
        }
}

void all(const Context &context, Table &table, const Settings &settings) {
    if (getenv("GP_M_BIG") != nullptr) return sweep(context);
    for (const auto n : settings.sizes<size_t>({1 << 16, 1 << 20}, {1 << 10, 1 << 16, 1 << 20, 1 << 24, 1 << 28})) {
        keys<uint32_t>(context, table, n, "uint32", settings.copy);
        if (n < 1 << 20) continue;
        keys<float>(context, table, n, "float32", settings.copy);
        keys<uint64_t>(context, table, n, "uint64", settings.copy);
        pairs<uint32_t, uint32_t>(context, table, n, "uint32, 4 bytes", settings.copy);
    }
}

} // namespace merges

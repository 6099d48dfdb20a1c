// Selections, partitions, positions, run lengths and sums by key, beside CUB's. peers_cuda.cu
// includes it behind what it uses.
// SPDX-License-Identifier: MIT
#pragma once

namespace selects {

constexpr const char *kDensities[] = {"none", "1/1000", "1/2", "all"};

std::vector<uint8_t> flags_of(size_t n, size_t density) {
    std::vector<uint8_t> flags(n);
    for (size_t i = 0; i < n; ++i) {
        const uint64_t random = random_bits(uint64_t{9} << 40, i);
        flags[i] = density == 3 || (density == 2 && random % 2 != 0) || (density == 1 && random % 1000 == 0) ? 1 : 0;
    }
    return flags;
}

template <typename T> std::vector<T> first_of(const std::vector<T> &values, uint64_t count) {
    return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)};
}

// Bytes that have to move: flags, and each kept element twice.
double bytes_of(size_t n, uint64_t kept, size_t size) {
    return static_cast<double>(n) + 2.0 * static_cast<double>(kept * size);
}

template <typename T>
void by_flags(const Context &context, Table &table, size_t n, size_t density, const char *type, double copy) {
    const auto values = random_keys<T>(n);
    const auto flags = flags_of(n, density);
    const Buffer<T> in(context, values);
    const Buffer<uint8_t> our_flags(context, flags);
    Buffer<T> ours(context, n);
    Buffer<uint64_t> our_count(context, 1);
    const Memory<T> their_in(values), theirs(n);
    const Memory<uint8_t> their_flags(flags);
    const Memory<uint64_t> their_count(1);
    const std::string called = std::string("select ") + kDensities[density];
    const Side gpcl = {[&] {
                           peers::check(gp_enqueue_select(context, sizeof(T), n, in, 0, our_flags, 0, ours, 0,
                                                          our_count, 0, nullptr, 0, nullptr, nullptr));
                       },
                       [&] { context.finish(); }};
    const auto times =
        alternately(gpcl, cub_side([&](void *space, size_t &bytes) {
                        return cub::DeviceSelect::Flagged(space, bytes, their_in.get(), their_flags.get(), theirs.get(),
                                                          their_count.get(), static_cast<int64_t>(n));
                    }));
    const uint64_t kept = our_count.values()[0];
    table.row(called.c_str(), type, size_text(n), times, "CUB", bytes_of(n, kept, sizeof(T)), "GB/s", copy,
              kept == their_count.values()[0] && first_of(ours.values(), kept) == first_of(theirs.values(), kept));
}

struct Small {
    __device__ bool operator()(uint32_t x) const { return x < 0x80000000u; }
};

void by_text(const Context &context, Table &table, size_t n, double copy) {
    const auto values = random_keys<uint32_t>(n);
    const Buffer<uint32_t> in(context, values);
    Buffer<uint32_t> ours(context, n);
    Buffer<uint64_t> our_count(context, 1);
    const Memory<uint32_t> their_in(values), theirs(n);
    const Memory<uint64_t> their_count(1);
    gp_select_options options = GP_SELECT_OPTIONS_INIT;
    options.predicate = "x < 0x80000000u";
    options.type = "uint";
    const Side gpcl = {[&] {
                           peers::check(gp_enqueue_select(context, 4, n, in, 0, nullptr, 0, ours, 0, our_count, 0,
                                                          &options, 0, nullptr, nullptr));
                       },
                       [&] { context.finish(); }};
    const auto times =
        alternately(gpcl, cub_side([&](void *space, size_t &bytes) {
                        return cub::DeviceSelect::If(space, bytes, their_in.get(), theirs.get(), their_count.get(),
                                                     static_cast<int64_t>(n), Small());
                    }));
    const uint64_t kept = our_count.values()[0];
    table.row("select if", "uint32", size_text(n), times, "CUB", 4.0 * static_cast<double>(n + kept), "GB/s", copy,
              kept == their_count.values()[0] && first_of(ours.values(), kept) == first_of(theirs.values(), kept));
}

// CUB writes the others from the end on.
void partition(const Context &context, Table &table, size_t n, double copy) {
    const auto values = random_keys<uint32_t>(n);
    const auto flags = flags_of(n, 2);
    const Buffer<uint32_t> in(context, values);
    const Buffer<uint8_t> our_flags(context, flags);
    Buffer<uint32_t> ours(context, n);
    Buffer<uint64_t> our_count(context, 1);
    const Memory<uint32_t> their_in(values), theirs(n);
    const Memory<uint8_t> their_flags(flags);
    const Memory<uint64_t> their_count(1);
    const Side gpcl = {[&] {
                           peers::check(gp_enqueue_partition(context, 4, n, in, 0, our_flags, 0, ours, 0, our_count, 0,
                                                             nullptr, 0, nullptr, nullptr));
                       },
                       [&] { context.finish(); }};
    const auto times =
        alternately(gpcl, cub_side([&](void *space, size_t &bytes) {
                        return cub::DevicePartition::Flagged(space, bytes, their_in.get(), their_flags.get(),
                                                             theirs.get(), their_count.get(), static_cast<int64_t>(n));
                    }));
    const uint64_t kept = our_count.values()[0];
    auto expected = theirs.values();
    std::reverse(expected.begin() + static_cast<std::ptrdiff_t>(kept), expected.end());
    table.row("partition", "uint32", size_text(n), times, "CUB", 9.0 * static_cast<double>(n), "GB/s", copy,
              kept == their_count.values()[0] && ours.values() == expected);
}

struct IsNonzero {
    __host__ __device__ bool operator()(float x) const { return x != 0; }
};

void nonzero(const Context &context, Table &table, size_t n, double copy) {
    std::vector<float> values = random_reals<float>(n, 3);
    for (size_t i = 0; i < n; i += 2) values[i] = 0;
    const Buffer<float> in(context, values);
    Buffer<uint32_t> ours(context, n);
    Buffer<uint64_t> our_count(context, 1);
    const Memory<float> their_in(values);
    const Memory<uint32_t> theirs(n);
    const Memory<uint64_t> their_count(1);
    const Side gpcl = {[&] {
                           peers::check(gp_enqueue_nonzero(context, GP_FLOAT32, n, in, 0, GP_UINT32, ours, 0, our_count,
                                                           0, nullptr, 0, nullptr, nullptr));
                       },
                       [&] { context.finish(); }};
    const auto times =
        alternately(gpcl, cub_side([&](void *space, size_t &bytes) {
                        return cub::DeviceSelect::Flagged(space, bytes, thrust::counting_iterator<uint32_t>(0),
                                                          thrust::make_transform_iterator(their_in.get(), IsNonzero()),
                                                          theirs.get(), their_count.get(), static_cast<int64_t>(n));
                    }));
    const uint64_t kept = our_count.values()[0];
    table.row("nonzero", "float32", size_text(n), times, "CUB", 4.0 * static_cast<double>(n + kept), "GB/s", copy,
              kept == their_count.values()[0] && first_of(ours.values(), kept) == first_of(theirs.values(), kept));
}

// Runs of `mean` elements on average; 0: one run.
template <typename T> std::vector<T> runs_of(size_t n, size_t mean) {
    std::vector<T> keys(n);
    for (size_t i = 1; i < n; ++i)
        keys[i] = keys[i - 1] + static_cast<T>(mean != 0 && random_bits(uint64_t{4} << 40, i) % mean == 0 ? 1 : 0);
    return keys;
}

std::string called(const char *operation, size_t mean) {
    return std::string(operation) + (mean == 0 ? " all" : " " + std::to_string(mean));
}

template <typename T>
void lengths(const Context &context, Table &table, size_t n, size_t mean, const char *type, double copy) {
    const auto keys = runs_of<T>(n, mean);
    const Buffer<T> in(context, keys);
    Buffer<T> ours(context, n);
    Buffer<uint32_t> our_lengths(context, n);
    Buffer<uint64_t> our_count(context, 1);
    const Memory<T> their_in(keys), theirs(n);
    const Memory<uint32_t> their_lengths(n);
    const Memory<uint64_t> their_count(1);
    const Side gpcl = {[&] {
                           peers::check(gp_enqueue_run_lengths(context, peers::dtype<T>(), n, in, 0, ours, 0, GP_UINT32,
                                                               our_lengths, 0, our_count, 0, nullptr, 0, nullptr,
                                                               nullptr));
                       },
                       [&] { context.finish(); }};
    const auto times = alternately(gpcl, cub_side([&](void *space, size_t &bytes) {
                                       return cub::DeviceRunLengthEncode::Encode(
                                           space, bytes, their_in.get(), theirs.get(), their_lengths.get(),
                                           their_count.get(), static_cast<int64_t>(n));
                                   }));
    const uint64_t runs = our_count.values()[0];
    table.row(called("runs", mean).c_str(), type, size_text(n), times, "CUB",
              static_cast<double>(n * sizeof(T) + runs * (sizeof(T) + 4)), "GB/s", copy,
              runs == their_count.values()[0] && first_of(ours.values(), runs) == first_of(theirs.values(), runs) &&
                  first_of(our_lengths.values(), runs) == first_of(their_lengths.values(), runs));
}

struct Plus {
    template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const { return a + b; }
};

// Sums of small whole numbers, which are exact in any type.
template <typename T>
void sums(const Context &context, Table &table, size_t n, size_t mean, const char *type, double copy) {
    const auto keys = runs_of<uint32_t>(n, mean);
    std::vector<T> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = static_cast<T>(random_bits(uint64_t{6} << 40, i) % (mean == 0 ? 2 : 9));
    if (mean == 0 && n > 1 << 24 && std::is_same_v<T, float>) std::fill(values.begin() + (1 << 24), values.end(), T(0));
    const Buffer<uint32_t> in(context, keys);
    const Buffer<T> our_values(context, values);
    Buffer<uint32_t> our_keys(context, n);
    Buffer<T> ours(context, n);
    Buffer<uint64_t> our_count(context, 1);
    const Memory<uint32_t> their_in(keys), their_keys(n);
    const Memory<T> their_values(values), theirs(n);
    const Memory<uint64_t> their_count(1);
    const Side gpcl = {[&] {
                           peers::check(gp_enqueue_reduce_by_key(context, GP_UINT32, n, in, 0, peers::dtype<T>(),
                                                                 our_values, 0, our_keys, 0, ours, 0, our_count, 0,
                                                                 nullptr, 0, nullptr, nullptr));
                       },
                       [&] { context.finish(); }};
    const auto times = alternately(gpcl, cub_side([&](void *space, size_t &bytes) {
                                       return cub::DeviceReduce::ReduceByKey(
                                           space, bytes, their_in.get(), their_keys.get(), their_values.get(),
                                           theirs.get(), their_count.get(), Plus(), static_cast<int64_t>(n));
                                   }));
    const uint64_t runs = our_count.values()[0];
    table.row(called("by key", mean).c_str(), type, size_text(n), times, "CUB",
              static_cast<double>((n + runs) * (sizeof(T) + 4)), "GB/s", copy,
              runs == their_count.values()[0] && first_of(ours.values(), runs) == first_of(theirs.values(), runs) &&
                  first_of(our_keys.values(), runs) == first_of(their_keys.values(), runs));
}

void all(const Context &context, Table &table, const Settings &settings) {
    for (const auto n : settings.sizes<size_t>({1 << 12, 1 << 20}, {1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 28})) {
        for (size_t density = 0; density < 4; ++density)
            by_flags<uint32_t>(context, table, n, density, "uint32", settings.copy);
        by_text(context, table, n, settings.copy);
        nonzero(context, table, n, settings.copy);
        partition(context, table, n, settings.copy);
        if (n < 1 << 20) continue;
        by_flags<uint8_t>(context, table, n, 2, "uint8", settings.copy);
        by_flags<uint64_t>(context, table, n, 2, "uint64", settings.copy);
    }
}

void all_runs(const Context &context, Table &table, const Settings &settings) {
    for (const auto n : settings.sizes<size_t>({1 << 12, 1 << 20}, {1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 28}))
        for (const size_t mean : {1, 2, 10, 1000, 0}) {
            lengths<uint32_t>(context, table, n, mean, "uint32", settings.copy);
            sums<float>(context, table, n, mean, "float32", settings.copy);
            if (n < 1 << 20 || mean != 10) continue;
            lengths<uint64_t>(context, table, n, mean, "uint64", settings.copy);
            sums<uint64_t>(context, table, n, mean, "uint64", settings.copy);
        }
}

} // namespace selects

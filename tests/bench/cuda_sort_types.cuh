// Sorts of one array of every kind of key and value beside CUB. peers_cuda.cu includes it behind
// what it uses.
// SPDX-License-Identifier: MIT
#pragma once

namespace sort_types {

// Real data: uniform in [-1, 1), and a normal distribution.
template <typename T> std::vector<T> normal_reals(size_t n) {
    std::vector<T> values(n);
    for (size_t i = 0; i < n; ++i) {
        const auto part = [&](uint64_t seed) { return (random_bits(seed << 40, i) >> 11) * 0x1p-53; };
        values[i] = static_cast<T>(std::sqrt(-2 * std::log(1 - part(3))) * std::cos(6.283185307179586 * part(4)));
    }
    return values;
}

// A value of 16 bytes.
struct Wide {
    uint64_t low, high;
    bool operator==(const Wide &other) const { return low == other.low && high == other.high; }
};

template <typename Value> std::vector<Value> some_values(size_t n) {
    std::vector<Value> values(n);
    const auto bits = random_keys<uint64_t>(n, 7);
    for (size_t i = 0; i < n; ++i) {
        const uint64_t both[2] = {bits[i], ~bits[i]};
        std::memcpy(&values[i], both, sizeof(Value));
    }
    return values;
}

template <typename Key, typename Value>
void pairs(const Context &context, Table &table, const char *type, const std::vector<Key> &keys) {
    const auto n = keys.size();
    const auto values = some_values<Value>(n);
    const Buffer<Key> in(context, keys);
    const Buffer<Value> values_in(context, values);
    Buffer<Key> ours(context, n);
    Buffer<Value> our_values(context, n);
    const Memory<Key> their_in(keys), theirs(n);
    const Memory<Value> their_values_in(values), their_values(n);
    const Side gpcl = {[&] {
                           peers::check(gp_enqueue_sort_pairs(context, dtype<Key>(), n, ours, 0, sizeof(Value),
                                                              our_values, 0, nullptr, 0, nullptr, nullptr));
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
    table.row("sort pairs", type, size_text(n), times, "CUB", static_cast<double>(n), "Gkey/s", 0,
              ours.values() == theirs.values() && our_values.values() == their_values.values());
}

// Beside CUB's pairs of keys and their numbers, which are not made anew for each sort.
template <typename Key>
void argsorts(const Context &context, Table &table, const char *type, const std::vector<Key> &keys) {
    const auto n = keys.size();
    std::vector<uint32_t> numbers(n);
    for (size_t i = 0; i < n; ++i) numbers[i] = static_cast<uint32_t>(i);
    const Buffer<Key> in(context, keys);
    Buffer<uint32_t> ours(context, n);
    const Memory<Key> their_in(keys), their_keys(n);
    const Memory<uint32_t> their_numbers(numbers), theirs(n);
    const auto sort = [&] {
        peers::check(
            gp_enqueue_argsort(context, dtype<Key>(), n, in, 0, GP_UINT32, ours, 0, nullptr, 0, nullptr, nullptr));
    };
    const auto times =
        alternately({sort, [&] { context.finish(); }, sort}, // once before it is timed, as CUB's side
                    cub_side([&](void *space, size_t &bytes) {
                        return cub::DeviceRadixSort::SortPairs(space, bytes, their_in.get(), their_keys.get(),
                                                               their_numbers.get(), theirs.get(), n);
                    }),
                    true);
    table.row("argsort", type, size_text(n), times, "CUB pairs", static_cast<double>(n), "Gkey/s", 0,
              ours.values() == theirs.values());
}

template <typename Key> void pairs_of(const Context &context, Table &table, const char *key, size_t n) {
    const auto keys = random_keys<Key>(n);
    const auto type = [&](const char *value) { return std::string(key) + "+" + value; };
    pairs<Key, uint8_t>(context, table, type("1").c_str(), keys);
    pairs<Key, uint16_t>(context, table, type("2").c_str(), keys);
    pairs<Key, uint32_t>(context, table, type("4").c_str(), keys);
    pairs<Key, uint64_t>(context, table, type("8").c_str(), keys);
    pairs<Key, Wide>(context, table, type("16").c_str(), keys);
}

inline std::vector<size_t> sizes(const Settings &settings) {
    return settings.sizes<size_t>({1 << 20, 1 << 22, 1 << 24}, {1 << 20, 1 << 21, 1 << 22, 1 << 24, 1 << 26});
}

inline void all(const Context &context, Table &table, const Settings &settings) {
    for (const size_t n : sizes(settings)) {
        const double copy = settings.copy;
        const auto floats = random_reals<float>(n, 3);
        const auto doubles = random_reals<double>(n, 3);
        keys_alone(context, table, random_keys<uint32_t>(n), "sort", "uint32", copy);
        keys_alone(context, table, random_keys<uint64_t>(n), "sort", "uint64", copy);
        keys_alone(context, table, floats, "sort", "float32", copy);
        keys_alone(context, table, doubles, "sort", "float64", copy);
        keys_alone(context, table, normal_reals<float>(n), "sort normal", "float32", copy);
        keys_alone(context, table, normal_reals<double>(n), "sort normal", "float64", copy);
        argsorts(context, table, "uint32", random_keys<uint32_t>(n));
        argsorts(context, table, "float32", floats);
        argsorts(context, table, "uint64", random_keys<uint64_t>(n));
        argsorts(context, table, "float64", doubles);
        keys_alone(context, table, random_keys<uint8_t>(n), "sort", "uint8", copy);
        keys_alone(context, table, random_keys<uint16_t>(n), "sort", "uint16", copy);
    }
}

// Keys of 1, 2, 4 and 8 bytes with values of 1, 2, 4, 8 and 16.
inline void all_pairs(const Context &context, Table &table, const Settings &settings) {
    for (const size_t n : sizes(settings)) {
        pairs_of<uint8_t>(context, table, "1", n);
        pairs_of<uint16_t>(context, table, "2", n);
        pairs_of<uint32_t>(context, table, "4", n);
        pairs_of<uint64_t>(context, table, "8", n);
    }
}

} // namespace sort_types

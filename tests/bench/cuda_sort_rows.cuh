// Sorts of rows beside CUB's two sorts of segments. peers_cuda.cu includes it behind what it uses.
// SPDX-License-Identifier: MIT
#pragma once

namespace sort_rows {

// Where a segment begins.
struct Begin {
    int n;
    __host__ __device__ int operator()(int i) const { return i * n; }
};

// Value is char where there are none. CUB's stable sort, since gpcl's is.
template <typename Key, typename Value = char> void rows(const Context &context, Table &table, const char *type,
                                                         size_t n, const std::vector<Key> &keys,
                                                         const std::vector<Value> &values = {}) {
    const size_t count = keys.size();
    const Buffer<Key> keys_in(context, keys);
    Buffer<Key> ours(context, count);
    std::optional<Buffer<Value>> values_in, our_values;
    if (!values.empty()) {
        values_in.emplace(context, values);
        our_values.emplace(context, count);
    }
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.batch = count / n;
    const Side gpcl = {[&] {
                           peers::check(
                               values.empty()
                                   ? gp_enqueue_sort(context, dtype<Key>(), n, ours, 0, &options, 0, nullptr, nullptr)
                                   : gp_enqueue_sort_pairs(context, dtype<Key>(), n, ours, 0, sizeof(Value),
                                                           *our_values, 0, &options, 0, nullptr, nullptr));
                       },
                       [&] { context.finish(); },
                       [&] {
                           ours.copy_from(keys_in);
                           if (our_values) our_values->copy_from(*values_in);
                       }};
    const Memory<Key> their_in(keys), theirs(count);
    const Memory<Value> their_values_in(values), their_values(std::max<size_t>(values.size(), 1));
    const auto begin = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), Begin{static_cast<int>(n)});
    const auto all = static_cast<int>(count), batch = static_cast<int>(count / n);
    const auto compare = [&](const char *peer, const Side &side) {
        const auto times = alternately(gpcl, side, true);
        auto moved = their_values.values();
        moved.resize(values.size());
        table.row("sort-rows", type, std::to_string(batch) + "x" + std::to_string(n), times, peer,
                  static_cast<double>(count), "Gkey/s", 0,
                  ours.values() == theirs.values() && (!our_values || our_values->values() == moved));
    };
    compare("CUB segmented sort", cub_side([&](void *space, size_t &bytes) {
                using Sort = cub::DeviceSegmentedSort;
                return values.empty()
                           ? Sort::StableSortKeys(space, bytes, their_in.get(), theirs.get(), all, batch, begin,
                                                  begin + 1)
                           : Sort::StableSortPairs(space, bytes, their_in.get(), theirs.get(), their_values_in.get(),
                                                   their_values.get(), all, batch, begin, begin + 1);
            }));
    if (n < 1000) return; // the other one takes a work-group for each of them
    compare("CUB segmented radix", cub_side([&](void *space, size_t &bytes) {
                using Sort = cub::DeviceSegmentedRadixSort;
                return values.empty()
                           ? Sort::SortKeys(space, bytes, their_in.get(), theirs.get(), all, batch, begin, begin + 1)
                           : Sort::SortPairs(space, bytes, their_in.get(), theirs.get(), their_values_in.get(),
                                             their_values.get(), all, batch, begin, begin + 1);
            }));
}

inline void all(const Context &context, Table &table, size_t total, bool quick) {
    for (const size_t n : {10, 32, 100, 1000, 4096, 100000, 1000000}) {
        const size_t count = total / n * n;
        const auto keys = random_keys<uint32_t>(count);
        rows(context, table, "uint32", n, keys);
        if (quick && n != 32 && n != 1000 && n != 100000) continue;
        rows(context, table, "u32, u32", n, keys, random_keys<uint32_t>(count, 7));
        rows(context, table, "float32", n, random_reals<float>(count, 3));
        if (!quick) rows(context, table, "uint64", n, random_keys<uint64_t>(count));
    }
}

} // namespace sort_rows

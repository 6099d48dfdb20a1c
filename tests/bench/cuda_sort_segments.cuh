// Sorts of segments of random lengths beside CUB's two sorts of segments. peers_cuda.cu includes it
// behind what it uses.
// SPDX-License-Identifier: MIT
#pragma once

namespace sort_segments {

// Offsets of segments whose lengths next() gives, up to `total` keys.
template <typename Next> std::vector<uint32_t> offsets_of(size_t total, Next next) {
    std::mt19937_64 random(total);
    std::vector<uint32_t> offsets{0};
    while (offsets.back() < total)
        offsets.push_back(static_cast<uint32_t>(std::min<size_t>(total, offsets.back() + next(random))));
    return offsets;
}

// Value is char where there are none. CUB's stable sort, since gpcl's is.
template <typename Key, typename Value = char>
void segments(const Context &context, Table &table, const char *type, const std::string &lengths,
              const std::vector<uint32_t> &offsets, const std::vector<Key> &keys, bool with_radix,
              const std::vector<Value> &values = {}) {
    const size_t count = keys.size();
    const Buffer<Key> keys_in(context, keys);
    const Buffer<uint32_t> our_offsets(context, offsets);
    Buffer<Key> ours(context, count);
    std::optional<Buffer<Value>> values_in, our_values;
    if (!values.empty()) {
        values_in.emplace(context, values);
        our_values.emplace(context, count);
    }
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.segments = offsets.size() - 1;
    options.offsets_buffer = our_offsets;
    options.offset_type = GP_UINT32;
    const Side gpcl = {
        [&] {
            peers::check(values.empty()
                             ? gp_enqueue_sort(context, dtype<Key>(), count, ours, 0, &options, 0, nullptr, nullptr)
                             : gp_enqueue_sort_pairs(context, dtype<Key>(), count, ours, 0, sizeof(Value), *our_values,
                                                     0, &options, 0, nullptr, nullptr));
        },
        [&] { context.finish(); },
        [&] {
            ours.copy_from(keys_in);
            if (our_values) our_values->copy_from(*values_in);
        }};
    const Memory<Key> their_in(keys), theirs(count);
    const Memory<Value> their_values_in(values), their_values(std::max<size_t>(values.size(), 1));
    const Memory<uint32_t> their_offsets(offsets);
    const uint32_t *const begin = their_offsets.get();
    const auto all = static_cast<int>(count), batch = static_cast<int>(offsets.size() - 1);
    const auto compare = [&](const char *peer, const Side &side) {
        const auto times = alternately(gpcl, side, true);
        auto moved = their_values.values();
        moved.resize(values.size());
        table.row("sort-segments", type, std::to_string(count) + " " + lengths, times, peer, static_cast<double>(count),
                  "Gkey/s", 0, ours.values() == theirs.values() && (!our_values || our_values->values() == moved));
    };
    compare("CUB segmented sort", cub_side([&](void *space, size_t &bytes) {
                using Sort = cub::DeviceSegmentedSort;
                return values.empty()
                           ? Sort::StableSortKeys(space, bytes, their_in.get(), theirs.get(), all, batch, begin,
                                                  begin + 1)
                           : Sort::StableSortPairs(space, bytes, their_in.get(), theirs.get(), their_values_in.get(),
                                                   their_values.get(), all, batch, begin, begin + 1);
            }));
    if (!with_radix) return; // the other one takes a work-group for each segment
    compare("CUB segmented radix", cub_side([&](void *space, size_t &bytes) {
                using Sort = cub::DeviceSegmentedRadixSort;
                return values.empty()
                           ? Sort::SortKeys(space, bytes, their_in.get(), theirs.get(), all, batch, begin, begin + 1)
                           : Sort::SortPairs(space, bytes, their_in.get(), theirs.get(), their_values_in.get(),
                                             their_values.get(), all, batch, begin, begin + 1);
            }));
}

inline void all(const Context &context, Table &table, size_t total, bool quick) {
    const auto keys = random_keys<uint32_t>(total), values = random_keys<uint32_t>(total, 7);
    const auto reals = random_reals<float>(total, 3);
    const auto compare = [&](const std::string &lengths, const std::vector<uint32_t> &offsets, bool with_radix) {
        segments(context, table, "uint32", lengths, offsets, keys, with_radix);
        segments(context, table, "u32, u32", lengths, offsets, keys, with_radix && !quick, values);
        if (!quick) segments(context, table, "float32", lengths, offsets, reals, with_radix);
        if (!quick) segments(context, table, "uint64", lengths, offsets, random_keys<uint64_t>(total), with_radix);
    };
    for (const size_t mean : {10, 100, 1000, 100000}) {
        std::uniform_int_distribution<size_t> even(0, 2 * mean);
        std::exponential_distribution<double> falling(1.0 / static_cast<double>(mean));
        compare("0-" + std::to_string(2 * mean), offsets_of(total, even), mean >= 1000);
        compare("exp " + std::to_string(mean),
                offsets_of(total, [&](auto &random) { return static_cast<size_t>(falling(random)); }), false);
    }
    // As many segments of each octave of lengths from 1 to 2^20 as there are of the next, times 2:
    // zipf-like.
    compare("zipf",
            offsets_of(total,
                       [](auto &random) {
                           std::uniform_real_distribution<double> even(std::exp2(-20), 1);
                           return static_cast<size_t>(1 / even(random));
                       }),
            false);
    // A giant among small ones.
    compare("giant",
            offsets_of(total,
                       [&, first = true](auto &random) mutable {
                           return std::exchange(first, false) ? total / 2 : 1 + random() % 19;
                       }),
            false);
}

} // namespace sort_segments

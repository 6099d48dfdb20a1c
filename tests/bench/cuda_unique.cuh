// Distinct elements, their counts, first positions and the inverse, beside CUB's sort and the runs,
// distinct neighbours and sums of what it gives. peers_cuda.cu includes it behind what it uses.
// SPDX-License-Identifier: MIT
#pragma once

namespace uniques {

// Of so many values; 0: of any.
template <typename T> std::vector<T> values_of(size_t n, size_t values) {
    std::vector<T> result(n);
    for (size_t i = 0; i < n; ++i) {
        const uint64_t random = random_bits(uint64_t{11} << 40, i);
        result[i] = static_cast<T>(values == 0 ? random : random % values);
    }
    return result;
}

template <typename T> std::vector<T> first_of(const std::vector<T> &values, uint64_t count) {
    return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)};
}

// 1 where an element of a sorted array differs from the one before.
template <typename T> struct Differs {
    const T *sorted;
    __device__ uint32_t operator()(uint32_t i) const { return i > 0 && sorted[i] != sorted[i - 1] ? 1 : 0; }
};

// `counts`: they are wanted too. `places`: so are first positions and the inverse. CUB finds them
// by a sort of pairs, the distinct keys of pairs, and a sum of where neighbours differ that is
// written by the order.
template <typename T> void distinct(const Context &context, Table &table, size_t n, size_t values, bool counts,
                                    bool places, const char *type) {
    const auto given = values_of<T>(n, values);
    const Buffer<T> in(context, given);
    Buffer<T> ours(context, n);
    Buffer<uint32_t> our_counts(context, n), our_firsts(context, places ? n : 1), our_inverse(context, places ? n : 1);
    Buffer<uint64_t> our_count(context, 1);
    const Memory<T> their_in(given), their_sorted(n), theirs(n);
    std::vector<uint32_t> positions(places ? n : 1);
    std::iota(positions.begin(), positions.end(), 0u);
    const Memory<uint32_t> their_counts(n), their_order(places ? n : 1), their_positions(positions),
        their_firsts(places ? n : 1), their_inverse(places ? n : 1);
    const Memory<uint64_t> their_count(1);
    const Side gpcl = {[&] {
                           peers::check(gp_enqueue_unique(context, peers::dtype<T>(), n, in, 0, ours, 0, GP_UINT32,
                                                          places ? static_cast<gp_buffer *>(our_firsts) : nullptr, 0,
                                                          places ? static_cast<gp_buffer *>(our_inverse) : nullptr, 0,
                                                          counts ? static_cast<gp_buffer *>(our_counts) : nullptr, 0,
                                                          our_count, 0, nullptr, 0, nullptr, nullptr));
                       },
                       [&] { context.finish(); }};
    const auto size = static_cast<int64_t>(n);
    const auto sort = [&](void *space, size_t &bytes) {
        return places ? cub::DeviceRadixSort::SortPairs(space, bytes, their_in.get(), their_sorted.get(),
                                                        their_positions.get(), their_order.get(), size)
                      : cub::DeviceRadixSort::SortKeys(space, bytes, their_in.get(), their_sorted.get(), size);
    };
    const auto runs = [&](void *space, size_t &bytes) {
        return counts
                   ? cub::DeviceRunLengthEncode::Encode(space, bytes, their_sorted.get(), theirs.get(),
                                                        their_counts.get(), their_count.get(), size)
                   : cub::DeviceSelect::Unique(space, bytes, their_sorted.get(), theirs.get(), their_count.get(), size);
    };
    const auto distinct_pairs = [&](void *space, size_t &bytes) {
        return cub::DeviceSelect::UniqueByKey(space, bytes, their_sorted.get(), their_order.get(), theirs.get(),
                                              their_firsts.get(), their_count.get(), size);
    };
    const auto sums = [&](void *space, size_t &bytes) {
        const auto differs =
            thrust::make_transform_iterator(thrust::counting_iterator<uint32_t>(0), Differs<T>{their_sorted.get()});
        return cub::DeviceScan::InclusiveSum(
            space, bytes, differs, thrust::make_permutation_iterator(their_inverse.get(), their_order.get()), size);
    };
    // All in the same work space, which is what the largest one takes.
    const auto together = [&](void *space, size_t &bytes) {
        size_t most = 0;
        const auto step = [&](const auto &call) {
            size_t needed = bytes;
            if (space == nullptr) needed = 0;
            check(call(space, needed));
            most = std::max(most, needed);
        };
        step(sort);
        step(runs);
        if (places) {
            step(distinct_pairs);
            step(sums);
        }
        if (space == nullptr) bytes = most;
        return cudaSuccess;
    };
    const auto times = alternately(gpcl, cub_side(together));
    const uint64_t count = our_count.values()[0];
    const std::string called = std::string("unique ") + (values == 0 ? "any" : std::to_string(values)) +
                               (places   ? " all"
                                : counts ? " counts"
                                         : "");
    bool same = count == their_count.values()[0] &&
                first_of(ours.values(), count) == first_of(theirs.values(), count) &&
                (!counts || first_of(our_counts.values(), count) == first_of(their_counts.values(), count));
    if (places) {
        const auto found = ours.values();
        const auto firsts = our_firsts.values(), inverse = our_inverse.values();
        same = same && inverse == their_inverse.values() &&
               first_of(firsts, count) == first_of(their_firsts.values(), count);
        std::vector<uint32_t> expected(count, UINT32_MAX);
        for (size_t i = n; i-- > 0;) {
            same = same && inverse[i] < count && found[inverse[i]] == given[i];
            if (same) expected[inverse[i]] = static_cast<uint32_t>(i);
        }
        same = same && expected == first_of(firsts, count);
    }
    table.row(called.c_str(), type, size_text(n), times, "CUB", static_cast<double>(n), "Gop/s", 0, same);
}

void all(const Context &context, Table &table, const Settings &settings) {
    for (const auto n : settings.sizes<size_t>({1 << 12, 1 << 20}, {1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 26})) {
        for (const size_t values : {size_t{100}, n, size_t{0}}) {
            distinct<uint32_t>(context, table, n, values, false, false, "uint32");
            distinct<uint32_t>(context, table, n, values, true, false, "uint32");
            distinct<uint32_t>(context, table, n, values, true, true, "uint32");
        }
        distinct<uint64_t>(context, table, n, 0, true, false, "uint64");
    }
}

} // namespace uniques

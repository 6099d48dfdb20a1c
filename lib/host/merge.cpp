// Merge on the host: every thread finds where its part of the result begins in both arrays, and
// merges from there without a branch that depends on keys.
// SPDX-License-Identifier: MIT
#include "host/merge.h"

#include "core/scratch.h"
#include "core/size.h"
#include "host/order.h"
#include "host/parallel.h"

#include <bit>
#include <cstring>
#include <vector>

namespace gpcl::host {
namespace {

constexpr size_t kChunk = size_t{1} << 15; // of the result, for a thread at a time

template <class Bits> struct Keys {
    const Bits *a, *b;
    size_t of_a, of_b;
};

// Of the first `diagonal` keys of the result, how many come from a.
template <class Bits> size_t path(const Order<Bits> &order, const Keys<Bits> &keys, size_t diagonal) {
    size_t low = diagonal - std::min(diagonal, keys.of_b), high = std::min(diagonal, keys.of_a);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (order.rank(keys.b[diagonal - 1 - middle]) < order.rank(keys.a[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// Values of Size bytes, or where that is 0 of `size`; none where the pointers are NULL.
template <size_t Size> struct Values {
    const std::byte *a, *b;
    std::byte *out;
    size_t size;

    size_t bytes() const { return Size != 0 ? Size : size; }
    void take(size_t k, bool from_b, size_t i, size_t j) const {
        std::memcpy(out + k * bytes(), from_b ? b + j * bytes() : a + i * bytes(), bytes());
    }
    void take_rest(size_t k, const std::byte *from, size_t i, size_t count) const {
        std::memcpy(out + k * bytes(), from + i * bytes(), count * bytes());
    }
};

struct NoValues {
    static constexpr std::byte *a = nullptr, *b = nullptr;
    void take(size_t, bool, size_t, size_t) const {}
    void take_rest(size_t, const std::byte *, size_t, size_t) const {}
};

// Merges the results begin .. end - 1. What it reads lies in bounds whether the keys are sorted or
// not.
template <class Bits, class Values> void merge_chunk(const Order<Bits> &order, const Keys<Bits> &keys, size_t begin,
                                                     size_t end, Bits *out, const Values &values) {
    size_t i = path(order, keys, begin), j = begin - i, k = begin;
    while (k < end && i < keys.of_a && j < keys.of_b) {
        const size_t stop = k + std::min({end - k, keys.of_a - i, keys.of_b - j});
        for (; k < stop; ++k) {
            const Bits x = keys.a[i], y = keys.b[j];
            const bool from_b = order.rank(y) < order.rank(x);
            out[k] = from_b ? y : x;
            values.take(k, from_b, i, j);
            i += from_b ? 0 : 1;
            j += from_b ? 1 : 0;
        }
    }
    if (k == end) return;
    const bool from_b = i == keys.of_a;
    std::memcpy(out + k, from_b ? keys.b + j : keys.a + i, (end - k) * sizeof(Bits));
    values.take_rest(k, from_b ? values.b : values.a, from_b ? j : i, end - k);
}

// Calls f with the values of an array that is merged from others.
template <class F> void with_values(size_t value_size, const void *a, const void *b, void *out, const F &f) {
    const auto with_size = [&](auto size) {
        f(Values<size()>{static_cast<const std::byte *>(a), static_cast<const std::byte *>(b),
                         static_cast<std::byte *>(out), value_size});
    };
    switch (value_size) {
    case 0: return f(NoValues{});
    case 4: return with_size(std::integral_constant<size_t, 4>{});
    case 8: return with_size(std::integral_constant<size_t, 8>{});
    default: return with_size(std::integral_constant<size_t, 0>{});
    }
}

// Of the merge of two neighbouring runs of an array, which begin at `first` and `middle`, the keys
// of a part. values.a and values.out are those of the whole arrays.
template <class Bits, class Values> void merge_pair(const Order<Bits> &order, const Bits *keys, size_t first,
                                                    size_t middle, size_t end, Segment part, Bits *out,
                                                    const Values &values) {
    Values moved = values;
    if constexpr (!std::is_same_v<Values, NoValues>) {
        moved.a = values.a + first * values.bytes();
        moved.b = values.a + middle * values.bytes();
        moved.out = values.out + first * values.bytes();
    }
    merge_chunk(order, Keys<Bits>{keys + first, keys + middle, middle - first, end - middle}, part.begin - first,
                part.end - first, out + first, moved);
}

} // namespace

void merge(gp_dtype dtype, bool descending, const Sorted &a, const Sorted &b, void *out, size_t value_size,
           void *out_values) {
    const size_t n = add(a.n, b.n, "n_a and n_b");
    with_bits(dtype, [&](auto zero) {
        using Bits = decltype(zero);
        const Order<Bits> order(dtype, descending);
        const Keys<Bits> keys{static_cast<const Bits *>(a.keys), static_cast<const Bits *>(b.keys), a.n, b.n};
        with_values(value_size, a.values, b.values, out_values, [&](const auto &values) {
            parallel_for(ceil_div(n, kChunk), kChunk * 2, [&](size_t chunk) {
                const size_t begin = chunk * kChunk;
                merge_chunk(order, keys, begin, std::min(begin + kChunk, n), static_cast<Bits *>(out), values);
            });
        });
    });
}

void merge_runs(gp_dtype dtype, bool descending, const Segments &runs, const Sorted &keys, void *out, size_t value_size,
                void *out_values) {
    const size_t n = keys.n, size = gpcl::dtype(dtype).size;
    const auto passes = static_cast<unsigned>(std::bit_width(std::max(runs.count, size_t{1}) - 1));
    if (passes == 0) {
        std::memcpy(out, keys.keys, n * size);
        if (value_size != 0) std::memcpy(out_values, keys.values, n * value_size);
        return;
    }
    // Passes take turns between this and the result.
    Scratch between(passes > 1 ? n * size : 0), values_between(passes > 1 ? n * value_size : 0);
    // The offsets may be wrong: none is less than the one before, nor more than n.
    std::vector<size_t> begins(runs.count + 1);
    for (size_t run = 1; run < runs.count; ++run)
        begins[run] = std::max<size_t>(begins[run - 1], std::min<uint64_t>(runs.begin(run), n));
    begins[runs.count] = n;
    const auto begin_of = [&](size_t run) { return begins[std::min(run, runs.count)]; };
    const auto merge_pass = [&](unsigned pass, const Sorted &from, void *to, void *to_values) {
        // The pair in which a key of the result is: the last one that does not begin behind it.
        const size_t pairs = ((runs.count - 1) >> (pass + 1)) + 1;
        const auto pair_of = [&](size_t k) {
            size_t low = 0, high = pairs;
            while (high - low > 1) {
                const size_t middle = (low + high) / 2;
                (begin_of(middle << (pass + 1)) <= k ? low : high) = middle;
            }
            return low;
        };
        with_bits(dtype, [&](auto zero) {
            using Bits = decltype(zero);
            const Order<Bits> order(dtype, descending);
            with_values(value_size, from.values, from.values, to_values, [&](const auto &values) {
                parallel_for(ceil_div(n, kChunk), kChunk * 2, [&](size_t chunk) {
                    size_t k = chunk * kChunk;
                    const size_t stop = std::min(k + kChunk, n);
                    for (size_t pair = pair_of(k); k < stop; ++pair) {
                        const size_t first = begin_of(pair << (pass + 1)), end = begin_of((pair + 1) << (pass + 1)),
                                     middle = begin_of((2 * pair + 1) << pass);
                        merge_pair(order, static_cast<const Bits *>(from.keys), first, middle, end,
                                   {k, std::min(end, stop)}, static_cast<Bits *>(to), values);
                        k = std::min(end, stop);
                    }
                });
            });
        });
    };
    Sorted from = keys;
    for (unsigned pass = 0; pass < passes; ++pass) {
        const bool ends = (passes - pass) % 2 != 0; // in the result, as the last one does
        void *const to = ends ? out : between.as<void>(), *const to_values =
                                                              ends ? out_values : values_between.as<void>();
        merge_pass(pass, from, to, to_values);
        from = {to, n, to_values};
    }
}

} // namespace gpcl::host

// Merge on the host: every thread finds where its part of the result begins and ends in both
// arrays, and merges that without a branch that depends on keys: numbers by vectors (simd_sort.h),
// all else from both ends at once.
// SPDX-License-Identifier: MIT
#include "host/merge.h"

#include "core/scratch.h"
#include "core/size.h"
#include "host/order.h"
#include "host/parallel.h"
#include "host/simd_sort.h"

#include <array>
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
    Values from(size_t i, size_t j, size_t k) const {
        return {a + i * bytes(), b + j * bytes(), out + k * bytes(), size};
    }
    void take(size_t k, bool from_b, size_t i, size_t j) const {
        std::memcpy(out + k * bytes(), from_b ? b + j * bytes() : a + i * bytes(), bytes());
    }
    void take_rest(size_t k, const std::byte *from, size_t i, size_t count) const {
        std::memcpy(out + k * bytes(), from + i * bytes(), count * bytes());
    }
};

struct NoValues {
    static constexpr std::byte *a = nullptr, *b = nullptr;
    NoValues from(size_t, size_t, size_t) const { return {}; }
    void take(size_t, bool, size_t, size_t) const {}
    void take_rest(size_t, const std::byte *, size_t, size_t) const {}
};

// From both ends at once, since each step waits for the one before: the first keys go to the front
// of `out`, the last ones to its back. What it reads lies in bounds whether the keys are sorted or
// not. Arguments are copies, which no store changes.
template <class Bits, class Values> void merge_all(Order<Bits> order, Keys<Bits> keys, Bits *out, Values values) {
    size_t i = 0, j = 0, end_a = keys.of_a, end_b = keys.of_b;
    const auto take_first = [&] {
        const Bits x = keys.a[i], y = keys.b[j];
        const bool from_b = order.rank(y) < order.rank(x);
        out[i + j] = from_b ? y : x;
        values.take(i + j, from_b, i, j);
        i += from_b ? 0 : 1;
        j += from_b ? 1 : 0;
    };
    const auto take_last = [&] {
        const Bits x = keys.a[end_a - 1], y = keys.b[end_b - 1];
        const bool from_b = order.rank(y) >= order.rank(x);
        out[end_a + end_b - 1] = from_b ? y : x;
        values.take(end_a + end_b - 1, from_b, end_a - 1, end_b - 1);
        end_a -= from_b ? 0 : 1;
        end_b -= from_b ? 1 : 0;
    };
    while (i < end_a && j < end_b) { // NOLINT(bugprone-infinite-loop): take_first() and take_last() move the ends
        const size_t least = std::min(end_a - i, end_b - j); // each step takes one key
        for (size_t step = 0; step < least / 2; ++step) {
            take_first();
            take_last();
        }
        if (least % 2 != 0) take_first();
    }
    const bool from_b = i == end_a;
    const size_t k = i + j, left = end_a + end_b - k;
    std::memcpy(out + k, from_b ? keys.b + j : keys.a + i, left * sizeof(Bits));
    values.take_rest(k, from_b ? values.b : values.a, from_b ? j : i, left);
}

#if defined(GPCL_HAVE_SIMD_SORT)
template <class Key, class Bits> void merge_numbers(const Keys<Bits> &keys, Bits flip, Bits *out) {
    simd_merge(reinterpret_cast<const Key *>(keys.a), keys.of_a, reinterpret_cast<const Key *>(keys.b), keys.of_b,
               std::bit_cast<Key>(flip), reinterpret_cast<Key *>(out));
}

// Zeros and NaN, of which equal ones may differ, are copied.
template <class Bits> void merge_floats(const Order<Bits> &order, const Keys<Bits> &keys, Bits *out) {
    using Float = std::conditional_t<sizeof(Bits) == 4, float, double>;
    // Where the numbers before zero, the zeros, the numbers behind and the NaN end.
    const auto ends = [&](const Bits *first, size_t n) {
        const auto end_of = [&](const Bits *from, auto is_before) {
            return std::partition_point(from, first + n, [&](Bits key) { return is_before(order.rank(key)); });
        };
        const Bits zero = order.zero();
        const Bits *const before = end_of(first, [=](Bits rank) { return rank < zero; });
        const Bits *const zeros = end_of(before, [=](Bits rank) { return rank == zero; });
        const Bits *const behind = end_of(zeros, [](Bits rank) { return rank < Order<Bits>::kMax; });
        return std::array<const Bits *, 4>{before, zeros, behind, first + n};
    };
    const auto ends_a = ends(keys.a, keys.of_a), ends_b = ends(keys.b, keys.of_b);
    const Bits flip = (order.zero() ^ Order<Bits>::kSign) & Order<Bits>::kSign;
    const Bits *a = keys.a, *b = keys.b;
    for (size_t part = 0; part < ends_a.size(); ++part) {
        const Keys<Bits> some{a, b, static_cast<size_t>(ends_a[part] - a), static_cast<size_t>(ends_b[part] - b)};
        if (part % 2 == 0)
            merge_numbers<Float>(some, flip, out);
        else
            std::copy(b, ends_b[part], std::copy(a, ends_a[part], out));
        out += some.of_a + some.of_b;
        a = ends_a[part];
        b = ends_b[part];
    }
}
#endif

// Are keys without values merged by vectors?
template <class Bits, class Values> bool is_by_vectors([[maybe_unused]] const Order<Bits> &order) {
#if defined(GPCL_HAVE_SIMD_SORT)
    return sizeof(Bits) >= 4 && std::is_same_v<Values, NoValues> && has_simd_sort() &&
           (!order.is_float_type() || takes_subnormal());
#else
    return false;
#endif
}

// Nanoseconds of one thread.
template <class Bits, class Values> size_t chunk_cost(const Order<Bits> &order, const Values &) {
    return kChunk * (is_by_vectors<Bits, Values>(order) ? 1 : 3);
}

// Merges the results begin .. end - 1.
template <class Bits, class Values> void merge_chunk(const Order<Bits> &order, const Keys<Bits> &keys, size_t begin,
                                                     size_t end, Bits *out, const Values &values) {
    const size_t n = end - begin, i = path(order, keys, begin), j = begin - i;
    // Keys that are not sorted may have any paths.
    const size_t of_a = std::clamp(path(order, keys, end), i, i + n) - i;
    const Keys<Bits> part{keys.a + i, keys.b + j, of_a, n - of_a};
#if defined(GPCL_HAVE_SIMD_SORT)
    if constexpr (sizeof(Bits) >= 4) {
        if (is_by_vectors<Bits, Values>(order)) {
            if (order.is_float_type()) return merge_floats(order, part, out + begin);
            return merge_numbers<std::make_signed_t<Bits>>(part, order.zero() ^ Order<Bits>::kSign, out + begin);
        }
    }
#endif
    merge_all(order, part, out + begin, values.from(i, j, begin));
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
    merge_chunk(order, Keys<Bits>{keys + first, keys + middle, middle - first, end - middle}, part.begin - first,
                part.end - first, out + first, values.from(first, middle, first));
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
            parallel_for(ceil_div(n, kChunk), chunk_cost(order, values), [&](size_t chunk) {
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
                parallel_for(ceil_div(n, kChunk), chunk_cost(order, values), [&](size_t chunk) {
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

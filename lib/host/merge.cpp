// Merge on the host: every thread finds where its part of the result begins in both arrays, and
// merges from there without a branch that depends on keys.
// SPDX-License-Identifier: MIT
#include "host/merge.h"

#include "core/size.h"
#include "host/order.h"
#include "host/parallel.h"

#include <cstring>

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

} // namespace

void merge(gp_dtype dtype, bool descending, const Sorted &a, const Sorted &b, void *out, size_t value_size,
           void *out_values) {
    const size_t n = add(a.n, b.n, "n_a and n_b");
    with_bits(dtype, [&](auto zero) {
        using Bits = decltype(zero);
        const Order<Bits> order(dtype, descending);
        const Keys<Bits> keys{static_cast<const Bits *>(a.keys), static_cast<const Bits *>(b.keys), a.n, b.n};
        const auto run = [&](const auto &values) {
            parallel_for(ceil_div(n, kChunk), kChunk * 2, [&](size_t chunk) {
                const size_t begin = chunk * kChunk;
                merge_chunk(order, keys, begin, std::min(begin + kChunk, n), static_cast<Bits *>(out), values);
            });
        };
        const auto with_size = [&](auto size) {
            run(Values<size()>{static_cast<const std::byte *>(a.values), static_cast<const std::byte *>(b.values),
                               static_cast<std::byte *>(out_values), value_size});
        };
        switch (value_size) {
        case 0: return run(NoValues{});
        case 4: return with_size(std::integral_constant<size_t, 4>{});
        case 8: return with_size(std::integral_constant<size_t, 8>{});
        default: return with_size(std::integral_constant<size_t, 0>{});
        }
    });
}

} // namespace gpcl::host

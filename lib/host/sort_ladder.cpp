// Plain sorts on one core, to compare the others with.
// SPDX-License-Identifier: MIT
#include "host/sort_ladder.h"

#include "host/order.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

namespace gpcl::host {

void c_qsort(gp_dtype dtype, size_t n, void *keys, bool descending) {
    with_type(dtype, [&](auto type) {
        using T = decltype(type);
        const auto ascending_order = [](const void *a, const void *b) -> int {
            const T x = *static_cast<const T *>(a), y = *static_cast<const T *>(b);
            return (x > y) - (x < y);
        };
        const auto descending_order = [](const void *a, const void *b) -> int {
            const T x = *static_cast<const T *>(a), y = *static_cast<const T *>(b);
            return (x < y) - (x > y);
        };
        if (descending)
            std::qsort(keys, n, sizeof(T), descending_order);
        else
            std::qsort(keys, n, sizeof(T), ascending_order);
    });
}

void std_sort(gp_dtype dtype, size_t n, void *keys, bool descending) {
    with_type(dtype, [&](auto type) {
        auto *const all = static_cast<decltype(type) *>(keys);
        if (descending)
            std::sort(all, all + n, std::greater<>());
        else
            std::sort(all, all + n);
    });
}

void radix16(gp_dtype dtype, size_t n, void *keys, bool descending) {
    with_bits(dtype, [&](auto bits) {
        using Bits = decltype(bits);
        constexpr unsigned kBits = std::min<unsigned>(16, 8 * sizeof(Bits));
        constexpr size_t kBuckets = size_t{1} << kBits;
        const Order<Bits> order(dtype, descending);
        auto *const all = static_cast<Bits *>(keys);
        std::vector<Bits> other(n);
        std::vector<size_t> next(kBuckets); // first counts, then where the next key of each bucket goes
        Bits *from = all, *to = other.data();
        for (unsigned shift = 0; shift < 8 * sizeof(Bits); shift += kBits) {
            const auto bucket = [&](Bits key) -> size_t { return order.rank(key) >> shift & (kBuckets - 1); };
            std::fill(next.begin(), next.end(), size_t{0});
            for (size_t i = 0; i < n; ++i) ++next[bucket(from[i])];
            size_t sum = 0;
            for (size_t &place : next) sum += std::exchange(place, sum);
            for (size_t i = 0; i < n; ++i) to[next[bucket(from[i])]++] = from[i];
            std::swap(from, to);
        }
        if (from != all) std::copy(from, from + n, all);
    });
}

} // namespace gpcl::host

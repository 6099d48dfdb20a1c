// Batcher's merge exchange (Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M), each lane of a vector a row.
// SPDX-License-Identifier: MIT
#include "host/sort_short.h"

#include "host/cpu.h"
#include "host/order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

namespace gpcl::host {
namespace {

// Key number i of all rows. Signed, since more CPUs compare these by vectors.
template <class Bits> using Lanes = std::array<std::make_signed_t<Bits>, kShortTogether>;
template <class Bits> using Block = std::array<Lanes<Bits>, kMostShort>;

template <class Bits> [[gnu::always_inline]] inline void exchange(Lanes<Bits> &first, Lanes<Bits> &second) {
    for (size_t row = 0; row < kShortTogether; ++row) {
        const auto a = first[row], b = second[row];
        first[row] = a < b ? a : b;
        second[row] = a < b ? b : a;
    }
}

template <class Bits> [[gnu::always_inline]] inline void sort_inline(Block<Bits> &keys, size_t n) {
    const size_t top = std::bit_ceil(n) / 2;
    for (size_t p = top; p > 0; p /= 2) {
        size_t q = top, r = 0, d = p;
        while (true) {
            for (size_t i = 0; i + d < n; ++i)
                if ((i & p) == r) exchange<Bits>(keys[i], keys[i + d]);
            if (q == p) break;
            d = q - p;
            q /= 2;
            r = p;
        }
    }
}

template <class Bits> void sort_portable(Block<Bits> &keys, size_t n) { sort_inline<Bits>(keys, n); }
#if defined(GPCL_HAVE_X86)
template <class Bits> [[gnu::target("avx2")]] void sort_avx2(Block<Bits> &keys, size_t n) {
    sort_inline<Bits>(keys, n);
}
#endif

} // namespace

bool sort_short_rows(gp_dtype dtype, bool descending, size_t n, size_t count, size_t stride, void *keys) {
    bool sorted = true;
    with_bits(dtype, [&](auto bits) {
        using Bits = decltype(bits);
        const Order<Bits> order(dtype, descending);
        auto *const all = static_cast<Bits *>(keys);
        Block<Bits> block;
        bool special = false;
        for (size_t i = 0; i < n; ++i) {
            for (size_t row = 0; row < count; ++row) {
                const Bits key = all[row * stride + i];
                special |= order.is_nan(key) || (order.is_float_type() && key == Order<Bits>::kSign);
                block[i][row] = static_cast<std::make_signed_t<Bits>>(order.encode(key) ^ Order<Bits>::kSign);
            }
            std::fill(block[i].begin() + static_cast<std::ptrdiff_t>(count), block[i].end(), 0);
        }
        sorted = !special;
        if (!sorted) return;
#if defined(GPCL_HAVE_X86)
        has_avx2() ? sort_avx2<Bits>(block, n) : sort_portable<Bits>(block, n);
#else
        sort_portable<Bits>(block, n);
#endif
        for (size_t row = 0; row < count; ++row)
            for (size_t i = 0; i < n; ++i)
                all[row * stride + i] =
                    order.decode(static_cast<Bits>(static_cast<Bits>(block[i][row]) ^ Order<Bits>::kSign));
    });
    return sorted;
}

} // namespace gpcl::host

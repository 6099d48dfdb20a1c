// Batcher's merge exchange (Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M), each
// lane of a vector a row.
// SPDX-License-Identifier: MIT
#include "host/sort_short.h"

#include "core/cpu.h"
#include "host/order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
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

// How the bits of keys become signed numbers of that order, without a branch: signs are random.
template <class Bits> struct Coding {
    using Signed = std::make_signed_t<Bits>;
    bool is_float;
    Signed flip, flip_if_negative, infinity;

    explicit Coding(const Order<Bits> &order)
        : is_float(order.is_float_type()), flip(static_cast<Signed>(order.encode(0) ^ Order<Bits>::kSign)),
          flip_if_negative(
              static_cast<Signed>(order.encode(Order<Bits>::kSign) ^ order.encode(0) ^ Order<Bits>::kSign)),
          infinity(static_cast<Signed>(order.infinity())) {}

    Signed sign_of(Signed key) const { return static_cast<Signed>(key >> (8 * sizeof key - 1) & flip_if_negative); }
    Signed encode(Signed key) const { return static_cast<Signed>(key ^ sign_of(key) ^ flip); }
    Signed decode(Signed code) const {
        const auto key = static_cast<Signed>(code ^ flip);
        return static_cast<Signed>(key ^ sign_of(key));
    }
    // -1 for a NaN or -0, else 0.
    Signed special(Signed key) const {
        constexpr Signed kMost = std::numeric_limits<Signed>::max();
        return static_cast<Signed>(-static_cast<int>((key & kMost) > infinity) | -static_cast<int>(key == ~kMost));
    }
};

template <class Bits>
[[gnu::always_inline]] inline bool sort_keys_inline(Block<Bits> &keys, size_t n, const Coding<Bits> &coding) {
    if (coding.is_float) {
        Lanes<Bits> found{};
        for (size_t i = 0; i < n; ++i)
            for (size_t row = 0; row < kShortTogether; ++row)
                found[row] = static_cast<std::make_signed_t<Bits>>(found[row] | coding.special(keys[i][row]));
        for (const auto one : found)
            if (one != 0) return false;
    }
    for (size_t i = 0; i < n; ++i)
        for (size_t row = 0; row < kShortTogether; ++row) keys[i][row] = coding.encode(keys[i][row]);
    sort_inline<Bits>(keys, n);
    for (size_t i = 0; i < n; ++i)
        for (size_t row = 0; row < kShortTogether; ++row) keys[i][row] = coding.decode(keys[i][row]);
    return true;
}

template <class Bits> bool sort_portable(Block<Bits> &keys, size_t n, const Coding<Bits> &coding) {
    return sort_keys_inline<Bits>(keys, n, coding);
}
#if defined(GPCL_HAVE_X86)
template <class Bits> [[gnu::target("avx2")]] bool sort_avx2(Block<Bits> &keys, size_t n, const Coding<Bits> &coding) {
    return sort_keys_inline<Bits>(keys, n, coding);
}
template <class Bits> [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] bool
sort_avx512(Block<Bits> &keys, size_t n, const Coding<Bits> &coding) {
    return sort_keys_inline<Bits>(keys, n, coding);
}
#endif

template <class Bits> auto sorter() {
#if defined(GPCL_HAVE_X86)
    if (has_avx512_of_all_sizes()) return sort_avx512<Bits>;
    if (has_avx2()) return sort_avx2<Bits>;
#endif
    return sort_portable<Bits>;
}

} // namespace

bool sort_short_rows(gp_dtype dtype, bool descending, size_t n, size_t count, size_t stride, void *keys) {
    bool sorted = false;
    with_bits(dtype, [&](auto bits) {
        using Bits = decltype(bits);
        using Signed = std::make_signed_t<Bits>;
        auto *const all = static_cast<Bits *>(keys);
        Block<Bits> block;
        if (count < kShortTogether) std::fill_n(block.begin(), n, Lanes<Bits>{});
        for (size_t row = 0; row < count; ++row)
            for (size_t i = 0; i < n; ++i) block[i][row] = static_cast<Signed>(all[row * stride + i]);
        sorted = sorter<Bits>()(block, n, Coding<Bits>(Order<Bits>(dtype, descending)));
        if (!sorted) return;
        for (size_t row = 0; row < count; ++row)
            for (size_t i = 0; i < n; ++i) all[row * stride + i] = static_cast<Bits>(block[i][row]);
    });
    return sorted;
}

} // namespace gpcl::host

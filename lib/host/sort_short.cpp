// Rows of a few keys by Batcher's merge exchange (Knuth, The Art of Computer Programming 3, 5.2.2,
// algorithm M), each lane of a vector a row. Longer ones one after the other, each in a vector or
// some (simd_sort.h).
// SPDX-License-Identifier: MIT
#include "host/sort_short.h"

#include "core/cpu.h"
#include "host/order.h"
#include "host/simd_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <type_traits>

namespace gpcl::host {
namespace {

constexpr size_t kMostNetwork = 32; // keys of a row that lies across vectors

// Key number i of all rows. Signed, since more CPUs compare these by vectors.
template <class Bits> using Lanes = std::array<std::make_signed_t<Bits>, kShortTogether>;
template <class Bits> using Block = std::array<Lanes<Bits>, kMostNetwork>;

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

    bool is_identity() const { return !is_float && flip == 0; }
    bool is_ascending_float() const { return is_float && flip == 0; }
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

// Keys that follow each other. Loops over them have a constant length, but for the last keys, so
// that compilers take vectors.
template <class Bits> struct KeyLine {
    using Signed = std::make_signed_t<Bits>;
    Signed *keys;
    size_t n;

    template <class F> [[gnu::always_inline]] inline void in_chunks(const F &f) const {
        size_t i = 0;
        for (; i + kShortTogether <= n; i += kShortTogether)
            f(keys + i, std::integral_constant<size_t, kShortTogether>{});
        for (; i < n; ++i) f(keys + i, std::integral_constant<size_t, 1>{});
    }
    // Sets lanes of `special` to -1 where there is a NaN or a -0.
    [[gnu::always_inline]] inline void look(const Coding<Bits> &coding, Lanes<Bits> &special) const {
        in_chunks([&](const Signed *some, auto count) {
            for (size_t i = 0; i < count; ++i) special[i] = static_cast<Signed>(special[i] | coding.special(some[i]));
        });
    }
    [[gnu::always_inline]] inline void encode(const Coding<Bits> &coding) const {
        in_chunks([&](Signed *some, auto count) {
            for (size_t i = 0; i < count; ++i) some[i] = coding.encode(some[i]);
        });
    }
    [[gnu::always_inline]] inline void decode(const Coding<Bits> &coding) const {
        in_chunks([&](Signed *some, auto count) {
            for (size_t i = 0; i < count; ++i) some[i] = coding.decode(some[i]);
        });
    }
};

template <class Bits> bool is_any(const Lanes<Bits> &special) {
    return std::any_of(special.begin(), special.end(), [](auto one) { return one != 0; });
}

template <class Bits>
[[gnu::always_inline]] inline bool sort_keys_inline(Block<Bits> &keys, size_t n, const Coding<Bits> &coding) {
    const auto line = [&](size_t i) { return KeyLine<Bits>{keys[i].data(), kShortTogether}; };
    if (coding.is_float) {
        Lanes<Bits> special{};
        for (size_t i = 0; i < n; ++i) line(i).look(coding, special);
        if (is_any<Bits>(special)) return false;
    }
    for (size_t i = 0; i < n; ++i) line(i).encode(coding);
    sort_inline<Bits>(keys, n);
    for (size_t i = 0; i < n; ++i) line(i).decode(coding);
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

#if defined(GPCL_HAVE_SIMD_SORT)
// Keys of a row from which on it is sorted by itself.
constexpr size_t kLeastAlone = 4;

template <class Bits> [[gnu::target("avx2")]] bool has_special(KeyLine<Bits> line, Coding<Bits> coding) {
    Lanes<Bits> special{};
    line.look(coding, special);
    return is_any<Bits>(special);
}
template <class Bits> [[gnu::target("avx2")]] void encode(KeyLine<Bits> line, Coding<Bits> coding) {
    line.encode(coding);
}
template <class Bits> [[gnu::target("avx2")]] void decode(KeyLine<Bits> line, Coding<Bits> coding) {
    line.decode(coding);
}

template <class Bits> bool sort_one_by_one(std::make_signed_t<Bits> *keys, size_t n, size_t count, size_t stride,
                                           const Coding<Bits> &coding) {
    // Rows without gaps are one line.
    const size_t lines = stride == n ? 1 : count, length = stride == n ? n * count : n;
    const auto line = [&](size_t k) { return KeyLine<Bits>{keys + k * stride, length}; };
    for (size_t k = 0; k < lines && coding.is_float; ++k)
        if (has_special(line(k), coding)) return false;
    using Float = std::conditional_t<sizeof(Bits) == 4, float, double>;
    if (coding.is_ascending_float() && takes_subnormal()) { // as they are; there is no -0
        simd_sort_rows(reinterpret_cast<Float *>(keys), n, count, stride);
        return true;
    }
    for (size_t k = 0; k < lines && !coding.is_identity(); ++k) encode(line(k), coding);
    simd_sort_rows(keys, n, count, stride);
    for (size_t k = 0; k < lines && !coding.is_identity(); ++k) decode(line(k), coding);
    return true;
}
#endif

} // namespace

bool sort_short_rows(gp_dtype dtype, bool descending, size_t n, size_t count, size_t stride, void *keys) {
    bool sorted = false;
    with_bits(dtype, [&](auto bits) {
        using Bits = decltype(bits);
        using Signed = std::make_signed_t<Bits>;
        auto *const all = static_cast<Bits *>(keys);
#if defined(GPCL_HAVE_SIMD_SORT)
        if constexpr (sizeof(Bits) >= 4) {
            if (n >= kLeastAlone && has_simd_sort()) {
                const Coding<Bits> coding(Order<Bits>(dtype, descending));
                sorted = sort_one_by_one<Bits>(static_cast<Signed *>(keys), n, count, stride, coding);
                return;
            }
        }
#endif
        if (n > kMostNetwork) return;
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

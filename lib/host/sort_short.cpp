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

#if defined(GPCL_HAVE_SIMD_SORT)
// Keys of a row from which on it is sorted by itself.
constexpr size_t kLeastAlone = 4;

// Calls f(keys of a chunk, how many) for n keys that follow each other; the number is a constant in
// all chunks but the last keys, one by one, so that compilers take vectors.
template <class Key, class F> [[gnu::always_inline]] inline void in_chunks(Key *keys, size_t n, const F &f) {
    constexpr size_t kChunk = 16;
    size_t i = 0;
    for (; i + kChunk <= n; i += kChunk) f(keys + i, std::integral_constant<size_t, kChunk>{});
    for (; i < n; ++i) f(keys + i, std::integral_constant<size_t, 1>{});
}

// Of keys that follow each other: is a NaN or a -0 among them?
template <class Bits>
[[gnu::target("avx2")]] bool has_special(const std::make_signed_t<Bits> *keys, size_t n, Coding<Bits> coding) {
    using Signed = std::make_signed_t<Bits>;
    std::array<Signed, 16> found{};
    in_chunks(keys, n, [&](const Signed *some, auto count) {
        for (size_t i = 0; i < count; ++i) found[i] = static_cast<Signed>(found[i] | coding.special(some[i]));
    });
    Signed all = 0;
    for (const Signed one : found) all = static_cast<Signed>(all | one);
    return all != 0;
}
template <class Bits>
[[gnu::target("avx2")]] void encode(std::make_signed_t<Bits> *keys, size_t n, Coding<Bits> coding) {
    in_chunks(keys, n, [&](auto *some, auto count) {
        for (size_t i = 0; i < count; ++i) some[i] = coding.encode(some[i]);
    });
}
template <class Bits>
[[gnu::target("avx2")]] void decode(std::make_signed_t<Bits> *keys, size_t n, Coding<Bits> coding) {
    in_chunks(keys, n, [&](auto *some, auto count) {
        for (size_t i = 0; i < count; ++i) some[i] = coding.decode(some[i]);
    });
}

template <class Bits> bool sort_one_by_one(std::make_signed_t<Bits> *keys, size_t n, size_t count, size_t stride,
                                           const Coding<Bits> &coding) {
    // Rows without gaps are one line.
    const size_t lines = stride == n ? 1 : count, line = stride == n ? n * count : n;
    for (size_t k = 0; k < lines && coding.is_float; ++k)
        if (has_special<Bits>(keys + k * stride, line, coding)) return false;
    using Float = std::conditional_t<sizeof(Bits) == 4, float, double>;
    if (coding.is_ascending_float() && takes_subnormal()) { // as they are; there is no -0
        simd_sort_rows(reinterpret_cast<Float *>(keys), n, count, stride);
        return true;
    }
    for (size_t k = 0; k < lines && !coding.is_identity(); ++k) encode<Bits>(keys + k * stride, line, coding);
    simd_sort_rows(keys, n, count, stride);
    for (size_t k = 0; k < lines && !coding.is_identity(); ++k) decode<Bits>(keys + k * stride, line, coding);
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

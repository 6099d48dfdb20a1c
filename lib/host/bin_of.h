// Which bin an element lies in.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/cpu.h"
#include "core/dtype.h"
#include "core/half.h"
#include "host/bins.h"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

namespace gpcl::host {

// The last bin whose low is not above a key, which is in a bin: by halves, without a branch that
// depends on the key.
inline size_t search_bin(const Bins &bins, uint64_t key) {
    const uint64_t *low = bins.lows.data();
    for (size_t left = bins.lows.size(); left > 1; left -= left / 2) low += left / 2 * (low[left / 2] <= key ? 1 : 0);
    return static_cast<size_t>(low - bins.lows.data());
}

// The same. Where bins are even, or nearly, `place` is in that bin or close to it.
inline size_t bin_of(const Bins &bins, uint64_t key, double place) {
    const uint64_t *lows = bins.lows.data();
    const size_t reach = bins.lows.size();
    if (bins.even || bins.near_even) {
        const auto last = static_cast<double>(reach - 1);
        size_t guess = place > 0 ? static_cast<size_t>(std::min(place, last)) : 0; // 0 for NaN too
        if (lows[guess] > key) --guess;                                            // the first low is above no key
        for (size_t bin = guess; bin < std::min(guess + 3, reach); ++bin)
            if (lows[bin] <= key && (bin + 1 == reach || lows[bin + 1] > key)) return bin;
    }
    return search_bin(bins, key);
}

// Where an element lies among even bins, but for rounding.
template <class Bits> double place_of(gp_dtype dtype, Bits bits, uint64_t key, const Bins &bins) {
    double value = static_cast<double>(key - bins.first);
    if (dtype == GP_FLOAT64) value = std::bit_cast<double>(uint64_t{bits});
    if (dtype == GP_FLOAT32) value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (dtype == GP_FLOAT16) value = half_to_float(static_cast<uint16_t>(bits));
    return (value - bins.lower) * bins.scale;
}

// The bins that elements are in or next to, where bins are even, or nearly; of the others, any bin.
template <class Type, class Bits> [[gnu::always_inline]] inline void
guess_bins_inline(Type dtype, size_t n, const Bits *in, const Bins &bins, int32_t *guesses) {
    const auto furthest = static_cast<double>(bins.lows.size() - 1);
    for (size_t i = 0; i < n; ++i) {
        const double place = place_of(dtype, in[i], key_of(dtype, in[i], 8 * sizeof(Bits)), bins);
        guesses[i] = static_cast<int32_t>(std::min(place > 0 ? place : 0.0, furthest)); // 0 for NaN
    }
}
#ifdef GPCL_HAVE_X86
template <class Type, class Bits>
[[gnu::target("avx2")]] void guess_bins_avx2(Type dtype, size_t n, const Bits *in, const Bins &bins, int32_t *guesses) {
    guess_bins_inline(dtype, n, in, bins, guesses);
}
#endif
template <class Type, class Bits>
void guess_bins(Type dtype, size_t n, const Bits *in, const Bins &bins, int32_t *guesses) {
#ifdef GPCL_HAVE_X86
    static const bool is_wide = has_avx2();
    if (is_wide) return guess_bins_avx2(dtype, n, in, bins, guesses);
#endif
    guess_bins_inline(dtype, n, in, bins, guesses);
}

// Where bins are even, or nearly: calls f(i, bin) for elements in a bin, block by block. Vectors
// make guesses. One that is next to the bin is put right without a branch.
template <class Type, class Bits, class F>
void for_each_in_even_bins(Type dtype, size_t n, const Bits *in, const Bins &bins, const F &f) {
    constexpr size_t kBlock = 256;
    const uint64_t *const lows = bins.lows.data();
    const size_t last = bins.lows.size() - 1;
    std::array<int32_t, kBlock> guesses;
    for (size_t begin = 0; begin < n; begin += kBlock) {
        const size_t count = std::min(kBlock, n - begin);
        const Bits *const from = in + begin;
        guess_bins(dtype, count, from, bins, guesses.data());
        for (size_t i = 0; i < count; ++i) {
            const uint64_t key = key_of(dtype, from[i], 8 * sizeof(Bits));
            if (key < bins.first || key > bins.last) continue;
            auto bin = static_cast<size_t>(guesses[i]);
            bin -= lows[bin] > key; // the first low is above no key
            const size_t next = bin + (bin < last);
            bin = lows[next] <= key ? next : bin;
            if (lows[bin] > key || (bin < last && lows[bin + 1] <= key)) [[unlikely]]
                bin = static_cast<size_t>(std::upper_bound(lows, lows + last + 1, key) - lows) - 1;
            f(begin + i, bin);
        }
    }
}

// Calls f(i, bin) for each of the elements that are in a bin.
template <class Bits, class F>
void for_each_in_bins(gp_dtype dtype, size_t n, const Bits *in, const Bins &bins, const F &f) {
    const auto loop = [&](auto type) { // a constant, where the work for an element depends on it most
        if ((bins.even || bins.near_even) && !bins.whole && bins.lows.size() <= size_t{1} << 31)
            return for_each_in_even_bins(type, n, in, bins, f);
        for (size_t i = 0; i < n; ++i) {
            const uint64_t key = key_of(type, in[i], 8 * sizeof(Bits));
            if (key < bins.first || key > bins.last) continue;
            f(i, bins.whole ? key - bins.first : bin_of(bins, key, place_of(type, in[i], key, bins)));
        }
    };
    if (dtype == GP_FLOAT32) return loop(std::integral_constant<gp_dtype, GP_FLOAT32>{});
    if (dtype == GP_FLOAT64) return loop(std::integral_constant<gp_dtype, GP_FLOAT64>{});
    if (dtype == GP_INT32) return loop(std::integral_constant<gp_dtype, GP_INT32>{});
    loop(dtype);
}

// Calls f with an unsigned integer of the type's size.
template <class F> void with_bits(gp_dtype code, F &&f) {
    switch (dtype(code).size) {
    case 1: return f(uint8_t{});
    case 2: return f(uint16_t{});
    case 4: return f(uint32_t{});
    default: return f(uint64_t{});
    }
}

} // namespace gpcl::host

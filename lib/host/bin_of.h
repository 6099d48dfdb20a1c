// Which bin an element lies in.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "core/half.h"
#include "host/bins.h"

#include <algorithm>
#include <bit>
#include <type_traits>

namespace gpcl::host {

// The last bin whose low is not above a key, which is in a bin. Where bins are even, or
// nearly, `place` is in that bin or close to it.
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
    return static_cast<size_t>(std::upper_bound(lows, lows + reach, key) - lows) - 1;
}

// Where an element lies among even bins, but for rounding.
template <class Bits> double place_of(gp_dtype dtype, Bits bits, uint64_t key, const Bins &bins) {
    double value = static_cast<double>(key - bins.first);
    if (dtype == GP_FLOAT64) value = std::bit_cast<double>(uint64_t{bits});
    if (dtype == GP_FLOAT32) value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (dtype == GP_FLOAT16) value = half_to_float(static_cast<uint16_t>(bits));
    return (value - bins.lower) * bins.scale;
}

// Calls f(i, bin) for each of the elements that are in a bin.
template <class Bits, class F>
void for_each_in_bins(gp_dtype dtype, size_t n, const Bits *in, const Bins &bins, const F &f) {
    const auto loop = [&](auto type) { // a constant, where the work for an element depends on it most
        for (size_t i = 0; i < n; ++i) {
            const uint64_t key = key_of(type, in[i], 8 * sizeof(Bits));
            if (key < bins.first || key > bins.last) continue;
            f(i, bins.whole ? key - bins.first : bin_of(bins, key, place_of(type, in[i], key, bins)));
        }
    };
    if (dtype == GP_FLOAT32) return loop(std::integral_constant<gp_dtype, GP_FLOAT32>{});
    if (dtype == GP_FLOAT64) return loop(std::integral_constant<gp_dtype, GP_FLOAT64>{});
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

// Which bin an element lies in. Elements are compared as keys: unsigned integers that order as the
// elements do, of any type.
//
// Macros: GP_KEY_BYTES, 1, 2, 4 or 8; GP_FLIP: 0 unsigned, 1 signed, 2 floating; one of GP_WHOLE
//         (each key from `first` on is a bin), GP_EVEN (a guess is right, or one beside it) and
//         GP_SEARCH; GP_FLOAT64 to guess in double
// Gives:  Key, Real; GP_NONE; gp_bin; the kernel histogram_add_parts
// Launch: histogram_add_parts: any number of work-items, one a bin at least
// Source: the definition
// SPDX-License-Identifier: MIT
#include "common/key.cl"
#ifdef GP_FLOAT64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define Real double
#else
#define Real float
#endif
#ifndef GP_FLIP
#error "GP_FLIP must be defined"
#endif
#if !defined(GP_WHOLE) && !defined(GP_EVEN) && !defined(GP_SEARCH)
#error "one of GP_WHOLE, GP_EVEN and GP_SEARCH must be defined"
#endif

#define GP_SIGN ((Key)((Key)1 << (8 * GP_KEY_BYTES - 1)))
#define GP_NONE (~0u)
#ifndef GP_TABLE
#define GP_TABLE global // where the table of lows lies
#endif

Key gp_key(Key bits) {
#if GP_FLIP == 0
    return bits;
#elif GP_FLIP == 1
    return bits ^ GP_SIGN;
#else
    return bits & GP_SIGN ? (Key)~bits : bits | GP_SIGN;
#endif
}

#ifdef GP_EVEN
// Not exact. `lower` counts from the element that `first` stands for, if that is an integer.
Real gp_guess(Key bits, Key first, Real lower, Real scale) {
#if GP_FLIP != 2
    return ((Real)(Key)(gp_key(bits) - first) - lower) * scale;
#elif GP_KEY_BYTES == 4
    return (as_float(bits) - lower) * scale;
#else
    return (as_double(bits) - lower) * scale;
#endif
}
#endif

// The bin of an element, of whose type these are the bits: the last of `reach` whose low is not
// above it. GP_NONE outside of all bins. lows[0] is `first`.
uint gp_bin(Key bits, Key first, Key last, GP_TABLE const Key *lows, uint reach, Real lower, Real scale) {
    const Key key = gp_key(bits);
    if (key < first || key > last) return GP_NONE;
#ifdef GP_WHOLE
    return (uint)(key - first);
#else
    uint low = 0, high = reach;
#ifdef GP_EVEN
    const Real place = gp_guess(bits, first, lower, scale);
    const uint guess = place > 0 ? place < (Real)(reach - 1) ? (uint)place : reach - 1 : 0; // 0 for NaN too
    if (lows[guess] <= key) {
        low = guess;
        if (low + 1 == high || lows[low + 1] > key) return low;
        ++low;
        if (low + 1 == high || lows[low + 1] > key) return low;
    } else {
        high = guess;
        if (lows[high - 1] <= key) return high - 1;
    }
#endif
    for (uint size = high - low; size > 1;) { // without branches that depend on the element
        const uint step = size / 2;
        low += lows[low + step] <= key ? step : 0;
        size -= step;
    }
    return low;
#endif
}

// counts[b] = the sum of partial[part * bins + b] over all parts.
kernel void histogram_add_parts(global const uint *partial, ulong partial_offset, global ulong *counts,
                                ulong counts_offset, uint bins, uint parts) {
    const uint bin = (uint)get_global_id(0);
    if (bin >= bins) return;
    ulong sum = 0;
    for (uint part = 0; part < parts; ++part) sum += partial[partial_offset + (ulong)part * bins + bin];
    counts[counts_offset + bin] = sum;
}

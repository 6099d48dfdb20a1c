// Keys as unsigned numbers that order as the keys do, the values that travel with them, and the
// passes over their digits.
//
// Keys are moved bit for bit; only their digits come from the numbers. So -0 and +0 are equal and
// keep their order, and so are all NaN, and no float64 arithmetic is needed.
//
// Macros: GP_KEY_BYTES    1, 2, 4 or 8
//         GP_KEY_FLOAT    1 for IEEE 754 keys (of 4 or 8 bytes), 0 for integers
//         GP_VALUE_BYTES  0 (no values), 1, 2, 4, 8 or 16
//         GP_DIGIT_BITS   1 to 8
// Gives:  Key, Value (unsigned integers of those sizes); GP_DIGITS; gp_digit(key, flip, shift);
//         GP_LAST(flip), a key that none comes after; which passes run, and on what: gp_varying,
//         gp_plan, GP_ARRAYS, GP_PICK_ARRAYS
// SPDX-License-Identifier: MIT
#include "common/order.cl"
#if GP_KEY_FLOAT && GP_KEY_BYTES < 4
#error "floating-point keys have 4 or 8 bytes"
#endif

#ifndef GP_VALUE_BYTES
#error "GP_VALUE_BYTES must be defined: 0, 1, 2, 4, 8 or 16"
#elif GP_VALUE_BYTES == 16
#define Value ulong2
#elif GP_VALUE_BYTES == 8
#define Value ulong
#elif GP_VALUE_BYTES == 2
#define Value ushort
#elif GP_VALUE_BYTES == 1
#define Value uchar
#else
#define Value uint
#endif

#ifndef GP_DIGIT_BITS
#error "GP_DIGIT_BITS must be defined: 1 to 8"
#endif
#define GP_DIGITS 256 // of 8 bits; fewer bits leave the last ones without keys

uint gp_digit(Key key, Key flip, uint shift) {
    return (uint)(gp_ordered(key, flip) >> shift) & ((1u << GP_DIGIT_BITS) - 1);
}

#if GP_KEY_FLOAT
#define GP_LAST(flip) (~(Key)0) // a NaN
#else
#define GP_LAST(flip) ((Key) ~(flip))
#endif

// ---- Passes -------------------------------------------------------------------------------------

// Where the digit of each pass begins: 8 bits after each other, but the last one as the host says.
#define GP_SHIFT(pass, begin, last) min((begin) + 8 * (pass), last)

// A bit for each pass whose digit is not the same in all keys; `differing` has those bits of the
// keys set in which any of them differs from the first.
uint gp_varying(Key differing, uint begin, uint last, uint passes) {
    uint varying = 0;
    for (uint pass = 0; pass < passes; ++pass) {
        const uint digit = (uint)(differing >> GP_SHIFT(pass, begin, last)) & ((1u << GP_DIGIT_BITS) - 1);
        varying |= (digit != 0 ? 1u : 0u) << pass;
    }
    return varying;
}

#define GP_NUMBER 1    // flags of a pass: the values are the keys' indices, which the first pass makes
#define GP_DROP_KEYS 2 // nobody needs the keys after this pass
#define GP_APART 4     // the keys end in other memory than that which the first pass reads

// A bit for each pass that runs. Where all keys share a digit none needs to, but an even number is
// left out, so that the keys end in the same memory whatever they are. The first pass runs where it
// makes indices, or where keys that no pass moves would not be where they are wanted.
uint gp_plan(uint varying, uint passes, uint flags) {
    const uint run = varying | ((flags & (GP_NUMBER | GP_APART)) != 0 ? 1u : 0u);
    const uint out = ~run & ((1u << passes) - 1);
    return popcount(out) % 2 == 0 ? run : run | (out & (~out + 1));
}

// Parameters of a pass: the passes that run read keys_first, keys_odd, keys_even, keys_odd ... in
// turn, and write the next.
#define GP_KEY_ARRAYS                                                                                                  \
    uint pass, uint flags, global const Key *keys_first, ulong keys_first_offset, global Key *keys_even,               \
        ulong keys_even_offset, global Key *keys_odd, ulong keys_odd_offset
#if GP_VALUE_BYTES
#define GP_ARRAYS                                                                                                      \
    GP_KEY_ARRAYS, global Value *values_even, ulong values_even_offset, global Value *values_odd,                      \
        ulong values_odd_offset
#define GP_PICK_VALUES                                                                                                 \
    global const Value *values_in = turn % 2 != 0 ? values_odd + values_odd_offset : values_even + values_even_offset; \
    global Value *values_out = turn % 2 != 0 ? values_even + values_even_offset : values_odd + values_odd_offset;      \
    const bool number = turn == 0 && (flags & GP_NUMBER), drop_keys = flags & GP_DROP_KEYS;
#else
#define GP_ARRAYS GP_KEY_ARRAYS
#define GP_PICK_VALUES
#endif

// What this pass works on: keys_in; keys_out, values_in, values_out; number, drop_keys.
#define GP_PICK_KEYS_IN(plan)                                                                                          \
    const uint turn = popcount((plan) & ((1u << pass) - 1));                                                           \
    global const Key *keys_in = turn == 0       ? keys_first + keys_first_offset                                       \
                                : turn % 2 != 0 ? keys_odd + keys_odd_offset                                           \
                                                : keys_even + keys_even_offset;
#define GP_PICK_ARRAYS(plan)                                                                                           \
    GP_PICK_KEYS_IN(plan)                                                                                              \
    global Key *keys_out = turn % 2 != 0 ? keys_even + keys_even_offset : keys_odd + keys_odd_offset;                  \
    GP_PICK_VALUES

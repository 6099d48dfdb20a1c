// Keys as unsigned numbers that order as the keys do. Keys are read bit for bit, so no arithmetic
// of their own type is needed.
//
// Macros: GP_KEY_BYTES, 1, 2, 4 or 8; GP_KEY_FLOAT: 1 for IEEE 754 keys, 0 for integers
// Gives:  Key; gp_ordered; for IEEE 754 keys GP_SIGN, GP_INFINITY and gp_is_nan
// SPDX-License-Identifier: MIT
#include "common/key.cl"
#ifndef GP_KEY_FLOAT
#error "GP_KEY_FLOAT must be defined: 0 or 1"
#endif
#if GP_KEY_BYTES == 2
#define GP_SIGN 0x8000
#define GP_INFINITY 0x7c00
#elif GP_KEY_BYTES == 4
#define GP_SIGN 0x80000000u
#define GP_INFINITY 0x7f800000u
#elif GP_KEY_BYTES == 8
#define GP_SIGN 0x8000000000000000ul
#define GP_INFINITY 0x7ff0000000000000ul
#endif

#if GP_KEY_FLOAT
bool gp_is_nan(Key key) { return (key & ~GP_SIGN) > GP_INFINITY; }
#endif

// `flip` holds the bits to turn: the sign bit of signed integers, every bit for descending order.
Key gp_ordered(Key key, Key flip) {
#if GP_KEY_FLOAT
    const Key magnitude = key & ~GP_SIGN;
    const Key negative = magnitude == 0 ? 0 : key >> (8 * GP_KEY_BYTES - 1); // -0 counts as +0
    const Key ordered = (negative ? ~key : magnitude | GP_SIGN) ^ flip;
    return gp_is_nan(key) ? ~(Key)0 : ordered; // NaN come last, whatever the order
#else
    return key ^ flip;
#endif
}

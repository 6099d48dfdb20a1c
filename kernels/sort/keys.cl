// Keys as unsigned numbers that order as the keys do, and the values that travel with them.
//
// Macros: GP_KEY_BYTES    1, 2, 4 or 8
//         GP_KEY_FLOAT    1 for IEEE 754 keys (of 4 or 8 bytes), 0 for integers
//         GP_VALUE_BYTES  0 (no values), 4 or 8
//
// Gives:  Key, Value (unsigned integers of those sizes), GP_DIGITS, gp_digit(key, flip, shift), GP_LAST(flip) (a key that
//         none comes after)
//
// Keys are moved bit for bit; only their digits are taken from the mapped number. So -0 and +0 are equal and keep their
// order, and so are all NaN, and no float64 arithmetic is needed.
// SPDX-License-Identifier: MIT
#if GP_KEY_BYTES == 1
#define Key uchar
#elif GP_KEY_BYTES == 2
#define Key ushort
#elif GP_KEY_BYTES == 4
#define Key uint
#define GP_SIGN 0x80000000u
#define GP_INFINITY 0x7f800000u
#elif GP_KEY_BYTES == 8
#define Key ulong
#define GP_SIGN 0x8000000000000000ul
#define GP_INFINITY 0x7ff0000000000000ul
#else
#error "GP_KEY_BYTES must be 1, 2, 4 or 8"
#endif

#ifndef GP_KEY_FLOAT
#error "GP_KEY_FLOAT must be defined: 0 or 1"
#endif
#if GP_KEY_FLOAT && GP_KEY_BYTES < 4
#error "floating-point keys have 4 or 8 bytes"
#endif

#ifndef GP_VALUE_BYTES
#error "GP_VALUE_BYTES must be defined: 0, 4 or 8"
#elif GP_VALUE_BYTES == 8
#define Value ulong
#else
#define Value uint
#endif

#define GP_DIGITS 256 // of 8 bits

// `flip` holds the bits to turn: the sign bit of signed integers, every bit for descending order.
Key gp_ordered(Key key, Key flip) {
#if GP_KEY_FLOAT
    const Key magnitude = key & ~GP_SIGN;
    const Key negative = magnitude == 0 ? 0 : key >> (8 * GP_KEY_BYTES - 1); // -0 counts as +0
    const Key ordered = (negative ? ~key : magnitude | GP_SIGN) ^ flip;
    return magnitude > GP_INFINITY ? ~(Key)0 : ordered; // NaN come last, whatever the order
#else
    return key ^ flip;
#endif
}

uint gp_digit(Key key, Key flip, uint shift) { return (uint)(gp_ordered(key, flip) >> shift) & (GP_DIGITS - 1); }

#if GP_KEY_FLOAT
#define GP_LAST(flip) (~(Key)0) // a NaN
#else
#define GP_LAST(flip) ((Key) ~(flip))
#endif

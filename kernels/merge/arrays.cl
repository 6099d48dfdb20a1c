// What the kernels of merge/ take alike: two sorted arrays, what becomes of them, and their values.
//
// Macros: GP_KEY_BYTES, GP_KEY_FLOAT  as order.cl takes them
//         GP_NATIVE                   1 where keys of float32 or float64 are compared as such,
//                                     which the device does without taking subnormal ones for 0
//         GP_WORD_BYTES               0 without values; else bytes of the words that values are
//                                     copied by: 1, 2, 4 or 8, which divides their size and address
//         GP_COUNTED_TWO              as counted.cl takes it, of a and b
// Gives: GP_TURNED(flip), the bits that can be turned in keys before they are ranked, which takes
//         no more than the other bits of flip then; GP_ARRAYS, the last parameters; GP_TAKE_ARRAYS,
//         after which a, b and out are where they begin, and `order` is how keys are compared; the
//         searches and steps of merge_path.cl
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "common/order.cl"
#include "common/word.cl"

typedef struct {
    Key flip; // as gp_ordered takes it
} KeyOrder;
#define Element Key
#define Order KeyOrder
#if GP_NATIVE
#if GP_KEY_BYTES == 8
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define Rank double
#define GP_AS_RANK as_double
#else
#define Rank float
#define GP_AS_RANK as_float
#endif
Rank gp_rank(Key key, Order order) { return GP_AS_RANK(key ^ (order.flip & GP_SIGN)); }
bool gp_is_before(Rank x, Rank y) { return !(y <= x) && x == x; } // NaN come last
#define GP_TURNED(flip) ((flip)&GP_SIGN)
#else
#define Rank Key
Rank gp_rank(Key key, Order order) { return gp_ordered(key, order.flip); }
bool gp_is_before(Rank x, Rank y) { return x < y; }
#if GP_KEY_FLOAT
#define GP_TURNED(flip) 0
#else
#define GP_TURNED(flip) (flip)
#endif
#endif
#include "common/merge_path.cl"

#define GP_KEY_ARRAYS                                                                                                  \
    ulong flip, ulong of_a, ulong of_b, global const Key *a, ulong a_offset, global const Key *b, ulong b_offset,      \
        global Key *out, ulong out_offset
#define GP_TAKE_KEYS                                                                                                   \
    const Order order = {(Key)flip};                                                                                   \
    a += a_offset;                                                                                                     \
    b += b_offset;                                                                                                     \
    out += out_offset;
#if GP_WORD_BYTES
#define GP_ARRAYS                                                                                                      \
    GP_KEY_ARRAYS, uint words, global const Word *a_values, ulong a_values_offset, global const Word *b_values,        \
        ulong b_values_offset, global Word *out_values, ulong out_values_offset GP_TWO_COUNT_PARAMETERS
#define GP_TAKE_ARRAYS                                                                                                 \
    GP_TAKE_TWO_COUNTS(of_a, of_b)                                                                                     \
    GP_TAKE_KEYS                                                                                                       \
    a_values += a_values_offset * words;                                                                               \
    b_values += b_values_offset * words;                                                                               \
    out_values += out_values_offset * words;
#else
#define GP_ARRAYS GP_KEY_ARRAYS GP_TWO_COUNT_PARAMETERS
#define GP_TAKE_ARRAYS                                                                                                 \
    GP_TAKE_TWO_COUNTS(of_a, of_b)                                                                                     \
    GP_TAKE_KEYS
#endif

// Exact sums of weights by cell, as integers of GP_WORDS words of 32 bits, the lowest first. A cell
// is a bin, or a pair of bins.
//
// A weight is sign * digits * 2^place units, and its digits touch two or three words. Each of these
// is added in one go, and what does not fit 32 bits goes to the next word. So the sum is the same
// in every order. A word counts as signed, so that sums that change sign borrow from the next one
// seldom. After a cell's words, one holds what it has met of inf and NaN. Without weights, a cell's
// sum is a count.
//
// Macros: GP_PLACES with those of places.cl, or those of bins.cl but for GP_WHOLE, which an
//         argument tells; GP_WEIGHT: bytes of a weight, 4 or 8, or 0 without any; GP_RESULT: bytes
//         of a sum; GP_TWO: there is a y
// Gives: Weight, Result; GP_WORDS, GP_STRIDE (words from one cell to the next); GP_AXES,
//         GP_CELL_OF; Number, gp_number; GP_ADDERS; gp_rounded
// Source: Kulisch, "Computer Arithmetic and Validity", 2013 (sums in fixed point); Collange,
//         Defour, Graillat and Iakymchuk, "Numerical reproducibility for the parallel reduction on
//         multi- and many-core architectures", 2015 (words that work-items add to)
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "common/key.cl" // before the files of which one is taken
#ifdef GP_PLACES
#include "histogram/places.cl"
#define GP_NONE (~0u)
#else
#include "histogram/bins.cl"
#endif

#if !defined(GP_WEIGHT) || !defined(GP_RESULT)
#error "GP_WEIGHT and GP_RESULT must be defined"
#endif

#if GP_WEIGHT == 0
#define Weight uchar // of which none is read
#elif GP_WEIGHT == 4
#define Weight uint
#define GP_DIGITS 24
#define GP_WORDS 10
#define GP_STRIDE 11 // odd: neighbouring cells are in different banks
#else
#define Weight ulong
#define GP_DIGITS 53
#define GP_WORDS 67
#define GP_STRIDE 69
#endif
#if GP_WEIGHT != 0
#define GP_SPECIAL ((1u << (8 * GP_WEIGHT - GP_DIGITS)) - 1) // exponent of inf and NaN
#define GP_FRACTION ((Weight)(((Weight)1 << (GP_DIGITS - 1)) - 1))
#endif
#if GP_RESULT == 4
#define Result uint
#define GP_RESULT_DIGITS 24
#else
#define Result ulong
#define GP_RESULT_DIGITS 53
#endif

// What is met of special weights, in bits.
#define GP_MET_PLUS 1u
#define GP_MET_MINUS 2u
#define GP_MET_NAN 4u

// A kernel's arguments for x, y and weights. With GP_PLACES a table holds borders, and `reach` is
// the number of bins.
#define GP_AXIS(in)                                                                                                    \
    global const Key *in, ulong in##_offset, global const Key *in##_table, ulong in##_table_offset, ulong in##_first,  \
        ulong in##_last, uint in##_reach, uint in##_whole, Real in##_lower, Real in##_scale, Real in##_near
#define GP_AXES GP_AXIS(x), GP_AXIS(y), uint y_bins, global const Weight *weights, ulong weights_offset

// The bin of an element, whose bits these are; GP_NONE outside of all. The names are those of
// GP_AXES. GP_BEGIN_AXIS comes first; `lows` is the table, or a copy of it.
#ifdef GP_PLACES
#define GP_BEGIN_AXIS(in, lows)                                                                                        \
    const Places in##_places = {in##_lower, in##_scale, 0, in##_near, in##_table + in##_table_offset, 0, in##_reach}
#define GP_BIN_OF(in, bits) gp_bin_of(bits, &in##_places)
uint gp_bin_of(Key bits, const Places *p) {
    const uint bin = gp_place(bits, p);
    return bin < p->size ? bin : GP_NONE;
}
#else
#define GP_BEGIN_AXIS(in, lows) GP_TABLE const Key *in##_lows = lows
#define GP_BIN_OF(in, bits)                                                                                            \
    gp_bin_of(bits, (Key)in##_first, (Key)in##_last, in##_lows, in##_reach, in##_whole, in##_lower, in##_scale)
uint gp_bin_of(Key bits, Key first, Key last, GP_TABLE const Key *lows, uint reach, uint whole, Real lower,
               Real scale) {
    if (whole) {
        const Key key = gp_key(bits);
        return key < first || key > last ? GP_NONE : (uint)(key - first);
    }
    return gp_bin(bits, first, last, lows, reach, lower, scale);
}
#endif

// The cell of two elements, or of one.
#ifdef GP_TWO
#define GP_CELL_OF(x_bits, y_bits) gp_pair(GP_BIN_OF(x, x_bits), GP_BIN_OF(y, y_bits), y_bins)
uint gp_pair(uint row, uint column, uint columns) {
    return row == GP_NONE || column == GP_NONE ? GP_NONE : row * columns + column;
}
#else
#define GP_CELL_OF(x_bits, y_bits) GP_BIN_OF(x, x_bits)
#endif

#if GP_WEIGHT != 0
// A weight: sign * digits * 2^place units, or what it is of inf and NaN.
typedef struct {
    Weight digits;
    uint place, met;
    bool negative;
} Number;

Number gp_number(Weight bits) {
    const uint exponent = (uint)(bits >> (GP_DIGITS - 1)) & GP_SPECIAL;
    Number x;
    x.negative = bits >> (8 * GP_WEIGHT - 1) != 0;
    x.digits = bits & GP_FRACTION;
    x.met = exponent != GP_SPECIAL ? 0 : x.digits != 0 ? GP_MET_NAN : x.negative ? GP_MET_MINUS : GP_MET_PLUS;
    x.digits |= exponent != 0 ? GP_FRACTION + 1 : 0;
    x.place = max(exponent, 1u) - 1;
    return x;
}

// Did a word that counts as signed change from `before` to `after` beyond its range, by a number
// added, or taken away where `negative`?
bool gp_carries(uint before, uint after, bool negative) {
    return negative ? (int)after > (int)before : (int)after < (int)before;
}

#define GP_ADD_ALONE(word, change) (*(word) += (change)) - (change)
#define GP_MEET_ALONE(word, more) *(word) |= (more)

// Gives for words in memory `space`, where add(word, change) returns what was there before:
//   gp_add_word_NAME   adds to a word, or takes away where `negative`; returns what goes to the
//                      next, 0 or 1
//   gp_add_more_NAME   the same to words from `at` on, until nothing goes on
//   gp_add_number_NAME adds a number to its cell's words
#define GP_ADDERS(name, space, add, meet)                                                                              \
    uint gp_add_word_##name(volatile space uint *word, uint more, bool negative) {                                     \
        const uint change = negative ? -more : more, before = add(word, change);                                       \
        return gp_carries(before, before + change, negative) ? 1 : 0;                                                  \
    }                                                                                                                  \
    void gp_add_more_##name(volatile space uint *words, uint at, ulong more, bool negative) {                          \
        for (; more != 0 && at < GP_WORDS; ++at) {                                                                     \
            const uint goes_on = (uint)more != 0 ? gp_add_word_##name(words + at, (uint)more, negative) : 0;           \
            more = (more >> 32) + goes_on;                                                                             \
        }                                                                                                              \
    }                                                                                                                  \
    void gp_add_number_##name(volatile space uint *words, Number x) {                                                  \
        if (x.met != 0) {                                                                                              \
            meet(words + GP_WORDS, x.met);                                                                             \
            return;                                                                                                    \
        }                                                                                                              \
        const uint shift = x.place % 32, at = x.place / 32;                                                            \
        const ulong low = ((ulong)x.digits & 0xffffffff) << shift;                                                     \
        const uint goes_on = (uint)low != 0 ? gp_add_word_##name(words + at, (uint)low, x.negative) : 0;               \
        const ulong high = (ulong)(x.digits >> (4 * GP_WEIGHT)) >> (32 - 4 * GP_WEIGHT) << shift;                      \
        gp_add_more_##name(words, at + 1, high + (low >> 32) + goes_on, x.negative);                                   \
    }

// The result of a sum other than 0: its 64 bits from the first that is set on, whether any is set
// below, and its length in bits from that of a unit on. Rounded once to the nearest.
Result gp_rounded_bits(ulong bits, bool below, uint length, bool negative) {
    const Result sign = (Result)1 << (8 * GP_RESULT - 1);
    const Result infinity = sign - ((Result)1 << (GP_RESULT_DIGITS - 1));
    ulong digits = bits >> (64 - GP_RESULT_DIGITS);
    const ulong rest = bits << GP_RESULT_DIGITS, half_of_one = 1ul << 63;
    if (rest > half_of_one || (rest == half_of_one && (below || (digits & 1) != 0))) ++digits;
        // As the result's bits have it.
#if GP_RESULT == GP_WEIGHT
    const int exponent = (int)length - GP_RESULT_DIGITS;
#else
    const int exponent = (int)length + 1022 - 150;
#endif
    Result result = infinity;
    if (exponent < 0)
        result = (Result)(digits >> -exponent);
    else if ((Result)exponent < infinity >> (GP_RESULT_DIGITS - 1))
        result = min(((Result)exponent << (GP_RESULT_DIGITS - 1)) + (Result)digits, infinity);
    return negative ? sign | result : result;
}

// The result where inf or NaN were met.
Result gp_special(uint met) {
    const Result sign = (Result)1 << (8 * GP_RESULT - 1);
    const Result infinity = sign - ((Result)1 << (GP_RESULT_DIGITS - 1));
    if (met == GP_MET_PLUS) return infinity;
    if (met == GP_MET_MINUS) return sign | infinity;
    return infinity | (Result)1 << (GP_RESULT_DIGITS - 2);
}

// The sum of words with 32 bits each and the sign in the highest, rounded. The words change.
Result gp_rounded(uint *words, uint met) {
    if (met != 0) return gp_special(met);
    const bool negative = words[GP_WORDS - 1] >> 31 != 0;
    uint more = negative ? 1 : 0, top = 0;
    for (uint j = 0; j < GP_WORDS; ++j) {
        const uint word = negative ? ~words[j] + more : words[j];
        more = more != 0 && word == 0 ? 1 : 0;
        words[j] = word;
        top = word != 0 ? j + 1 : top;
    }
    if (top == 0) return 0;
    const uint first = words[top - 1], zeros = clz(first);
    const uint second = top > 1 ? words[top - 2] : 0, third = top > 2 ? words[top - 3] : 0;
    bool below = third << zeros != 0;
    for (uint j = 0; j + 3 < top; ++j) below = below || words[j] != 0;
    return gp_rounded_bits(((ulong)first << 32 | second) << zeros | (ulong)third >> (32 - zeros), below,
                           top * 32 - zeros, negative);
}
#endif

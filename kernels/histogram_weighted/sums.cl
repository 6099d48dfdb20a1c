// Exact sums of weights by cell, as integers of GP_WORDS words of 32 bits, the lowest first. A cell
// is a bin, or a pair of bins.
//
// A weight is sign * digits * 2^place units, and its digits touch two or three words. Each of these
// is added in one go, and what does not fit 32 bits goes to the next word. So the sum is the same in
// every order. Each word begins with GP_BIAS, halfway, so that sums that change sign borrow from the
// next word seldom. After a cell's words, one holds what it has met of inf and NaN. Without weights,
// a cell's sum is a count.
//
// Macros: GP_PLACES with those of places.cl, or those of bins.cl but for GP_WHOLE, which an argument
//         tells; GP_WEIGHT: bytes of a weight,
//         4 or 8, or 0 without any; GP_RESULT: bytes of a sum; GP_TWO: there is a y; GP_COUNT_WORDS:
//         words of a count, where the words lie in memory GP_SPACE; GP_ALONE: nobody else adds to
//         them
// Gives:  Weight, Result; GP_WORDS, GP_STRIDE (words from one cell to the next), GP_BIAS; GP_AXES,
//         gp_cell_of; gp_add_weight; gp_rounded
// Source: Kulisch, "Computer Arithmetic and Validity", 2013 (sums in fixed point); Collange, Defour,
//         Graillat and Iakymchuk, "Numerical reproducibility for the parallel reduction on multi- and
//         many-core architectures", 2015 (words that work-items add to)
// SPDX-License-Identifier: MIT
#include "common/key.cl" // before the files of which one is taken
#ifdef GP_PLACES
#include "histogram/places.cl"
#define GP_NONE (~0u)
#else
#include "histogram/bins.cl"
#endif

#if !defined(GP_WEIGHT) || !defined(GP_RESULT) || !defined(GP_COUNT_WORDS) || !defined(GP_SPACE)
#error "GP_WEIGHT, GP_RESULT, GP_COUNT_WORDS and GP_SPACE must be defined"
#endif

#if GP_WEIGHT == 0
#define Weight uchar // of which none is read
#define GP_WORDS GP_COUNT_WORDS
#define GP_STRIDE GP_WORDS
#define GP_BIAS 0u
#else
#define GP_BIAS 0x80000000u
#if GP_WEIGHT == 4
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

// A kernel's arguments for x, y and weights. With GP_PLACES a table holds borders, and `reach` is the
// number of bins.
#define GP_AXIS(in)                                                                                                    \
    global const Key *in, ulong in##_offset, global const Key *in##_table, ulong in##_table_offset, ulong in##_first,  \
        ulong in##_last, uint in##_reach, uint in##_whole, Real in##_lower, Real in##_scale, Real in##_near
#define GP_AXES GP_AXIS(x), GP_AXIS(y), uint y_bins, global const Weight *weights, ulong weights_offset

// The bin of an element, whose bits these are; GP_NONE outside of all. The names are those of GP_AXES.
// GP_BEGIN_AXIS comes first; `lows` is the table, or a copy of it.
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

// Adds to a word, or takes away where `negative`; returns what goes to the next, 0 or 1.
uint gp_add_word(volatile GP_SPACE uint *word, uint more, bool negative) {
    const uint change = negative ? -more : more;
#ifdef GP_ALONE
    const uint before = *word, after = before + change;
    *word = after;
#else
    const uint before = atomic_add(word, change), after = before + change;
#endif
    return (negative ? after > before : after < before) ? 1 : 0;
}

#if GP_WEIGHT == 0
// Counts an element.
void gp_add_weight(volatile GP_SPACE uint *words, Weight weight) {
    const uint more = gp_add_word(words, 1, false);
#if GP_WORDS == 2
    if (more) gp_add_word(words + 1, 1, false);
#endif
}
#else
// Adds a weight to its cell's words.
void gp_add_weight(volatile GP_SPACE uint *words, Weight bits) {
    const uint exponent = (uint)(bits >> (GP_DIGITS - 1)) & GP_SPECIAL;
    const bool negative = bits >> (8 * GP_WEIGHT - 1) != 0;
    Weight digits = bits & GP_FRACTION;
    if (exponent == GP_SPECIAL) {
        const uint met = digits != 0 ? GP_MET_NAN : negative ? GP_MET_MINUS : GP_MET_PLUS;
#ifdef GP_ALONE
        words[GP_WORDS] |= met;
#else
        atomic_or(&words[GP_WORDS], met);
#endif
        return;
    }
    digits |= exponent != 0 ? GP_FRACTION + 1 : 0;
    const uint place = exponent != 0 ? exponent - 1 : 0, shift = place % 32;
    uint at = place / 32;
    const ulong low = ((ulong)digits & 0xffffffff) << shift;
    uint more = 0;
    if ((uint)low != 0) more = gp_add_word(&words[at], (uint)low, negative);
    ulong next = (low >> 32) + more;
#if GP_WEIGHT == 8
    next += (digits >> 32) << shift;
    more = 0;
    if ((uint)next != 0)
        more = gp_add_word(&words[++at], (uint)next, negative);
    else
        ++at;
    next = (next >> 32) + more;
#endif
    while (next != 0 && ++at < GP_WORDS) next = gp_add_word(&words[at], (uint)next, negative);
}

// The sum of words with 32 bits each and the sign in the highest, rounded once to the nearest. The
// words change.
Result gp_rounded(uint *words, uint met) {
    const Result sign = (Result)1 << (8 * GP_RESULT - 1);
    const Result infinity = sign - ((Result)1 << (GP_RESULT_DIGITS - 1));
    if (met == GP_MET_PLUS) return infinity;
    if (met == GP_MET_MINUS) return sign | infinity;
    if (met != 0) return infinity | (Result)1 << (GP_RESULT_DIGITS - 2);
    const bool negative = words[GP_WORDS - 1] >> 31 != 0;
    uint more = negative ? 1 : 0, top = 0;
    for (uint j = 0; j < GP_WORDS; ++j) {
        const uint word = negative ? ~words[j] + more : words[j];
        more = more != 0 && word == 0 ? 1 : 0;
        words[j] = word;
        top = word != 0 ? j + 1 : top;
    }
    if (top == 0) return 0;
    // The 64 bits that begin with the first that is set, and whether any is set below.
    const uint first = words[top - 1], zeros = clz(first);
    const uint second = top > 1 ? words[top - 2] : 0, third = top > 2 ? words[top - 3] : 0;
    const ulong bits = ((ulong)first << 32 | second) << zeros | (ulong)third >> (32 - zeros);
    bool below = third << zeros != 0;
    for (uint j = 0; j + 3 < top; ++j) below = below || words[j] != 0;
    ulong digits = bits >> (64 - GP_RESULT_DIGITS);
    const ulong rest = bits << GP_RESULT_DIGITS, half_of_one = 1ul << 63;
    if (rest > half_of_one || (rest == half_of_one && (below || (digits & 1) != 0))) ++digits;
    // A number of `length` bits, in units of the weights' least, as the result's bits have it.
    const int length = (int)(top * 32 - zeros);
#if GP_RESULT == GP_WEIGHT
    const int exponent = length - GP_RESULT_DIGITS;
#else
    const int exponent = length + 1022 - 150;
#endif
    Result result = infinity;
    if (exponent < 0)
        result = (Result)(digits >> -exponent);
    else if ((Result)exponent < infinity >> (GP_RESULT_DIGITS - 1))
        result = min(((Result)exponent << (GP_RESULT_DIGITS - 1)) + (Result)digits, infinity);
    return negative ? sign | result : result;
}
#endif

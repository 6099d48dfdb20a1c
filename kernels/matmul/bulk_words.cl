// The words that bulk_tiles.cl multiplies, and how an operand's elements become words: a word is an element, or two columns'
// of int16, which one instruction adds or compares.
//
// Macros: those of semiring.cl, with WIDTH 4 and VALUE of 4 bytes, or of 2 in other semirings than plus-times; LINES of words
//         and DEPTH of k in a block
// Gives: WORD, W (four of them), IN_WORD (elements of B); Block and load_word; add_term, NO_TERMS,
//        ELEMENTS, RESULT; LEAST_OF_THREE, where least_of_three.cl applies
// SPDX-License-Identifier: MIT
#if WIDTH != 4 || DTYPE == 11 || (DTYPE == 2 && SEMIRING == PLUS_TIMES)
#error "WIDTH must be 4, and DTYPE not 11, nor 2 with SEMIRING 0"
#endif
#if !defined(LINES) || !defined(DEPTH)
#error "LINES and DEPTH must be defined"
#endif

#if DTYPE == 2
#define IN_WORD 2
#define WORD uint
#define W uint4
#else
#define IN_WORD 1
#define WORD VALUE
#define W V
#endif
#define A_LINES LINES
#define B_LINES (LINES * IN_WORD)
#include "matmul/operands.cl"

#if DTYPE >= 9 && (SEMIRING == MIN_PLUS || SEMIRING == MAX_PLUS) && defined(GP_PTX)
#define LEAST_OF_THREE
#endif
#if defined(LEAST_OF_THREE) && SEMIRING == MAX_PLUS // the least sum of numbers' negatives is the greatest's
#define PACKED(x) (-(x))
#define RESULT(x) (-(x))
#else
#define PACKED(x) (x)
#define RESULT(x) (x)
#endif

#if DTYPE == 2
// An element of A in both halves; two columns of B.
uint load_word(const Block *block, ulong at, uint line) {
    if (!block->is_b) return line < block->lines ? (ushort)load(block->x, at) * 0x10001u : 0;
    const uint low = 2 * line < block->lines ? (ushort)load(block->x, at) : 0;
    const uint high = 2 * line + 1 < block->lines ? (ushort)load(block->x, at + block->line_stride) : 0;
    return low | high << 16;
}

#if SEMIRING == OR_AND // of 0 and 1
W add_term(W sum, uint a, W b) { return sum | ((W)(a)&b); }
#else
#include "device/pairs.cl"
#if SEMIRING == MAX_MIN
#define ADD_PAIR gp_min_max_pair
#elif SEMIRING == MIN_PLUS
#define ADD_PAIR gp_add_min_pair
#else
#define ADD_PAIR gp_add_max_pair
#endif
W add_term(W sum, uint a, W b) {
    return (W)(ADD_PAIR(sum.s0, a, b.s0), ADD_PAIR(sum.s1, a, b.s1), ADD_PAIR(sum.s2, a, b.s2),
               ADD_PAIR(sum.s3, a, b.s3));
}
#endif
#define NO_TERMS as_uint4((short8)(ZERO, ZERO))
#define ELEMENTS(words, part) ((part) == 0 ? as_short8(words).lo : as_short8(words).hi)
#else
VALUE load_word(const Block *block, ulong at, uint line) {
    return line < block->lines ? PACKED(load(block->x, at)) : 0;
}

#ifdef LEAST_OF_THREE
V add_term(V sum, VALUE a, V b) { return fmin(sum, (V)(a) + b); }
#define NO_TERMS ((V)(INFINITY))
#else
V add_term(V sum, VALUE a, V b) { return accumulate(sum, (V)(a), b); }
#define NO_TERMS ZERO
#endif
#define ELEMENTS(words, part) (words)
#endif

// The words that bulk_tiles.cl multiplies, and how elements become words. A word is an element, or
// for int16 two columns of B, which one instruction adds or compares.
//
// Macros: those of semiring.cl, with GP_WIDTH 4 and Value of 4 bytes, or of 2 bytes in other
//         semirings than plus-times; GP_LINES of words and GP_DEPTH of k in a block
// Gives: GP_WORD, W (four of them), GP_IN_WORD (elements of B); Block and load_word; add_term,
//         GP_NO_TERMS, GP_ELEMENTS, GP_RESULT; GP_LEAST_OF_THREE, where least_of_three.cl applies
// SPDX-License-Identifier: MIT
#include "common/codes.cl"
#if GP_WIDTH != 4 || GP_DTYPE == GP_DTYPE_FLOAT64 || (GP_COMPUTED == GP_DTYPE_INT16 && GP_SEMIRING == GP_PLUS_TIMES)
#error "GP_WIDTH must be 4, and GP_DTYPE neither float64, nor int16 in plus-times"
#endif
#if !defined(GP_LINES) || !defined(GP_DEPTH)
#error "GP_LINES and GP_DEPTH must be defined"
#endif

#if GP_COMPUTED == GP_DTYPE_INT16
#define GP_IN_WORD 2
#define GP_WORD uint
#define W uint4
#else
#define GP_IN_WORD 1
#define GP_WORD Value
#define W V
#endif
#define GP_A_LINES GP_LINES
#define GP_B_LINES (GP_LINES * GP_IN_WORD)
#include "matmul/operands.cl"

#if GP_IS_FLOAT && (GP_SEMIRING == GP_MIN_PLUS || GP_SEMIRING == GP_MAX_PLUS) && defined(GP_PTX)
#define GP_LEAST_OF_THREE
#endif
// Max-plus is min-plus of negated numbers: max(x + y) = -min(-x + -y).
#if defined(GP_LEAST_OF_THREE) && GP_SEMIRING == GP_MAX_PLUS
#define GP_PACKED(x) (-(x))
#define GP_RESULT(x) (-(x))
#else
#define GP_PACKED(x) (x)
#define GP_RESULT(x) (x)
#endif

#if GP_COMPUTED == GP_DTYPE_INT16
// For int16, a word of A has one element in both halves, a word of B two columns.
uint load_word(const Block *block, ulong at, uint line) {
    if (!block->is_b) return line < block->lines ? (ushort)load(block->x, at) * 0x10001u : 0;
    const uint low = 2 * line < block->lines ? (ushort)load(block->x, at) : 0;
    const uint high = 2 * line + 1 < block->lines ? (ushort)load(block->x, at + block->line_stride) : 0;
    return low | high << 16;
}

#if GP_SEMIRING == GP_OR_AND // of 0 and 1
W add_term(W sum, uint a, W b) { return sum | ((W)(a)&b); }
#else
#include "device/pairs.cl"
#if GP_SEMIRING == GP_MAX_MIN
#define GP_ADD_PAIR gp_min_max_pair
#elif GP_SEMIRING == GP_MIN_PLUS
#define GP_ADD_PAIR gp_add_min_pair
#else
#define GP_ADD_PAIR gp_add_max_pair
#endif
W add_term(W sum, uint a, W b) {
    return (W)(GP_ADD_PAIR(sum.s0, a, b.s0), GP_ADD_PAIR(sum.s1, a, b.s1), GP_ADD_PAIR(sum.s2, a, b.s2),
               GP_ADD_PAIR(sum.s3, a, b.s3));
}
#endif
#define GP_NO_TERMS as_uint4((short8)(GP_ZERO, GP_ZERO))
#define GP_ELEMENTS(words, part) ((part) == 0 ? as_short8(words).lo : as_short8(words).hi)
#else
Value load_word(const Block *block, ulong at, uint line) {
    return line < block->lines ? GP_PACKED(load(block->x, at)) : 0;
}

#ifdef GP_LEAST_OF_THREE
V add_term(V sum, Value a, V b) { return fmin(sum, (V)(a) + b); }
#define GP_NO_TERMS ((V)(INFINITY))
#else
V add_term(V sum, Value a, V b) { return accumulate(sum, (V)(a), b); }
#define GP_NO_TERMS GP_ZERO
#endif
#define GP_ELEMENTS(words, part) (words)
#endif

// Which elements are kept, and what goes to the outputs.
//
// Text before it: with GP_PREDICATE the caller's helpers, GpElement, and uint gp_keeps(GpElement x)
// Macros: GP_PREDICATE    defined where the caller's text decides about elements; else keys that
//                         are not zero are kept, which flags are, too
//         GP_KEY_BYTES, GP_KEY_FLOAT  of keys, as order.cl has them; without GP_PREDICATE
//         GP_WORDS, GP_WORD_BYTES  words of an element; 0 words where none is read
//         GP_VALUE_WORDS, GP_VALUE_WORD_BYTES words of a value that goes where its element goes; 0:
//         none
//         GP_INDEX_BYTES  of positions, which then go out instead of elements: 4 or 8; else 0
//         GP_REST         1: the elements that are not kept follow those that are; else 0
// Gives: Word, Value, Out; GP_SELECT_INPUTS and GP_SELECT_OUTPUTS, parameters of kernels;
//         gp_length; Kept, what tells which elements are kept, GP_KEPT; gp_is_kept; gp_keeps_word,
//         of a word
// SPDX-License-Identifier: MIT
#include "common/word.cl"

#if GP_VALUE_WORD_BYTES == 8
#define Value ulong
#elif GP_VALUE_WORD_BYTES == 4
#define Value uint
#elif GP_VALUE_WORD_BYTES == 2
#define Value ushort
#else
#define Value uchar
#endif

#if GP_INDEX_BYTES == 8
#define Out ulong
#elif GP_INDEX_BYTES == 4
#define Out uint
#else
#define Out Word
#endif

// Element i is kept where a key is not zero. `keys` are flags, or what is asked for zeros.
#ifdef GP_PREDICATE
#define Kept Word
typedef union {
    GpElement element;
    Word words[GP_WORDS];
} Cell;
#if GP_WORDS == 1
uint gp_keeps_word(Word word) {
    Cell cell;
    cell.words[0] = word;
    return gp_keeps(cell.element);
}
#endif
uint gp_is_kept(global const Word *in, ulong i) {
    Cell cell;
#pragma unroll
    for (uint word = 0; word < GP_WORDS; ++word) cell.words[word] = in[i * GP_WORDS + word];
    return gp_keeps(cell.element);
}
#else
#include "common/order.cl"
#define Kept Key
#if GP_KEY_FLOAT
#define GP_KEEPS(key) (((key) & (Key)~GP_SIGN) != 0 ? 1u : 0u) // -0 is zero
#else
#define GP_KEEPS(key) ((key) != 0 ? 1u : 0u)
#endif
uint gp_is_kept(global const Key *keys, ulong i) { return GP_KEEPS(keys[i]); }
#endif

// There are *n_at elements where `counted`, and at most `most`.
#define GP_SELECT_INPUTS                                                                                               \
    ulong most, global const ulong *n_at, ulong n_at_offset, uint counted, global const Kept *kept, ulong kept_offset
#define GP_LENGTH (counted ? min(most, n_at[n_at_offset]) : most)

// Where there are no elements or values, these are any memory.
#define GP_SELECT_OUTPUTS                                                                                              \
    global const Word *in, ulong in_offset, global Out *out, ulong out_offset, global const Value *values,             \
        ulong values_offset, global Value *out_values, ulong out_values_offset, ulong capacity, global ulong *count,   \
        ulong count_offset

#ifdef GP_PREDICATE
#define GP_KEPT_BEGIN (kept + kept_offset * GP_WORDS)
#else
#define GP_KEPT_BEGIN (kept + kept_offset)
#endif

// Elements of matrices as words, and the arguments of kernels that transpose.
//
// Macros: GP_WORD_BYTES, 1, 2, 4, 8 or 16, which divides an element's size and the addresses of
//         both arrays; GP_WORDS, of an element
// Gives:  Word; GP_MATRICES, arguments of a kernel, whose strides and offsets are in words
// SPDX-License-Identifier: MIT
#ifndef GP_WORDS
#error "GP_WORDS must be defined"
#endif
#if GP_WORD_BYTES == 16
#define Word ulong2
#elif GP_WORD_BYTES == 1 || GP_WORD_BYTES == 2 || GP_WORD_BYTES == 4 || GP_WORD_BYTES == 8
#include "common/word.cl"
#else
#error "GP_WORD_BYTES must be 1, 2, 4, 8 or 16"
#endif

// `across` and `down`: how many tiles of the input lie beside and below each other.
#define GP_MATRICES                                                                                                    \
    ulong rows, ulong columns, uint across, uint down, global const Word *in, ulong in_offset, ulong ld_in,            \
        ulong stride_in, global Word *out, ulong out_offset, ulong ld_out, ulong stride_out

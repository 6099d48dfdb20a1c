// The merge of a part of two sorted arrays by one work-item.
//
// Macros: those of arrays.cl, which comes first
// Gives:  gp_merge_chunk
// Source: Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path: Parallel Merging Made Simple", 2012
// SPDX-License-Identifier: MIT
#include "common/inline.cl"

#if GP_WORD_BYTES
#define GP_CHUNK_VALUES , uint words, global const Word *a_values, global const Word *b_values, global Word *out_values
#define GP_TAKE_VALUE(k, from, number)                                                                                 \
    for (uint word = 0; word < words; ++word) out_values[(k)*words + word] = (from)[(number)*words + word];
#else
#define GP_CHUNK_VALUES
#define GP_TAKE_VALUE(k, from, number)
#endif

// Makes the elements k to end - 1 of the result, without a branch that depends on keys as long as
// neither array can end.
GP_INLINE void gp_merge_chunk(global const Key *a, ulong of_a, global const Key *b, ulong of_b, global Key *out,
                              ulong k, ulong end, Order order GP_CHUNK_VALUES) {
    ulong i = gp_path(a, of_a, b, of_b, k, order), j = k - i;
    while (k < end && i < of_a && j < of_b) {
        const ulong stop = k + min(end - k, min(of_a - i, of_b - j));
        for (; k < stop; ++k) {
            const Key x = a[i], y = b[j];
            const bool takes_b = gp_is_before(gp_rank(y, order), gp_rank(x, order));
            out[k] = takes_b ? y : x;
            GP_TAKE_VALUE(k, takes_b ? b_values : a_values, takes_b ? j : i)
            i += takes_b ? 0 : 1;
            j += takes_b ? 1 : 0;
        }
    }
    for (; k < end && i < of_a; ++k, ++i) {
        out[k] = a[i];
        GP_TAKE_VALUE(k, a_values, i)
    }
    for (; k < end; ++k, ++j) {
        out[k] = b[j];
        GP_TAKE_VALUE(k, b_values, j)
    }
}

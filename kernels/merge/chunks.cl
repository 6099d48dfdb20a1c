// Merges two sorted arrays for CPUs: every work-item makes one contiguous chunk of the result.
//
// Computes: the stable merge
// Macros:   those of arrays.cl
// Launch:   work-groups of one, a work-item each `chunk` keys of the result
// Source:   Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path: Parallel Merging Made Simple", 2012
// SPDX-License-Identifier: MIT
#include "merge/arrays.cl"
#include "merge/chunk.cl"

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void merge_chunks(ulong chunk, GP_ARRAYS) {
    GP_TAKE_ARRAYS
    const ulong begin = get_group_id(0) * chunk, end = min(begin + chunk, of_a + of_b);
    if (begin >= end) return;
#if GP_WORD_BYTES
    gp_merge_chunk(a, of_a, b, of_b, out, begin, end, order, words, a_values, b_values, out_values);
#else
    gp_merge_chunk(a, of_a, b, of_b, out, begin, end, order);
#endif
}

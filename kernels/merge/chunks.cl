// Merges two sorted arrays for CPUs: every work-item makes one contiguous chunk of the result.
//
// Computes: the stable merge. A chunk goes without a branch that depends on keys as long as neither
//           array can end.
// Macros:   those of arrays.cl
// Launch:   work-groups of one, a work-item each `chunk` keys of the result
// Source:   Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path: Parallel Merging Made Simple", 2012
// SPDX-License-Identifier: MIT
#include "merge/arrays.cl"

#if GP_WORD_BYTES
#define GP_TAKE_VALUE(k, from, number)                                                                                 \
    for (uint word = 0; word < words; ++word) out_values[(k)*words + word] = (from)[(number)*words + word];
#else
#define GP_TAKE_VALUE(k, from, number)
#endif

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void merge_chunks(ulong chunk, GP_ARRAYS) {
    GP_TAKE_ARRAYS
    ulong k = get_group_id(0) * chunk;
    const ulong end = min(k + chunk, of_a + of_b);
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

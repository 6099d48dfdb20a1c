// Merges neighbouring runs two by two for CPUs: every work-item makes one contiguous chunk of the
// result.
//
// Computes: a pass of the stable merge of all runs
// Macros:   those of merge/arrays.cl and runs.cl
// Launch:   work-groups of one, a work-item each `chunk` keys of the result
// Source:   Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path: Parallel Merging Made Simple", 2012
// SPDX-License-Identifier: MIT
#include "merge/arrays.cl"
#include "merge/chunk.cl"
#include "merge_runs/runs.cl"

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void merge_runs_chunks(ulong chunk, GP_RUNS) {
    GP_TAKE_RUNS
    ulong k = get_group_id(0) * chunk;
    const ulong end = min(k + chunk, n), pairs = gp_pairs(runs);
    // The last pair that does not begin behind k.
    ulong pair = 0;
    for (ulong behind = pairs; behind - pair > 1;) {
        const ulong middle = (pair + behind) / 2;
        if (gp_pair_begin(runs, middle) <= k)
            pair = middle;
        else
            behind = middle;
    }
    for (; k < end && pair < pairs; ++pair) {
        const Pair at = gp_pair(runs, pair);
        if (at.first > k || at.first + at.both <= k) continue;
        const ulong stop = min(end, at.first + at.both), middle = at.first + at.of_a;
#if GP_WORD_BYTES
        gp_merge_chunk(in + at.first, at.of_a, in + middle, at.both - at.of_a, out + at.first, k - at.first,
                       stop - at.first, order, words, in_values + at.first * words, in_values + middle * words,
                       out_values + at.first * words);
#else
        gp_merge_chunk(in + at.first, at.of_a, in + middle, at.both - at.of_a, out + at.first, k - at.first,
                       stop - at.first, order);
#endif
        k = stop;
    }
}

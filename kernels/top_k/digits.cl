// The first k elements of a long row, narrowed down digit by digit; of the row, or of a list that
// filter.cl made of it.
//
// Computes: top_k_begin: the state, for the whole row. top_k_count: counts the digits of what is in
//           the bin; the work-group that ends last makes the bin smaller, until all of it is among
//           the first k. top_k_gather: takes these, in any order; where they are few, the last
//           work-group sorts them and writes results
// Macros:   those of results.cl; GP_ROOM, entries of local memory, a power of two
// Launch:   top_k_begin: one work-group. top_k_count, top_k_gather: any number of work-groups of
//           GP_GROUP. `batch` is 1. One call for each digit,
//           those of the ranks and then those of the places, each of which reads one state and
//           writes the next; those that nobody needs only hand it on.
//           `tally` is zero but for what top_k_begin and filter.cl put there
// Source:   Alabi, Blanchard, Gordon and Steinbach, "Fast k-Selection Algorithms for Graphics
//           Processing Units", 2012
// SPDX-License-Identifier: MIT
#include "top_k/taking.cl"

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void top_k_begin(GP_ROWS, GP_RESULTS,
                                                                              GP_STATE GP_COUNT_PARAMETERS) {
    GP_TAKE_SIZES
    state += state_offset;
    tally += tally_offset;
    gp_begin(state, tally, k);
}

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
top_k_count(GP_ROWS, GP_RESULTS, GP_STATE, GP_LIST, uint shift, uint of_place GP_COUNT_PARAMETERS) {
    local uint counts[GP_BINS], sums[GP_GROUP], last;
    local Found found;
    const uint id = (uint)get_local_id(0), group = (uint)get_group_id(0);
    GP_TAKE_SIZES
    state += state_offset;
    tally += tally_offset;
    global ulong *const next = state + GP_WORDS;
    if (state[GP_DONE] != 0) {
        if (group == 0 && id == 0)
            for (uint i = 0; i < GP_WORDS; ++i) next[i] = state[i];
        return;
    }
    GP_SOURCE(source)
    if (group >= source.active) return;
    Bin bin;
    gp_load_bin(state, &bin);
    const uint need = (uint)state[GP_NEED];
    for (uint i = id; i < GP_BINS; i += GP_GROUP) counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    gp_count(&source, &bin, shift, of_place != 0, group, source.active, counts);
    barrier(CLK_LOCAL_MEM_FENCE);
    volatile global uint *const all = tally + GP_COUNTS;
    for (uint i = id; i < GP_BINS; i += GP_GROUP)
        if (counts[i] != 0) atomic_add(all + i, counts[i]);
    if (!gp_is_last(tally + GP_ENDED, source.active, &last)) return;
    for (uint i = id; i < GP_BINS; i += GP_GROUP) {
        counts[i] = gp_look_uint(all + i);
        gp_publish_uint(all + i, 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    gp_find(counts, sums, need, &found);
    if (id != 0) return;
    gp_narrow(&bin, found.digit, shift, of_place != 0);
    gp_store_bin(next, &bin);
    next[GP_NEED] = need - found.before;
    next[GP_DONE] = need - found.before == found.here ? 1 : 0;
}

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
top_k_gather(GP_ROWS, GP_RESULTS, GP_STATE, GP_LIST, uint how, GP_TAKEN_MEMORY GP_COUNT_PARAMETERS) {
    local Key ranks[GP_ROOM];
    local uint places[GP_ROOM];
    local uint count, base, last;
    const uint group = (uint)get_group_id(0);
    GP_TAKE_SIZES
    state += state_offset;
    tally += tally_offset;
    taken_ranks += taken_ranks_offset;
    taken_places += taken_places_offset;
    if (state[GP_DONE] == GP_WRITTEN) return;
    GP_SOURCE(source)
    if (group >= source.active) return;
    Bin bin;
    gp_load_bin(state, &bin);
    gp_take(GP_ROWS_GIVEN, GP_RESULTS_GIVEN, GP_TAKEN_GIVEN, how, &source, &bin, group, source.active, tally + GP_TAKEN,
            &count, &base);
    if (how != GP_FINISH || !gp_is_last(tally + GP_ENDED, source.active, &last)) return;
    gp_sort_taken(GP_ROWS_GIVEN, GP_RESULTS_GIVEN, GP_TAKEN_GIVEN, (uint)k, ranks, places);
}

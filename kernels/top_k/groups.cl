// The first k elements of rows, a work-group a row: it counts digits until few enough elements are
// left for local memory, takes those there and sorts them.
//
// Macros: those of results.cl; GP_ROOM, elements that local memory has room for, a power of two;
//         GP_LISTED, for top_k_finish: the one row is the list that filter.cl made, if it has up to
//         `most` entries; the state says then that nothing is left to do
// Launch: work-groups of GP_GROUP, up to one a row, of top_k_finish one; place_bits: bits of n - 1;
//         room: elements that are few enough, a power of two from k to GP_ROOM
// Source: Alabi, Blanchard, Gordon and Steinbach, "Fast k-Selection Algorithms for Graphics
//         Processing Units", 2012
// SPDX-License-Identifier: MIT
#include "top_k/state.cl"

// Elements that a work-item reads before it looks at them.
#if GP_KEY_BYTES == 8
#define GP_ITEMS 8
#else
#define GP_ITEMS 16
#endif

// The tiles of a row, whose length may be near 2^32.
#define GP_FOR_STEPS(tile, length)                                                                                     \
    for (uint left_##tile = GP_PARTS_OF(length, GP_ITEMS * GP_GROUP), tile = 0; left_##tile > 0;                       \
         --left_##tile, tile += GP_ITEMS * GP_GROUP)

#ifdef GP_LISTED
#define GP_READ(i) list_ranks[i]
#define GP_RANK(x) (x)
#define GP_PLACE(i) list_places[i]
#else
#define GP_READ(i) elements[(i)*step_in]
#define GP_RANK(x) gp_ordered(x, (Key)flip)
#define GP_PLACE(i) (i)
#endif

// Key x[GP_ITEMS], this work-item's of a tile. Those behind the end are as the last one is: loads
// that depend on nothing are on their way together.
#define GP_READ_STEP(x, tile, length)                                                                                  \
    Key x[GP_ITEMS];                                                                                                   \
    _Pragma("unroll") for (uint j = 0; j < GP_ITEMS; ++j) {                                                            \
        const uint i = (tile) + min(j * GP_GROUP + id, (length) - (tile)-1);                                           \
        x[j] = GP_READ(i);                                                                                             \
    }

#ifdef GP_LISTED
kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
top_k_finish(GP_ROWS, GP_RESULTS, GP_STATE, uint most, global const Key *list_ranks, ulong list_ranks_offset,
             global const uint *list_places, ulong list_places_offset, uint place_bits, uint room) {
#else
kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void top_k_groups(GP_ROWS, GP_RESULTS, uint place_bits,
                                                                               uint room GP_COUNT_PARAMETERS) {
#endif
    local Key ranks[GP_ROOM];
    local uint places[GP_ROOM];
    local uint counts[GP_BINS], sums[GP_GROUP], filled;
    local Found found;
    const uint id = (uint)get_local_id(0);
#ifdef GP_LISTED
    const uint length = tally[tally_offset + GP_FILLED];
    if (length < k || length > most) return;
    list_ranks += list_ranks_offset;
    list_places += list_places_offset;
    if (id == 0) state[state_offset + GP_DONE] = GP_WRITTEN;
#else
    GP_TAKE_SIZES
#ifdef GP_COUNTED
    if (k == 0) return;
#endif
    const uint length = (uint)n;
#endif
    for (ulong row = get_group_id(0); row < batch; row += get_num_groups(0)) {
#ifndef GP_LISTED
        global const Key *const elements = in + in_offset + row * stride_in;
#endif
        Bin bin = GP_WHOLE;
        uint need = (uint)k, before = 0, here = length;
        uint left = 8 * GP_KEY_BYTES; // bits of the rank, or of the place, that no digit told
        bool of_place = false;
        while (before + here > room) {
            if (left == 0) {
                of_place = true;
                left = place_bits;
            }
            const uint shift = gp_shift_behind(left);
            for (uint i = id; i < GP_BINS; i += GP_GROUP) counts[i] = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            GP_FOR_STEPS(tile, length) {
                GP_READ_STEP(x, tile, length)
                _Pragma("unroll") for (uint j = 0; j < GP_ITEMS; ++j) {
                    const uint i = tile + j * GP_GROUP + id;
                    const Key rank = GP_RANK(x[j]);
                    const bool there = j * GP_GROUP + id < length - tile;
                    const uint place = there && of_place ? GP_PLACE(i) : 0;
                    if (there && gp_has(&bin, rank, place))
                        atomic_inc(counts + gp_digit_of(&bin, rank, place, shift, of_place));
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            gp_find(counts, sums, need, &found);
            gp_narrow(&bin, found.digit, shift, of_place);
            need -= found.before;
            before += found.before;
            here = found.here;
            left = shift;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (id == 0) filled = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        GP_FOR_STEPS(tile, length) {
            GP_READ_STEP(x, tile, length)
            _Pragma("unroll") for (uint j = 0; j < GP_ITEMS; ++j) {
                const uint i = tile + j * GP_GROUP + id;
                const Key rank = GP_RANK(x[j]);
                if (j * GP_GROUP + id >= length - tile || rank > bin.last) continue;
                const uint place = GP_PLACE(i);
                if (gp_takes(&bin, rank, place)) {
                    const uint to = atomic_inc(&filled);
                    ranks[to] = rank;
                    places[to] = place;
                }
            }
        }
        const uint count = before + here, width = count > 1 ? 1u << (32 - clz(count - 1)) : 1;
        for (uint i = count + id; i < width; i += GP_GROUP) {
            ranks[i] = GP_NO_RANK;
            places[i] = GP_NO_PLACE;
        }
        gp_sort_places(ranks, places, width, width);
        for (uint i = id; i < k; i += GP_GROUP) GP_WRITE_RESULT(row, i, places[i])
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

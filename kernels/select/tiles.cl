// Select for GPUs that promise no progress between work-groups, and partition: runs of tiles are
// counted, then written.
//
// Computes: select_counts: how many elements of each run of tiles are kept.
//           select_tiles: the outputs. Each work-group adds up what comes before its run: the
//           counts, or with GP_OWN, where there are a few tiles, what it counts itself
// Macros:   those of tile.cl; GP_OWN: 1 where select_tiles counts by itself; else 0
// Launch:   as many work-groups of GP_GROUP as there are runs, of each kernel. With GP_OWN
//           select_tiles alone, a work-group a tile
// Source:   Blelloch, "Prefix Sums and Their Applications", 1990, sections 1.2 and 1.3
// SPDX-License-Identifier: MIT
#include "select/tile.cl"

// The tiles of this work-group's run.
#define GP_RUN                                                                                                         \
    const ulong tiles = (n + GP_TILE - 1) / GP_TILE, each = (tiles + get_num_groups(0) - 1) / get_num_groups(0);       \
    const ulong run = min(get_group_id(0) * each, tiles), end = min(run + each, tiles);

// How many of the elements begin .. end - 1 this work-item finds to be kept; others find the
// others. `begin` is a multiple of a tile.
GP_INLINE ulong gp_count_part(global const Kept *kept, ulong begin, ulong end) {
    const uint id = (uint)get_local_id(0);
    ulong count = 0;
#ifndef GP_PREDICATE
    if ((size_t)kept % 16 == 0) {
        const uint width = 16 / GP_KEY_BYTES;
        const ulong first = begin / width, behind = end / width;
        global const GP_KEYS_OF_16 *const from = (global const GP_KEYS_OF_16 *)kept;
#pragma unroll 4
        for (ulong v = first + id; v < behind; v += GP_GROUP) count += popcount((uint)(GP_BITS_OF_16(from[v])));
        begin = max(begin, behind * width); // a run may be empty, and begin behind the end
    }
#endif
    for (ulong i = begin + id; i < end; i += GP_GROUP) count += gp_is_kept(kept, i);
    return count;
}

#if !GP_OWN
kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP void
select_counts(GP_SELECT_INPUTS, global ulong *counts, ulong counts_offset) {
    local Warps warps;
    const ulong n = GP_LENGTH;
    GP_RUN
    global const Kept *const from = GP_KEPT_BEGIN;
    const ulong sum = gp_count_part(from, run * GP_TILE, min(end * GP_TILE, n));
    // 16 bits of work-items' sums at a time, lest a work-group's be more than 32 bits hold.
    ulong all = 0;
    for (uint shift = 0; shift < 32; shift += 16) {
        all += (ulong)gp_sum_of_group((uint)(sum >> shift & 0xffff), &warps) << shift;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (get_local_id(0) == 0) counts[counts_offset + get_group_id(0)] = all;
}
#endif

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP void
select_tiles(GP_SELECT_INPUTS, global const ulong *counts, ulong counts_offset, GP_SELECT_OUTPUTS) {
    local Warps warps;
    local Item items[GP_TILE] __attribute__((aligned(16)));
    local ulong sums[2 * GP_GROUP];
    const uint id = (uint)get_local_id(0);
    const ulong n = GP_LENGTH;
    GP_RUN
    const Counted from = {GP_KEPT_BEGIN, in + in_offset * GP_WORDS, n};
    ulong mine = 0, whole = 0; // what this work-item counts before the run, and of all
#if GP_OWN
    mine = gp_count_part(from.kept, 0, min(run * GP_TILE, n));
    if (GP_REST) whole = mine + gp_count_part(from.kept, min(run * GP_TILE, n), n);
#else
    for (uint k = id; k < get_num_groups(0); k += GP_GROUP) {
        const ulong here = counts[counts_offset + k];
        mine += k < get_group_id(0) ? here : 0;
        whole += here;
    }
#endif
    sums[id] = mine;
    sums[GP_GROUP + id] = whole;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = GP_GROUP / 2; step > 0; step /= 2) {
        if (id < step) {
            sums[id] += sums[id + step];
            sums[GP_GROUP + id] += sums[GP_GROUP + id + step];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    ulong begin = sums[0];
    whole = sums[GP_GROUP];
    Loaded loaded;
    if (run < end) gp_load_keys(&from, run * GP_TILE, &loaded);
    for (ulong tile = run; tile < end; ++tile) {
        const ulong first = tile * GP_TILE;
        const uint bits = gp_look_at_tile(&from, first, &loaded, items);
        gp_load_elements(&from, first, bits, &loaded);
        const Ranks ranks = gp_rank_tile(bits, &warps);
        const uint total = ranks.total;
        gp_put_tile(&from, first, bits, &ranks, &loaded, items);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (tile + 1 < end) gp_load_keys(&from, first + GP_TILE, &loaded); // while this tile is moved
        GP_MOVE(items, begin, total)
#if GP_REST
        GP_MOVE(items + total, whole + first - begin, (uint)min((ulong)GP_TILE, n - first) - total)
#endif
        begin += total;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0 && get_group_id(0) == get_num_groups(0) - 1) count[count_offset] = begin;
}

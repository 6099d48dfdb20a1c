// Select in a single pass, for GPUs that keep work-groups running side by side. Work-groups take
// tiles in order, publish how many elements of a tile are kept, and find how many are kept before
// it from what tiles before it have published: their own counts, or the sums up to their ends.
//
// Macros: those of tile.cl and counts.cl
// Launch: any number of work-groups of GP_GROUP work-items; with GP_REST one for each tile, all of
//         which run side by side. `state` is full of zeros, and is in the
//         end: 2 ulongs, and one for each tile
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016
// SPDX-License-Identifier: MIT
#include "select/tile.cl"

#include "common/cleared.cl"
#include "device/ticket.cl"

#include "common/counts.cl"

// Looks at the elements one by one, as no local memory for them is free.
GP_INLINE State late_state(const Tiles *tiles, uint tile, local Waiting *room) {
    const ulong first = (ulong)tile * GP_TILE, end = min(first + GP_TILE, tiles->counted.n);
    uint count = 0;
    for (ulong i = first + get_local_id(0); i < end; i += GP_GROUP) count += gp_is_kept(tiles->counted.kept, i);
    count = gp_sum_of_group(count, &room->warps);
    barrier(CLK_LOCAL_MEM_FENCE);
    return GP_STATE(count | (tile == 0 ? GP_UP_TO_END : GP_OF_TILE), 0);
}

// The tile that is moved, and unless GP_LATE the next one.
#ifdef GP_LATE
#define GP_BUFFERS 1
#else
#define GP_BUFFERS 2
#endif

typedef struct {
    uint bits;
    Ranks ranks;
} Found;

// Finds which elements of a tile are kept, and publishes how many; of a tile behind the end
// nothing. There is a barrier within.
GP_INLINE Found gp_take_tile(const Tiles *tiles, uint tile, Loaded *loaded, local Item *to, local Warps *warps) {
    const ulong first = gp_first_of(&tiles->counted, tile);
    Found found;
    found.bits = gp_look_at_tile(&tiles->counted, first, loaded, to);
    found.ranks = gp_rank_tile(found.bits, warps);
    if (get_local_id(0) == 0 && first < tiles->counted.n)
        publish(tiles, tile, GP_STATE(found.ranks.total | (tile == 0 ? GP_UP_TO_END : GP_OF_TILE), 0));
#ifdef GP_LATE
    gp_load_elements(&tiles->counted, first, found.bits, loaded);
#else
    gp_put_tile(&tiles->counted, first, found.bits, &found.ranks, loaded, to);
#endif
    return found;
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
select_look_back(GP_SELECT_INPUTS, global ulong *state, ulong state_offset, GP_SELECT_OUTPUTS) {
    local Waiting room;
    local Item items[GP_BUFFERS][GP_TILE] __attribute__((aligned(16)));
    local uint taken;
    const uint id = (uint)get_local_id(0);
    const ulong n = GP_LENGTH;
    const uint tiles = (uint)((n + GP_TILE - 1) / GP_TILE);
    state += state_offset;
    volatile global uint *const ticket = (volatile global uint *)state;
    const Tiles all = {{GP_KEPT_BEGIN, in + in_offset * GP_WORDS, n}, state + 2};
    // Where there are no more tiles than work-groups, each has one, and needs no ticket.
    const bool single = tiles <= get_num_groups(0);
    if (id == 0) {
        room.late = 0;
        taken = single ? (uint)get_group_id(0) : gp_take_ticket(ticket);
    }
    if (tiles == 0 && get_global_id(0) == 0) count[count_offset] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint tile = ~0u, buffer = 0; // none yet
    uint next = taken;
    uint next_tile = ~0u; // known to work-item 0, for whom it arrives while others work
    Loaded loaded;
    Found found = {0};
    if (id == 0 && !single) next_tile = gp_take_ticket(ticket);
    gp_load_keys(&all.counted, gp_first_of(&all.counted, next), &loaded);
    while (tile < tiles || next < tiles) {
        // How many are kept of the next tile is published, and what tells it of the one behind it
        // on its way, before this one's look-back. Barriers are the same where there is no tile, or
        // no next one.
        const ulong first = gp_first_of(&all.counted, tile);
        const bool there = tile < tiles;
        barrier(CLK_LOCAL_MEM_FENCE);
#ifdef GP_LATE
        gp_put_tile(&all.counted, first, found.bits, &found.ranks, &loaded, items[0]);
#endif
        if (id == 0) taken = next_tile;
        const Found next_found =
            gp_take_tile(&all, next, &loaded, items[GP_BUFFERS == 2 ? buffer ^ 1 : 0], &room.warps);
        const uint behind = taken;
        gp_load_keys(&all.counted, gp_first_of(&all.counted, behind), &loaded);
        if (id == 0 && behind < tiles) next_tile = gp_take_ticket(ticket);
        const ulong begin = gp_before_tile(&all, there ? tile : 0, &room).count;
        const uint total = found.ranks.total;
        if (id == 0 && there) {
            if (tile > 0) publish(&all, tile, GP_STATE((begin + total) | GP_UP_TO_END, 0));
            if (tile == tiles - 1) count[count_offset] = begin + total;
        }
        GP_MOVE(items[buffer], begin, total)
#if GP_REST // all tiles run side by side, so each can wait for all
        const ulong whole = gp_before_tile(&all, there ? tiles : 0, &room).count;
        GP_MOVE(items[buffer] + total, whole + first - begin, (uint)min((ulong)GP_TILE, n - first) - total)
#endif
        tile = next;
        next = behind;
        found = next_found;
        buffer ^= GP_BUFFERS - 1;
    }
    gp_clear_state(state, (ulong)tiles * GP_STATE_ULONGS + 2, &taken);
}

// Select in a single pass, for GPUs that keep work-groups running side by side. Work-groups take
// tiles in order, publish how many elements of a tile are kept, and find how many are kept before it
// from what tiles before it have published: their own counts, or the sums up to their ends.
//
// Macros: those of tile.cl and look_back.cl
// Launch: any number of work-groups of GP_GROUP work-items. `state` is full of zeros, and is in the
//         end: 2 ulongs, and one for each tile
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016
// SPDX-License-Identifier: MIT
#include "select/tile.cl"

#include "common/cleared.cl"
#include "device/ticket.cl"

#if GP_REST
#error "how many elements are kept before the others is not known in a single pass"
#endif

// A tile's state: how many are kept of it, or up to its end; marks above say that, and which.
typedef ulong State;
#define GP_OF_TILE (1ul << 62)
#define GP_UP_TO_END (2ul << 62)
#define GP_COUNT(state) ((state) & ~(3ul << 62))

typedef struct {
    global const Kept *kept;
    ulong n;
    volatile global ulong *states;
} Tiles;

typedef struct {
    Warps warps;
    uint late;
    ulong before; // sums up to the end of a tile
} Waiting;

#include "common/look_back.cl"

GP_INLINE uint look(const Tiles *tiles, uint tile, ulong *state) {
    *state = gp_look_ulong(tiles->states + tile);
    return *state != 0;
}

GP_INLINE void publish(const Tiles *tiles, uint tile, ulong state) { gp_publish_ulong(tiles->states + tile, state); }

// Of the first tile, both are the same; its state is always a sum up to its end.
GP_INLINE ulong late_state(const Tiles *tiles, uint tile, local Waiting *room) {
    const uint count = gp_count_tile(tiles->kept, (ulong)tile * GP_TILE, tiles->n, &room->warps);
    barrier(CLK_LOCAL_MEM_FENCE);
    return count | (tile == 0 ? GP_UP_TO_END : GP_OF_TILE);
}

// How many elements are kept before a tile. The first 32 work-items look at the 32 tiles before, then
// at those before them, as far as none of them has a sum up to its end.
GP_INLINE ulong gp_before_tile(const Tiles *tiles, uint tile, local Waiting *room) {
    const uint id = (uint)get_local_id(0);
    ulong before = 0;
    for (uint end = tile;; end -= 32) {
        // Before the first tile there is nothing, up to whose end nothing is kept.
        const bool looks = id < 32 && id < end;
        ulong state = GP_UP_TO_END;
        uint found = !looks;
        gp_take_for_late(tiles, (uint)max((int)end - 32, 0), end, room);
        do {
            found = gp_await(tiles, end - 1 - id, found, &state);
        } while (gp_fell_back(tiles, found ? 0 : end - id, room));
        // Of the first warp: up to the nearest tile whose state is a sum up to its end.
        const uint sums = gp_ballot((state & GP_UP_TO_END) != 0, GP_ROOM_OF(room->warps.lanes));
        const uint nearest = sums == 0 ? 32 : 31 - clz(sums & (~sums + 1));
        const uint counts =
            gp_sum_of_warp(id % 32 < nearest ? (uint)GP_COUNT(state) : 0, GP_ROOM_OF(room->warps.lanes));
        if (id < 32 && id == min(nearest, 31u))
            room->before = counts + (nearest < 32 ? GP_COUNT(state) : 0) + (nearest < 32 ? GP_UP_TO_END : 0);
        barrier(CLK_LOCAL_MEM_FENCE);
        const ulong window = room->before;
        before += GP_COUNT(window);
        barrier(CLK_LOCAL_MEM_FENCE);
        if ((window & GP_UP_TO_END) != 0) return before;
    }
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
select_look_back(GP_SELECT_INPUTS, global ulong *state, ulong state_offset, GP_SELECT_OUTPUTS) {
    local Waiting room;
    local ushort places[GP_TILE];
    local uint taken;
    const uint id = (uint)get_local_id(0);
    const ulong n = GP_LENGTH;
    const uint tiles = (uint)((n + GP_TILE - 1) / GP_TILE);
    state += state_offset;
    const Tiles all = {GP_KEPT_BEGIN, n, state + 2};
    if (id == 0) room.late = 0;
    if (tiles == 0 && get_global_id(0) == 0) count[count_offset] = 0;
    uint next_tile = 0; // known to work-item 0
    if (id == 0) next_tile = gp_take_ticket((volatile global uint *)state);
    for (;;) {
        if (id == 0) taken = next_tile;
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint tile = taken;
        if (tile >= tiles) break;
        const ulong first = (ulong)tile * GP_TILE;
        const uint bits = gp_look_at_tile(all.kept, first, n);
        const Ranks ranks = gp_rank_tile(bits, &room.warps);
        const uint total = ranks.total;
        if (id == 0) publish(&all, tile, total | (tile == 0 ? GP_UP_TO_END : GP_OF_TILE));
        gp_place_tile(bits, &ranks, places);
        barrier(CLK_LOCAL_MEM_FENCE);
        const ulong begin = tile == 0 ? 0 : gp_before_tile(&all, tile, &room);
        if (id == 0) {
            if (tile > 0) publish(&all, tile, (begin + total) | GP_UP_TO_END);
            if (tile == tiles - 1) count[count_offset] = begin + total;
            next_tile = gp_take_ticket((volatile global uint *)state); // it arrives while this tile is moved
        }
        GP_MOVE(places, begin, total)
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    gp_clear_state(state, (ulong)tiles + 2, &taken);
}

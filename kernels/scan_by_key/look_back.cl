// Scans by key in a single pass. Work-groups take tiles in order, as scan/look_back.cl does. Each
// publishes what has come since the last run began in its tile, and whether one did.
//
// Neighbouring work-items read and write neighbouring elements; in between, values are in local
// memory, from which each work-item takes GP_ITEMS consecutive ones. Of keys a bit each is there:
// whether a run begins.
//
// Macros: those of call.cl, warp.cl and look_back.cl; GP_ITEMS, an odd number, so that neighbours
//         do not share banks, less than 32
// Launch: any number of work-groups of GP_GROUP work-items. There are less than 2^32 tiles. `state`
//         is full of zeros, and is in the end: 2 ulongs, and GP_SUM_WORDS for each tile. A single
//         tile needs no state
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016;
//         Blelloch, "Prefix Sums and Their Applications", 1990, section 1.5 (the segmented
//         operator)
// SPDX-License-Identifier: MIT
#include "common/cleared.cl"
#include "common/inline.cl"
#include "scan_by_key/call.cl"

#if GP_ITEMS % 2 == 0 || GP_ITEMS > 31
#error "GP_ITEMS must be odd, and less than 32"
#endif
#define GP_TILE (GP_GROUP * GP_ITEMS)

typedef struct {
    global const Key *keys;
    global const GP_IN *values;
    ulong n;
    T fresh;
} Segments;

#include "scan/segment_sums.cl"

typedef struct {
    T items[GP_TILE];
#if GP_TOGETHER
    uchar heads[GP_TILE];
#else
    uint heads[GP_TILE / 32 + 1]; // a bit an element, and a word that is read with the last one
#endif
    Waiting waiting;
    uint tile;
} Local;

Part late_state(const Tiles *tiles, uint tile, local Waiting *room) {
    const Segments *segments = &tiles->segments;
    const ulong first = (ulong)tile * GP_TILE + get_local_id(0) * GP_ITEMS, end = min(first + GP_ITEMS, segments->n);
    T all = GP_ZERO;
    uint any = 0;
    for (ulong i = first; i < end; ++i) {
        const uint head = i == 0 ? 1 : gp_differs(segments->keys[i - 1], segments->keys[i]);
        const T x = GP_READ(segments->values, i), before = head ? segments->fresh : all;
        all = GP_COMBINE(before, x);
        any |= head;
    }
    Part sum;
    gp_scan_parts(GP_PART(all, any), &sum, &room->warps);
    return sum;
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
scan_by_key_look_back(GP_SCAN_BY_KEY, global ulong *state, ulong state_offset) {
    local Local room;
    GP_BEGIN_SCAN
    const uint id = (uint)get_local_id(0);
    const ulong tiles = (n + GP_TILE - 1) / GP_TILE;
    volatile global uint *ticket = (volatile global uint *)(state + state_offset);
    const Segments segments = {keys, values, n, fresh};
    const Tiles others = {segments, state + state_offset + 2};
    // One work-group is launched where there can only be one tile.
    const bool alone = get_num_groups(0) == 1 && tiles <= 1;
    if (id == 0) room.waiting.late = 0;
#if !GP_TOGETHER
    if (id == 0) room.heads[GP_TILE / 32] = 0;
#endif
    Before way = {GP_ZERO, 0};
    uint next_tile = (uint)get_group_id(0); // known to work-item 0
    if (id == 0 && !alone) next_tile = atomic_inc(ticket);
    for (;;) {
        if (id == 0) room.tile = next_tile;
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint tile = room.tile;
        if (tile >= tiles) break;
        const ulong first = (ulong)tile * GP_TILE;
        const uint size = (uint)min(n - first, (ulong)GP_TILE);
        // What is behind the end is read from the last place, so that no load is a branch.
        Key key[GP_ITEMS], left[GP_ITEMS];
        T x[GP_ITEMS];
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            const ulong i = first + min(k * GP_GROUP + id, size - 1);
            key[k] = keys[i];
            left[k] = keys[max(i, 1ul) - 1];
            x[k] = GP_READ(values, i);
        }
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            const uint i = k * GP_GROUP + id;
            room.items[i] = x[k];
            const bool head = gp_differs(left[k], key[k]) != 0 || first + i == 0;
#if GP_TOGETHER
            room.heads[i] = head;
#else
            const uint heads = gp_ballot(head, 0);
            if (id % 32 == 0) room.heads[i / 32] = heads;
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); // results may take the place of what was read

        const uint mine = id * GP_ITEMS;
#if GP_TOGETHER
        uint heads = 0;
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) heads |= (uint)room.heads[mine + k] << k;
#else
        const ulong words = room.heads[mine / 32] | (ulong)room.heads[mine / 32 + 1] << 32;
        const uint heads = (uint)(words >> mine % 32) & ((1u << GP_ITEMS) - 1);
#endif
        T sum = GP_ZERO;
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            const T before = (heads >> k & 1) != 0 ? fresh : sum;
            sum = GP_COMBINE(before, room.items[mine + k]);
        }
        Part of_tile;
        const Part start = gp_scan_parts(GP_PART(sum, heads != 0), &of_tile, &room.waiting.warps);
        T running = GP_SUM(start);
        if (!alone) {
            if (id == 0) {
                publish(&others, tile, of_tile);
                if ((global const void *)values == (global const void *)out)
                    gp_fence_device(); // before the tile is overwritten, which a fallback must not read
            }
            const T before = take_before(&way, 0, tile, &others, &room.waiting);
            running = gp_join_sum(before, start);
            // The number arrives while this tile is stored. A tile that was taken sooner would keep
            // other work-groups waiting for what it publishes.
            if (id == 0) next_tile = atomic_inc(ticket);
        }
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            if ((heads >> k & 1) != 0) running = fresh;
            const T following = GP_COMBINE(running, room.items[mine + k]);
            room.items[mine + k] = exclusive ? running : following;
            running = following;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            const uint i = k * GP_GROUP + id;
            if (i < size) out[first + i] = room.items[i];
        }
        if (alone) break;
        barrier(CLK_LOCAL_MEM_FENCE); // the next tile takes this one's place
    }
    if (!alone) gp_clear_state(state + state_offset, tiles * GP_SUM_WORDS + 2, &room.tile);
}

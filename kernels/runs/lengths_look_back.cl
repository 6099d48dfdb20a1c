// Run lengths in a single pass. Work-groups take tiles in order. Each publishes how many runs begin
// in its tile and where the last one does, and looks back for both.
//
// A work-item has vectors of keys in registers and a bit for each that differs from the one before.
// Where runs begin in a tile, and their keys, are gathered in local memory; lengths are differences
// of neighbours there. So where runs are long, a tile is read and hardly anything is done.
//
// Macros: those of runs.cl, without GP_VALUES, and of counts.cl but GP_WIDTH
// Launch: any number of work-groups of GP_GROUP work-items. n is less than 2^32. `state` is full of
//         zeros, and is in the end: 2 ulongs, and GP_STATE_ULONGS for each tile. A single tile needs
//         no state
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016
// SPDX-License-Identifier: MIT
#include "runs/runs.cl"

#include "common/cleared.cl"
#include "device/ticket.cl"

#define GP_WIDTH (16 / GP_KEY_BYTES)
#define GP_LASTS

typedef struct {
    global const Key *keys;
    uint n;
} Counted;

#include "common/counts.cl"

// Words of a work-item's keys, and key i of it.
#define GP_KEY_WORDS (4 * GP_VECTORS)
#if GP_KEY_BYTES == 8
#define GP_KEY_AT(words, i) ((ulong)(words)[2 * (i) + 1] << 32 | (words)[2 * (i)])
#elif GP_KEY_BYTES == 4
#define GP_KEY_AT(words, i) ((words)[i])
#else
#define GP_IN_WORD (4 / GP_KEY_BYTES)
#define GP_KEY_AT(words, i) ((Key)((words)[(i) / GP_IN_WORD] >> (i) % GP_IN_WORD * (8 * GP_KEY_BYTES)))
#endif

// The key of the lane before; lane 0 has lane 31's.
GP_INLINE Key gp_key_before(Key key, local uint *room) {
    const uint lane = ((uint)get_local_id(0) + 31) % 32;
#if GP_KEY_BYTES == 8
    const uint low = gp_shuffle_word((uint)key, lane, room);
    return (ulong)gp_shuffle_word((uint)(key >> 32), lane, room) << 32 | low;
#else
    return (Key)gp_shuffle_word(key, lane, room);
#endif
}

// A bit for each of this work-item's keys of a tile with which a run begins, and the keys. `stage`
// is for those that no vector can be loaded of.
GP_INLINE uint gp_find_heads(const Counted *from, uint tile, uint *x, local Key *stage, local Warps *warps) {
    const uint id = (uint)get_local_id(0), lane = id % 32, first = tile * GP_TILE;
    const uint size = min(from->n - first, (uint)GP_TILE);
    global const Key *const keys = from->keys + first;
    Key before = 0; // of lane 0: the key before a vector
    if (lane == 0) before = from->keys[max(first + min(GP_PLACE(0), size), 1u) - 1];
    if (size == GP_TILE && (size_t)keys % 16 == 0) {
#pragma unroll
        for (uint v = 0; v < GP_VECTORS; ++v) vstore4(*(global const uint4 *)(keys + GP_PLACE(v)), v, x);
    } else {
        for (uint i = id; i < GP_TILE; i += GP_GROUP) stage[i] = keys[min(i, size - 1)]; // no run begins behind the end
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint v = 0; v < GP_VECTORS; ++v) vstore4(*(local const uint4 *)(stage + GP_PLACE(v)), v, x);
    }
    uint heads = first + id == 0;
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) {
        const Key last = gp_key_before(GP_KEY_AT(x, v * GP_WIDTH + GP_WIDTH - 1), GP_ROOM_OF(warps->lanes));
        Key left = lane > 0 ? last : before;
        before = last;
#pragma unroll
        for (uint i = v * GP_WIDTH; i < (v + 1) * GP_WIDTH; ++i) {
            heads |= gp_differs(left, GP_KEY_AT(x, i)) << i;
            left = GP_KEY_AT(x, i);
        }
    }
    return heads;
}

// Work-items' last ones meet in room->lasts[0], which is free.
GP_INLINE State late_state(const Tiles *tiles, uint tile, local Waiting *room) {
    const uint id = (uint)get_local_id(0), first = tile * GP_TILE;
    global const Key *const keys = tiles->counted.keys;
    uint count = 0, last = 0;
    if (id == 0) room->lasts[0] = 0;
    for (uint i = first + id; i < min(tiles->counted.n - first, (uint)GP_TILE) + first; i += GP_GROUP)
        if (i == 0 || gp_differs(keys[i - 1], keys[i])) {
            ++count;
            last = i + 1;
        }
    count = gp_sum_of_group(count, &room->warps);
    atomic_max(&room->lasts[0], last);
    barrier(CLK_LOCAL_MEM_FENCE);
    last = room->lasts[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return GP_STATE(count | (tile == 0 ? GP_UP_TO_END : GP_OF_TILE), last);
}

typedef struct {
    Key keys[GP_TILE] __attribute__((aligned(16))); // of the runs that begin in the tile
    ushort places[GP_TILE];                         // where they do
    Waiting waiting;
    uint tile;
} Local;

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
runs_lengths(GP_RUNS, global ulong *state, ulong state_offset) {
    local Local room;
    GP_BEGIN_RUNS
    const uint id = (uint)get_local_id(0), all = (uint)n;
    if (all == 0 && get_global_id(0) == 0) *count = 0;
    const uint tiles = all == 0 ? 0 : (all - 1) / GP_TILE + 1;
    state += state_offset;
    const Tiles others = {{keys, all}, state + 2};
    // One work-group is launched where there can only be one tile.
    const bool alone = get_num_groups(0) == 1 && tiles <= 1;
    if (id == 0) room.waiting.late = 0;
    uint next_tile = 0; // known to work-item 0
    if (id == 0 && !alone) next_tile = gp_take_ticket((volatile global uint *)state);
    for (;;) {
        if (id == 0) room.tile = next_tile;
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint tile = room.tile;
        if (tile >= tiles) break;
        const uint first = tile * GP_TILE;
        uint x[GP_KEY_WORDS];
        const uint heads = gp_find_heads(&others.counted, tile, x, room.keys, &room.waiting.warps);
        const Ranks ranks = gp_rank_tile(heads, &room.waiting.warps);
        const uint some = ranks.total;
        uint running = ranks.below;
#pragma unroll
        for (uint v = 0; v < GP_VECTORS; ++v) {
            uint to = running + GP_FIELD(ranks.lower, v);
            running += GP_FIELD(ranks.of_warp, v);
            if (GP_BITS_OF(heads, v) == 0) continue;
#pragma unroll
            for (uint i = v * GP_WIDTH; i < (v + 1) * GP_WIDTH; ++i) {
                if ((heads >> i & 1) == 0) continue;
                room.keys[to] = GP_KEY_AT(x, i);
                room.places[to] = (ushort)(GP_PLACE(v) + i % GP_WIDTH);
                ++to;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint last = some > 0 ? first + room.places[some - 1] + 1 : 0;
        Before before = {0, 0};
        if (tile > 0) {
            if (id == 0) publish(&others, tile, GP_STATE(some | GP_OF_TILE, last));
            before = gp_before_tile(&others, tile, &room.waiting);
        }
        const uint runs = (uint)before.count;
        if (id == 0 && !alone) {
            publish(&others, tile, GP_STATE((ulong)(runs + some) | GP_UP_TO_END, some > 0 ? last : before.last));
            next_tile = gp_take_ticket((volatile global uint *)state); // it arrives while this tile is written
        }
        const uint begin = (uint)min((ulong)some, capacity - min((ulong)runs, capacity)); // that there is room for
        const uint end =
            (uint)min((ulong)some, capacity + 1 - min((ulong)runs, capacity + 1)); // of the runs before them
        if (wanted & GP_KEYS_WANTED)
#pragma unroll 4
            for (uint j = id; j < begin; j += GP_GROUP) out_keys[runs + j] = room.keys[j];
        if (wanted & GP_FIRSTS_WANTED)
            for (uint j = id; j < begin; j += GP_GROUP) firsts[runs + j] = first + room.places[j];
        if (wanted & GP_RESULTS_WANTED)
#pragma unroll 4
            for (uint j = id; j < end; j += GP_GROUP) {
                const uint from = j > 0 ? first + room.places[j - 1] : before.last - 1;
                if (runs + j > 0) results[runs + j - 1] = first + room.places[j] - from;
            }
        if (tile == tiles - 1 && id == 0) {
            *count = runs + some;
            if (runs + some <= capacity && (wanted & GP_RESULTS_WANTED))
                results[runs + some - 1] = all - ((some > 0 ? last : before.last) - 1);
        }
        if (alone) break;
    }
    if (!alone) gp_clear_state(state, (ulong)tiles * GP_STATE_ULONGS + 2, &room.tile);
}

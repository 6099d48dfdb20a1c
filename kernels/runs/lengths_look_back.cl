// Run lengths in a single pass. Work-groups take tiles in order. Each publishes how many runs begin
// in its tile and where the last one does, and looks back for both.
//
// A work-item has vectors of keys in registers and a bit for each that differs from the one before.
// Where runs begin in a tile, and their keys, are gathered in local memory; lengths are differences
// of neighbours there. So where runs are long, a tile is read and hardly anything is done.
//
// Macros: those of runs.cl, without GP_VALUES, and of counts.cl but GP_WIDTH
// Launch: any number of work-groups of GP_GROUP work-items. n is less than 2^32. `state` is full of
//         zeros, and is in the end: 2 ulongs, and GP_STATE_ULONGS for each tile. A single tile
//         needs no state
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016
// SPDX-License-Identifier: MIT
#include "runs/runs.cl"

#include "common/cleared.cl"
#include "common/key_before.cl"
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

// A tile's keys on their way: this work-item's, and of lane 0 the one before them.
typedef struct {
    uint x[GP_KEY_WORDS];
    Key before;
} Loaded;

// Where a tile begins: one behind the end has no keys.
GP_INLINE uint gp_first_of(const Counted *from, uint tile) { return (uint)min((ulong)tile * GP_TILE, (ulong)from->n); }

// Are a tile's keys loaded by vectors?
GP_INLINE bool gp_is_whole(const Counted *from, uint first) {
    return from->n - first >= GP_TILE && (size_t)from->keys % 16 == 0;
}

GP_INLINE void gp_load_keys(const Counted *from, uint tile, Loaded *to) {
    const uint id = (uint)get_local_id(0), first = gp_first_of(from, tile);
    if (first == from->n) return;
    if (id % 32 == 0) to->before = from->keys[max(first + min(GP_PLACE(0), from->n - first), 1u) - 1];
    if (!gp_is_whole(from, first)) return;
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) vstore4(*(global const uint4 *)(from->keys + first + GP_PLACE(v)), v, to->x);
}

// A bit for each of this work-item's keys with which a run begins. Keys that are not loaded by
// vectors go through `stage`.
GP_INLINE uint gp_find_heads(const Counted *from, uint first, Loaded *keys, local Key *stage, local Warps *warps) {
    const uint id = (uint)get_local_id(0), lane = id % 32, size = min(from->n - first, (uint)GP_TILE);
    if (size > 0 && !gp_is_whole(from, first)) { // no run begins behind the end
        for (uint i = id; i < GP_TILE; i += GP_GROUP) stage[i] = from->keys[first + min(i, size - 1)];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint v = 0; v < GP_VECTORS; ++v) vstore4(*(local const uint4 *)(stage + GP_PLACE(v)), v, keys->x);
    }
    uint heads = first + id == 0;
    Key before = keys->before;
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) {
        const Key last = gp_key_before(GP_KEY_AT(keys->x, v * GP_WIDTH + GP_WIDTH - 1), GP_ROOM_OF(warps->lanes));
        Key left = lane > 0 ? last : before;
        before = last;
#pragma unroll
        for (uint i = v * GP_WIDTH; i < (v + 1) * GP_WIDTH; ++i) {
            heads |= gp_differs(left, GP_KEY_AT(keys->x, i)) << i;
            left = GP_KEY_AT(keys->x, i);
        }
    }
    return size > 0 ? heads : 0;
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

// The runs that begin in a tile: their keys, and where they do.
typedef struct {
    Key keys[GP_TILE] __attribute__((aligned(16)));
    ushort places[GP_TILE];
} Heads;

// Finds the runs that begin in a tile, and publishes how many, which it returns; a tile behind the
// end has none, and nothing is published. *last becomes 1 + the
// place of the last one, 0 if there is none.
GP_INLINE uint gp_take_tile(const Tiles *tiles, uint tile, Loaded *keys, uint *last, local Heads *to,
                            local Warps *warps) {
    const uint id = (uint)get_local_id(0), first = gp_first_of(&tiles->counted, tile);
    const uint heads = gp_find_heads(&tiles->counted, first, keys, to->keys, warps);
    const Ranks ranks = gp_rank_tile(heads, warps);
    uint running = ranks.below;
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) {
        uint at = running + GP_FIELD(ranks.lower, v);
        running += GP_FIELD(ranks.of_warp, v);
        if (GP_BITS_OF(heads, v) == 0) continue;
#pragma unroll
        for (uint i = v * GP_WIDTH; i < (v + 1) * GP_WIDTH; ++i) {
            if ((heads >> i & 1) == 0) continue;
            to->keys[at] = GP_KEY_AT(keys->x, i);
            to->places[at] = (ushort)(GP_PLACE(v) + i % GP_WIDTH);
            ++at;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    *last = ranks.total > 0 ? first + to->places[ranks.total - 1] + 1 : 0;
    if (id == 0 && tile > 0 && first < tiles->counted.n)
        publish(tiles, tile, GP_STATE(ranks.total | GP_OF_TILE, *last));
    return ranks.total;
}

typedef struct {
    Heads heads[2]; // of the tile that is written, and of the next one
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
    volatile global uint *const ticket = (volatile global uint *)state;
    // One work-group is launched where there can only be one tile. Where there are no more tiles
    // than work-groups, each has one, and needs no ticket.
    const bool alone = get_num_groups(0) == 1 && tiles <= 1, single = tiles <= get_num_groups(0);
    if (id == 0) {
        room.waiting.late = 0;
        room.tile = single ? (uint)get_group_id(0) : gp_take_ticket(ticket);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint tile = ~0u, some = 0, last = 0, buffer = 0; // none yet
    uint next = room.tile;
    uint next_tile = ~0u; // known to work-item 0, for whom it arrives while others work
    Loaded loaded;
    if (id == 0 && !single) next_tile = gp_take_ticket(ticket);
    gp_load_keys(&others.counted, next, &loaded);
    while (tile < tiles || next < tiles) {
        // The next tile's runs are published, and the keys of the one behind it on their way,
        // before this one's look-back. Barriers are the same where there is no tile, or no next
        // one.
        uint next_last;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id == 0) room.tile = next_tile;
        const uint next_some =
            gp_take_tile(&others, next, &loaded, &next_last, &room.heads[buffer ^ 1], &room.waiting.warps);
        const uint behind = room.tile;
        gp_load_keys(&others.counted, behind, &loaded);
        if (id == 0 && behind < tiles) next_tile = gp_take_ticket(ticket);
        const bool there = tile < tiles;
        const uint first = there ? tile * GP_TILE : 0;
        local const Heads *const heads = &room.heads[buffer];
        const Before before = gp_before_tile(&others, there ? tile : 0, &room.waiting);
        const uint runs = (uint)before.count;
        if (id == 0 && there && !alone)
            publish(&others, tile, GP_STATE((ulong)(runs + some) | GP_UP_TO_END, some > 0 ? last : before.last));
        const uint begin = (uint)min((ulong)some, capacity - min((ulong)runs, capacity)); // that there is room for
        const uint end =
            (uint)min((ulong)some, capacity + 1 - min((ulong)runs, capacity + 1)); // of the runs before them
        if (wanted & GP_KEYS_WANTED)
#pragma unroll 4
            for (uint j = id; j < begin; j += GP_GROUP) out_keys[runs + j] = heads->keys[j];
        if (wanted & GP_FIRSTS_WANTED)
            for (uint j = id; j < begin; j += GP_GROUP) firsts[runs + j] = first + heads->places[j];
        if (wanted & GP_RESULTS_WANTED)
#pragma unroll 4
            for (uint j = id; j < end; j += GP_GROUP) {
                const uint from = j > 0 ? first + heads->places[j - 1] : before.last - 1;
                if (runs + j > 0) results[runs + j - 1] = first + heads->places[j] - from;
            }
        if (tile == tiles - 1 && id == 0) {
            *count = runs + some;
            if (runs + some <= capacity && (wanted & GP_RESULTS_WANTED))
                results[runs + some - 1] = all - ((some > 0 ? last : before.last) - 1);
        }
        tile = next;
        some = next_some;
        last = next_last;
        next = behind;
        buffer ^= 1;
    }
    if (!alone) gp_clear_state(state, (ulong)tiles * GP_STATE_ULONGS + 2, &room.tile);
}

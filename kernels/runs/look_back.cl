// Reductions by key in a single pass. Work-groups take tiles in order. Each publishes how many runs
// begin in its tile, and what has come since the last one did; and it waits for what the tiles
// before it publish, as look_back.cl does.
//
// A work-item takes GP_ITEMS consecutive elements of a tile. What runs begin and end in a tile is
// gathered in local memory, from which neighbouring work-items write neighbouring results.
//
// Macros: those of runs.cl with GP_VALUES, warp.cl and look_back.cl; GP_ITEMS, an odd number, so
//         that neighbours do not share banks, less than 32
// Launch: any number of work-groups of GP_GROUP work-items. n is less than 2^32. `state` is full
//         of zeros, and is in the end: 2 ulongs, and GP_SUM_WORDS for each tile. A single tile
//         needs no state
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016;
//         Blelloch, "Prefix Sums and Their Applications", 1990, section 1.5 (the segmented
//         operator); the fixed waves are our own
// SPDX-License-Identifier: MIT
#include "runs/runs.cl"

#if GP_ITEMS % 2 == 0 || GP_ITEMS > 31
#error "GP_ITEMS must be odd, and less than 32"
#endif
#define GP_TILE (GP_GROUP * GP_ITEMS)
#define GP_COUNTS_HEADS

#include "common/cleared.cl"
#include "common/inline.cl"

typedef struct {
    global const Key *keys;
    global const GP_IN *values;
    uint n;
} Segments;

#include "scan/segment_sums.cl"

typedef struct {
    Key keys[GP_TILE + 1]; // behind the one before the tile
    T items[GP_TILE];      // values, then results
    Waiting waiting;
    uint tile;
} Local;

Part late_state(const Tiles *tiles, uint tile, local Waiting *room) {
    const Segments *segments = &tiles->segments;
    const uint first = tile * GP_TILE + (uint)get_local_id(0) * GP_ITEMS;
    T all = GP_ZERO;
    uint heads = 0;
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const uint i = first + k;
        if (i >= segments->n || i < first) continue;
        const uint head = i == 0 ? 1 : gp_differs(segments->keys[i - 1], segments->keys[i]);
        const T x = GP_READ(segments->values, i), before = head ? GP_ZERO : all;
        all = GP_COMBINE(before, x);
        heads += head;
    }
    Part sum;
    gp_scan_parts(GP_PART(all, heads), &sum, &room->warps);
    return sum;
}

// How far a work-group has come. Its tiles ascend, so no wave is combined twice.
typedef struct {
    Part carry; // of all waves before `wave`
    uint wave;
} Runs;

// What comes before a tile.
GP_INLINE Part take_runs_before(Runs *before, uint tile, const Tiles *tiles, local Waiting *room) {
    for (; before->wave < tile / GP_GROUP; ++before->wave) {
        const Part whole = join_tiles(tiles, before->wave * GP_GROUP, 0, GP_GROUP, room);
        before->carry = gp_join_parts(before->carry, whole);
    }
    const Part in_wave = join_tiles(tiles, before->wave * GP_GROUP, 0, tile % GP_GROUP, room);
    return gp_join_parts(before->carry, in_wave);
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
runs_look_back(GP_RUNS, global ulong *state, ulong state_offset) {
    local Local room;
    GP_BEGIN_RUNS
    const uint id = (uint)get_local_id(0), all = (uint)n;
    if (all == 0 && get_group_id(0) == 0 && id == 0) *count = 0;
    const uint tiles = all == 0 ? 0 : (all - 1) / GP_TILE + 1;
    volatile global uint *ticket = (volatile global uint *)(state + state_offset);
    const Segments segments = {keys, values, all};
    const Tiles others = {segments, state + state_offset + 2};
    // One work-group is launched where there can only be one tile.
    const bool alone = get_num_groups(0) == 1 && tiles <= 1;
    if (id == 0) room.waiting.late = 0;
    Runs way = {GP_NO_PART, 0};
    uint next_tile = (uint)get_group_id(0); // known to work-item 0
    if (id == 0 && !alone) next_tile = atomic_inc(ticket);
    for (;;) {
        if (id == 0) room.tile = next_tile;
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint tile = room.tile;
        if (tile >= tiles) break;
        const uint first = tile * GP_TILE, size = min(all - first, (uint)GP_TILE);
        Key key[GP_ITEMS]; // lest each load wait for the store of the one before it
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) key[k] = keys[first + min(k * GP_GROUP + id, size - 1)];
        T x[GP_ITEMS];
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            const uint i = k * GP_GROUP + id;
            x[k] = i < size ? GP_READ(values, first + i) : GP_ZERO;
        }
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) room.items[k * GP_GROUP + id] = x[k];
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) room.keys[k * GP_GROUP + id + 1] = key[k]; // no run begins behind the end
        if (id == 0) room.keys[0] = keys[max(first, 1u) - 1];
        barrier(CLK_LOCAL_MEM_FENCE);

        uint heads = first + id == 0;
        Key left = room.keys[id * GP_ITEMS];
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            key[k] = room.keys[id * GP_ITEMS + k + 1];
            heads |= gp_differs(left, key[k]) << k;
            left = key[k];
        }
        T sum = GP_ZERO;
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            x[k] = room.items[id * GP_ITEMS + k];
            const T before = (heads >> k & 1) != 0 ? GP_ZERO : sum;
            sum = GP_COMBINE(before, x[k]);
        }
        Part of_tile;
        const Part start = gp_scan_parts(GP_PART(sum, popcount(heads)), &of_tile, &room.waiting.warps);
        Part before = GP_NO_PART;
        if (!alone) {
            if (id == 0) publish(&others, tile, of_tile);
            before = take_runs_before(&way, tile, &others, &room.waiting);
            // The number arrives while this tile is written. A tile that was taken sooner would
            // keep other work-groups waiting for what it publishes.
            if (id == 0) next_tile = atomic_inc(ticket);
        }
        barrier(CLK_LOCAL_MEM_FENCE); // all elements are in registers
        uint place = GP_ANY(start);
        T running = gp_join_sum(GP_SUM(before), start);
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            const uint head = heads >> k & 1;
            if (head) {
                room.keys[place] = key[k];
                room.items[place] = running; // of the run that ends
            }
            place += head;
            const T fresh = head ? GP_ZERO : running;
            running = GP_COMBINE(fresh, x[k]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint some = GP_ANY(of_tile), runs = GP_ANY(before);
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            const uint j = k * GP_GROUP + id, run = runs + j;
            const bool begins = j < some && run < capacity, ends = j < some && run > 0 && run - 1 < capacity;
            if (begins && (wanted & GP_KEYS_WANTED)) out_keys[run] = room.keys[j];
            if (ends) results[run - 1] = room.items[j];
        }
        if (tile == tiles - 1 && id == 0) {
            const uint last = runs + some;
            *count = last;
            if (last <= capacity && (wanted & GP_RESULTS_WANTED))
                results[last - 1] = gp_join_sum(GP_SUM(before), of_tile);
        }
        if (alone) break;
        barrier(CLK_LOCAL_MEM_FENCE); // the next tile takes this one's place
    }
    if (!alone) gp_clear_state(state + state_offset, (ulong)tiles * GP_SUM_WORDS + 2, &room.tile);
}

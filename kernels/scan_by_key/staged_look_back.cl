// Scans by key in a single pass whose tiles are copied ahead: as scan/staged_segments.cl, with a
// head wherever a key differs from the one before it.
//
// Macros: those of call.cl, with results of the values' type; those of stages.cl, GP_STAGES 3 or
//         more, and of segment_sums.cl
// Launch: any number of work-groups of GP_GROUP work-items. There are less than 2^32 tiles. `state`
//         is full of zeros, and is in the end: 2 ulongs, and GP_SUM_WORDS for each tile. A single
//         tile needs no state
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016;
//         Blelloch, "Prefix Sums and Their Applications", 1990, section 1.5 (the segmented
//         operator); the stages are our own
// SPDX-License-Identifier: MIT
#include "common/cleared.cl"
#include "common/inline.cl"
#include "common/stages.cl"
#include "scan_by_key/call.cl"

#if GP_ITEMS > 32
#error "GP_ITEMS must be 32 at most"
#endif
// Keys that lie before a tile's own, so many that vectors are aligned; the last is its left
// neighbour.
#define GP_LEFT (GP_KEY_BYTES * GP_WIDTH > 16 ? GP_WIDTH : 16 / GP_KEY_BYTES)

typedef struct {
    global const Key *keys;
    Source values;
    T fresh;
} Segments;

#include "scan/segment_sums.cl"

// A tile's elements and keys, as they lie in global memory.
typedef struct {
    T items[GP_TILE];
    Key keys[GP_LEFT + GP_TILE];
} Stage;

typedef struct {
    PartWarps warps;
    Waiting waiting;
    ulong arrived[GP_STAGES];
    uint tiles[GP_STAGES]; // the number of each stage's tile
    uint last;             // whether this work-group is the last to end
} Local;

// As is_bulk, begin_tile and wait_for_tile, for elements and keys.
uint is_bulk_stage(const Segments *segments, ulong tile) {
    return (size_t)segments->keys % 16 == 0 && is_bulk(segments->values.in, &segments->values, tile);
}

void begin_stage(local Stage *stage, local ulong *arrived, const Segments *segments, ulong tile) {
    const uint bulk = is_bulk_stage(segments, tile), left = tile > 0 ? GP_LEFT : 0; // nothing is before the first
    const uint key_bytes = (left + GP_TILE) * sizeof(Key);
    gp_bulk_expect(arrived, bulk ? sizeof stage->items + key_bytes : 0);
    if (!bulk) return;
    gp_bulk_copy(stage->items, segments->values.in + tile * GP_TILE, sizeof stage->items, arrived);
    gp_bulk_copy(stage->keys + (GP_LEFT - left), segments->keys + (tile * GP_TILE - left), key_bytes, arrived);
}

void wait_for_stage(local Stage *stage, local ulong *arrived, uint phase, const Segments *segments, ulong tile) {
    if (is_bulk_stage(segments, tile)) {
        gp_bulk_wait(arrived, phase);
        return;
    }
    const ulong first = tile * GP_TILE, last = segments->values.n - 1;
    for (uint i = (uint)get_local_id(0); i < GP_TILE; i += GP_GROUP) {
        const ulong p = first + i;
        stage->items[i] = p <= last ? segments->values.in[p] : GP_ZERO; // by the one that stores its result
        stage->keys[GP_LEFT + i] = segments->keys[min(p, last)];
    }
    if (get_local_id(0) == 0 && tile > 0) stage->keys[GP_LEFT - 1] = segments->keys[first - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
}

// A bit for each of this work-item's elements: whether it is a head.
uint take_heads(local const Stage *stage, ulong tile) {
    const uint id = (uint)get_local_id(0);
    local const Key *keys = stage->keys + GP_LEFT + id * GP_ITEMS;
    Key left = keys[-1];
    uint heads = 0;
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) {
        Key key[GP_WIDTH];
#if GP_KEY_BYTES == 1 && GP_WIDTH == 2 // clang 19 can't compile this vector for NVIDIA's GPUs
        key[0] = keys[2 * v];
        key[1] = keys[2 * v + 1];
#else
        GP_STORE(((local const GP_PASTE(Key, GP_WIDTH) *)keys)[v], 0, key);
#endif
#pragma unroll
        for (uint i = 0; i < GP_WIDTH; ++i) {
            heads |= gp_differs(left, key[i]) << (v * GP_WIDTH + i);
            left = key[i];
        }
    }
    return tile == 0 && id == 0 ? heads | 1 : heads;
}

// Returns what comes before this work-item's elements in the tile, and in *sum the tile's part.
Part combine_stage(local const T *stage, uint heads, T fresh, Part *sum, local PartWarps *warps) {
    T all = GP_ZERO;
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) {
        T x[GP_WIDTH];
        take_vector(x, stage, v, 0);
#pragma unroll
        for (uint i = 0; i < GP_WIDTH; ++i) {
            const T left = (heads >> (v * GP_WIDTH + i) & 1) != 0 ? fresh : all;
            all = GP_COMBINE(left, x[i]);
        }
    }
    return gp_scan_parts(GP_PART(all, heads != 0), sum, warps);
}

// Puts this work-item's results in place of its elements; `running` is what comes before them.
void scan_stage(local T *stage, T running, uint heads, T fresh, uint exclusive) {
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) {
        T x[GP_WIDTH];
        take_vector(x, stage, v, 0);
#pragma unroll
        for (uint i = 0; i < GP_WIDTH; ++i) {
            if ((heads >> (v * GP_WIDTH + i) & 1) != 0) running = fresh;
            const T following = GP_COMBINE(running, x[i]);
            x[i] = exclusive ? running : following;
            running = following;
        }
        put_vector(stage, v, 0, x);
    }
}

Part late_state(const Tiles *tiles, uint tile, local Waiting *room) {
    const Segments *segments = &tiles->segments;
    const ulong first = (ulong)tile * GP_TILE + get_local_id(0) * GP_ITEMS,
                end = min(first + GP_ITEMS, segments->values.n);
    T all = GP_ZERO;
    uint any = 0;
    for (ulong i = first; i < end; ++i) {
        const uint head = i == 0 ? 1 : gp_differs(segments->keys[i - 1], segments->keys[i]);
        const T left = head ? segments->fresh : all;
        all = GP_COMBINE(left, segments->values.in[i]);
        any |= head;
    }
    Part sum;
    gp_scan_parts(GP_PART(all, any), &sum, &room->warps);
    return sum;
}

// Called by all work-items, each after it has put its results in place of its elements.
void store_stage(local const T *stage, global T *out, const Source *values, ulong tile) {
    const uint id = (uint)get_local_id(0);
    gp_bulk_release();
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_bulk(out, values, tile)) {
        if (id == 0) gp_bulk_store(out + tile * GP_TILE, stage, GP_TILE * sizeof(T));
    } else {
        const ulong first = tile * GP_TILE;
        for (uint i = id; i < GP_TILE && first + i < values->n; i += GP_GROUP) out[first + i] = stage[i];
        gp_bulk_release();
    }
    if (id == 0) gp_bulk_commit(); // a group for each tile
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
scan_by_key_staged_look_back(GP_SCAN_BY_KEY, global ulong *state, ulong state_offset) {
    local Stage stages[GP_STAGES] __attribute__((aligned(128)));
    local Local room;
    GP_BEGIN_SCAN
    const uint id = (uint)get_local_id(0);
    const ulong tiles = (n + GP_TILE - 1) / GP_TILE;
    state += state_offset;
    volatile global uint *ticket = (volatile global uint *)state;
    const Segments segments = {keys, {values, n, 0}, fresh};
    const Tiles all = {segments, state + 2};
    // One work-group is launched where there can only be one tile.
    const bool alone = get_num_groups(0) == 1 && tiles <= 1;

    if (id == 0) {
        room.waiting.late = 0;
        // Where there are no more tiles than work-groups, each takes one only.
        const uint ahead = tiles > get_num_groups(0) ? GP_STAGES - 1 : 1;
        for (uint s = 0; s < GP_STAGES; ++s) {
            gp_bulk_begin(&room.arrived[s]);
            room.tiles[s] = alone ? s : s < ahead ? atomic_inc(ticket) : ~0u;
            if (room.tiles[s] < tiles) begin_stage(&stages[s], &room.arrived[s], &segments, room.tiles[s]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint stage = 0, phase = 0;
    ulong tile = room.tiles[0];
    Part start = GP_NO_PART; // what comes before this work-item's elements in `tile`
    uint mine = 0;           // its heads
    Before way = {GP_ZERO, 0};
    if (tile < tiles) {
        Part sum;
        wait_for_stage(&stages[0], &room.arrived[0], 0, &segments, tile);
        mine = take_heads(&stages[0], tile);
        start = combine_stage(stages[0].items, mine, fresh, &sum, &room.warps);
        if (id == 0 && !alone) publish(&all, (uint)tile, sum);
    }
    while (tile < tiles) {
        const uint next = stage + 1 < GP_STAGES ? stage + 1 : 0, next_phase = phase ^ (next == 0);
        const uint free = stage > 0 ? stage - 1 : GP_STAGES - 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        const ulong next_tile = room.tiles[next];
        Part next_start = GP_NO_PART;
        uint next_mine = 0, new_tile = ~0u; // the latter known to work-item 0
        if (next_tile < tiles) {
            Part sum;
            wait_for_stage(&stages[next], &room.arrived[next], next_phase, &segments, next_tile);
            next_mine = take_heads(&stages[next], next_tile);
            next_start = combine_stage(stages[next].items, next_mine, fresh, &sum, &room.warps);
            if (id == 0) {
                publish(&all, (uint)next_tile, sum);
                new_tile = atomic_inc(ticket);
            }
        }
        T running = GP_SUM(start);
        if (!alone) {
            if (id == 0 && values == out)
                gp_fence_device(); // before tiles are overwritten, which a fallback must not read
            const T before = take_before(&way, 0, (uint)tile, &all, &room.waiting);
            running = gp_join_sum(before, start);
        }
        scan_stage(stages[stage].items, running, mine, fresh, exclusive);
        store_stage(stages[stage].items, out, &segments.values, tile);
        if (id == 0) {
            GP_BULK_STORED(1);
            room.tiles[free] = new_tile;
            if (new_tile < tiles) begin_stage(&stages[free], &room.arrived[free], &segments, new_tile);
        }
        tile = next_tile;
        start = next_start;
        mine = next_mine;
        stage = next;
        phase = next_phase;
    }
    if (id == 0) GP_BULK_STORED(0);
    if (!alone) gp_clear_state(state, 2 + tiles * GP_SUM_WORDS, &room.last);
}

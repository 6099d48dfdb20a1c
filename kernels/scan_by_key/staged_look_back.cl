// Scans by key in a single pass whose values' tiles are copied ahead: as scan/staged_segments.cl,
// with a head wherever a key differs from the one before it.
//
// Keys need no local memory. A warp loads those of its part of a tile side by side, a tile ahead,
// and only a bit of each goes to the work-item that has the element.
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
#if !GP_TOGETHER
#include "common/key_before.cl"
#endif

#if GP_ITEMS > 31
#error "GP_ITEMS must be less than 32"
#endif

typedef struct {
    global const Key *keys;
    Source values;
    T fresh;
} Segments;

#include "scan/segment_sums.cl"

typedef struct {
    PartWarps warps;
    Waiting waiting;
    ulong arrived[GP_STAGES];
    uint tiles[GP_STAGES]; // the number of each stage's tile
    uint last;             // whether this work-group is the last to end
#if !GP_TOGETHER
    uint heads[GP_WARPS][GP_ITEMS + 1];
#endif
} Local;

#if !GP_TOGETHER
// A tile's keys on their way: of its warp's part one in 32, and of lane 0 the one before the part.
typedef struct {
    Key keys[GP_ITEMS];
    Key before;
} Ahead;

// What is behind the end is read from the last place, so that no load is a branch, and no head is
// there.
GP_INLINE void load_keys(const Segments *segments, ulong tile, Ahead *to) {
    const uint id = (uint)get_local_id(0), lane = id % 32;
    const ulong first = tile * GP_TILE + id / 32 * (32 * GP_ITEMS), last = segments->values.n - 1;
    if (lane == 0) to->before = segments->keys[min(max(first, 1ul) - 1, last)];
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) to->keys[k] = segments->keys[min(first + k * 32 + lane, last)];
}

// A bit for each of this work-item's elements: whether it is a head.
GP_INLINE uint take_heads(const Segments *segments, ulong tile, const Ahead *from, local Local *room) {
    const uint id = (uint)get_local_id(0), lane = id % 32, bit = lane * GP_ITEMS;
    local uint *const words = room->heads[id / 32];
    Key before = from->before;
    uint mine = 0;
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const Key last = gp_key_before(from->keys[k], 0), left = lane > 0 ? last : before;
        const uint word = gp_ballot(gp_differs(left, from->keys[k]) != 0, 0);
        if (lane == k) mine = word;
        before = last;
    }
    if (lane <= GP_ITEMS) words[lane] = mine;
    gp_join_warp();
    const ulong both = words[bit / 32] | (ulong)words[bit / 32 + 1] << 32;
    const uint heads = (uint)(both >> bit % 32) & ((1u << GP_ITEMS) - 1);
    return tile == 0 && id == 0 ? heads | 1 : heads;
}
#else
// Where only the whole work-group can exchange words, each work-item reads its own keys.
typedef struct {
    uint none;
} Ahead;

GP_INLINE void load_keys(const Segments *segments, ulong tile, Ahead *to) {}

GP_INLINE uint take_heads(const Segments *segments, ulong tile, const Ahead *from, local Local *room) {
    const ulong first = tile * GP_TILE + get_local_id(0) * GP_ITEMS, last = segments->values.n - 1;
    Key left = segments->keys[min(max(first, 1ul) - 1, last)];
    uint heads = first == 0;
    for (uint i = 0; i < GP_ITEMS; ++i) {
        const Key key = segments->keys[min(first + i, last)];
        heads |= gp_differs(left, key) << i;
        left = key;
    }
    return heads;
}
#endif

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
    local T stages[GP_STAGES][GP_TILE] __attribute__((aligned(128)));
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
            if (room.tiles[s] < tiles) begin_tile(stages[s], &room.arrived[s], &segments.values, room.tiles[s]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint stage = 0, phase = 0;
    ulong tile = room.tiles[0];
    Part start = GP_NO_PART; // what comes before this work-item's elements in `tile`
    uint mine = 0;           // its heads
    Before way = {GP_ZERO, 0};
    Ahead ahead;
    if (tile < tiles) {
        Part sum;
        load_keys(&segments, tile, &ahead);
        wait_for_tile(stages[0], &room.arrived[0], 0, &segments.values, tile);
        mine = take_heads(&segments, tile, &ahead, &room);
        load_keys(&segments, room.tiles[1], &ahead);
        start = combine_stage(stages[0], mine, fresh, &sum, &room.warps);
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
#if GP_STAGES == 3
            load_keys(&segments, next_tile, &ahead); // it was not known before
#endif
            wait_for_tile(stages[next], &room.arrived[next], next_phase, &segments.values, next_tile);
            next_mine = take_heads(&segments, next_tile, &ahead, &room);
#if GP_STAGES > 3
            load_keys(&segments, room.tiles[next + 1 < GP_STAGES ? next + 1 : 0], &ahead);
#endif
            next_start = combine_stage(stages[next], next_mine, fresh, &sum, &room.warps);
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
        scan_stage(stages[stage], running, mine, fresh, exclusive);
        store_stage(stages[stage], out, &segments.values, tile);
        if (id == 0) {
            GP_BULK_STORED(1);
            room.tiles[free] = new_tile;
            if (new_tile < tiles) begin_tile(stages[free], &room.arrived[free], &segments.values, new_tile);
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

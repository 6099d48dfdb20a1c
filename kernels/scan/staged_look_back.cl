// Scan in a single pass whose tiles are copied ahead.
//
// A work-group has GP_STAGES stages, each with room for a tile. While the work-group scans the tile
// of one stage in local memory, the next tile is in its stage and its sum is published, and further
// tiles and the results of earlier ones are on their way. So neither memory nor other work-groups
// have to wait.
//
// A work-group takes a tile's number when a stage is free, and publishes the tile's sum before it
// scans the tile before. So the work-group of the first tile whose sum is missing never waits.
//
// Macros: those of stages.cl, GP_STAGES 3 or more, of sums.cl and counted.cl
// Launch: any number of work-groups of GP_GROUP work-items. `state` holds zeros, 16 bytes and
//         GP_SUM_WORDS ulongs for each tile, and holds zeros again in the end. A single tile needs
//         no state
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016;
//         the stages are our own
// SPDX-License-Identifier: MIT
#include "common/carry.cl"
#include "common/cleared.cl"
#include "common/counted.cl"
#include "common/stages.cl"
#include "scan/sums.cl"

typedef struct {
    Warps warps;
    Waiting waiting;
    ulong arrived[GP_STAGES];
    uint tiles[GP_STAGES]; // the number of each stage's tile
    uint last;             // whether this work-group is the last to end
} Local;

// Called by all work-items, each after it has put its results in place of its elements.
void store_tile(local const T *stage, global T *out, const Source *source, ulong tile) {
    const uint id = (uint)get_local_id(0);
    gp_bulk_release();
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_bulk(out, source, tile)) {
        if (id == 0) gp_bulk_store(out + first_of(source, tile), stage, GP_TILE * sizeof(T));
    } else {
        const ulong n = source->n;
        const uint reverse = source->reverse;
        for (uint i = id; i < GP_TILE; i += GP_GROUP) {
            const ulong p = tile * GP_TILE + i;
            if (p < n) out[GP_AT(p)] = stage[place(source, i)];
        }
        gp_bulk_release();
    }
    if (id == 0) gp_bulk_commit(); // a group for each tile
}

T late_state(const Tiles *tiles, uint tile, local Waiting *room) {
    const Source *source = &tiles->source;
    const ulong n = source->n, first = (ulong)tile * GP_TILE + get_local_id(0) * GP_ITEMS;
    const uint reverse = source->reverse;
    T all = GP_ZERO, total, sum;
    for (uint i = 0; i < GP_ITEMS; ++i) {
        const ulong p = first + i;
        const T x = p < n ? source->in[GP_AT(p)] : GP_ZERO;
        all = i == 0 ? x : GP_COMBINE(all, x);
    }
    gp_scan_warp(all, &total, &room->warps);
    gp_scan_warps(total, &sum, &room->warps);
    return sum;
}

// Returns the combination of all up to this work-item's last element.
T scan_items(local T *stage, T running, uint exclusive, uint reverse) {
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) {
        T x[GP_WIDTH];
        take_vector(x, stage, v, reverse);
#pragma unroll
        for (uint i = 0; i < GP_WIDTH; ++i) {
            const T next = GP_COMBINE(running, x[i]);
            x[i] = exclusive ? running : next;
            running = next;
        }
        put_vector(stage, v, reverse, x);
    }
    return running;
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
scan_staged_look_back(global const T *in, ulong in_offset, global T *out, ulong out_offset, global ulong *state,
                      ulong state_offset, ulong n, uint exclusive,
                      uint reverse GP_CARRY_PARAMETERS GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local T stages[GP_STAGES][GP_TILE] __attribute__((aligned(128)));
    local Local room;
    const uint id = (uint)get_local_id(0);
    const ulong tiles = (n + GP_TILE - 1) / GP_TILE;
    state += state_offset;
    volatile global uint *ticket = (volatile global uint *)state;
    out += out_offset;
    const Source source = {in + in_offset, n, reverse};
    const Tiles all = {source, state + 2};

    if (id == 0) {
        room.waiting.late = 0;
        // Where there are no more tiles than work-groups, each takes one only.
        const uint ahead = tiles > get_num_groups(0) ? GP_STAGES - 1 : 1;
        for (uint s = 0; s < GP_STAGES; ++s) {
            gp_bulk_begin(&room.arrived[s]);
            room.tiles[s] = tiles <= 1 ? (uint)get_group_id(0) + s : s < ahead ? atomic_inc(ticket) : ~0u;
            if (room.tiles[s] < tiles) begin_tile(stages[s], &room.arrived[s], &source, room.tiles[s]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint stage = 0, phase = 0;
    ulong tile = room.tiles[0];
    T start = GP_ZERO; // what comes before this work-item's elements in `tile`
    Before way = {GP_ZERO, 0};
    if (tile < tiles) {
        T sum;
        wait_for_tile(stages[0], &room.arrived[0], 0, &source, tile);
        start = combine_tile(stages[0], reverse, &sum, &room.warps);
        if (id == 0 && tiles > 1) publish(&all, (uint)tile, sum);
    }
    while (tile < tiles) {
        const uint next = stage + 1 < GP_STAGES ? stage + 1 : 0, next_phase = phase ^ (next == 0);
        const uint free = stage > 0 ? stage - 1 : GP_STAGES - 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        const ulong next_tile = room.tiles[next];
        T next_start = GP_ZERO;
        uint new_tile = ~0u; // known to work-item 0
        if (next_tile < tiles) {
            T sum;
            wait_for_tile(stages[next], &room.arrived[next], next_phase, &source, next_tile);
            next_start = combine_tile(stages[next], reverse, &sum, &room.warps);
            if (id == 0) {
                publish(&all, (uint)next_tile, sum);
                new_tile = atomic_inc(ticket);
            }
        }
        if (tiles > 1) {
            if (id == 0 && source.in == out)
                gp_fence_device(); // before tiles are overwritten, which a fallback must not read
            const T before = take_before(&way, (uint)tile, &all, &room.waiting);
            start = GP_COMBINE(before, start);
        }
#ifdef GP_CARRY
        const T carry = GP_INITIAL(0);
        start = GP_COMBINE(carry, start);
        const T end = scan_items(stages[stage], start, exclusive, reverse);
        if (tile == tiles - 1 && id == GP_GROUP - 1) GP_HAND_ON(0, end);
#else
        scan_items(stages[stage], start, exclusive, reverse);
#endif
        store_tile(stages[stage], out, &source, tile);
        if (id == 0) {
            GP_BULK_STORED(1);
            room.tiles[free] = new_tile;
            if (new_tile < tiles) begin_tile(stages[free], &room.arrived[free], &source, new_tile);
        }
        tile = next_tile;
        start = next_start;
        stage = next;
        phase = next_phase;
    }
    if (id == 0) GP_BULK_STORED(0);
    if (tiles > 1) gp_clear_state(state, 2 + tiles * GP_SUM_WORDS, &room.last);
}

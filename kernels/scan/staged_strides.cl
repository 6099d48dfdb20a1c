// Scan of rows in a single pass whose tiles are copied ahead, wherever their elements lie: as
// staged_segments.cl, but the work-items copy the elements, one by one, asynchronously.
//
// Macros: those of segment_stages.cl, GP_STAGES 3 or more, and of places.cl
// Launch: any number of work-groups of GP_GROUP work-items. `state` holds zeros, 16 bytes and
//         GP_SUM_WORDS ulongs for each tile, and holds zeros again in the end. A single tile needs
//         no state
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016;
//         the stages are our own
// SPDX-License-Identifier: MIT
#include "common/cleared.cl"
#include "common/stages.cl"
#include "device/async_copy.cl"
#include "scan/places.cl"
#include "scan/segment_items.cl"

typedef struct {
    global const T *in;
    Rows rows;
    Places places;
    GP_INITIAL_FIELDS
} Segments;

#include "scan/segment_stages.cl"

typedef struct {
    PartWarps warps;
    Waiting waiting;
    uint tiles[GP_STAGES]; // the number of each stage's tile
    uint last;             // whether this work-group is the last to end
} Local;

// Called by all work-items. A group of copies for each stage, which is empty where there is no tile.
void begin_stage(local T *stage, const Segments *segments, uint tile, uint tiles) {
    if (tile < tiles) {
        const uint id = (uint)get_local_id(0);
        const Index first = (Index)tile * GP_TILE;
        const uint count = (uint)min(segments->rows.count - first, (Index)GP_TILE);
        Way way;
        begin_way(&way, &segments->rows, &segments->places, first + id);
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            const uint i = k * GP_GROUP + id;
#if GP_TYPE_SIZE == 4
            gp_async_word((local uint *)stage + i, (global const uint *)segments->in + way.at, i < count);
#else
            gp_async_pair((local ulong *)stage + i, (global const ulong *)segments->in + way.at, i < count);
#endif
            go_on(&way, &segments->rows, &segments->places);
        }
    }
    gp_async_commit();
}

// All but the copies of the last GP_STAGES - 2 stages have arrived.
void wait_for_stage(void) {
    GP_ASYNC_WAIT(GP_STAGES - 2);
    barrier(CLK_LOCAL_MEM_FENCE);
}

void take_heads(Heads *heads, const Rows *rows, uint tile) {
    find_heads(heads, rows, (Index)tile * GP_TILE + (Index)get_local_id(0) * GP_ITEMS, rows->count, 0);
}

void store_stage(local const T *stage, global T *out, const Rows *rows, const Places *places, uint tile) {
    const uint id = (uint)get_local_id(0);
    const Index first = (Index)tile * GP_TILE;
    const uint count = (uint)min(rows->count - first, (Index)GP_TILE);
    Way way;
    begin_way(&way, rows, places, first + id);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const uint i = k * GP_GROUP + id;
        if (i < count) out[way.at] = stage[i];
        go_on(&way, rows, places);
    }
}

Part late_state(const Tiles *tiles, uint tile, local Waiting *room) {
    const Segments *segments = &tiles->segments;
    GP_USE_INITIAL(segments)
    const Rows *rows = &segments->rows;
    const Index first = (Index)tile * GP_TILE + (Index)get_local_id(0) * GP_ITEMS;
    Heads heads;
    take_heads(&heads, rows, tile);
    T all = GP_ZERO;
    for (uint k = 0; k < GP_ITEMS; ++k) {
        T x = GP_ZERO;
        if (first + k < rows->count) {
            Way way;
            begin_way(&way, rows, &segments->places, first + k);
            x = segments->in[way.at];
        }
        GP_ADD_ITEM(all, heads, rows, k, x);
    }
    Part sum;
    gp_scan_parts(part_of(all, &heads), &sum, &room->warps);
    return sum;
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
scan_staged_strides(global const T *in, ulong in_offset, global T *out, ulong out_offset, global ulong *state,
                    ulong state_offset, ulong n, ulong batch, ulong stride_in, ulong step_in, ulong stride_out,
                    ulong step_out, uint exclusive, uint reverse GP_CARRY_PARAMETERS) {
    local T stages[GP_STAGES][GP_TILE] __attribute__((aligned(128)));
    local Local room;
    const uint id = (uint)get_local_id(0);
    Rows rows;
    set_rows(&rows, (Index)n, (Index)batch, 0, reverse, 0);
    const uint tiles = (uint)(((ulong)rows.count + GP_TILE - 1) / GP_TILE);
    state += state_offset;
    volatile global uint *ticket = (volatile global uint *)state;
    out += out_offset;
    Places places_in, places_out;
    set_places(&places_in, &rows, (Index)stride_in, (Index)step_in);
    set_places(&places_out, &rows, (Index)stride_out, (Index)step_out);
    const Segments segments = {in + in_offset, rows, places_in GP_INITIAL_VALUES};
    const Tiles all = {segments, state + 2};

    if (id == 0) {
        room.waiting.late = 0;
        // Where there are no more tiles than work-groups, each takes one only.
        const uint ahead = tiles > get_num_groups(0) ? GP_STAGES : 1;
        for (uint s = 0; s < GP_STAGES; ++s) room.tiles[s] = tiles == 1 ? s : s < ahead ? atomic_inc(ticket) : ~0u;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 0; s < GP_STAGES - 1; ++s) begin_stage(stages[s], &segments, room.tiles[s], tiles);
    uint stage = 0;
    uint tile = room.tiles[0];
    Part start = GP_NO_PART; // what comes before this work-item's elements in `tile`
    Heads mine = {0};
    Before way = {GP_ZERO, 0};
    wait_for_stage();
    if (tile < tiles) {
        Part sum;
        take_heads(&mine, &rows, tile);
        start = combine_stage(stages[0], mine, &segments, 0, &sum, &room.warps);
        if (id == 0 && tiles > 1) publish(&all, tile, sum);
    }
    while (tile < tiles) {
        const uint next = stage + 1 < GP_STAGES ? stage + 1 : 0, free = stage > 0 ? stage - 1 : GP_STAGES - 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        begin_stage(stages[free], &segments, room.tiles[free], tiles);
        const uint next_tile = room.tiles[next];
        Part next_start = GP_NO_PART;
        Heads next_mine = mine;
        uint new_tile = ~0u; // known to work-item 0
        wait_for_stage();
        if (next_tile < tiles) {
            Part sum;
            take_heads(&next_mine, &rows, next_tile);
            next_start = combine_stage(stages[next], next_mine, &segments, 0, &sum, &room.warps);
            if (id == 0) {
                publish(&all, next_tile, sum);
                new_tile = atomic_inc(ticket);
            }
        }
        if (tiles > 1) {
            if (id == 0 && segments.in == out)
                gp_fence_device(); // before tiles are overwritten, which a fallback must not read
            const uint begin = (uint)((Index)tile * GP_TILE / rows.n * rows.n / GP_TILE); // where its first row begins
            start = GP_PART(gp_join_sum(take_before(&way, begin, tile, &all, &room.waiting), start), 0);
        }
        scan_stage(stages[stage], GP_SUM(start), mine, &segments, exclusive, 0 GP_CARRY_ARGUMENTS);
        store_stage(stages[stage], out, &rows, &places_out, tile);
        if (id == 0) room.tiles[stage] = new_tile;
        tile = next_tile;
        start = next_start;
        mine = next_mine;
        stage = next;
    }
    if (tiles > 1) gp_clear_state(state, 2 + (ulong)tiles * GP_SUM_WORDS, &room.last);
}

// Scan of rows that follow each other, and of segments, in a single pass whose tiles are copied
// ahead: as staged_look_back.cl, with segments as heads.cl finds them. The flags of a tile lie in
// its stage too.
//
// Macros: those of stages.cl, GP_STAGES 3 or more, of segment_sums.cl and of heads.cl;
//         GP_SEGMENTED, where flags begin segments (without it, `heads` is not read)
// Launch: any number of work-groups of GP_GROUP work-items. The first `pad` positions have no
//         elements, so that further tiles lie at multiples of 16 bytes. `state` holds zeros, 16
//         bytes and GP_SUM_WORDS ulongs for each tile, and holds zeros again in the end. A single
//         tile needs no state
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016;
//         Blelloch, "Prefix Sums and Their Applications", 1990, section 1.5 (the segmented
//         operator); the stages are our own
// SPDX-License-Identifier: MIT
#include "common/cleared.cl"
#include "common/stages.cl"
#include "scan/segment_items.cl"

typedef struct {
    Source source;
    Rows rows;
    global const uchar *flags;
    GP_INITIAL_FIELDS
} Segments;

#include "scan/segment_stages.cl"

// A tile's elements and flags, as they lie in global memory.
typedef struct {
    T items[GP_TILE];
#ifdef GP_SEGMENTED
    uchar flags[GP_TILE];
#endif
} Stage;

typedef struct {
    PartWarps warps;
    Waiting waiting;
    ulong arrived[GP_STAGES];
    uint tiles[GP_STAGES]; // the number of each stage's tile
    uint last;             // whether this work-group is the last to end
} Local;

// As is_bulk, begin_tile and wait_for_tile, for elements and flags.
uint is_bulk_stage(const Segments *segments, ulong tile) {
    const Source *source = &segments->source;
    const size_t flags = (size_t)(segments->flags + (source->reverse ? source->n : 0));
#ifdef GP_SEGMENTED
    if (flags % 16 != 0) return 0;
#endif
    return is_bulk(source->in, source, tile) && tile * GP_TILE >= segments->rows.pad;
}

void begin_stage(local Stage *stage, local ulong *arrived, const Segments *segments, ulong tile) {
    const Source *source = &segments->source;
    const uint bulk = is_bulk_stage(segments, tile);
    gp_bulk_expect(arrived, bulk ? sizeof(Stage) : 0);
    if (!bulk) return;
    gp_bulk_copy(stage->items, source->in + first_of(source, tile), sizeof stage->items, arrived);
#ifdef GP_SEGMENTED
    gp_bulk_copy(stage->flags, segments->flags + first_of(source, tile), sizeof stage->flags, arrived);
#endif
}

// Is there an element at position p?
uint is_there(const Segments *segments, ulong p) { return p < segments->source.n && p >= segments->rows.pad; }

void wait_for_stage(local Stage *stage, local ulong *arrived, uint phase, const Segments *segments, ulong tile) {
    if (is_bulk_stage(segments, tile)) {
        gp_bulk_wait(arrived, phase);
        return;
    }
    const Source *source = &segments->source;
    const ulong n = source->n;
    const uint reverse = source->reverse;
    for (uint i = (uint)get_local_id(0); i < GP_TILE; i += GP_GROUP) {
        const ulong p = tile * GP_TILE + i;
        stage->items[place(source, i)] = is_there(segments, p) ? source->in[GP_AT(p)] : GP_ZERO;
#ifdef GP_SEGMENTED
        stage->flags[place(source, i)] = is_there(segments, p) ? segments->flags[GP_AT(p)] : 0;
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The flags of this work-item's elements, a bit each.
uint take_flags(local const Stage *stage, uint reverse) {
    uint flags = 0;
#ifdef GP_SEGMENTED
#if GP_WIDTH == 4
    local const uint *words = (local const uint *)stage->flags;
    const uint gather = reverse ? 0x08040201 : 0x01020408; // moves the bytes' lowest bits side by side, above 24 others
#else
    local const ushort *words = (local const ushort *)stage->flags;
    const uint gather = reverse ? 0x02010000 : 0x01020000;
#endif
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) {
        const uint word = words[vector_of(v, reverse)];
        const uint any = (((word & 0x7f7f7f7f) + 0x7f7f7f7f) | word) >> 7 & 0x01010101; // of each byte's bits
        flags |= (any * gather) >> 24 << (v * GP_WIDTH);
    }
#endif
    return flags;
}

void take_heads(Heads *heads, local const Stage *stage, const Segments *segments, ulong tile) {
    const Index first = (Index)tile * GP_TILE + (Index)get_local_id(0) * GP_ITEMS;
    find_heads(heads, &segments->rows, first, segments->rows.count, take_flags(stage, segments->source.reverse));
}

Part late_state(const Tiles *tiles, uint tile, local Waiting *room) {
    const Segments *segments = &tiles->segments;
    GP_USE_INITIAL(segments)
    const Source *source = &segments->source;
    const ulong n = source->n, first = (ulong)tile * GP_TILE + get_local_id(0) * GP_ITEMS;
    const uint reverse = source->reverse;
    uint flags = 0;
#ifdef GP_SEGMENTED
    for (uint k = 0; k < GP_ITEMS; ++k)
        if (is_there(segments, first + k)) flags |= (uint)(segments->flags[GP_AT(first + k)] != 0) << k;
#endif
    Heads heads;
    find_heads(&heads, &segments->rows, first, n, flags);
    T all = GP_ZERO;
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const T x = is_there(segments, first + k) ? source->in[GP_AT(first + k)] : GP_ZERO;
        GP_ADD_ITEM(all, heads, &segments->rows, k, x);
    }
    Part sum;
    gp_scan_parts(part_of(all, &heads), &sum, &room->warps);
    return sum;
}

// Called by all work-items, each after it has put its results in place of its elements.
void store_stage(local const Stage *stage, global T *out, const Segments *segments, ulong tile) {
    const uint id = (uint)get_local_id(0);
    const Source *source = &segments->source;
    gp_bulk_release();
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_bulk(out, source, tile) && tile * GP_TILE >= segments->rows.pad) {
        if (id == 0) gp_bulk_store(out + first_of(source, tile), stage->items, sizeof stage->items);
    } else {
        const ulong n = source->n;
        const uint reverse = source->reverse;
        for (uint i = id; i < GP_TILE; i += GP_GROUP) {
            const ulong p = tile * GP_TILE + i;
            if (is_there(segments, p)) out[GP_AT(p)] = stage->items[place(source, i)];
        }
        gp_bulk_release();
    }
    if (id == 0) gp_bulk_commit(); // a group for each tile
}

// Where the look-back of a tile may end: at the tile in which the row of its first element begins.
uint first_needed(const Rows *rows, ulong tile) {
    if (tile == 0) return 0;
    return (uint)((((Index)tile * GP_TILE + rows->shift) / rows->n * rows->n - rows->shift) / GP_TILE);
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
scan_staged_segments(global const T *in, ulong in_offset, global const uchar *heads, ulong heads_offset, global T *out,
                     ulong out_offset, global ulong *state, ulong state_offset, ulong n, ulong batch, uint pad,
                     uint exclusive, uint reverse GP_CARRY_PARAMETERS) {
    local Stage stages[GP_STAGES] __attribute__((aligned(128)));
    local Local room;
    const uint id = (uint)get_local_id(0);
    Rows rows;
    set_rows(&rows, (Index)n, (Index)batch, pad, reverse, reverse);
    const ulong tiles = ((ulong)rows.count + GP_TILE - 1) / GP_TILE;
    state += state_offset;
    volatile global uint *ticket = (volatile global uint *)state;
    const ulong back = reverse ? 0 : pad;
    out += out_offset - back;
    const Segments segments = {
        {in + in_offset - back, rows.count, reverse}, rows, heads + heads_offset - back GP_INITIAL_VALUES};
    const Source *source = &segments.source;
    const Tiles all = {segments, state + 2};

    if (id == 0) {
        room.waiting.late = 0;
        // Where there are no more tiles than work-groups, each takes one only.
        const uint ahead = tiles > get_num_groups(0) ? GP_STAGES - 1 : 1;
        for (uint s = 0; s < GP_STAGES; ++s) {
            gp_bulk_begin(&room.arrived[s]);
            room.tiles[s] = tiles == 1 ? s : s < ahead ? atomic_inc(ticket) : ~0u;
            if (room.tiles[s] < tiles) begin_stage(&stages[s], &room.arrived[s], &segments, room.tiles[s]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint stage = 0, phase = 0;
    ulong tile = room.tiles[0];
    Part start = GP_NO_PART; // what comes before this work-item's elements in `tile`
    Heads mine = {0};
    Before way = {GP_ZERO, 0};
    if (tile < tiles) {
        Part sum;
        wait_for_stage(&stages[0], &room.arrived[0], 0, &segments, tile);
        take_heads(&mine, &stages[0], &segments, tile);
        start = combine_stage(stages[0].items, mine, &segments, reverse, &sum, &room.warps);
        if (id == 0 && tiles > 1) publish(&all, (uint)tile, sum);
    }
    while (tile < tiles) {
        const uint next = stage + 1 < GP_STAGES ? stage + 1 : 0, next_phase = phase ^ (next == 0);
        const uint free = stage > 0 ? stage - 1 : GP_STAGES - 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        const ulong next_tile = room.tiles[next];
        Part next_start = GP_NO_PART;
        Heads next_mine = mine;
        uint new_tile = ~0u; // known to work-item 0
        if (next_tile < tiles) {
            Part sum;
            wait_for_stage(&stages[next], &room.arrived[next], next_phase, &segments, next_tile);
            take_heads(&next_mine, &stages[next], &segments, next_tile);
            next_start = combine_stage(stages[next].items, next_mine, &segments, reverse, &sum, &room.warps);
            if (id == 0) {
                publish(&all, (uint)next_tile, sum);
                new_tile = atomic_inc(ticket);
            }
        }
        if (tiles > 1) {
            if (id == 0 && source->in == out)
                gp_fence_device(); // before tiles are overwritten, which a fallback must not read
            const T before = take_before(&way, first_needed(&rows, tile), (uint)tile, &all, &room.waiting);
            start = GP_PART(gp_join_sum(before, start), 0);
        }
        scan_stage(stages[stage].items, GP_SUM(start), mine, &segments, exclusive, reverse GP_CARRY_ARGUMENTS);
        store_stage(&stages[stage], out, &segments, tile);
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
    if (tiles > 1) gp_clear_state(state, 2 + tiles * GP_SUM_WORDS, &room.last);
}

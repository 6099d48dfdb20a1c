// Scan of rows and of segments in a single pass, wherever their elements lie. Work-groups take
// tiles of positions in order, as look_back.cl does, with segments as heads.cl finds them.
//
// Neighbouring work-items read and write neighbouring positions; in between a tile's elements are
// in local memory, from which each work-item takes GP_ITEMS consecutive ones.
//
// Where rows are short, a tile takes whole ones only: then no tile needs another.
//
// Macros: those of segment_sums.cl and of heads.cl; GP_ITEMS, an odd number, so that neighbours do
//         not share banks; GP_SEGMENTED, where flags begin segments (without it, `heads` is not
//         read); GP_WHOLE_ROWS, where tiles take whole rows
// Launch: any number of work-groups of GP_GROUP work-items; with GP_WHOLE_ROWS one a tile. `length`
//         is how many positions a tile takes: GP_TILE, or as many whole rows as it holds. `state`
//         is filled with zeros: 16 bytes, and GP_SUM_WORDS ulongs for each tile. A single tile, and
//         whole rows, need no state
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016;
//         Blelloch, "Prefix Sums and Their Applications", 1990, section 1.5 (the segmented
//         operator)
// SPDX-License-Identifier: MIT
#include "scan/places.cl"
#include "scan/segment_items.cl"

#if GP_ITEMS % 2 == 0
#error "GP_ITEMS must be odd"
#endif
#define GP_TILE (GP_GROUP * GP_ITEMS)

typedef struct {
    global const GP_IN *in;
    global const uchar *flags;
    Rows rows;
    Places places; // of in and flags
    GP_INITIAL_FIELDS
} Segments;

#include "scan/segment_sums.cl"

typedef struct {
    T items[GP_TILE];
#ifdef GP_SEGMENTED
    uchar flags[GP_TILE];
#endif
    PartWarps warps;
    Waiting waiting;
    uint tile;
} Local;

// Brings the `count` elements from position `first` to local memory; identities stand behind them.
GP_INLINE void load_tile(local Local *here, const Segments *segments, Index first, uint count) {
    const uint id = (uint)get_local_id(0);
    Way way;
    begin_way(&way, &segments->rows, &segments->places, first + id);
#ifdef GP_WHOLE_ROWS
    // What is not there is read from another place, so that no load is a branch. With a look-back
    // there are too few registers for so many loads at once.
    Way least;
    begin_way(&least, &segments->rows, &segments->places, first);
#define GP_FLAG_AT(i) segments->flags[(i) < count ? way.at : least.at]
#define GP_ELEMENT_AT(i) GP_READ(segments->in, (i) < count ? way.at : least.at)
#else
#define GP_FLAG_AT(i) ((i) < count ? segments->flags[way.at] : 0)
#define GP_ELEMENT_AT(i) ((i) < count ? GP_READ(segments->in, way.at) : GP_ZERO)
#endif
    T x[GP_ITEMS]; // lest each load wait for the store of the one before it
#ifdef GP_SEGMENTED
    uchar flags[GP_ITEMS];
#endif
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const uint i = k * GP_GROUP + id;
        x[k] = GP_ELEMENT_AT(i);
#ifdef GP_SEGMENTED
        flags[k] = GP_FLAG_AT(i);
#endif
        go_on(&way, &segments->rows, &segments->places);
    }
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const uint i = k * GP_GROUP + id;
        here->items[i] = i < count ? x[k] : GP_ZERO;
#ifdef GP_SEGMENTED
        here->flags[i] = i < count ? flags[k] : 0;
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); // results may take the place of what was read
}

GP_INLINE void store_tile(local const Local *here, global T *out, const Rows *rows, const Places *places, Index first,
                          uint count) {
    const uint id = (uint)get_local_id(0);
    Way way;
    begin_way(&way, rows, places, first + id);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const uint i = k * GP_GROUP + id;
        if (i < count) out[way.at] = here->items[i];
        go_on(&way, rows, places);
    }
}

Part late_state(const Tiles *tiles, uint tile, local Waiting *room) {
    const Segments *segments = &tiles->segments;
    GP_USE_INITIAL(segments)
    const Rows *rows = &segments->rows;
    const Index first = (Index)tile * GP_TILE + (Index)get_local_id(0) * GP_ITEMS;
    Way way;
    uint flags = 0;
#ifdef GP_SEGMENTED
    for (uint k = 0; k < GP_ITEMS && first + k < rows->count; ++k) {
        begin_way(&way, rows, &segments->places, first + k);
        flags |= (uint)(segments->flags[way.at] != 0) << k;
    }
#endif
    Heads heads;
    find_heads(&heads, rows, first, rows->count, flags);
    T all = GP_ZERO;
    for (uint k = 0; k < GP_ITEMS; ++k) {
        T x = GP_ZERO;
        if (first + k < rows->count) {
            begin_way(&way, rows, &segments->places, first + k);
            x = GP_READ(segments->in, way.at);
        }
        GP_ADD_ITEM(all, heads, rows, k, x);
    }
    Part sum;
    gp_scan_parts(part_of(all, &heads), &sum, &room->warps);
    return sum;
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
scan_look_back_segments(global const GP_IN *in, ulong in_offset, global const uchar *heads, ulong heads_offset,
                        global T *out, ulong out_offset, global ulong *state, ulong state_offset, ulong n, ulong batch,
                        ulong stride_in, ulong step_in, ulong stride_out, ulong step_out, uint length, uint exclusive,
                        uint reverse GP_CARRY_PARAMETERS) {
    local Local room;
    const uint id = (uint)get_local_id(0);
    Rows rows;
    set_rows(&rows, (Index)n, (Index)batch, 0, reverse, 0);
    const ulong tiles = ((ulong)rows.count + length - 1) / length;
    volatile global uint *ticket = (volatile global uint *)(state + state_offset);
    out += out_offset;
    Places places_in, places_out;
    set_places(&places_in, &rows, (Index)stride_in, (Index)step_in);
    set_places(&places_out, &rows, (Index)stride_out, (Index)step_out);
    const Segments segments = {in + in_offset, heads + heads_offset, rows, places_in GP_INITIAL_VALUES};
    const Tiles all = {segments, state + state_offset + 2};
#ifdef GP_WHOLE_ROWS
    const bool alone = true;
#else
    const bool alone = tiles == 1;
#endif
    if (id == 0) room.waiting.late = 0;
    Before way = {GP_ZERO, 0};
    uint next_tile = (uint)get_group_id(0); // known to work-item 0
    if (id == 0 && !alone) next_tile = atomic_inc(ticket);
    for (;;) {
        if (id == 0) room.tile = next_tile;
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint tile = room.tile;
        if (tile >= tiles) break;
        const Index first = (Index)tile * length;
        const uint count = (uint)min(rows.count - first, (Index)length);
        load_tile(&room, &segments, first, count);
        uint flags = 0;
#ifdef GP_SEGMENTED
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) flags |= (uint)(room.flags[id * GP_ITEMS + k] != 0) << k;
#endif
        Heads mine;
        find_heads(&mine, &rows, first + id * GP_ITEMS, first + count, flags);
        Heads passed = mine;
        T sum_of_items = GP_ZERO;
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) GP_ADD_ITEM(sum_of_items, passed, &rows, k, room.items[id * GP_ITEMS + k]);
        Part sum;
        const Part start = gp_scan_parts(part_of(sum_of_items, &mine), &sum, &room.warps);
        T running = GP_SUM(start);
        if (!alone) {
            if (id == 0) {
                publish(&all, tile, sum);
                if ((global const void *)segments.in == (global const void *)out)
                    gp_fence_device(); // before the tile is overwritten, which a fallback must not read
            }
            const uint begin = (uint)(first / rows.n * rows.n / GP_TILE); // where the row of `first` begins
            const T before = take_before(&way, begin, tile, &all, &room.waiting);
            running = gp_join_sum(before, start);
            // The number arrives while this tile is stored. A tile that was taken sooner would keep
            // other work-groups waiting for its sum.
            if (id == 0) next_tile = atomic_inc(ticket);
        }
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            T x = room.items[id * GP_ITEMS + k];
            GP_SCAN_ITEM(running, mine, &rows, k, x, exclusive);
            room.items[id * GP_ITEMS + k] = x;
        }
        store_tile(&room, out, &rows, &places_out, first, count);
        if (alone) break;
        barrier(CLK_LOCAL_MEM_FENCE); // the next tile takes this one's place
    }
}

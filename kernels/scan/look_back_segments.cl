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
//         is how many positions a tile takes: GP_TILE, or as many whole rows as it holds. `state` is
//         filled with zeros: 16 bytes, and GP_SUM_WORDS ulongs for each tile. A single tile, and
//         whole rows, need no state
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016;
//         Blelloch, "Prefix Sums and Their Applications", 1990, section 1.5 (the segmented
//         operator)
// SPDX-License-Identifier: MIT
#include "scan/segment_items.cl"

#if GP_ITEMS % 2 == 0
#error "GP_ITEMS must be odd"
#endif
#define GP_TILE (GP_GROUP * GP_ITEMS)

// Where the elements lie, and how a work-item goes through them, GP_GROUP positions at a time.
typedef struct {
    ulong stride, step; // step in the order of positions, which in reverse goes down
    ulong first;        // of a row, in the order of positions
    ulong advance;      // from one position to the next of this work-item
    ulong wrap;         // what is added to that where a row ends between them
    uint rest;          // by how much that goes on in a row
} Places;

GP_INLINE Places places_of(const Rows *rows, ulong stride, ulong step) {
    const ulong whole = GP_GROUP / rows->n;
    Places places = {stride, rows->reverse ? 0 - step : step, rows->reverse ? (rows->n - 1) * step : 0, 0, 0, 0};
    places.rest = (uint)(GP_GROUP - whole * rows->n);
    places.advance = whole * stride + places.rest * places.step;
    places.wrap = stride - rows->n * places.step;
    return places;
}

typedef struct {
    global const GP_IN *in;
    global const uchar *flags;
    Rows rows;
    Places places; // of in and flags
    uint length;
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

// A work-item's way through a tile.
typedef struct {
    ulong at;  // the element's place in memory
    uint left; // positions to the row's end, or very many
} Way;

#define GP_MANY (1u << 30)
GP_INLINE uint up_to_many(ulong count) { return (uint)min(count, (ulong)GP_MANY); }

GP_INLINE Way begin_way(const Rows *rows, const Places *places, ulong position) {
    const ulong row = row_of(rows, position), place = position - row * rows->n;
    const Way way = {row * places->stride + places->first + place * places->step, up_to_many(rows->n - place)};
    return way;
}

GP_INLINE void go_on(Way *way, const Rows *rows, const Places *places) {
    way->at += places->advance;
    if (way->left <= places->rest) {
        way->left += up_to_many(rows->n);
        way->at += places->wrap;
    }
    way->left -= places->rest;
}

// Brings the `count` elements from position `first` to local memory; identities stand behind them.
GP_INLINE void load_tile(local Local *here, const Segments *segments, ulong first, uint count) {
    const uint id = (uint)get_local_id(0);
    Way way = begin_way(&segments->rows, &segments->places, first + id);
    T x[GP_ITEMS]; // lest each load wait for the store of the one before it
#ifdef GP_SEGMENTED
    uchar flags[GP_ITEMS];
#endif
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const uint i = k * GP_GROUP + id;
        x[k] = i < count ? GP_READ(segments->in, way.at) : GP_ZERO;
#ifdef GP_SEGMENTED
        flags[k] = i < count ? segments->flags[way.at] : 0;
#endif
        go_on(&way, &segments->rows, &segments->places);
    }
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        here->items[k * GP_GROUP + id] = x[k];
#ifdef GP_SEGMENTED
        here->flags[k * GP_GROUP + id] = flags[k];
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

GP_INLINE void store_tile(local const Local *here, global T *out, const Rows *rows, const Places *places, ulong first,
                          uint count) {
    const uint id = (uint)get_local_id(0);
    Way way = begin_way(rows, places, first + id);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const uint i = k * GP_GROUP + id;
        if (i < count) out[way.at] = here->items[i];
        go_on(&way, rows, places);
    }
}

GP_INLINE T sum_items(const T *x, Heads heads, const Segments *segments) {
    GP_USE_INITIAL(segments)
    T all = GP_ZERO;
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) GP_ADD_ITEM(all, heads, &segments->rows, k, x[k]);
    return all;
}

Part late_state(const Tiles *tiles, uint tile, local Waiting *room) {
    const Segments *segments = &tiles->segments;
    const Rows *rows = &segments->rows;
    const Places *places = &segments->places;
    const ulong first = (ulong)tile * segments->length + get_local_id(0) * GP_ITEMS;
    T x[GP_ITEMS];
    uint flags = 0;
    for (uint k = 0; k < GP_ITEMS; ++k) {
        x[k] = GP_ZERO;
        if (first + k >= rows->count) continue;
        const ulong at = begin_way(rows, places, first + k).at;
        x[k] = GP_READ(segments->in, at);
#ifdef GP_SEGMENTED
        flags |= (uint)(segments->flags[at] != 0) << k;
#endif
    }
    const Heads heads = find_heads(rows, first, rows->count, flags);
    Part sum;
    gp_scan_parts(part_of(sum_items(x, heads, segments), &heads), &sum, &room->warps);
    return sum;
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
scan_look_back_segments(global const GP_IN *in, ulong in_offset, global const uchar *heads, ulong heads_offset,
                        global T *out, ulong out_offset, global ulong *state, ulong state_offset, ulong n, ulong batch,
                        ulong stride_in, ulong step_in, ulong stride_out, ulong step_out, uint length, uint exclusive,
                        uint reverse GP_CARRY_PARAMETERS) {
    local Local room;
    const uint id = (uint)get_local_id(0);
    const Rows rows = rows_of(n, batch, reverse, 0);
    const ulong tiles = (rows.count + length - 1) / length;
    volatile global uint *ticket = (volatile global uint *)(state + state_offset);
    out += out_offset;
    const Segments segments = {in + in_offset, heads + heads_offset, rows, places_of(&rows, stride_in, step_in),
                               length GP_INITIAL_VALUES};
    const Places places_out = places_of(&rows, stride_out, step_out);
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
        const ulong tile = room.tile;
        if (tile >= tiles) break;
        const ulong first = tile * length, end = min(first + length, rows.count);
        const uint count = (uint)(end - first);
        load_tile(&room, &segments, first, count);
        T x[GP_ITEMS];
        uint flags = 0;
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            x[k] = room.items[id * GP_ITEMS + k];
#ifdef GP_SEGMENTED
            flags |= (uint)(room.flags[id * GP_ITEMS + k] != 0) << k;
#endif
        }
        Heads mine = find_heads(&rows, first + id * GP_ITEMS, end, flags);
        Part sum;
        Part start = gp_scan_parts(part_of(sum_items(x, mine, &segments), &mine), &sum, &room.warps);
        if (!alone) {
            if (id == 0) {
                publish(&all, (uint)tile, sum);
                if ((global const void *)segments.in == (global const void *)out)
                    gp_fence_device(); // before the tile is overwritten, which a fallback must not read
            }
            const uint begin = (uint)(row_of(&rows, first) * n / GP_TILE); // where the row of `first` begins
            const T before = take_before(&way, begin, (uint)tile, &all, &room.waiting);
            const T both = GP_COMBINE(before, start.sum);
            if (!start.any) start.sum = both;
            // The number arrives while this tile is stored. A tile that was taken sooner would keep
            // other work-groups waiting for its sum.
            if (id == 0) next_tile = atomic_inc(ticket);
        }
        T running = start.sum;
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            GP_SCAN_ITEM(running, mine, &rows, k, x[k], exclusive);
            room.items[id * GP_ITEMS + k] = x[k];
        }
        store_tile(&room, out, &rows, &places_out, first, count);
        if (alone) break;
        barrier(CLK_LOCAL_MEM_FENCE); // the next tile takes this one's place
    }
}

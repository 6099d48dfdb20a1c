// Recurrence in a single pass whose tiles are copied ahead.
//
// A work-group has GP_STAGES stages, each with room for a tile. While the work-group solves the
// tile of one stage in local memory, the next tile is in its stage and its state is published, and
// further tiles and the results of earlier ones are on their way.
//
// A work-group takes a tile's number when a stage is free, and publishes the tile's state before it
// solves the tile before. So the work-group of the first tile whose state is missing never waits.
//
// Macros: those of states.cl, with an odd GP_UNITS; GP_STAGES, 3 or more
// Tables: those of states.cl
// Launch: any number of work-groups of GP_GROUP work-items. There are `tiles` tiles a row.
//         `published` holds zeros, and holds zeros again in the end: 16 bytes and, with several
//         tiles a row, GP_ORDER elements for each of the `all` tiles of all rows, up to whole
//         ulongs. A single tile needs none
// Source: Maleki and Burtscher, "Automatic Hierarchical Parallelization of Linear Recurrences",
//         2018; Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back",
//         2016; the stages are our own
// SPDX-License-Identifier: MIT
#include "common/cleared.cl"
#include "device/bulk_copy.cl"
#include "device/ticket.cl"
#include "recurrence/states.cl"

#if GP_UNITS % 2 == 0 || !defined(GP_STAGES)
#error "GP_STAGES must be defined, GP_UNITS odd"
#endif

// A tile: its row, or GP_NO_ROW where there are no more, and its number in it.
typedef struct {
    uint row, t;
} Place;

#define GP_NO_ROW (~0u)

// Whether a work-group looks for states before it waits for them. It does for states of more than 8
// bytes. For shorter ones little is left to do while one waits, and looks disturb those who
// publish.
#ifdef GP_FLOAT64
#define GP_LOOKS_AHEAD (GP_ORDER > 1)
#else
#define GP_LOOKS_AHEAD (GP_ORDER > 2)
#endif

// The work-item that takes tiles and has them copied, of another warp than that which publishes
// states.
#define GP_COPIER (GP_GROUP - 32)

typedef struct {
    Waiting waiting;
    ulong arrived[GP_STAGES];
    Place places[GP_STAGES];
    uint last; // whether this work-group is the last to end
} Local;

// All rows' tiles.
typedef struct {
    global const T *in;
    ulong n, stride;
    uint tiles, all, has_in;
    volatile global Word *published;
    local const T *tables;
} Rows;

Place place_of(const Rows *rows, uint tile) {
    Place place = {GP_NO_ROW, 0};
    if (tile < rows->all) {
        place.row = tile / rows->tiles;
        place.t = tile - place.row * rows->tiles;
    }
    return place;
}

Tiles row_of(const Rows *rows, Place place) {
    const Tiles row = {rows->in + place.row * rows->stride, rows->n, rows->has_in,
                       rows->published + (ulong)place.row * rows->tiles * GP_ORDER, rows->tables};
    return row;
}

// Bulk copies take whole tiles of aligned memory. The work-items copy the others.
uint is_bulk(global const T *row, ulong first, ulong n) {
#ifdef GP_REVERSE
    return 0;
#else
    return first + GP_TILE <= n && (size_t)row % 16 == 0;
#endif
}

// Called by the copier, once the stage is free. The phase of the stage's barrier counts tiles,
// whether they are copied in bulk or not.
void begin_tile(local V *stage, local ulong *arrived, const Rows *rows, Place place) {
    if (place.row == GP_NO_ROW || !rows->has_in) return;
    const Tiles row = row_of(rows, place);
    const ulong first = (ulong)place.t * GP_TILE;
    const uint bulk = is_bulk(row.in, first, row.n);
    gp_bulk_expect(arrived, bulk ? GP_TILE * sizeof(T) : 0);
    if (bulk) gp_bulk_copy(stage, row.in + first, GP_TILE * sizeof(T), arrived);
}

// Waits for a tile, or copies it.
GP_INLINE void await_tile(local V *stage, local ulong *arrived, uint phase, const Rows *rows, Place place) {
    const Tiles row = row_of(rows, place);
    const ulong first = (ulong)place.t * GP_TILE;
    if (row.has_in && is_bulk(row.in, first, row.n))
        gp_bulk_wait(arrived, phase);
    else
        load_part(stage + (uint)get_local_id(0) / 32 * (32 * GP_UNITS), row.in, first, row.n, row.has_in);
}

// Publishes the state that a tile leaves when zeros come before it. `before` becomes what
// finish_before needs.
GP_INLINE void combine_tile(T *before, local const V *stage, const Rows *rows, Place place, const T *c,
                            const Weights *weights, local Waiting *room) {
    const uint id = (uint)get_local_id(0);
    const Tiles row = row_of(rows, place);
    local T(*totals)[GP_ORDER] = room->room.totals[0];
    State state;
    combine_part(before, stage + id / 32 * (32 * GP_UNITS), c, rows->tables, totals, &room->room);
    combine_parts(before, state.values, weights, totals, &room->room);
    if (id == 0 && rows->tiles > 1) publish(&row, place.t, state);
}

// Called by all work-items, each after it has put its results in place of its elements.
void store_tile(local const V *stage, global T *row, ulong first, ulong n) {
    const uint id = (uint)get_local_id(0);
    gp_bulk_release();
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_bulk(row, first, n)) {
        if (id == GP_COPIER) gp_bulk_store(row + first, stage, GP_TILE * sizeof(T));
    } else {
        store_part(stage + id / 32 * (32 * GP_UNITS), row, first, n);
        gp_bulk_release();
    }
    if (id == GP_COPIER) gp_bulk_commit(); // a group for each tile
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
recurrence_staged_look_back(global const T *in, ulong in_offset, global T *out, ulong out_offset, global const T *given,
                            ulong given_offset, global const T *initial, ulong initial_offset, global ulong *published,
                            ulong published_offset, ulong n, ulong stride_in, ulong stride_out, uint tiles, uint all,
                            uint has_in, uint has_initial) {
    local V stages[GP_STAGES][GP_TILE / GP_WIDTH] __attribute__((aligned(128)));
    local Local room;
    const uint id = (uint)get_local_id(0);
    published += published_offset;
    volatile global uint *ticket = (volatile global uint *)published;
    initial += initial_offset;
    in += in_offset;
    out += out_offset;
    local T tables[GP_TABLE_SIZE];
    const Rows rows = {in, n, stride_in, tiles, all, has_in, (volatile global Word *)(published + 2), tables};
    for (uint i = id; i < GP_TABLE_SIZE; i += GP_GROUP) tables[i] = given[given_offset + i];

    if (id == GP_COPIER) {
        room.waiting.late = 0;
        // Where there are no more tiles than work-groups, each takes one only.
        const uint ahead = all > get_num_groups(0) ? GP_STAGES - 1 : 1;
        for (uint s = 0; s < GP_STAGES; ++s) {
            gp_bulk_begin(&room.arrived[s]);
            room.places[s] = place_of(&rows, all == 1 ? s : s < ahead ? gp_take_ticket(ticket) : all);
            begin_tile(stages[s], &room.arrived[s], &rows, room.places[s]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    T c[GP_ORDER];
    for (uint j = 0; j < GP_ORDER; ++j) c[j] = tables[j];
    const Weights weights = make_weights(tables);
    uint stage = 0, phase = 0;
    Place place = room.places[0];
    T before[GP_ORDER]; // what finish_before needs of the tile there
    Way way;
    way.row = GP_NO_ROW;
    if (place.row != GP_NO_ROW) {
        await_tile(stages[0], &room.arrived[0], 0, &rows, place);
        combine_tile(before, stages[0], &rows, place, c, &weights, &room.waiting);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    while (place.row != GP_NO_ROW) {
        const uint next = stage + 1 < GP_STAGES ? stage + 1 : 0, next_phase = phase ^ (next == 0);
        const uint free = stage > 0 ? stage - 1 : GP_STAGES - 1;
#if GP_STAGES == 3 // with more, it was written before the last barrier
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        const Place next_place = room.places[next];
        const Tiles row = row_of(&rows, place);
        T next_before[GP_ORDER], state[GP_ORDER];
        clear(next_before);
        const uint is_next = next_place.row != GP_NO_ROW;
        if (is_next) await_tile(stages[next], &room.arrived[next], next_phase, &rows, next_place);
#if GP_LOOKS_AHEAD
        const Seen seen = look_ahead(&way, place.row, place.t, &row); // late enough that most states are there
#else
        const Seen seen = nothing_seen();
#endif
        if (is_next) combine_tile(next_before, stages[next], &rows, next_place, c, &weights, &room.waiting);
        if (id == 0 && in == out) gp_fence_device(); // before tiles are overwritten, which a fallback must not read
        take_state(state, &way, place.row, place.t, seen, &row, initial, has_initial, &weights, &room.waiting);
        uint new_tile = all; // known to the copier, once this tile is solved
        if (id == GP_COPIER && is_next) new_tile = gp_take_ticket(ticket);
        finish_before(before, state, &weights);
        solve_items(stages[stage] + id / 32 * (32 * GP_UNITS), c, before);
        store_tile(stages[stage], out + place.row * stride_out, (ulong)place.t * GP_TILE, n);
        if (id == GP_COPIER) {
            GP_BULK_STORED(1);
            room.places[free] = place_of(&rows, new_tile);
            begin_tile(stages[free], &room.arrived[free], &rows, room.places[free]);
        }
        for (uint j = 0; j < GP_ORDER; ++j) before[j] = next_before[j];
        place = next_place;
        stage = next;
        phase = next_phase;
    }
    if (id == GP_COPIER) GP_BULK_STORED(0);
    if (all > 1)
        gp_clear_state(published, 2 + (tiles > 1 ? ((ulong)all * GP_ORDER * sizeof(T) + 7) / 8 : 0), &room.last);
}

// Recurrence in a single pass: every element is read once and written once. Work-groups take tiles in order, publish the
// state that each tile leaves when zeros come before it, and combine those of the tiles before theirs.
//
// A row's tiles form windows of GP_WINDOW. A work-group takes the row's state over every window before its tile's, and then
// over the tiles before its own: always in the same tree, so results are the same bits from run to run, whichever
// work-group was first. Each work-item waits for one state, of a tile that was taken before its own by a work-group that
// runs; should that not come for long, it is found here too.
//
// Macros: those of tiles.cl, GP_SHUFFLE among them; GP_PATIENCE, how often to look for a state before computing it
// Tables: those of tiles.cl; then powers[6][ORDER][ORDER] of a whole tile
// Launch: work-groups of GP_GROUP work-items, any number. There are `tiles` tiles a row; with more than one, `published` is
//         filled with zeros: 16 bytes, and sizeof(T) / 4 * ORDER ulongs for each of the `all` tiles of all rows
// Source: Maleki and Burtscher, "Automatic Hierarchical Parallelization of Linear Recurrences", 2018; Merrill and Garland,
//         "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016; Smith, Levien and Owens, "Decoupled
//         Fallback", 2024; the fixed windows are our own
// SPDX-License-Identifier: MIT
#include "common/fence.cl"
#include "recurrence/tiles.cl"

#ifndef GP_PATIENCE
#error "GP_PATIENCE must be defined"
#endif

#define GP_WINDOW (GP_GROUP - 1) // one work-item has the state before the window
#define GP_TILE_POWERS GP_POWER(6)

typedef struct {
    Room room;
    uint tile;
    uint missing; // 1 + the last work-item whose state took too long
} Local;

// What a row's tiles need of the call.
typedef struct {
    global const T *in;
    ulong n;
    uint has_in;
    volatile global ulong *published; // of the row's first tile
} Row;

// A state is published as words of 32 bits, each beside a mark, written and read in one go.
#define GP_STATE_WORDS (ORDER * (uint)(sizeof(T) / 4))
#define GP_MARK (1ul << 32)

void publish(const Row *row, uint tile, const T *state) {
    volatile global ulong *to = row->published + (ulong)tile * GP_STATE_WORDS;
#pragma unroll
    for (uint j = 0; j < ORDER; ++j) {
#ifdef GP_FLOAT64
        to[2 * j] = GP_MARK | as_uint2(state[j]).x;
        to[2 * j + 1] = GP_MARK | as_uint2(state[j]).y;
#else
        to[j] = GP_MARK | as_uint(state[j]);
#endif
    }
}

// 1 when the state was there.
uint look(const Row *row, uint tile, T *state) {
    volatile global const ulong *from = row->published + (ulong)tile * GP_STATE_WORDS;
    ulong found = GP_MARK;
#pragma unroll
    for (uint j = 0; j < ORDER; ++j) {
#ifdef GP_FLOAT64
        const ulong low = from[2 * j], high = from[2 * j + 1];
        found &= low & high;
        state[j] = as_double((uint2)((uint)low, (uint)high));
#else
        const ulong word = from[j];
        found &= word;
        state[j] = as_float((uint)word);
#endif
    }
    return found != 0;
}

// Finds and publishes the state of a tile that is late. Its owner publishes before it overwrites the tile, so what is read
// here is the input, or not needed.
__attribute__((noinline)) void stand_in(const Row *row, uint tile, const T *c, constant T *tables, local Local *room) {
    const uint id = (uint)get_local_id(0);
    const ulong n = row->n, first = (ulong)tile * GP_TILE + id * GP_ITEMS;
    T state[ORDER], before[ORDER];
    clear(state);
    for (uint i = 0; i < GP_ITEMS; ++i) step(row->has_in && first + i < n ? row->in[GP_AT(first + i)] : 0, c, state);
    combine_items(before, state, tables, room->room.totals[1], &room->room);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) {
        clear(state);
        cross_parts(state, GP_WARPS, tables, room->room.totals[1]);
        T published[ORDER];
        gp_fence_device();
        if (!look(row, tile, published)) publish(row, tile, state);
        room->missing = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// Takes a state over `count` tiles from tile `first` on, the first of a window.
void cross_tiles(T *state, const Row *row, uint first, uint count, const T *c, constant T *tables, local Local *room) {
    const uint id = (uint)get_local_id(0);
    T mine[ORDER], sum[ORDER];
    for (uint j = 0; j < ORDER; ++j) mine[j] = id == count ? state[j] : 0;
    uint found = id >= count;
    for (;;) {
        for (uint i = 0; i < GP_PATIENCE && !found; ++i) {
            found = look(row, first + count - 1 - id, sum);
            for (uint j = 0; j < ORDER; ++j) mine[j] = found ? sum[j] : 0;
        }
        if (!found) atomic_max(&room->missing, id + 1);
        for (uint j = 0; j < ORDER; ++j) sum[j] = mine[j];
        sum_states(sum, GP_TILE_POWERS, &room->room);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint missing = room->missing;
        if (missing == 0) break;
        barrier(CLK_LOCAL_MEM_FENCE);
        stand_in(row, first + count - missing, c, tables, room);
    }
    sum_warps(state, count / 32 + 1, GP_TILE_POWERS, &room->room);
    barrier(CLK_LOCAL_MEM_FENCE);
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
recurrence_look_back(global const T *in, ulong in_offset, global T *out, ulong out_offset, constant T *tables,
                     ulong tables_offset, global const T *initial, ulong initial_offset, global ulong *published,
                     ulong published_offset, ulong n, ulong stride_in, ulong stride_out, uint tiles, uint all,
                     uint has_in, uint has_initial) {
    local V parts[GP_TILE / GP_WIDTH];
    local Local room;
    const uint id = (uint)get_local_id(0);
    local V *part = parts + id / 32 * (32 * GP_UNITS);
    local T(*totals)[ORDER] = room.room.totals[0];
    volatile global uint *ticket = (volatile global uint *)(published + published_offset);
    published += published_offset + 2;
    tables += tables_offset;
    initial += initial_offset;
    in += in_offset;
    out += out_offset;
    T c[ORDER];
    for (uint j = 0; j < ORDER; ++j) c[j] = tables[j];
    if (id == 0) room.missing = 0;

    uint row_index = ~0u, window = 0, next = 0; // `next`: a tile, known to work-item 0
    T carry[ORDER];                             // the state before `window` of the row
    if (id == 0) next = tiles > 1 ? atomic_inc(ticket) : (uint)get_group_id(0);
    for (;;) {
        if (id == 0) room.tile = next;
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint tile = room.tile, index = tile / tiles, t = tile % tiles;
        if (tile >= all) break;
        T state[ORDER], before[ORDER];
        load_part(part, in + index * stride_in, (ulong)t * GP_TILE, n, has_in);
        combine_part(before, part, c, tables, totals, &room.room);
        if (index != row_index) {
            read_state(carry, initial, index, has_initial);
            row_index = index;
            window = 0;
        }
        if (tiles > 1) {
            const Row row = {in + index * stride_in, n, has_in, published + (ulong)index * tiles * GP_STATE_WORDS};
            if (id == 0) {
                clear(state);
                cross_parts(state, GP_WARPS, tables, totals);
                publish(&row, t, state);
                if (in == out) gp_fence_device(); // before the tile is overwritten, which a stand-in must not mistake
            }
            for (; window < t / GP_WINDOW; ++window)
                cross_tiles(carry, &row, window * GP_WINDOW, GP_WINDOW, c, tables, &room);
            for (uint j = 0; j < ORDER; ++j) state[j] = carry[j];
            cross_tiles(state, &row, window * GP_WINDOW, t % GP_WINDOW, c, tables, &room);
        } else {
            for (uint j = 0; j < ORDER; ++j) state[j] = carry[j];
        }
        // The answer comes while this tile is finished. Taken sooner, others would wait for it.
        if (id == 0) next = tiles > 1 ? atomic_inc(ticket) : next + (uint)get_num_groups(0);
        add_state(before, state, tables, totals);
        solve_items(part, c, before);
        gp_join_warp();
        store_part(part, out + index * stride_out, (ulong)t * GP_TILE, n);
    }
}

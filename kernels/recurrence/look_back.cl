// Recurrence in a single pass: every element is read once and written once. Work-groups take tiles in order, publish the
// state that each tile leaves when zeros come before it, and combine those of the tiles before theirs.
//
// A row's tiles form windows of GP_WINDOW, and the last tile of a window publishes the row's true state instead: a tile
// combines the states of those before it in its window, and the true state before the window. That is always the same
// tree, so results are the same bits from run to run, whichever work-group was first. Each work-item waits for one state,
// of a tile that was taken before its own by a work-group that runs; should that not move for long, it is found here too.
// While a tile waits, the next one is loaded.
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

#define GP_WINDOW (GP_GROUP - 1)
#define GP_TILE_POWERS GP_POWER(6)

typedef struct {
    Room room;
    uint tile[2];
    uint missing; // 1 + the last work-item whose state took too long
    uint found;
    T state[ORDER];
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

// The same by one work-item, for all; 1 in room->found when it was there.
void look_for_all(const Row *row, uint tile, local Local *room) {
    if (get_local_id(0) == 0) {
        T state[ORDER];
        room->found = look(row, tile, state);
        for (uint j = 0; j < ORDER; ++j) room->state[j] = state[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Finds and publishes the state of a tile that is late, which is the true one if `carry`, the state before it, is given.
// The tile's owner publishes before it overwrites the tile, so what is read here is the input, or not needed.
__attribute__((noinline)) void stand_in(const Row *row, uint tile, const T *c, constant T *tables, const T *carry,
                                        uint has_carry, uint turn, local Local *room) {
    const uint id = (uint)get_local_id(0);
    const ulong n = row->n, first = (ulong)tile * GP_TILE + id * GP_ITEMS;
    T state[ORDER], before[ORDER];
    clear(state);
    for (uint i = 0; i < GP_ITEMS; ++i) step(row->has_in && first + i < n ? row->in[GP_AT(first + i)] : 0, c, state);
    combine_items(before, state, tables, room->room.totals[1 - turn], &room->room);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) {
        clear(state);
        cross_parts(state, GP_WARPS, tables, room->room.totals[1 - turn]);
        if (has_carry) add_product(state, state, GP_TILE_POWERS, carry);
        T published[ORDER];
        gp_fence_device();
        if (!look(row, tile, published)) publish(row, tile, state);
        room->missing = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// The state after `count` tiles from tile `first` on, the first of a window, from the true state before them: *start, or,
// without has_start, the one that the tile before them publishes. Returns 0 if that does not come.
uint combine_tiles(T *carry, const Row *row, uint first, uint count, const T *start, uint has_start, const T *c,
                   constant T *tables, uint turn, local Local *room) {
    const uint id = (uint)get_local_id(0);
    T mine[ORDER], sum[ORDER];
    for (uint j = 0; j < ORDER; ++j) mine[j] = id == count && has_start ? start[j] : 0;
    uint found = id > count || (id == count && has_start);
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
        if (missing > count) {
            if (id == 0) room->missing = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            return 0;
        }
        stand_in(row, first + count - missing, c, tables, carry, 0, turn, room);
    }
    sum_warps(carry, count / 32 + 1, GP_TILE_POWERS, &room->room);
    return 1;
}

// The true state before a window, from the row's beginning, whoever is late.
__attribute__((noinline)) void cross_windows(T *state, const Row *row, uint windows, const T *c, constant T *tables,
                                             uint turn, local Local *room) {
    for (uint w = 0; w < windows; ++w) {
        const uint last = w * GP_WINDOW + GP_WINDOW - 1;
        look_for_all(row, last, room);
        if (!room->found) {
            T carry[ORDER];
            combine_tiles(carry, row, w * GP_WINDOW, GP_WINDOW - 1, state, 1, c, tables, turn, room);
            barrier(CLK_LOCAL_MEM_FENCE);
            stand_in(row, last, c, tables, carry, 1, turn, room);
            look_for_all(row, last, room);
        }
        for (uint j = 0; j < ORDER; ++j) state[j] = room->state[j];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
recurrence_look_back(global const T *in, ulong in_offset, global T *out, ulong out_offset, constant T *tables,
                     ulong tables_offset, global const T *initial, ulong initial_offset, global ulong *published,
                     ulong published_offset, ulong n, ulong stride_in, ulong stride_out, uint tiles, uint all,
                     uint has_in, uint has_initial) {
    local V parts[2][GP_TILE / GP_WIDTH];
    local Local room;
    const uint id = (uint)get_local_id(0), warp = id / 32;
    volatile global uint *ticket = (volatile global uint *)(published + published_offset);
    published += published_offset + 2;
    tables += tables_offset;
    initial += initial_offset;
    in += in_offset;
    out += out_offset;
    T c[ORDER];
    for (uint j = 0; j < ORDER; ++j) c[j] = tables[j];

    if (id == 0) {
        room.tile[0] = tiles > 1 ? atomic_inc(ticket) : (uint)get_group_id(0);
        room.missing = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint tile = room.tile[0], turn = 0;
    if (tile < all)
        load_part(parts[0] + warp * 32 * GP_UNITS, in + tile / tiles * stride_in, (ulong)(tile % tiles) * GP_TILE, n,
                  has_in);
    for (; tile < all; turn ^= 1) {
        if (id == 0) room.tile[turn ^ 1] = tiles > 1 ? atomic_inc(ticket) : tile + (uint)get_num_groups(0);
        local V *part = parts[turn] + warp * 32 * GP_UNITS;
        local T(*totals)[ORDER] = room.room.totals[turn];
        T state[ORDER], before[ORDER];
        combine_part(before, part, c, tables, totals, &room.room);

        const uint next = room.tile[turn ^ 1];
        if (next < all)
            load_part(parts[turn ^ 1] + warp * 32 * GP_UNITS, in + next / tiles * stride_in,
                      (ulong)(next % tiles) * GP_TILE, n, has_in);
        const uint index = tile / tiles, t = tile % tiles;
        read_state(state, initial, index, has_initial);
        if (tiles > 1) {
            const Row row = {in + index * stride_in, n, has_in, published + (ulong)index * tiles * GP_STATE_WORDS};
            const uint window = t / GP_WINDOW, count = t % GP_WINDOW;
            T total[ORDER];
            clear(total);
            if (id == 0) {
                cross_parts(total, GP_WARPS, tables, totals);
                if (count != GP_WINDOW - 1) publish(&row, t, total);
                if (in == out) gp_fence_device(); // before the tile is overwritten, which a stand-in must not mistake
            }
            T start[ORDER];
            for (uint j = 0; j < ORDER; ++j) start[j] = state[j];
            uint has_start = window == 0;
            while (!combine_tiles(state, &row, window * GP_WINDOW, count, start, has_start, c, tables, turn, &room)) {
                cross_windows(start, &row, window, c, tables, turn, &room);
                has_start = 1;
            }
            if (id == 0 && count == GP_WINDOW - 1) {
                add_product(total, total, GP_TILE_POWERS, state);
                publish(&row, t, total);
                if (in == out) gp_fence_device();
            }
        }
        add_state(before, state, tables, totals);
        solve_items(part, c, before);
        gp_join_warp();
        store_part(part, out + index * stride_out, (ulong)t * GP_TILE, n);
        tile = next;
    }
}

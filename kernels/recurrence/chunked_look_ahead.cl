// Recurrence for GPUs: every work-group owns a run of consecutive tiles of a row, in which every work-item takes GP_ITEMS
// consecutive elements at a time. It runs them with zeros before them; the states at their ends are combined over the
// work-group, log2(GP_GROUP) steps, by matrices that say what a state makes of itself on its way; what the state before
// an item's elements adds to them is in a table. Long rows are cut into several runs, as chunks.cl does: the state after
// each but a row's last with zeros before it, the true states (rows.cl), each run from its true state.
//
// A single run a row needs recurrence_outputs alone, with has_ends = 0.
//
// Macros: those of rows.cl; GP_GROUP, the work-group size, a power of two; GP_ITEMS, at least ORDER
// Tables: coefficients[ORDER]; responses[GP_ITEMS][ORDER], element i's answer to a 1 at place j of the state before;
//         powers[log2(GP_GROUP)][ORDER][ORDER], what a state makes of itself in GP_ITEMS * 2^k elements
// Launch: work-groups of GP_GROUP work-items. recurrence_ends, recurrence_outputs: one work-group for each of the
//         batch * runs runs of `tiles` tiles (a row's last may be short)
// Source: Kogge and Stone, "A Parallel Algorithm for the Efficient Solution of a General Class of Recurrence Equations",
//         1973
// SPDX-License-Identifier: MIT
#include "recurrence/rows.cl"

#if !defined(GP_GROUP) || !defined(GP_ITEMS) || GP_ITEMS < ORDER
#error "GP_GROUP and GP_ITEMS must be defined: work-group size, elements a work-item, at least ORDER"
#endif

#define TILE (GP_GROUP * GP_ITEMS)
#define SLOT(i) ((i) + (i) / GP_ITEMS) // padded against bank conflicts
#define RESPONSES ORDER
#define POWERS (ORDER + GP_ITEMS * ORDER)

// to += matrix * state
void add_product(T *to, global const T *matrix, const T *state, uint rows) {
    for (uint i = 0; i < rows; ++i) {
        for (uint j = 0; j < ORDER; ++j) to[i] += matrix[i * ORDER + j] * state[j];
    }
}

// The state that the work-item so far to the left left in `room`; zeros where there is none. Every work-item reads: PoCL 3.1
// was seen to run such a loop under a condition for the work-items left out too, and to crash.
void read_left(T *state, local const T *room, uint distance) {
    const uint lane = (uint)get_local_id(0);
    const uint from = lane >= distance ? lane - distance : lane;
    for (uint j = 0; j < ORDER; ++j) {
        const T there = room[j * GP_GROUP + from];
        state[j] = lane >= distance ? there : 0;
    }
}

void load_tile(local T *tile, global const T *in, ulong first, ulong n, uint has_in) {
    for (uint i = (uint)get_local_id(0); i < TILE; i += GP_GROUP)
        tile[SLOT(i)] = has_in && first + i < n ? in[first + i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Turns this work-item's elements of the tile into results, from the state before the tile, which becomes that behind it.
void solve_tile(local T *tile, local T *room, global const T *tables, const T *c, T *state) {
    const uint lane = (uint)get_local_id(0);
    T y[GP_ITEMS], end[ORDER], left[ORDER];
    for (uint j = 0; j < ORDER; ++j) end[j] = lane == 0 ? state[j] : 0;
    for (uint i = 0; i < GP_ITEMS; ++i) y[i] = step(tile[SLOT(lane * GP_ITEMS + i)], c, end);
    for (uint distance = 1, k = 0; distance < GP_GROUP; distance *= 2, ++k) {
        for (uint j = 0; j < ORDER; ++j) room[j * GP_GROUP + lane] = end[j];
        barrier(CLK_LOCAL_MEM_FENCE);
        read_left(left, room, distance);
        add_product(end, tables + POWERS + k * ORDER * ORDER, left, ORDER);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint j = 0; j < ORDER; ++j) room[j * GP_GROUP + lane] = end[j];
    barrier(CLK_LOCAL_MEM_FENCE);
    read_left(left, room, 1);
    add_product(y, tables + RESPONSES, left, GP_ITEMS);
    for (uint j = 0; j < ORDER; ++j) state[j] = room[j * GP_GROUP + GP_GROUP - 1];
    for (uint i = 0; i < GP_ITEMS; ++i) tile[SLOT(lane * GP_ITEMS + i)] = y[i];
    barrier(CLK_LOCAL_MEM_FENCE);
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
recurrence_ends(global const T *in, ulong in_offset, global T *ends, ulong ends_offset, global const T *tables,
                ulong tables_offset, global const T *initial, ulong initial_offset, ulong n, ulong stride_in,
                ulong tiles, ulong runs, uint has_in, uint has_initial) {
    local T tile[TILE + GP_GROUP];
    local T room[ORDER * GP_GROUP];
    const ulong row = get_group_id(0) / runs, k = get_group_id(0) % runs;
    if (k + 1 == runs) return;
    T c[ORDER], state[ORDER];
    read_state(c, tables + tables_offset, 0, 1);
    read_state(state, initial + initial_offset, row, has_initial && k == 0);
    in += in_offset + row * stride_in;
    for (ulong t = k * tiles; t < (k + 1) * tiles; ++t) {
        load_tile(tile, in, t * TILE, n, has_in);
        solve_tile(tile, room, tables + tables_offset, c, state);
    }
    if (get_local_id(0) == 0) {
        for (uint j = 0; j < ORDER; ++j) ends[ends_offset + get_group_id(0) * ORDER + j] = state[j];
    }
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
recurrence_outputs(global const T *in, ulong in_offset, global T *out, ulong out_offset, global const T *ends,
                   ulong ends_offset, global const T *tables, ulong tables_offset, global const T *initial,
                   ulong initial_offset, ulong n, ulong stride_in, ulong stride_out, ulong tiles, ulong runs,
                   uint has_in, uint has_initial) {
    local T tile[TILE + GP_GROUP];
    local T room[ORDER * GP_GROUP];
    const ulong row = get_group_id(0) / runs, k = get_group_id(0) % runs;
    T c[ORDER], state[ORDER];
    read_state(c, tables + tables_offset, 0, 1);
    if (k == 0)
        read_state(state, initial + initial_offset, row, has_initial);
    else
        read_state(state, ends + ends_offset, get_group_id(0) - 1, 1);
    in += in_offset + row * stride_in;
    out += out_offset + row * stride_out;
    for (ulong t = k * tiles; t < (k + 1) * tiles && t * TILE < n; ++t) {
        load_tile(tile, in, t * TILE, n, has_in);
        solve_tile(tile, room, tables + tables_offset, c, state);
        for (uint i = (uint)get_local_id(0); i < TILE; i += GP_GROUP) {
            if (t * TILE + i < n) out[t * TILE + i] = tile[SLOT(i)];
        }
        barrier(CLK_LOCAL_MEM_FENCE); // the next tile takes this one's place
    }
}

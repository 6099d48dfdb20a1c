// Recurrence for GPUs, by chunked look-ahead: every work-group owns a run of consecutive tiles of a
// row. The first launch finds the state that each run leaves when zeros come before it, except a
// row's last run. In the second, each work-group combines the states of the runs before its own
// (work-item i takes the i-th run back), and solves its tiles from there. Rows of one run need
// recurrence_outputs alone.
//
// Macros: those of tiles.cl
// Tables: those of tiles.cl; then powers[GP_POWERS][GP_ORDER][GP_ORDER] of a whole run
// Launch: work-groups of GP_GROUP work-items, one for each of the batch * runs runs of `tiles`
//         tiles (a row's last may be short); runs is GP_GROUP at most
// Source: Maleki and Burtscher, "Automatic Hierarchical Parallelization of Linear Recurrences",
//         2018; Kogge and Stone, "A Parallel Algorithm for the Efficient Solution of a General
//         Class of Recurrence Equations", 1973
// SPDX-License-Identifier: MIT
#include "recurrence/tiles.cl"

// Takes a state over the first `parts` parts of a tile.
void cross_parts(T *state, uint parts, constant T *tables, local T (*totals)[GP_ORDER]) {
    for (uint w = 0; w < parts; ++w) {
        T total[GP_ORDER];
        for (uint j = 0; j < GP_ORDER; ++j) total[j] = totals[w][j];
        add_product(state, total, GP_POWER(5), state);
    }
}

// Turns `before`, from combine_items, into the true state before this work-item's elements. `state`
// is the state before the tile.
void add_state(T *before, T *state, constant T *tables, local T (*totals)[GP_ORDER]) {
    const uint id = (uint)get_local_id(0), lane = id % 32;
    T zero[GP_ORDER];
    clear(zero);
    cross_parts(state, id / 32, tables, totals);
#if !GP_TOGETHER // barriers in unrolled loops keep PoCL's compiler busy for minutes
#pragma unroll
#endif
    for (uint k = 0; k < 5; ++k) {
        T moved[GP_ORDER];
        add_product(moved, zero, GP_POWER(k), state);
        for (uint j = 0; j < GP_ORDER; ++j) state[j] = lane >> k & 1 ? moved[j] : state[j];
    }
    for (uint j = 0; j < GP_ORDER; ++j) before[j] += state[j];
}

// The first half of summing up the states of all work-items. The state of lane i is taken over i
// times as many elements as powers[0] says. room->sums holds, after a barrier, the sum of each
// warp.
GP_INLINE void sum_states(T *state, constant T *powers, local Room *room) {
    const uint id = (uint)get_local_id(0);
    T right[GP_ORDER];
#if !GP_TOGETHER // barriers in unrolled loops keep PoCL's compiler busy for minutes
#pragma unroll
#endif
    for (uint k = 0; k < 5; ++k) {
        take_right(right, state, 1u << k, k % 2, room);
        // What lanes take from beyond the warp, lane 0 never sees.
        add_product(state, state, powers + k * GP_SQUARE, right);
    }
    if (id % 32 == 0) {
        for (uint j = 0; j < GP_ORDER; ++j) room->sums[id / 32][j] = state[j];
    }
}

// The second half: the sum over the first `warps` warps.
void sum_warps(T *state, uint warps, constant T *powers, local Room *room) {
    clear(state);
    for (uint w = warps; w > 0; --w) {
        T sum[GP_ORDER];
        for (uint j = 0; j < GP_ORDER; ++j) sum[j] = room->sums[w - 1][j];
        add_product(state, sum, powers + 5 * GP_SQUARE, state);
    }
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
recurrence_ends(global const T *in, ulong in_offset, global T *ends, ulong ends_offset, constant T *tables,
                ulong tables_offset, ulong n, ulong stride_in, ulong tiles, ulong runs, uint has_in) {
    local V parts[GP_TILE / GP_WIDTH];
    local Room room;
    const ulong row = get_group_id(0) / runs, k = get_group_id(0) % runs;
    local V *part = parts + (uint)get_local_id(0) / 32 * (32 * GP_UNITS);
    tables += tables_offset;
    in += in_offset + row * stride_in;
    T c[GP_ORDER], end[GP_ORDER];
    for (uint j = 0; j < GP_ORDER; ++j) c[j] = tables[j];
    clear(end);
    for (ulong t = k * tiles; t < (k + 1) * tiles && k + 1 < runs; ++t) {
        T before[GP_ORDER];
        load_part(part, in, t * GP_TILE, n, has_in);
        combine_part(before, part, c, tables, room.totals[t % 2], &room);
        cross_parts(end, GP_WARPS, tables, room.totals[t % 2]);
    }
    if (get_local_id(0) == 0) {
        for (uint j = 0; j < GP_ORDER; ++j) ends[ends_offset + get_group_id(0) * GP_ORDER + j] = end[j];
    }
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
recurrence_outputs(global const T *in, ulong in_offset, global T *out, ulong out_offset, global const T *ends,
                   ulong ends_offset, constant T *tables, ulong tables_offset, global const T *initial,
                   ulong initial_offset, ulong n, ulong stride_in, ulong stride_out, ulong tiles, ulong runs,
                   uint has_in, uint has_initial) {
    local V parts[GP_TILE / GP_WIDTH];
    local Room room;
    const uint id = (uint)get_local_id(0);
    const ulong row = get_group_id(0) / runs, k = get_group_id(0) % runs;
    local V *part = parts + id / 32 * (32 * GP_UNITS);
    tables += tables_offset;
    ends += ends_offset;
    initial += initial_offset;
    in += in_offset + row * stride_in;
    out += out_offset + row * stride_out;
    T c[GP_ORDER], start[GP_ORDER];
    for (uint j = 0; j < GP_ORDER; ++j) c[j] = tables[j];
    if (runs > 1) {
        if (id < k)
            read_state(start, ends, get_group_id(0) - 1 - id, 1);
        else
            read_state(start, initial, row, id == k && has_initial);
        sum_states(start, GP_POWER(GP_POWERS), &room);
        barrier(CLK_LOCAL_MEM_FENCE);
        sum_warps(start, (uint)k / 32 + 1, GP_POWER(GP_POWERS), &room);
    } else {
        read_state(start, initial, row, has_initial);
    }
    for (ulong t = k * tiles; t < (k + 1) * tiles && t * GP_TILE < n; ++t) {
        T state[GP_ORDER], before[GP_ORDER];
        load_part(part, in, t * GP_TILE, n, has_in);
        combine_part(before, part, c, tables, room.totals[t % 2], &room);
        for (uint j = 0; j < GP_ORDER; ++j) state[j] = start[j];
        add_state(before, state, tables, room.totals[t % 2]);
        solve_items(part, c, before);
        gp_join_warp();
        store_part(part, out, t * GP_TILE, n);
        gp_join_warp(); // the next tile takes this one's place
        cross_parts(start, GP_WARPS, tables, room.totals[t % 2]);
    }
}

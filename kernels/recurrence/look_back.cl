// Recurrence in a single pass: every element is read once and written once. Work-groups take tiles
// in order, publish the state that each tile leaves when zeros come before it, and combine the
// states of the tiles before theirs (states.cl).
//
// Macros: those of states.cl
// Tables: those of states.cl
// Launch: any number of work-groups of GP_GROUP work-items. There are `tiles` tiles a row. With
//         more than one, `published` is filled with zeros: 16 bytes, and GP_ORDER elements for each
//         of the `all` tiles of all rows
// Source: Maleki and Burtscher, "Automatic Hierarchical Parallelization of Linear Recurrences",
//         2018; Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back",
//         2016
// SPDX-License-Identifier: MIT
#include "recurrence/states.cl"

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
recurrence_look_back(global const T *in, ulong in_offset, global T *out, ulong out_offset, global const T *given,
                     ulong given_offset, global const T *initial, ulong initial_offset, global ulong *published,
                     ulong published_offset, ulong n, ulong stride_in, ulong stride_out, uint tiles, uint all,
                     uint has_in, uint has_initial) {
    local V parts[GP_TILE / GP_WIDTH];
    local Waiting room;
    local uint shared_tile;
    const uint id = (uint)get_local_id(0);
    local V *part = parts + id / 32 * (32 * GP_UNITS);
    local T(*totals)[GP_ORDER] = room.room.totals[0];
    volatile global uint *ticket = (volatile global uint *)(published + published_offset);
    published += published_offset + 2;
    initial += initial_offset;
    in += in_offset;
    out += out_offset;
    if (id == 0) room.late = 0;
    local T tables[GP_TABLE_SIZE];
    for (uint i = id; i < GP_TABLE_SIZE; i += GP_GROUP) tables[i] = given[given_offset + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    T c[GP_ORDER];
    for (uint j = 0; j < GP_ORDER; ++j) c[j] = tables[j];
    const Weights weights = make_weights(tables);

    Way way;
    way.row = ~0u;
    uint next = 0; // a tile, known to work-item 0
    if (id == 0) next = tiles > 1 ? atomic_inc(ticket) : (uint)get_group_id(0);
    for (;;) {
        if (id == 0) shared_tile = next;
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint tile = shared_tile, index = tile / tiles, t = tile % tiles;
        if (tile >= all) break;
        T before[GP_ORDER];
        State state;
        load_part(part, in + index * stride_in, (ulong)t * GP_TILE, n, has_in);
        combine_part(before, part, c, tables, totals, &room.room);
        combine_parts(before, state.values, &weights, totals, &room.room);
        const Tiles row = {in + index * stride_in, n, has_in,
                           (volatile global Word *)published + (ulong)index * tiles * GP_ORDER, tables};
        if (tiles > 1) {
            if (id == 0) {
                publish(&row, t, state);
                if (in == out) gp_fence_device(); // before the tile is overwritten, which a fallback must not read
            }
        }
        take_state(state.values, &way, index, t, nothing_seen(), &row, initial, has_initial, &weights, &room);
        // The number arrives while this tile is solved. A tile that was taken sooner would keep
        // other work-groups waiting.
        if (id == 0) next = tiles > 1 ? atomic_inc(ticket) : next + (uint)get_num_groups(0);
        finish_before(before, state.values, &weights);
        solve_items(part, c, before);
        gp_join_warp();
        store_part(part, out + index * stride_out, (ulong)t * GP_TILE, n);
    }
}

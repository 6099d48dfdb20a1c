// Recurrence as one would write it down: one work-item a row; pieces of results are collected in
// local memory before it writes them. It does not use async_work_group_copy, since PoCL 6 does not
// link wait_group_events.
//
// Macros: those of rows.cl; GP_PIECE, elements of a piece
// Launch: one work-group of one work-item a row
// Source: the definition; Malak, notes on the rate at which one work-item writes global memory,
//         2013
// SPDX-License-Identifier: MIT
#include "recurrence/rows.cl"

#ifndef GP_PIECE
#error "GP_PIECE must be defined: elements of a piece"
#endif

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
recurrence_serial(global const T *in, ulong in_offset, global T *out, ulong out_offset, global const T *tables,
                  ulong tables_offset, global const T *initial, ulong initial_offset, ulong n, ulong stride_in,
                  ulong stride_out, uint has_in, uint has_initial) {
    local T piece[GP_PIECE];
    const ulong row = get_group_id(0);
    T c[GP_ORDER], state[GP_ORDER];
    read_state(c, tables + tables_offset, 0, 1);
    read_state(state, initial + initial_offset, row, has_initial);
    in += in_offset + row * stride_in;
    out += out_offset + row * stride_out;
    for (ulong first = 0; first < n; first += GP_PIECE) {
        const uint size = (uint)min((ulong)GP_PIECE, n - first);
        for (uint i = 0; i < size; ++i) piece[i] = step(has_in ? in[first + i] : 0, c, state);
        for (uint i = 0; i < size; ++i) out[first + i] = piece[i];
    }
}

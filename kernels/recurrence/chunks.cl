// Recurrence for CPUs: every work-item owns one contiguous chunk of a row. Three launches: the
// state after each chunk but a row's last, found with zeros before it; the true states (rows.cl);
// each chunk from its true state.
//
// Macros: those of rows.cl
// Launch: recurrence_ends: one work-item for each of the batch * chunks chunks, of which a row's
//         last do nothing; recurrence_carries: on ends; recurrence_outputs: one work-item a chunk;
//         work-groups of one. Chunks have `chunk` elements (a row's last may be short)
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.4 (recurrences as scans)
// SPDX-License-Identifier: MIT
#include "recurrence/rows.cl"

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
recurrence_ends(global const T *in, ulong in_offset, global T *ends, ulong ends_offset, global const T *tables,
                ulong tables_offset, global const T *initial, ulong initial_offset, ulong n, ulong stride_in,
                ulong chunk, ulong chunks, uint has_in, uint has_initial) {
    const ulong row = get_global_id(0) / chunks, k = get_global_id(0) % chunks;
    T c[GP_ORDER], state[GP_ORDER];
    read_state(c, tables + tables_offset, 0, 1);
    read_state(state, initial + initial_offset, row, has_initial && k == 0);
    if (k + 1 == chunks) return;
    in += in_offset + row * stride_in;
    for (ulong t = k * chunk; t < (k + 1) * chunk; ++t) step(has_in ? in[GP_AT(t)] : 0, c, state);
    for (uint j = 0; j < GP_ORDER; ++j) ends[ends_offset + get_global_id(0) * GP_ORDER + j] = state[j];
}

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
recurrence_outputs(global const T *in, ulong in_offset, global T *out, ulong out_offset, global const T *ends,
                   ulong ends_offset, global const T *tables, ulong tables_offset, global const T *initial,
                   ulong initial_offset, ulong n, ulong stride_in, ulong stride_out, ulong chunk, ulong chunks,
                   uint has_in, uint has_initial) {
    const ulong row = get_global_id(0) / chunks, k = get_global_id(0) % chunks;
    T c[GP_ORDER], state[GP_ORDER];
    read_state(c, tables + tables_offset, 0, 1);
    if (k == 0)
        read_state(state, initial + initial_offset, row, has_initial);
    else
        read_state(state, ends + ends_offset, get_global_id(0) - 1, 1);
    in += in_offset + row * stride_in;
    out += out_offset + row * stride_out;
    const ulong end = min((k + 1) * chunk, n);
    for (ulong t = k * chunk; t < end; ++t) out[GP_AT(t)] = step(has_in ? in[GP_AT(t)] : 0, c, state);
}

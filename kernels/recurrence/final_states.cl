// What the rows of a recurrence hand on: the GP_ORDER values before the place where they would go
// on, the last one first. Rows shorter than that hand on what is left of their initial states.
//
// Macros: those of rows.cl
// Launch: a work-item a row at least. `initial` counts only with has_initial, and may be `last`.
// SPDX-License-Identifier: MIT
#include "recurrence/rows.cl"

kernel void final_states(global const T *out, ulong out_offset, global const T *initial, ulong initial_offset,
                         global T *last, ulong last_offset, ulong n, ulong batch, ulong stride_out, uint has_initial) {
    const ulong row = get_global_id(0);
    if (row >= batch) return;
    T first[GP_ORDER], state[GP_ORDER];
    read_state(first, initial + initial_offset, row, has_initial);
    out += out_offset + row * stride_out;
    for (uint j = 0; j < GP_ORDER; ++j) state[j] = j < n ? out[GP_AT(n - 1 - j)] : first[j - n];
    for (uint j = 0; j < GP_ORDER; ++j) last[last_offset + row * GP_ORDER + j] = state[j];
}

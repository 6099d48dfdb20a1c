// What the recurrences share: one step, a whole row by one work-item, and the states that chunks
// hand on.
//
// A state is the GP_ORDER values before a place, the last one first. Tables begin with the GP_ORDER
// coefficients.
//
// Macros: T, the element type; GP_FLOAT64, defined when it is double; GP_ORDER, 1 to 8; GP_REVERSE
//         to go from a row's end to its beginning
// Gives:  GP_AT(t), where element t of a row of n elements lies; step, read_state, the kernels
//         recurrence_rows and recurrence_carries
// Launch: both kernels any number of work-items, one a row at least
// SPDX-License-Identifier: MIT
#include "common/element.cl"
#if !defined(GP_ORDER) || GP_ORDER < 1 || GP_ORDER > 8
#error "GP_ORDER must be 1 to 8"
#endif

#ifdef GP_REVERSE
#define GP_AT(t) (n - 1 - (t))
#else
#define GP_AT(t) (t)
#endif

// The next value from x and the state, which moves on. The last value, on which the next step
// waits, is added last.
T step(T x, const T *c, T *state) {
    for (uint j = GP_ORDER - 1; j > 0; --j) {
        x += c[j] * state[j];
        state[j] = state[j - 1];
    }
    x += c[0] * state[0];
    state[0] = x;
    return x;
}

// State number `index` of an array of them, or zeros.
void read_state(T *state, global const T *states, ulong index, uint there) {
    for (uint j = 0; j < GP_ORDER; ++j) state[j] = there ? states[index * GP_ORDER + j] : 0;
}

// `in` counts only with has_in, `initial` (a state a row) only with has_initial.
kernel void recurrence_rows(global const T *in, ulong in_offset, global T *out, ulong out_offset,
                            global const T *tables, ulong tables_offset, global const T *initial, ulong initial_offset,
                            ulong n, ulong batch, ulong stride_in, ulong stride_out, uint has_in, uint has_initial) {
    const ulong row = get_global_id(0);
    if (row >= batch) return;
    T c[GP_ORDER], state[GP_ORDER];
    read_state(c, tables + tables_offset, 0, 1);
    read_state(state, initial + initial_offset, row, has_initial);
    in += in_offset + row * stride_in;
    out += out_offset + row * stride_out;
    for (ulong t = 0; t < n; ++t) out[GP_AT(t)] = step(has_in ? in[GP_AT(t)] : 0, c, state);
}

// ends[row][k] is the state after chunk k, found with zeros before the chunk but for k = 0; it
// becomes the true one. `carry` says what a state makes of itself within a chunk: a matrix of
// GP_ORDER rows.
kernel void recurrence_carries(global T *ends, ulong ends_offset, global const T *carry, ulong carry_offset,
                               ulong batch, ulong chunks) {
    const ulong row = get_global_id(0);
    if (row >= batch) return;
    ends += ends_offset + row * chunks * GP_ORDER;
    T matrix[GP_ORDER * GP_ORDER], state[GP_ORDER];
    for (uint i = 0; i < GP_ORDER * GP_ORDER; ++i) matrix[i] = carry[carry_offset + i];
    read_state(state, ends, 0, 1);
    for (ulong k = 1; k < chunks; ++k) {
        T next[GP_ORDER];
        for (uint i = 0; i < GP_ORDER; ++i) {
            next[i] = ends[k * GP_ORDER + i];
            for (uint j = 0; j < GP_ORDER; ++j) next[i] += matrix[i * GP_ORDER + j] * state[j];
        }
        for (uint i = 0; i < GP_ORDER; ++i) ends[k * GP_ORDER + i] = state[i] = next[i];
    }
}

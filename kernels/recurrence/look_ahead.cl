// Recurrence by look-ahead: a work-group a row, whose GP_GROUP work-items compute GP_GROUP results
// at once, each from the state before the first of them; pieces of results are collected in local
// memory before they are written.
//
// Macros: those of rows.cl; GP_GROUP, the work-group size, at least GP_ORDER; GP_PIECE, elements of
//         a piece, a multiple of it
// Tables: responses[GP_GROUP][GP_ORDER], element i's answer to a 1 at place j of the state before;
//         impulse[GP_GROUP], its answer to an input of 1 at element 0
// Launch: one work-group of GP_GROUP work-items a row
// Source: Kogge and Stone, "A Parallel Algorithm for the Efficient Solution of a General Class of
//         Recurrence Equations", 1973; Malak, notes on Fibonacci's numbers with 8 work-items, 2013
// SPDX-License-Identifier: MIT
#include "recurrence/rows.cl"

#if !defined(GP_GROUP) || GP_GROUP < GP_ORDER
#error "GP_GROUP must be defined: the work-group size, at least GP_ORDER"
#endif
#if !defined(GP_PIECE) || GP_PIECE % GP_GROUP != 0
#error "GP_PIECE must be defined: elements of a piece, a multiple of GP_GROUP"
#endif

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
recurrence_look_ahead(global const T *in, ulong in_offset, global T *out, ulong out_offset, global const T *tables,
                      ulong tables_offset, global const T *initial, ulong initial_offset, ulong n, ulong stride_in,
                      ulong stride_out, uint has_in, uint has_initial) {
    local T results[GP_ORDER + GP_PIECE]; // the state before the piece, in order of time, and the piece
    local T inputs[GP_PIECE];
    local T impulse[GP_GROUP];
    // The first work-item whose result was not finite, in even and in odd rounds: while some
    // work-items still read a round's, others write the next one's.
    local uint first_bad[2];
    bool spoiled = false; // one was; later results come from it, and so are not finite either
    const ulong row = get_group_id(0);
    const uint lane = (uint)get_local_id(0);
    tables += tables_offset;
    in += in_offset + row * stride_in;
    out += out_offset + row * stride_out;
    T responses[GP_ORDER];
    read_state(responses, tables, lane, 1);
    if (lane < 2) first_bad[lane] = GP_GROUP;
    impulse[lane] = tables[GP_GROUP * GP_ORDER + lane];
    if (lane < GP_ORDER)
        results[GP_ORDER - 1 - lane] = has_initial ? initial[initial_offset + row * GP_ORDER + lane] : 0;

    for (ulong first = 0; first < n; first += GP_PIECE) {
        for (uint i = lane; i < GP_PIECE; i += GP_GROUP) inputs[i] = has_in && first + i < n ? in[first + i] : 0;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); // in place, results go where these inputs were
        const uint size = (uint)min((ulong)GP_PIECE, n - first);
        for (uint i = 0; i < size; i += GP_GROUP) {
            T y = 0;
            if (has_in) {
                for (uint k = 0; k <= lane; ++k) y += impulse[lane - k] * inputs[i + k];
            }
            for (uint j = 0; j < GP_ORDER; ++j) y += responses[j] * results[i + GP_ORDER - 1 - j];
            results[GP_ORDER + i + lane] = y;
            local uint *const bad = &first_bad[i / GP_GROUP % 2];
            if (!isfinite(y)) atomic_min(bad, lane);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (!spoiled && *bad < GP_GROUP) { // for all work-items alike
                spoiled = true;
                // What was computed beside it knows nothing of it.
                if (lane > *bad && isfinite(y)) results[GP_ORDER + i + lane] = NAN;
                barrier(CLK_LOCAL_MEM_FENCE);
            }
        }
        for (uint i = lane; i < size; i += GP_GROUP) out[first + i] = results[GP_ORDER + i];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < GP_ORDER) results[lane] = results[GP_PIECE + lane];
    }
}

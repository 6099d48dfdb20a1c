// What comes before and after the search for paths: lengths are brought to the result and marked,
// marks are taken away, negative cycles are looked for; and copies of a matrix' columns.
//
// Macros: those of lengths.cl
// Launch: all but paths_negative: two dimensions, columns x rows; rows that are more than
//         work-items are taken in turns. paths_negative: one work-group
// SPDX-License-Identifier: MIT
#include "paths/lengths.cl"

#define GP_FOR_EACH(columns, rows)                                                                                     \
    const ulong j = get_global_id(0);                                                                                  \
    if (j < (columns))                                                                                                 \
        for (ulong i = get_global_id(1); i < (rows); i += get_global_size(1))

// An edge's length. No NaN leaves here.
Value length_of(global const Stored *in, ulong i, ulong j, ulong ld) {
    Value x = in[i * ld + j];
#if GP_IS_FLOAT
    if (x != x) x = GP_NO_PATH;
#else
    if (x > GP_LONGEST) x = GP_NO_PATH;
#endif
    return i == j && x > 0 ? 0 : x;
}

// May run in place.
kernel void paths_begin(global const Stored *in, ulong in_offset, ulong ld_in, global Stored *out, ulong out_offset,
                        ulong ld_out, ulong n) {
    GP_FOR_EACH(n, n) { out[out_offset + i * ld_out + j] = length_of(in + in_offset, i, j, ld_in); }
}

// The same, and the predecessors of paths of one edge.
kernel void paths_begin_predecessors(global const Stored *in, ulong in_offset, ulong ld_in, global Stored *out,
                                     ulong out_offset, ulong ld_out, global int *predecessors,
                                     ulong predecessors_offset, ulong ld_predecessors, ulong n) {
    GP_FOR_EACH(n, n) {
        const Value x = length_of(in + in_offset, i, j, ld_in);
        out[out_offset + i * ld_out + j] = x;
        predecessors[predecessors_offset + i * ld_predecessors + j] = i == j || x == GP_NO_PATH ? GP_NO_NODE : (int)i;
    }
}

// For integers.
kernel void paths_end(global Stored *out, ulong out_offset, ulong ld_out, ulong n) {
#if !GP_IS_FLOAT
    GP_FOR_EACH(n, n) {
        const ulong at = out_offset + i * ld_out + j;
        if (out[at] > GP_LONGEST) out[at] = GP_LARGEST;
    }
#endif
}

kernel void paths_end_predecessors(global Stored *out, ulong out_offset, ulong ld_out, global int *predecessors,
                                   ulong predecessors_offset, ulong ld_predecessors, ulong n) {
#if !GP_IS_FLOAT
    GP_FOR_EACH(n, n) {
        const ulong at = out_offset + i * ld_out + j;
        if (out[at] <= GP_LONGEST) continue;
        out[at] = GP_LARGEST;
        predecessors[predecessors_offset + i * ld_predecessors + j] = GP_NO_NODE;
    }
#endif
}

// *found becomes 1 where the diagonal has a number below zero, else 0.
kernel void paths_negative(global const Stored *out, ulong out_offset, ulong ld_out, ulong n, global ulong *found,
                           ulong found_offset) {
    local uint any_below;
    if (get_local_id(0) == 0) any_below = 0;
    uint below = 0;
    for (ulong i = get_local_id(0); i < n; i += get_local_size(0)) below |= out[out_offset + i * ld_out + i] < 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_or(&any_below, below);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) found[found_offset] = any_below;
}

kernel void paths_copy(global const Stored *from, ulong from_offset, ulong ld_from, global Stored *to, ulong to_offset,
                       ulong ld_to, ulong rows, ulong columns) {
    GP_FOR_EACH(columns, rows) { to[to_offset + i * ld_to + j] = from[from_offset + i * ld_from + j]; }
}

// Combines what is in the output with further results: out[r * stride_out] = out[r * stride_out] o
// results[r].
//
// Macros: those of combine.cl
// Launch: a work-item a row at least
// SPDX-License-Identifier: MIT
#include "common/combine.cl"

kernel void accumulate_results(global const T *results, ulong results_offset, global T *out, ulong out_offset,
                               ulong batch, ulong stride_out) {
    const ulong row = get_global_id(0);
    if (row >= batch) return;
    const ulong at = out_offset + row * stride_out;
    const T before = out[at], result = results[results_offset + row];
    out[at] = GP_COMBINE(before, result);
}

// Combines what is in the output with further results: out[r * stride_out] = out[r * stride_out] o
// results[r].
//
// Macros: those of combine.cl and counted.cl
// Launch: a work-item a row at least
// SPDX-License-Identifier: MIT
#include "common/combine.cl"
#include "common/counted.cl"

kernel void accumulate_results(global const T *results, ulong results_offset, global T *out, ulong out_offset,
                               ulong batch, ulong stride_out GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(batch) // of one row: without elements it stays as it is
    const ulong row = get_global_id(0);
    if (row >= batch) return;
    const ulong at = out_offset + row * stride_out;
    const T before = out[at], result = results[results_offset + row];
    out[at] = GP_COMBINE(before, result);
}

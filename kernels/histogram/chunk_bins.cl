// Histogram of any type for CPUs: every work-item counts one contiguous chunk, in counters of its
// own.
//
// Macros: those of bins.cl and counted.cl
// Launch: one work-item for each chunk of `chunk` elements (the last one may be short; fewer than
//         2^32), work-groups of one; then histogram_add_parts. A single one writes `counts` itself
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.2 (more data than
//         processors)
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "histogram/bins.cl"

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
histogram_chunk_bins(global const Key *in, ulong in_offset, global const Key *table, ulong table_offset,
                     global uint *partial, ulong partial_offset, global ulong *counts, ulong counts_offset, ulong n,
                     ulong chunk, ulong first, ulong last, uint reach, uint bins, Real lower,
                     Real scale GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    table += table_offset;
    in += in_offset;
    if (get_global_size(0) == 1) {
        counts += counts_offset;
        for (uint bin = 0; bin < bins; ++bin) counts[bin] = 0;
        for (ulong i = 0; i < n; ++i) {
            const uint bin = gp_bin(in[i], (Key)first, (Key)last, table, reach, lower, scale);
            if (bin != GP_NONE) ++counts[bin];
        }
        return;
    }
    partial += partial_offset + get_global_id(0) * bins;
    for (uint bin = 0; bin < bins; ++bin) partial[bin] = 0;
    const ulong end = min((get_global_id(0) + 1) * chunk, n);
    for (ulong i = get_global_id(0) * chunk; i < end; ++i) {
        const uint bin = gp_bin(in[i], (Key)first, (Key)last, table, reach, lower, scale);
        if (bin != GP_NONE) ++partial[bin];
    }
}

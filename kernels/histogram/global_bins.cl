// Histogram of any type, with one counter a bin in global memory: for more bins than local memory
// holds. Each work-item counts equal neighbours of its own at once, so that constant data does not
// wait for one counter at every element.
//
// Macros: those of bins.cl and counted.cl; GP_AT_ONCE, elements that a work-item takes before it
//         asks how many there are
// Launch: any number of work-items, on counters partial[part * bins + bin] that hold zeros; fewer
//         than 2^32 elements go into one part; then histogram_add_parts
// Source: the definition
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "histogram/bins.cl"

#ifndef GP_AT_ONCE
#error "GP_AT_ONCE must be defined"
#endif

kernel void histogram_global_bins(global const Key *in, ulong in_offset, global const Key *table, ulong table_offset,
                                  global uint *partial, ulong partial_offset, ulong n, ulong first, ulong last,
                                  uint reach, uint bins, uint part, Real lower, Real scale GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    table += table_offset;
    in += in_offset;
    partial += partial_offset + (ulong)part * bins;
    const ulong size = get_global_size(0), step = size * GP_AT_ONCE;
    for (ulong i = get_global_id(0); i < n; i += step) {
        uint before = GP_NONE, run = 0;
        for (uint k = 0; k < GP_AT_ONCE && i + k * size < n; ++k) {
            const uint bin = gp_bin(in[i + k * size], (Key)first, (Key)last, table, reach, lower, scale);
            if (bin != before) {
                if (before != GP_NONE) atomic_add(&partial[before], run);
                before = bin;
                run = 0;
            }
            ++run;
        }
        if (before != GP_NONE) atomic_add(&partial[before], run);
    }
}

// Histogram of any type for GPUs: every work-group counts with local atomics, in as many copies of
// the counters as local memory holds beside the table of lows; neighbouring work-items use
// different copies.
//
// Macros: those of bins.cl and counted.cl; GP_GROUP, the work-group size; GP_ROOM, local memory in
//         words of 32 bits; GP_AT_ONCE, elements that a work-item loads together
// Launch: work-groups of GP_GROUP work-items, any number. One writes `counts`; several add to
//         partial[part * bins + bin], which holds zeros, and fewer than 2^32 elements go into one
//         part; then histogram_add_parts. `copies` is a power of two, and the table and copies *
//         bins words fit GP_ROOM
// Source: Podlozhnyuk, "Histogram Calculation in CUDA", 2007; Gomez-Luna et al., "An Optimized
//         Approach to Histogram Computation on GPU", 2013 (copies side by side)
// SPDX-License-Identifier: MIT
#define GP_TABLE local
#include "common/counted.cl"
#include "histogram/bins.cl"

#if !defined(GP_GROUP) || !defined(GP_ROOM) || !defined(GP_AT_ONCE)
#error "GP_GROUP, GP_ROOM and GP_AT_ONCE must be defined"
#endif

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
histogram_local_bins(global const Key *in, ulong in_offset, global const Key *table, ulong table_offset,
                     global uint *partial, ulong partial_offset, global ulong *counts, ulong counts_offset, ulong n,
                     ulong first, ulong last, uint reach, uint bins, uint copies, uint part, Real lower,
                     Real scale GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local ulong room[GP_ROOM / 2];
    local Key *lows = (local Key *)room;
    local uint *counters = (local uint *)room + (reach * GP_KEY_BYTES + 3) / 4;
    const uint id = (uint)get_local_id(0);
    table += table_offset;
    in += in_offset;
    for (uint i = id; i < reach; i += GP_GROUP) lows[i] = table[i];
    for (uint i = id; i < bins * copies; i += GP_GROUP) counters[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    local uint *mine = counters + id % copies;
    const ulong step = get_num_groups(0) * GP_GROUP * GP_AT_ONCE;
    for (ulong i = get_group_id(0) * GP_GROUP * GP_AT_ONCE + id; i < n; i += step) {
        Key x[GP_AT_ONCE];
        const uint some = (uint)min((n - i + GP_GROUP - 1) / GP_GROUP, (ulong)GP_AT_ONCE);
        if (some == GP_AT_ONCE) {
#pragma unroll
            for (uint k = 0; k < GP_AT_ONCE; ++k) x[k] = in[i + k * GP_GROUP];
#pragma unroll
            for (uint k = 0; k < GP_AT_ONCE; ++k) {
                const uint bin = gp_bin(x[k], (Key)first, (Key)last, lows, reach, lower, scale);
                if (bin != GP_NONE) atomic_inc(mine + bin * copies);
            }
        } else {
            for (uint k = 0; k < some; ++k) {
                const uint bin = gp_bin(in[i + k * GP_GROUP], (Key)first, (Key)last, lows, reach, lower, scale);
                if (bin != GP_NONE) atomic_inc(mine + bin * copies);
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint bin = id; bin < bins; bin += GP_GROUP) {
        uint sum = 0; // neighbours begin with different copies, in different banks
        for (uint copy = 0; copy < copies; ++copy) sum += counters[bin * copies + (copy + id) % copies];
        if (get_num_groups(0) == 1 && part == GP_NONE)
            counts[counts_offset + bin] = sum;
        else if (sum != 0)
            atomic_add(&partial[partial_offset + (ulong)part * bins + bin], sum);
    }
}

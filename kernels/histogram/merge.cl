// The second step of every histogram: adds up the partial histograms, into counts of 64 bits.
//
// Counter `bin` of part p is partial[bin * parts + p]; no part counts more than 2^32 - 1 elements.
//
// Macros: GP_MERGE, the work-group size, a power of two
// Gives:  GP_BINS, the kernel merge_histograms
// Launch: GP_BINS work-groups of GP_MERGE work-items, one a bin
// SPDX-License-Identifier: MIT
#ifndef GP_MERGE
#error "GP_MERGE must be defined: the work-group size of merge_histograms"
#endif

#define GP_BINS 256

__attribute__((reqd_work_group_size(GP_MERGE, 1, 1))) kernel void merge_histograms(global const uint *partial,
                                                                                   ulong partial_offset,
                                                                                   global ulong *counts,
                                                                                   ulong counts_offset, ulong parts) {
    local ulong room[GP_MERGE];
    const uint lane = (uint)get_local_id(0);
    partial += partial_offset + get_group_id(0) * parts;
    ulong sum = 0;
    for (ulong p = lane; p < parts; p += GP_MERGE) sum += partial[p];
    room[lane] = sum;
#if GP_MERGE > 1 // PoCL 3.1 does not survive a barrier in a loop that never runs
    for (uint step = GP_MERGE / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < step) room[lane] += room[lane + step];
    }
#endif
    if (lane == 0) counts[counts_offset + get_group_id(0)] = room[0];
}

// Histogram for GPUs: every work-group counts with local atomics, in GP_COPIES sub-histograms.
//
// Neighbouring work-items use different copies, and the copies of a bin lie in neighbouring banks:
// equal elements, the worst case of atomics, collide no more than random ones do. Elements are
// loaded 16 bytes at a time; what lies before the first multiple of 16 bytes and after the last is
// the first work-group's.
//
// Macros: those of merge.cl and counted.cl; GP_GROUP, the work-group size, a power of two, at least
//         16; GP_COPIES, a power of two
// Launch: work-groups of GP_GROUP work-items, so many that none counts 2^32 elements; then
//         merge.cl's
// Source: Podlozhnyuk, "Histogram Calculation in CUDA", 2007; Gomez-Luna et al., "An Optimized
//         Approach to Histogram Computation on GPU", 2013 (copies side by side)
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "histogram/merge.cl"

#if !defined(GP_GROUP) || GP_GROUP < 16
#error "GP_GROUP must be defined: the work-group size, at least 16"
#endif
#ifndef GP_COPIES
#error "GP_COPIES must be defined: sub-histograms of a work-group"
#endif

void count_word(local uint *mine, uint word) {
    atomic_inc(mine + (word & 255) * GP_COPIES);
    atomic_inc(mine + (word >> 8 & 255) * GP_COPIES);
    atomic_inc(mine + (word >> 16 & 255) * GP_COPIES);
    atomic_inc(mine + (word >> 24) * GP_COPIES);
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void count_groups(global const uchar *in, ulong in_offset,
                                                                               global uint *partial,
                                                                               ulong partial_offset,
                                                                               ulong n GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local uint sub[GP_BINS * GP_COPIES];
    const uint lane = (uint)get_local_id(0);
    for (uint i = lane; i < GP_BINS * GP_COPIES; i += GP_GROUP) sub[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    local uint *mine = sub + lane % GP_COPIES;
    in += in_offset;
    const ulong head = min((16 - ((ulong)(uintptr_t)in & 15)) & 15, n);
    const ulong vectors = (n - head) / 16;
    global const uint4 *body = (global const uint4 *)(in + head);
    for (ulong i = get_global_id(0); i < vectors; i += get_global_size(0)) {
        const uint4 words = body[i];
        count_word(mine, words.x);
        count_word(mine, words.y);
        count_word(mine, words.z);
        count_word(mine, words.w);
    }
    if (get_group_id(0) == 0) {
        if (lane < head) atomic_inc(mine + in[lane] * GP_COPIES);
        const ulong end = head + vectors * 16 + lane;
        if (lane < 16 && end < n) atomic_inc(mine + in[end] * GP_COPIES);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    partial += partial_offset + get_group_id(0);
    for (uint bin = lane; bin < GP_BINS; bin += GP_GROUP) {
        uint sum = 0; // each work-item begins with another copy, in another bank
        for (uint copy = 0; copy < GP_COPIES; ++copy) sum += sub[bin * GP_COPIES + (copy + lane) % GP_COPIES];
        partial[bin * get_num_groups(0)] = sum;
    }
}

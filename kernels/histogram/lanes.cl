// Histogram for GPUs: a counter for each pair of bin and lane, so that no two lanes of a warp ever
// meet in a memory bank, whatever the data.
//
// Vectors of 16 bytes are loaded GP_AT_ONCE together; what lies before the first multiple of 16
// bytes and after the last is the first work-group's.
//
// Macros: those of merge.cl; GP_GROUP, work-items of a work-group, a multiple of 32; GP_AT_ONCE
// Launch: work-groups of GP_GROUP work-items, so many that none counts 2^32 elements; then
//         merge.cl's
// Source: Podlozhnyuk, "Histogram Calculation in CUDA", 2007; a column of counters a lane is our
//         own choice
// SPDX-License-Identifier: MIT
#include "histogram/merge.cl"

#if !defined(GP_GROUP) || !defined(GP_AT_ONCE)
#error "GP_GROUP and GP_AT_ONCE must be defined"
#endif

#define GP_LANES 32

// Counts the four bytes of a word: the counter of bin b and this lane lies at b * GP_LANES + lane.
#define GP_COUNT(word)                                                                                                 \
    atomic_inc(&column[((word) << 5) & 0x1fe0]);                                                                       \
    atomic_inc(&column[((word) >> 3) & 0x1fe0]);                                                                       \
    atomic_inc(&column[((word) >> 11) & 0x1fe0]);                                                                      \
    atomic_inc(&column[((word) >> 19) & 0x1fe0])

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
histogram_lanes(global const uchar *in, ulong in_offset, global uint *partial, ulong partial_offset, ulong n) {
    local uint counts[GP_BINS * GP_LANES];
    const uint id = (uint)get_local_id(0);
    local uint *column = counts + id % GP_LANES;
    for (uint i = id; i < GP_BINS * GP_LANES; i += GP_GROUP) counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    in += in_offset;
    const ulong head = min(n, (ulong)(-(size_t)in & 15)); // bytes before the first whole vector
    const ulong vectors = (n - head) / 16;
    global const uint4 *from = (global const uint4 *)(in + head);
    const ulong step = get_num_groups(0) * GP_GROUP * GP_AT_ONCE;
    for (ulong first = get_group_id(0) * GP_GROUP * GP_AT_ONCE; first < vectors; first += step) {
        uint4 x[GP_AT_ONCE];
        if (first + GP_GROUP * GP_AT_ONCE <= vectors) {
#pragma unroll
            for (uint v = 0; v < GP_AT_ONCE; ++v) x[v] = from[first + v * GP_GROUP + id];
#pragma unroll
            for (uint v = 0; v < GP_AT_ONCE; ++v) {
                GP_COUNT(x[v].x);
                GP_COUNT(x[v].y);
                GP_COUNT(x[v].z);
                GP_COUNT(x[v].w);
            }
        } else {
            for (ulong i = first + id; i < vectors; i += GP_GROUP) {
                const uint4 one = from[i];
                GP_COUNT(one.x);
                GP_COUNT(one.y);
                GP_COUNT(one.z);
                GP_COUNT(one.w);
            }
        }
    }
    if (get_group_id(0) == 0) { // what is left at both ends
        const ulong tail = head + 16 * vectors;
        if (id < head) atomic_inc(&column[in[id] * GP_LANES]);
        if (tail + id < n && id < 16) atomic_inc(&column[in[tail + id] * GP_LANES]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint bin = id; bin < GP_BINS; bin += GP_GROUP) {
        uint sum = 0;
        for (uint lane = 0; lane < GP_LANES; ++lane) sum += counts[bin * GP_LANES + (lane + id) % GP_LANES];
        partial[partial_offset + bin * get_num_groups(0) + get_group_id(0)] = sum;
    }
}

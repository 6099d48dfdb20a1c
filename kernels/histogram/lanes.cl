// Histogram for GPUs: a counter for each pair of bin and lane, so that no two lanes of a warp ever
// meet in a memory bank, whatever the data.
//
// One launch: counters.cl. Vectors of 16 bytes are loaded GP_AT_ONCE together. What lies before the
// first multiple of 16 bytes and after the last is the first work-group's.
//
// Macros: GP_GROUP, work-items of a work-group, a multiple of 32; GP_AT_ONCE; those of counted.cl
// Launch: work-groups of GP_GROUP work-items. `state` holds zeros, and does so again in the end:
//         256 uints, then one. It adds to what `counts` holds where `adds`. At most 2^31 bytes
// Source: Podlozhnyuk, "Histogram Calculation in CUDA", 2007; a column of counters a lane is our
//         own choice
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "histogram/counters.cl"

#define GP_BINS 256
#define GP_LANES 32

// Counts the four bytes of a word: the counter of bin b and this lane lies at b * GP_LANES + lane.
#define GP_COUNT(word)                                                                                                 \
    atomic_inc(&column[((word) << 5) & 0x1fe0]);                                                                       \
    atomic_inc(&column[((word) >> 3) & 0x1fe0]);                                                                       \
    atomic_inc(&column[((word) >> 11) & 0x1fe0]);                                                                      \
    atomic_inc(&column[((word) >> 19) & 0x1fe0])

void gp_count_vector(uint4 x, local uint *column) {
    GP_COUNT(x.x);
    GP_COUNT(x.y);
    GP_COUNT(x.z);
    GP_COUNT(x.w);
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
histogram_lanes(global const uchar *in, ulong in_offset, volatile global uint *state, ulong state_offset,
                global ulong *counts, ulong counts_offset, ulong n, uint adds GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local uint counters[GP_BINS * GP_LANES];
    const uint id = (uint)get_local_id(0);
    local uint *column = counters + id % GP_LANES;
    gp_clear_counters(counters, GP_BINS * GP_LANES);

    in += in_offset;
    const uint head = (uint)min(n, (ulong)(-(size_t)in & 15)); // bytes before the first whole vector
    const uint vectors = (uint)((n - head) / 16);
    global const uint4 *from = (global const uint4 *)(in + head);
    const uint step = (uint)get_num_groups(0) * GP_GROUP;
    uint i = (uint)get_group_id(0) * GP_GROUP + id;
    for (; i + (GP_AT_ONCE - 1) * step < vectors; i += GP_AT_ONCE * step) {
        uint4 x[GP_AT_ONCE];
#pragma unroll
        for (uint v = 0; v < GP_AT_ONCE; ++v) x[v] = from[i + v * step];
#pragma unroll
        for (uint v = 0; v < GP_AT_ONCE; ++v) gp_count_vector(x[v], column);
    }
    for (; i < vectors; i += step) gp_count_vector(from[i], column);
    if (get_group_id(0) == 0) { // what is left at both ends
        const ulong tail = head + 16ul * vectors;
        if (id < head) atomic_inc(&column[in[id] * GP_LANES]);
        if (tail + id < n && id < 16) atomic_inc(&column[in[tail + id] * GP_LANES]);
    }
    state += state_offset;
    gp_end_counts(counters, GP_BINS, GP_LANES, state, state + GP_BINS, (uint)get_num_groups(0), counts + counts_offset,
                  adds);
}

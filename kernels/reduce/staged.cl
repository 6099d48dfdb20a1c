// Reduction in one launch whose tiles are copied ahead. Each work-group combines a run of
// consecutive tiles. The last work-group to end combines the sums of all.
//
// Macros: those of stages.cl and counted.cl
// Launch: work-groups of GP_GROUP work-items, GP_GROUP of them at most, and as many `sums`. `ended`
//         is zero, and is zero again in the end. A single work-group needs neither
// Source: Harris, "Optimizing Parallel Reduction in CUDA", 2007; the stages are our own
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "common/stages.cl"
#include "device/fence.cl"

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
reduce_staged(global const T *in, ulong in_offset, global T *out, ulong out_offset, volatile global T *sums,
              ulong sums_offset, volatile global uint *ended, ulong ended_offset, ulong n GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local T stages[GP_STAGES][GP_TILE] __attribute__((aligned(128)));
    local Warps warps[2];
    local ulong arrived[GP_STAGES];
    local uint last;
    const uint id = (uint)get_local_id(0), groups = (uint)get_num_groups(0);
    const ulong tiles = (n + GP_TILE - 1) / GP_TILE;
    const ulong first = get_group_id(0) * tiles / groups, end = (get_group_id(0) + 1) * tiles / groups;
    const Source source = {in + in_offset, n, 0};
    sums += sums_offset;
    ended += ended_offset;
    if (id == 0) {
        for (uint s = 0; s < GP_STAGES; ++s) {
            gp_bulk_begin(&arrived[s]);
            if (first + s < end) begin_tile(stages[s], &arrived[s], &source, first + s);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    T all = GP_ZERO;
    uint stage = 0, phase = 0;
    for (ulong tile = first; tile < end; ++tile) {
        T sum;
        wait_for_tile(stages[stage], &arrived[stage], phase, &source, tile);
        combine_tile(stages[stage], 0, &sum, &warps[tile % 2]);
        if (tile == first)
            all = sum;
        else
            all = GP_COMBINE(all, sum);
        // The barrier within came after everyone had used what they read.
        if (id == 0 && tile + GP_STAGES < end) begin_tile(stages[stage], &arrived[stage], &source, tile + GP_STAGES);
        stage = stage + 1 < GP_STAGES ? stage + 1 : 0;
        phase ^= stage == 0;
    }
    if (groups == 1) {
        if (id == 0) out[out_offset] = all;
        return;
    }
    if (id == 0) {
        sums[get_group_id(0)] = all;
        gp_fence_device();
        last = atomic_inc(ended) == groups - 1;
        gp_fence_device();
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (!last) return;
    const T mine = id < groups ? sums[id] : GP_ZERO, sum = gp_combine_group(mine, &warps[0]);
    if (id == 0) {
        out[out_offset] = sum;
        *ended = 0;
    }
}

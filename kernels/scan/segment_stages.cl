// The parts and the scan of tiles that lie in stages.
//
// Macros: those of stages.cl, segment_items.cl and segment_sums.cl
// Needs:  as segment_sums.cl; Segments has `rows` and GP_INITIAL_FIELDS
// Gives:  combine_stage, scan_stage; what segment_sums.cl does
// SPDX-License-Identifier: MIT
#include "common/stages.cl"
#include "scan/segment_items.cl"
#include "scan/segment_sums.cl"

// Returns what comes before this work-item's elements in the tile, and in *sum the tile's part.
Part combine_stage(local const T *stage, Heads heads, const Segments *segments, uint reverse, Part *sum,
                   local PartWarps *warps) {
    GP_USE_INITIAL(segments)
    T all = GP_ZERO;
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) {
        T x[GP_WIDTH];
        take_vector(x, stage, v, reverse);
#pragma unroll
        for (uint i = 0; i < GP_WIDTH; ++i) GP_ADD_ITEM(all, heads, &segments->rows, v * GP_WIDTH + i, x[i]);
    }
    return gp_scan_parts(part_of(all, &heads), sum, warps);
}

// Puts this work-item's results in place of its elements; `running` is what comes before them.
void scan_stage(local T *stage, T running, Heads heads, const Segments *segments, uint exclusive,
                uint reverse GP_CARRY_PARAMETERS) {
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) {
        T x[GP_WIDTH];
        take_vector(x, stage, v, reverse);
#pragma unroll
        for (uint i = 0; i < GP_WIDTH; ++i)
            GP_SCAN_ITEM(running, heads, &segments->rows, v * GP_WIDTH + i, x[i], exclusive);
        put_vector(stage, v, reverse, x);
    }
}

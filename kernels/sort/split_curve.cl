// For split.cl where keys are floating-point numbers, whose leading digits are uneven: samples tell
// the curve by which they become places (curve.cl).
//
// Computes: sort_split_range: the range of the samples; sort_split_cells: how many of them each
//           cell has; sort_split_curve: the curve
// Macros:   those of keys.cl, floating-point keys; GP_GROUP, 1024, work-items of a work-group
// Launch:   sort_split_range and sort_split_cells: any number of work-groups; sort_split_curve:
//           one. `state` is that of split_state.cl, filled with zeros before
// SPDX-License-Identifier: MIT
#include "common/group_scan.cl"
#include "sort/split_state.cl"

#ifndef GP_GROUP
#error "GP_GROUP must be defined: work-group size"
#endif

// Of n keys 2^bits samples, one for each 32 to 64; of few keys all, some of them often. A work-item
// looks at GP_LOADS of them at once.
#define GP_LOADS 8
#define GP_EACH_SAMPLES                                                                                                \
    const uint bits = max(31 - (uint)clz(max(n / 32, 1u)), 16u), step = GP_LOADS * (uint)get_global_size(0);           \
    for (uint first = (uint)get_global_id(0); first >> bits == 0; first += step)
#define GP_BRING_SAMPLES                                                                                               \
    Key mine[GP_LOADS];                                                                                                \
    _Pragma("unroll") for (uint k = 0; k < GP_LOADS; ++k) mine[k] =                                                    \
        keys[(ulong)min(first + k * (uint)get_global_size(0), (1u << bits) - 1) * n >> bits];

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
sort_split_range(uint n, global const Key *keys, ulong keys_offset, global uint *state, ulong state_offset) {
    local uint below, greatest;
    const uint id = (uint)get_local_id(0);
    keys += keys_offset;
    state += state_offset + GP_CURVE_BEGIN;
    if (id == 0) below = greatest = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint least = 0xffffffff, most = 0;
    GP_EACH_SAMPLES {
        GP_BRING_SAMPLES
#pragma unroll
        for (uint k = 0; k < GP_LOADS; ++k) {
            if ((mine[k] & ~GP_SIGN) >= GP_INFINITY) continue;
            least = min(least, gp_code_of(gp_number(mine[k])));
            most = max(most, gp_code_of(gp_number(mine[k])));
        }
    }
    if (most != 0 && ~least > below) atomic_max(&below, ~least);
    if (most > greatest) atomic_max(&greatest, most);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) {
        atomic_max(&state[GP_BELOW], below);
        atomic_max(&state[GP_GREATEST], greatest);
    }
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
sort_split_cells(uint n, global const Key *keys, ulong keys_offset, global uint *state, ulong state_offset) {
    local uint counts[GP_CURVE_CELLS];
    const uint id = (uint)get_local_id(0);
    keys += keys_offset;
    state += state_offset + GP_CURVE_BEGIN;
    float low, scale;
    gp_find_range(state, &low, &scale);
    for (uint i = id; i < GP_CURVE_CELLS; i += GP_GROUP) counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    GP_EACH_SAMPLES {
        GP_BRING_SAMPLES
#pragma unroll
        for (uint k = 0; k < GP_LOADS; ++k)
            if ((first + k * (uint)get_global_size(0)) >> bits == 0 && !gp_is_nan(mine[k]))
                atomic_inc(&counts[gp_cell(mine[k], low, scale) >> (32 - GP_CURVE_BITS)]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = id; i < GP_CURVE_CELLS; i += GP_GROUP)
        if (counts[i] != 0) atomic_add(&state[GP_CELL_COUNTS + i], counts[i]);
}

GP_DEFINE_GROUP_SCAN(gp_sum_items, uint, GP_PLUS)

// The share that a cell is given: its samples, and what may have been missed by chance.
#define GP_SHARE(count) ((count) + (uint)(2 * sqrt((float)(count))) + 8)

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void sort_split_curve(global uint *state,
                                                                                   ulong state_offset) {
    local uint room[2 * GP_GROUP], all;
    const uint id = (uint)get_local_id(0), each = GP_CURVE_CELLS / GP_GROUP;
    state += state_offset + GP_CURVE_BEGIN;
    if (id == 0) {
        float low, scale;
        gp_find_range(state, &low, &scale);
        state[GP_SCALE] = as_uint(scale);
    }
    uint mine = 0;
    for (uint i = id * each; i < (id + 1) * each; ++i) mine += GP_SHARE(state[GP_CELL_COUNTS + i]);
    uint sum = mine;
    gp_sum_items(&sum, GP_GROUP, room);
    if (id == GP_GROUP - 1) all = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong before = sum - mine;
    for (uint i = id * each; i < (id + 1) * each; ++i) {
        const ulong end = before + GP_SHARE(state[GP_CELL_COUNTS + i]);
        const ulong first_place = (before << 32) / all, last_place = (end << 32) / all;
        vstore2((uint2)((uint)first_place, (uint)(last_place - first_place)), i, state + GP_CURVE_AT);
        before = end;
    }
}

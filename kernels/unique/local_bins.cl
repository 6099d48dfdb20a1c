// Distinct elements of an array that one work-group sorts, in one launch.
//
// Computes: the elements are sorted in bins in local memory (sort/bins.cl). An element that differs
//           from the one before begins a run; a sum over the work-group tells how many runs begin
//           before. Of each of the first `capacity` runs, as far as `wanted` says so: values, its
//           element that comes first; firsts, where that was; counts, its elements. inverse[i] is
//           the run of element i, count the number of runs.
// Macros:   those of bins.cl; GP_STABLE is 1 where positions are wanted, and of floats, since the
//           value of a run is the first of its zeros or NaN; GP_ITEMS is 8 at most;
//           GP_RESULT, uint or ulong, the type of counts and positions
// Launch:   one work-group of GP_GROUP; n is at most GP_GROUP * GP_ITEMS, and `bound` says how many
//           of them there are, if `bounded`
// Source:   as sort/local_bins.cl
// SPDX-License-Identifier: MIT
#define From ushort
#include "sort/bins.cl"

#include "common/differs.cl"

#ifndef GP_RESULT
#error "GP_RESULT must be defined: uint or ulong"
#endif
#if GP_ITEMS > 8
#error "the bins must have room for where runs begin"
#endif
typedef GP_RESULT Result;

// As runs/runs.cl has them, and one more.
#define GP_VALUES_WANTED 1
#define GP_COUNTS_WANTED 2
#define GP_FIRSTS_WANTED 4
#define GP_INVERSE_WANTED 8

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
unique_local_bins(uint n, ulong flip, global const Key *in, ulong in_offset, global const ulong *bound,
                  ulong bound_offset, uint bounded, uint wanted, uint capacity, global Key *values, ulong values_offset,
                  global Result *counts, ulong counts_offset, global Result *firsts, ulong firsts_offset,
                  global Result *inverse, ulong inverse_offset, global ulong *count, ulong count_offset) {
    local Local room;
    const uint id = (uint)get_local_id(0);
    in += in_offset;
    values += values_offset;
    counts += counts_offset;
    firsts += firsts_offset;
    inverse += inverse_offset;
    count += count_offset;
    if (bounded) n = (uint)min((ulong)n, bound[bound_offset]);
    if (n == 0) {
        if (id == 0) *count = 0;
        return;
    }
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const uint i = k * GP_GROUP + id;
        if (i >= n) continue;
        room.keys[i] = in[i];
#if GP_STABLE
        room.from[i] = (ushort)i;
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    sort_part(0, n, 0, 1, (Key)flip, ~(Key)0, 0, &room);

    // This work-item's elements follow each other.
    const uint first = id * GP_ITEMS;
    Key mine[GP_ITEMS], before = room.keys[max(min(first, n), 1u) - 1];
    uint begins = 0; // a bit for each of them that begins a run
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        mine[k] = room.keys[min(first + k, n - 1)];
        const uint differs = first + k == 0 ? 1 : gp_differs(before, mine[k]);
        begins |= (first + k < n ? differs : 0) << k;
        before = mine[k];
    }
    uint run = gp_sum_before(popcount(begins), &room);
    if (id == GP_GROUP - 1) {
        room.crowded = run + popcount(begins); // all of them
        *count = room.crowded;
    }
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const uint i = first + k;
        if (i >= n) continue;
        const bool begins_here = begins >> k & 1;
        run += begins_here ? 1 : 0;
#if GP_STABLE
        const uint from = room.from[i];
#else
        const uint from = i;
#endif
        if (begins_here) {
            room.bins[run - 1] = i;
            if (run <= capacity) {
                if (wanted & GP_VALUES_WANTED) values[run - 1] = mine[k];
                if (wanted & GP_FIRSTS_WANTED) firsts[run - 1] = from;
            }
        }
        if (wanted & GP_INVERSE_WANTED) inverse[from] = run - 1;
    }
    if (!(wanted & GP_COUNTS_WANTED)) return;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint runs = room.crowded;
    for (uint r = id; r < min(runs, capacity); r += GP_GROUP)
        counts[r] = (r + 1 < runs ? room.bins[r + 1] : n) - room.bins[r];
}

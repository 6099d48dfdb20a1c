// Counters in local memory, and how work-groups add theirs up within one launch.
//
// The counter of bin b and copy c is counters[b * copies + c], where `copies` is a power of two.
// Neighbouring work-items use different copies, which lie in different banks.
//
// Macros: GP_GROUP, the work-group size; GP_AT_ONCE, vectors of 16 bytes that a work-item loads
//         together
// Gives:  gp_clear_counters, gp_end_counts, GP_LOAD
// Source: Podlozhnyuk, "Histogram Calculation in CUDA", 2007; Gomez-Luna et al., "An Optimized
//         Approach to Histogram Computation on GPU", 2013 (copies side by side)
// SPDX-License-Identifier: MIT
#include "common/last_group.cl"

#if !defined(GP_GROUP) || !defined(GP_AT_ONCE)
#error "GP_GROUP and GP_AT_ONCE must be defined"
#endif

// Loads x[v], the vectors from i on that are `step` apart; `otherwise` where there is none.
#define GP_LOAD(x, from, i, step, vectors, otherwise)                                                                  \
    _Pragma("unroll") for (uint v = 0; v < GP_AT_ONCE; ++v) x[v] =                                                     \
        (i) + v * (step) < (vectors) ? (from)[(i) + v * (step)] : (otherwise)

void gp_clear_counters(local uint *counters, uint words) {
    for (uint i = (uint)get_local_id(0); i < words; i += GP_GROUP) counters[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Called by all work-items of a work-group when they have counted. counts[b], b < size, becomes the
// sum over all copies of `sharers` work-groups, or grows by it where `adds`. Totals and *ended hold
// zeros, and do so again when the last of the sharers returns; a single one needs neither.
void gp_end_counts(local uint *counters, uint size, uint copies, volatile global uint *totals,
                   volatile global uint *ended, uint sharers, global ulong *counts, uint adds) {
    const uint id = (uint)get_local_id(0);
    uint slices = copies; // work-items that sum up one bin
    while (slices > 1 && slices * size > GP_GROUP) slices /= 2;
    const uint each = copies / slices;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (each > 1) {
        for (uint i = id; i < size * slices; i += GP_GROUP) {
            uint sum = 0; // neighbours begin in different banks
            for (uint k = 0; k < each; ++k) sum += counters[i * each + (k + i * each / 32) % each];
            counters[i * each] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint bin = id; bin < size; bin += GP_GROUP) {
        uint sum = 0;
        for (uint k = 0; k < slices; ++k) sum += counters[bin * copies + (k + bin) % slices * each];
        if (sharers == 1)
            counts[bin] = (adds ? counts[bin] : 0) + sum;
        else if (sum != 0)
            atomic_add(&totals[bin], sum);
    }
    if (sharers == 1 || !gp_is_last(ended, sharers, counters)) return;
    for (uint first = id; first < size; first += 4 * GP_GROUP) { // several loads at a time
        uint sums[4];
#pragma unroll
        for (uint k = 0; k < 4; ++k) {
            const uint bin = first + k * GP_GROUP;
            sums[k] = bin < size ? gp_look_uint(&totals[bin]) : 0;
        }
#pragma unroll
        for (uint k = 0; k < 4; ++k) {
            const uint bin = first + k * GP_GROUP;
            if (bin >= size) break;
            counts[bin] = (adds ? counts[bin] : 0) + sums[k];
            gp_publish_uint(&totals[bin], 0);
        }
    }
}

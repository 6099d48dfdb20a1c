// Histogram of weights or of pairs for GPUs where local memory does not hold the sums.
//
// Macros: those of totals.cl, with GP_TOTALS 2 for weights of 32 bits and 3 for those of 64;
//         GP_SMALL: counts of pairs fit 32 bits
// Launch: histogram_weighted_global with any number of work-items: the window puts the greatest
//         weights `target` places above its first, and ends at `limit`, so that no total leaves its
//         64 bits; `state` holds zeros (totals.cl; without weights, a count a cell). Then
//         histogram_weighted_results with a work-item a cell at least, after which `state` holds
//         zeros again
// Source: sums.cl's
// SPDX-License-Identifier: MIT
#include "histogram_weighted/totals.cl"

#include "common/last_group.cl"

#ifdef GP_SMALL
#define Total uint
#else
#define Total ulong
#endif

#if GP_WEIGHT != 0
// Adds a number to the totals of a cell, if it is in the window. Each 32 bits go to the total of
// their places, the rest to the highest one.
bool gp_add_to_totals(volatile global ulong *totals, uint cells, Number x, uint base, uint limit) {
    const uint off = x.place - base; // huge below the window
    if (off >= limit) return false;
    const uint shift = off % 32;
    const ulong low = ((ulong)x.digits & 0xffffffff) << shift;
    const ulong rest = ((ulong)(x.digits >> (4 * GP_WEIGHT)) >> (32 - 4 * GP_WEIGHT) << shift) + (low >> 32);
#if GP_WEIGHT == 4
    if (off < 32) {
        gp_add_total(totals, low & 0xffffffff, x.negative);
        gp_add_total(totals + cells, rest, x.negative);
    } else {
        gp_add_total(totals + cells, low, x.negative);
    }
#else
    if (off < 32) {
        gp_add_total(totals, low & 0xffffffff, x.negative);
        gp_add_total(totals + cells, rest & 0xffffffff, x.negative);
        gp_add_total(totals + 2 * (ulong)cells, rest >> 32, x.negative);
    } else {
        gp_add_total(totals + cells, low & 0xffffffff, x.negative);
        gp_add_total(totals + 2 * (ulong)cells, rest, x.negative);
    }
#endif
    return true;
}
#endif

kernel void histogram_weighted_global(GP_AXES, volatile global Total *state, ulong state_offset, ulong n, uint cells,
                                      uint target, uint limit GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    x += x_offset;
    weights += weights_offset;
    state += state_offset;
    GP_BEGIN_AXIS(x, x_table + x_table_offset);
#ifdef GP_TWO
    y += y_offset;
    GP_BEGIN_AXIS(y, y_table + y_table_offset);
#endif
#if GP_WEIGHT != 0
    local uint greatest;
    const State s = gp_state(state, cells);
    const uint base = gp_window(weights, n, target, &greatest);
    if (get_global_id(0) == 0) gp_publish_uint(s.base, base);
    limit = gp_limit(limit, base);
    bool outlies = false;
#endif
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        const uint cell = GP_CELL_OF(x[i], y[i]);
        if (cell == GP_NONE) continue;
#ifdef GP_SMALL
        atomic_inc(state + cell);
#elif GP_WEIGHT == 0
        gp_add_ulong(state + cell, 1);
#else
        const Number weight = gp_number(weights[i]);
        if (weight.digits == 0 || gp_add_to_totals(s.totals + cell, cells, weight, base, limit)) continue;
        gp_add_outlier(s, cell, weight);
        outlies = true;
#endif
    }
#if GP_WEIGHT != 0
    if (outlies) gp_publish_uint(s.used, 1);
#endif
}

kernel void histogram_weighted_results(volatile global Total *state, ulong state_offset, global Result *sums,
                                       ulong sums_offset, uint cells) {
    const uint cell = (uint)get_global_id(0);
#if GP_WEIGHT == 0
    if (cell >= cells) return;
    sums[sums_offset + cell] = state[state_offset + cell];
    state[state_offset + cell] = 0;
#else
    local uint last;
    const State s = gp_state(state + state_offset, cells);
    const uint base = gp_look_uint(s.base);
    const bool used = gp_look_uint(s.used) != 0;
    if (cell < cells) sums[sums_offset + cell] = gp_take_result(s, cells, cell, base, used);
    if (!gp_is_last(s.ended, (uint)get_num_groups(0), &last) || get_local_id(0) != 0) return;
    gp_publish_uint(s.base, 0);
    gp_publish_uint(s.used, 0);
#endif
}

// Histogram of weights or of pairs for GPUs, with the sums of a work-group in local memory, in as
// many copies as that holds; neighbouring work-items use different copies. The work-group that ends
// last makes the results of the sums of all.
//
// Macros: those of sums.cl but for GP_SPACE, GP_TABLE and GP_COUNT_WORDS; GP_GROUP, the work-group
//         size; GP_ROOM, words of local memory; GP_AT_ONCE, elements that a work-item loads together
// Launch: work-groups of GP_GROUP work-items, so many that none takes 2^32 elements. The tables and
//         copies * cells * GP_STRIDE words fit GP_ROOM. `state` holds zeros, and does so again in the
//         end: two uints a word of a cell, then one
// Source: sums.cl's; Gomez-Luna et al., "An Optimized Approach to Histogram Computation on GPU", 2013
//         (copies)
// SPDX-License-Identifier: MIT
#define GP_SPACE local
#define GP_TABLE local
#define GP_COUNT_WORDS 1
#include "histogram_weighted/sums.cl"

#include "common/last_group.cl"

#if !defined(GP_GROUP) || !defined(GP_ROOM) || !defined(GP_AT_ONCE)
#error "GP_GROUP, GP_ROOM and GP_AT_ONCE must be defined"
#endif

#define GP_TILE ((ulong)GP_GROUP * GP_AT_ONCE)
#if GP_WEIGHT == 0
#define GP_WEIGHT_OF(i) 0
#else
#define GP_WEIGHT_OF(i) weights[i]
#endif

// Adds to a sum of two words.
void gp_add_total(volatile global uint *total, ulong more) {
    const uint low = (uint)more, before = atomic_add(total, low);
    const uint high = (uint)(more >> 32) + (before + low < before ? 1 : 0);
    if (high != 0) atomic_add(total + 1, high);
}

// A sum of two words.
long gp_look_total(volatile global uint *total) {
    const uint low = gp_look_uint(total), high = gp_look_uint(total + 1);
    return (long)((ulong)high << 32 | low);
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
histogram_weighted_local(GP_AXES, volatile global uint *state, ulong state_offset, global Result *sums,
                         ulong sums_offset, ulong n, uint cells, uint copies) {
    local ulong room[GP_ROOM / 2];
#ifdef GP_PLACES
    local uint *words = (local uint *)room;
#else
    local Key *lows_x = (local Key *)room, *lows_y = lows_x + x_reach;
    local uint *words = (local uint *)room + ((x_reach + y_reach) * GP_KEY_BYTES + 3) / 4;
    for (uint i = (uint)get_local_id(0); i < x_reach; i += GP_GROUP) lows_x[i] = x_table[x_table_offset + i];
    for (uint i = (uint)get_local_id(0); i < y_reach; i += GP_GROUP) lows_y[i] = y_table[y_table_offset + i];
#endif
    const uint id = (uint)get_local_id(0), size = cells * GP_STRIDE;
    GP_BEGIN_AXIS(x, lows_x);
    x += x_offset;
    weights += weights_offset;
#ifdef GP_TWO
    GP_BEGIN_AXIS(y, lows_y);
    y += y_offset;
#endif
    for (uint i = id; i < size * copies; i += GP_GROUP) words[i] = GP_BIAS;
    barrier(CLK_LOCAL_MEM_FENCE);

    local uint *mine = words + id % copies * GP_STRIDE;
    const ulong tiles = n / GP_TILE;
    for (ulong tile = get_group_id(0); tile < tiles; tile += get_num_groups(0)) {
        const ulong from = tile * GP_TILE + id;
        Key x_bits[GP_AT_ONCE], y_bits[GP_AT_ONCE];
        Weight weight[GP_AT_ONCE];
#pragma unroll
        for (uint k = 0; k < GP_AT_ONCE; ++k) {
            x_bits[k] = x[from + k * GP_GROUP];
#ifdef GP_TWO
            y_bits[k] = y[from + k * GP_GROUP];
#endif
            weight[k] = GP_WEIGHT_OF(from + k * GP_GROUP);
        }
#pragma unroll
        for (uint k = 0; k < GP_AT_ONCE; ++k) {
            const uint cell = GP_CELL_OF(x_bits[k], y_bits[k]);
            if (cell != GP_NONE) gp_add_weight(mine + cell * copies * GP_STRIDE, weight[k]);
        }
    }
    if (tiles % get_num_groups(0) == get_group_id(0)) { // what is left
        for (ulong i = tiles * GP_TILE + id; i < n; i += GP_GROUP) {
            const uint cell = GP_CELL_OF(x[i], y[i]);
            if (cell != GP_NONE) gp_add_weight(mine + cell * copies * GP_STRIDE, GP_WEIGHT_OF(i));
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    state += state_offset;
    for (uint i = id; i < size; i += GP_GROUP) {
        const uint cell = i / GP_STRIDE, j = i - cell * GP_STRIDE;
        local const uint *from = words + cell * copies * GP_STRIDE + j;
        if (j < GP_WORDS) {
            long sum = 0; // neighbours begin with different copies
            for (uint copy = 0; copy < copies; ++copy) sum += (long)from[(copy + cell) % copies * GP_STRIDE] - GP_BIAS;
            if (sum != 0) gp_add_total(state + 2 * i, (ulong)sum);
        } else if (j == GP_WORDS) {
            uint met = 0;
            for (uint copy = 0; copy < copies; ++copy) met |= from[copy * GP_STRIDE] & 7;
            if (met != 0) atomic_or(&state[2 * i], met);
        }
    }
    if (!gp_is_last(state + 2 * size, get_num_groups(0), (local uint *)room)) return;

    for (uint cell = id; cell < cells; cell += GP_GROUP) {
        volatile global uint *of_cell = state + 2 * cell * GP_STRIDE;
#if GP_WEIGHT == 0
        sums[sums_offset + cell] = (ulong)gp_look_total(of_cell);
#else
        uint digits[GP_WORDS], highs[GP_WORDS]; // all loads before the first sum
#pragma unroll
        for (uint j = 0; j < GP_WORDS; ++j) {
            digits[j] = gp_look_uint(of_cell + 2 * j);
            highs[j] = gp_look_uint(of_cell + 2 * j + 1);
        }
        const uint met = gp_look_uint(of_cell + 2 * GP_WORDS);
        long sum = 0; // of a word, and what goes to it
        for (uint j = 0; j < GP_WORDS; ++j) {
            sum += (long)((ulong)highs[j] << 32 | digits[j]);
            digits[j] = (uint)sum;
            sum >>= 32;
        }
        sums[sums_offset + cell] = gp_rounded(digits, met);
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint i = id; i < 2 * size; i += GP_GROUP) gp_publish_uint(state + i, 0);
}

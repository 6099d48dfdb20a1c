// Histogram of weights or of pairs for GPUs, with the sums of a work-group in local memory, in as
// many copies as that holds; neighbouring work-items use different copies. The work-group that ends
// last makes the results of the sums of all.
//
// Of the window of totals.cl a copy has one word of 32 bits more than there are totals, which count
// as signed: word j of a cell's copy is at j * cells * copies + cell * copies + copy. The greatest
// weights fill most of a word's bits, so that one addition does for a weight of like magnitude, and
// seldom a second one.
//
// Macros: those of totals.cl; GP_GROUP, the work-group size; GP_ROOM, words of local memory;
//         GP_AT_ONCE, elements that a work-item loads together
// Launch: work-groups of GP_GROUP work-items, so many that none takes 2^32 elements. The tables,
//         the copies, a power of two, and a word fit GP_ROOM. The window puts the greatest weights `target` places above its first,
//         and ends at `limit`, so that no total leaves its 64 bits. `state` holds zeros, and does so
//         again in the end (totals.cl)
// Source: sums.cl's; Gomez-Luna et al., "An Optimized Approach to Histogram Computation on GPU", 2013
//         (copies)
// SPDX-License-Identifier: MIT
#define GP_TABLE local
#include "histogram_weighted/totals.cl"

#include "common/last_group.cl"

#if !defined(GP_GROUP) || !defined(GP_ROOM) || !defined(GP_AT_ONCE)
#error "GP_GROUP, GP_ROOM and GP_AT_ONCE must be defined"
#endif

#define GP_TILE ((ulong)GP_GROUP * GP_AT_ONCE)
#ifdef GP_TWO
#define GP_Y_OF(i) y[i]
#else
#define GP_Y_OF(i) 0
#endif
#if GP_WEIGHT == 0
#define GP_WEIGHT_OF(i) 0
#define GP_LOCAL_WORDS 1
#else
#define GP_WEIGHT_OF(i) weights[i]
#define GP_LOCAL_WORDS (GP_TOTALS + 1)

// Adds to a word, or takes away where `negative`; returns what goes to the next, 0 or 1.
uint gp_add_word(volatile local uint *word, uint more, bool negative) {
    const uint change = negative ? -more : more, before = atomic_add(word, change);
    return gp_carries(before, before + change, negative) ? 1 : 0;
}

// Adds to words that are `size` apart, from word `at` on, until nothing goes on. There are GP_TOTALS + 1.
void gp_add_more(local uint *words, uint size, uint at, ulong more, bool negative) {
    for (; more != 0 && at <= GP_TOTALS; ++at) {
        const uint goes_on = (uint)more != 0 ? gp_add_word(words + at * size, (uint)more, negative) : 0;
        more = (more >> 32) + goes_on;
    }
}

// Adds the weight of these bits, if it is in the window; zero is. What most weights need comes first.
bool gp_add_in_window(local uint *words, uint size, Weight bits, uint base, uint limit) {
    const Weight magnitude = bits & ~((Weight)1 << (8 * GP_WEIGHT - 1));
    const uint exponent = (uint)(magnitude >> (GP_DIGITS - 1));
    const uint off = max(exponent, 1u) - 1 - base; // huge below the window
    if (off >= limit) return magnitude == 0;
    const Weight digits = (magnitude & GP_FRACTION) + (exponent != 0 ? GP_FRACTION + 1 : 0);
    const bool negative = magnitude != bits;
    const uint shift = off % 32, at = off / 32;
    const ulong low = ((ulong)digits & 0xffffffff) << shift;
    ulong high = ((ulong)(digits >> (4 * GP_WEIGHT)) >> (32 - 4 * GP_WEIGHT) << shift) + (low >> 32);
    if ((uint)low != 0) high += gp_add_word(words + at * size, (uint)low, negative);
#if GP_WEIGHT == 8
    uint goes_on = 0;
    if ((uint)high != 0) goes_on = gp_add_word(words + (at + 1) * size, (uint)high, negative);
    high = (high >> 32) + goes_on;
    if (high != 0) gp_add_more(words, size, at + 2, high, negative);
#else
    if (high != 0) gp_add_more(words, size, at + 1, high, negative);
#endif
    return true;
}
#endif

#if defined(GP_PLACES) && GP_KEY_BYTES == 4 && !defined(GP_TWO)
#define GP_GUESSES // bins in two steps, the second for few elements
#endif

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
histogram_weighted_local(GP_AXES, volatile global ulong *state, ulong state_offset, global Result *sums,
                         ulong sums_offset, ulong n, uint cells, uint copies, uint target, uint limit) {
    local ulong room[GP_ROOM / 2];
    local uint *common = (local uint *)room + GP_ROOM - 1;
#ifdef GP_PLACES
    local uint *words = (local uint *)room;
#else
    local Key *lows_x = (local Key *)room, *lows_y = lows_x + x_reach;
    local uint *words = (local uint *)room + ((x_reach + y_reach) * GP_KEY_BYTES + 3) / 4;
    for (uint i = (uint)get_local_id(0); i < x_reach; i += GP_GROUP) lows_x[i] = x_table[x_table_offset + i];
    for (uint i = (uint)get_local_id(0); i < y_reach; i += GP_GROUP) lows_y[i] = y_table[y_table_offset + i];
#endif
    const uint id = (uint)get_local_id(0), size = cells * copies;
    const State s = gp_state(state + state_offset, cells);
    GP_BEGIN_AXIS(x, lows_x);
    x += x_offset;
    weights += weights_offset;
#ifdef GP_TWO
    GP_BEGIN_AXIS(y, lows_y);
    y += y_offset;
#endif
    for (uint i = id; i < size * GP_LOCAL_WORDS; i += GP_GROUP) words[i] = 0;

    local uint *mine = words + (id & (copies - 1));
    const ulong tiles = n / GP_TILE;
    ulong tile = get_group_id(0);
    Key x_bits[GP_AT_ONCE], y_bits[GP_AT_ONCE];
    Weight weight[GP_AT_ONCE];
#define GP_LOAD_TILE                                                                                                   \
    _Pragma("unroll") for (uint k = 0; k < GP_AT_ONCE; ++k) {                                                          \
        const ulong i = tile * GP_TILE + k * GP_GROUP + id;                                                            \
        x_bits[k] = x[i];                                                                                              \
        y_bits[k] = GP_Y_OF(i);                                                                                        \
        weight[k] = GP_WEIGHT_OF(i);                                                                                   \
    }
    if (tile < tiles) GP_LOAD_TILE // meanwhile
#if GP_WEIGHT == 0
    const uint base = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#define GP_ADD(cell, bits) (atomic_inc(mine + (cell)*copies), true)
#else
    const uint base = gp_window(weights, n, target, common); // with a barrier for the words, too
    limit = gp_limit(limit, base);
    bool outlies = false;
#define GP_ADD(cell, bits) gp_add_in_window(mine + (cell)*copies, size, bits, base, limit)
#endif

    while (tile < tiles) {
        uint others = 0; // a bit for each element that is not in the window
#ifdef GP_GUESSES
        uint cell[GP_AT_ONCE];
        Real from[GP_AT_ONCE], farthest = 0;
#pragma unroll
        for (uint k = 0; k < GP_AT_ONCE; ++k) {
            cell[k] = gp_guess(x_bits[k], &x_places, &from[k]);
            farthest = fmax(farthest, fabs(from[k]));
        }
        if (farthest >= x_places.near) {
#pragma unroll
            for (uint k = 0; k < GP_AT_ONCE; ++k) cell[k] = gp_settle(cell[k], from[k], x_bits[k], &x_places);
        }
#pragma unroll
        for (uint k = 0; k < GP_AT_ONCE; ++k)
            if (cell[k] < cells && !GP_ADD(cell[k], weight[k])) others |= 1u << k;
#else
#pragma unroll
        for (uint k = 0; k < GP_AT_ONCE; ++k) {
            const uint cell = GP_CELL_OF(x_bits[k], y_bits[k]);
            if (cell != GP_NONE && !GP_ADD(cell, weight[k])) others |= 1u << k;
        }
#endif
#if GP_WEIGHT != 0
        if (others != 0) {
            outlies = true;
            for (uint k = 0; k < GP_AT_ONCE; ++k) {
                const ulong i = tile * GP_TILE + k * GP_GROUP + id;
                if (others >> k & 1) gp_add_outlier(s, GP_CELL_OF(x[i], y[i]), gp_number(weights[i]));
            }
        }
#endif
        tile += get_num_groups(0);
        if (tile < tiles) GP_LOAD_TILE
    }
    if (tiles % get_num_groups(0) == get_group_id(0)) { // what is left
        for (ulong i = tiles * GP_TILE + id; i < n; i += GP_GROUP) {
            const uint cell = GP_CELL_OF(x[i], y[i]);
            if (cell == GP_NONE || GP_ADD(cell, GP_WEIGHT_OF(i))) continue;
#if GP_WEIGHT != 0
            gp_add_outlier(s, cell, gp_number(weights[i]));
            outlies = true;
#endif
        }
    }
#if GP_WEIGHT != 0
    if (outlies) gp_publish_uint(s.used, 1);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint cell = id; cell < cells; cell += GP_GROUP) {
        local const uint *from = words + cell * copies;
#pragma unroll
        for (uint k = 0; k < GP_TOTALS; ++k) {
            long sum = 0; // neighbours begin with different copies
            for (uint j = 0; j < copies; ++j) {
                const uint copy = (j + cell) & (copies - 1);
#if GP_WEIGHT == 0
                sum += from[copy];
#else
                sum += (int)from[k * size + copy];
                if (k + 1 == GP_TOTALS) sum += (long)((ulong)from[(k + 1) * size + copy] << 32);
#endif
            }
            if (sum != 0) gp_add_ulong(s.totals + k * cells + cell, (ulong)sum);
        }
    }
    if (!gp_is_last(s.ended, (uint)get_num_groups(0), common)) return;

#if GP_WEIGHT == 0
    const bool used = false;
#else
    const bool used = gp_look_uint(s.used) != 0;
#endif
    for (uint cell = id; cell < cells; cell += GP_GROUP)
        sums[sums_offset + cell] = gp_take_result(s, cells, cell, base, used);
#if GP_WEIGHT != 0
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (id == 0 && used) gp_publish_uint(s.used, 0);
#endif
}

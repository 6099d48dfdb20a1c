// Histogram of weights or of pairs for GPUs, with the sums of a work-group in local memory, in as
// many copies as that holds; neighbouring work-items use different copies. The work-group that ends
// last makes the results of the sums of all.
//
// Of the window of totals.cl a copy has one word of 32 bits more than there are totals, which count
// as signed: word j of a cell's copy is at j * cells * copies + cell * copies + copy. The greatest
// weights fill most of a word's bits, so that one addition does for a weight of like magnitude, and
// seldom a second one.
//
// Macros: those of totals.cl, with GP_TOTALS 2 for weights of 32 bits and 3 for those of 64;
//         GP_GROUP, the work-group size; GP_ROOM, words of local memory; GP_AT_ONCE, elements that
//         a work-item loads together
// Launch: work-groups of GP_GROUP work-items, so many that none takes 2^32 elements. The tables,
//         the copies, a power of two, and a word fit GP_ROOM. The window puts the greatest weights
//         `target` places above its first, and ends at `limit`, so that no total leaves its 64
//         bits. `state` holds zeros, and does so again in the end (totals.cl)
// Source: sums.cl's; Gomez-Luna et al., "An Optimized Approach to Histogram Computation on GPU",
//         2013 (copies)
// SPDX-License-Identifier: MIT
#define GP_TABLE local
#include "histogram_weighted/totals.cl"

#include "common/last_group.cl"

#if !defined(GP_GROUP) || !defined(GP_ROOM) || !defined(GP_AT_ONCE)
#error "GP_GROUP, GP_ROOM and GP_AT_ONCE must be defined"
#endif

#define GP_TILE ((ulong)GP_GROUP * GP_AT_ONCE)
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

// An addition of which the lowest word is on its way.
typedef struct {
    local uint *words;
    ulong high; // what goes to the words above
    uint low, before;
    bool negative, ends_early;
} Addition;

// Begins to add a number to words that are `size` apart, if it is in the window.
bool gp_begin_addition(Addition *a, local uint *words, uint size, Number x, uint base, uint limit) {
    const uint off = x.place - base, shift = off % 32; // huge below the window
    if (off >= limit || x.met != 0) return false;
    const ulong low = ((ulong)x.digits & 0xffffffff) << shift;
    a->words = words + (off < 32 ? 0 : size);
    a->high = ((ulong)(x.digits >> (4 * GP_WEIGHT)) >> (32 - 4 * GP_WEIGHT) << shift) + (low >> 32);
    a->low = x.negative ? -(uint)low : (uint)low;
    a->negative = x.negative;
    a->ends_early = off >= 32; // where there is no word more
    a->before = 0;
    if (a->low != 0) a->before = atomic_add(a->words, a->low);
    return true;
}

void gp_end_addition(Addition a, uint size) {
    ulong high = a.high + (a.low != 0 && gp_carries(a.before, a.before + a.low, a.negative) ? 1 : 0);
#if GP_WEIGHT == 8
    a.words += size;
    const uint goes_on = (uint)high != 0 ? gp_add_word(a.words, (uint)high, a.negative) : 0;
    high = (high >> 32) + goes_on;
#endif
    if (high == 0) return;
    if (gp_add_word(a.words + size, (uint)high, a.negative) != 0 && !a.ends_early)
        gp_add_word(a.words + 2 * size, 1, a.negative);
}
#endif

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
histogram_weighted_local(GP_AXES, volatile global ulong *state, ulong state_offset, global Result *sums,
                         ulong sums_offset, ulong n, uint cells, uint copies, uint target,
                         uint limit GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
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
#if GP_WEIGHT == 0
    const uint base = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#define GP_ADD(cell, bits) atomic_inc(mine + (cell)*copies)
#else
    const uint base = gp_window(weights, n, target, common); // with a barrier for the words, too
    bool outlies = false;
#define GP_ADD(cell, bits)                                                                                             \
    {                                                                                                                  \
        const Number number = gp_number(bits);                                                                         \
        Addition a;                                                                                                    \
        if (number.digits == 0) {                                                                                      \
        } else if (gp_begin_addition(&a, mine + (cell)*copies, size, number, base, limit)) {                           \
            gp_end_addition(a, size);                                                                                  \
        } else {                                                                                                       \
            gp_add_outlier(s, cell, number);                                                                           \
            outlies = true;                                                                                            \
        }                                                                                                              \
    }
#endif

    local uint *mine = words + (id & (copies - 1));
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
            if (cell != GP_NONE) GP_ADD(cell, weight[k]);
        }
    }
    if (tiles % get_num_groups(0) == get_group_id(0)) { // what is left
        for (ulong i = tiles * GP_TILE + id; i < n; i += GP_GROUP) {
            const uint cell = GP_CELL_OF(x[i], y[i]);
            if (cell != GP_NONE) GP_ADD(cell, GP_WEIGHT_OF(i));
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

// One pass of a least-significant-digit radix sort in which a work-group sorts tiles in local
// memory; for GPUs.
//
// Computes: a stable reordering of n keys, and of their values, by the 8-bit digit at `shift`.
//           sort_tiles_count counts the digits of each run of tiles; sort_tiles_scan turns the
//           counts of each digit into starts within that digit, and sums them up;
//           sort_tiles_scatter sorts each tile in local memory, by the digit's lower and then its
//           upper half, and writes it as one piece for each digit.
// Macros:   those of keys.cl and counted.cl; GP_GROUP, the work-group size, a power of two from 16
//           to 256; GP_ITEMS, keys a work-item
// Launch:   work-groups of GP_GROUP; count and scatter: one a run of `tiles` tiles of GP_GROUP *
//           GP_ITEMS keys; scan: one a digit, `runs` counts each; left out for a single run, whose
//           counts are the totals. `varying` is a zero before the first pass, whose count makes it
//           what gp_plan takes
// Source:   Satish, Harris and Garland, "Designing Efficient Sorting Algorithms for Manycore GPUs",
//           2009; the ranking by packed counters: Merrill and Grimshaw, "High Performance and
//           Scalable Radix Sorting", 2011
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "common/group_scan.cl"
#include "sort/keys.cl"

#if !defined(GP_GROUP) || !defined(GP_ITEMS)
#error "GP_GROUP and GP_ITEMS must be defined: work-group size, keys a work-item"
#endif
#if GP_GROUP & (GP_GROUP - 1) || GP_GROUP < 16 || GP_GROUP > 256 || GP_GROUP * GP_ITEMS > 65535
#error "GP_GROUP must be a power of two from 16 to 256, and a tile's keys fit 16 bits"
#endif

#define GP_TILE (GP_GROUP * GP_ITEMS)
#define GP_HALF_DIGITS 16             // of 4 bits
#define GP_LANES (GP_HALF_DIGITS / 2) // two 16-bit counters share a word
#define GP_SLOT(i) ((i) + (i) / 32)   // padded, so that strides of powers of two spread over the banks
#define GP_SLOTS(n) ((n) + (n) / 32)
#define GP_SYNC barrier(CLK_LOCAL_MEM_FENCE)

GP_DEFINE_GROUP_SCAN(gp_sum_items, uint, GP_PLUS)

// The sum of all lower work-items' x; *total becomes that of all. `room` holds 2 * GP_GROUP words.
uint gp_sum_below(uint x, local uint *room, uint *total) {
    uint sum = x;
    *total = gp_sum_items(&sum, GP_GROUP, room)[GP_GROUP - 1];
    GP_SYNC;
    return sum - x;
}

// counts[d * runs + r] = how often digit d occurs in run r
kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
sort_tiles_count(ulong n, uint tiles, uint shift, ulong flip, uint begin, uint last, uint passes, global uint *counts,
                 ulong counts_offset, global uint *varying, ulong varying_offset, GP_ARRAYS GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local uint seen;
    varying += varying_offset;
    // Whether the first pass runs it finds out itself.
    const uint plan = pass == 0 ? 1 : gp_plan(*varying, passes, flags);
    if (!(plan >> pass & 1)) return;
    GP_PICK_KEYS_IN(plan)
    // A few sets of counters, so that equal keys do not all wait for one.
#define GP_SETS 4
    local uint sets[GP_SETS * GP_DIGITS];
    const uint item = (uint)get_local_id(0);
    for (uint i = item; i < GP_SETS * GP_DIGITS; i += GP_GROUP) sets[i] = 0;
    if (item == 0) seen = 0;
    GP_SYNC;
    const ulong run = (ulong)tiles * GP_TILE;
    const ulong start = get_group_id(0) * run, end = min(n, start + run);
    local uint *mine = sets + item % GP_SETS * GP_DIGITS;
    const Key one = gp_ordered(keys_in[0], (Key)flip);
    Key differing = 0;
    for (ulong i = start + item; i < end; i += GP_GROUP) {
        differing |= gp_ordered(keys_in[i], (Key)flip) ^ one;
        atomic_inc(mine + gp_digit(keys_in[i], (Key)flip, shift));
    }
    if (pass == 0) {
        const uint bits = gp_varying(differing, begin, last, passes);
        if (bits != 0) atomic_or(&seen, bits);
    }
    GP_SYNC;
    if (pass == 0 && item == 0 && seen != 0) atomic_or(varying, seen);
    counts += counts_offset + get_group_id(0);
    for (uint digit = item; digit < GP_DIGITS; digit += GP_GROUP) {
        uint sum = 0;
        for (uint set = 0; set < GP_SETS; ++set) sum += sets[set * GP_DIGITS + digit];
        counts[digit * get_num_groups(0)] = sum;
    }
}

// counts[d * runs + r] becomes the number of keys with digit d in all runs before r; totals[d] that
// in all runs.
kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
sort_tiles_scan(uint runs, uint pass, uint passes, uint flags, global uint *counts, ulong counts_offset,
                global uint *totals, ulong totals_offset, global const uint *varying, ulong varying_offset) {
    local uint room[2 * GP_GROUP];
    if (!(gp_plan(varying[varying_offset], passes, flags) >> pass & 1)) return;
    const uint item = (uint)get_local_id(0);
    counts += counts_offset + get_group_id(0) * runs;
    uint before = 0;
    for (uint base = 0; base < runs; base += GP_GROUP) {
        const uint i = base + item;
        const uint count = i < runs ? counts[i] : 0;
        uint total;
        const uint below = gp_sum_below(count, room, &total);
        if (i < runs) counts[i] = before + below;
        before += total;
    }
    if (item == 0) totals[totals_offset + get_group_id(0)] = before;
}

// ranks[k]: where this work-item's k-th key goes in its tile when it is sorted by 4 bits of the
// digit, from half_shift on. Work-item i holds the keys GP_ITEMS * i and following. Each work-item
// counts in words of its own; the sums over all words before, in the order (digit, work-item), are
// the ranks. Digits 0 to 7 count in the lower halves of the words, 8 to 15 in the upper.
void gp_rank(const Key *keys, Key flip, uint shift, uint half_shift, local uint *counters, local uint *room,
             uint *ranks) {
    const uint item = (uint)get_local_id(0);
    for (uint lane = 0; lane < GP_LANES; ++lane) counters[GP_SLOT(lane * GP_GROUP + item)] = 0;
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const uint digit = (gp_digit(keys[k], flip, shift) >> half_shift) % GP_HALF_DIGITS;
        const uint slot = GP_SLOT(digit % GP_LANES * GP_GROUP + item), bits = digit / GP_LANES * 16;
        const uint word = counters[slot];
        ranks[k] = word >> bits & 0xffff;
        counters[slot] = word + (1u << bits);
    }
    GP_SYNC;
    uint sum = 0;
    for (uint i = 0; i < GP_LANES; ++i) sum += counters[GP_SLOT(item * GP_LANES + i)];
    uint total;
    uint before = gp_sum_below(sum, room, &total);
    before += total << 16; // all of digits 0 to 7 come before digit 8
    for (uint i = 0; i < GP_LANES; ++i) {
        const uint slot = GP_SLOT(item * GP_LANES + i), word = counters[slot];
        counters[slot] = before;
        before += word;
    }
    GP_SYNC;
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const uint digit = (gp_digit(keys[k], flip, shift) >> half_shift) % GP_HALF_DIGITS;
        ranks[k] += counters[GP_SLOT(digit % GP_LANES * GP_GROUP + item)] >> digit / GP_LANES * 16 & 0xffff;
    }
}

// How a work-item takes elements of a tile, GP_ITEMS * item and following, and puts each at its
// rank.
#define GP_DEFINE_EXCHANGE(take, put, T)                                                                               \
    void take(local const T *tile, T *mine) {                                                                          \
        for (uint k = 0; k < GP_ITEMS; ++k) mine[k] = tile[GP_SLOT(get_local_id(0) * GP_ITEMS + k)];                   \
    }                                                                                                                  \
    void put(local T *tile, const uint *ranks, const T *mine) {                                                        \
        for (uint k = 0; k < GP_ITEMS; ++k) tile[GP_SLOT(ranks[k])] = mine[k];                                         \
    }
GP_DEFINE_EXCHANGE(gp_take_keys, gp_put_keys, Key)
#if GP_VALUE_BYTES
GP_DEFINE_EXCHANGE(gp_take_values, gp_put_values, Value)
#endif

// next[d]: where this run's first key of digit d goes.
void gp_find_places(global const uint *counts, global const uint *totals, local uint *next, local uint *room) {
    uint smaller = 0;
    for (uint base = 0; base < GP_DIGITS; base += GP_GROUP) {
        const uint digit = base + (uint)get_local_id(0);
        uint all;
        const uint below = gp_sum_below(totals[digit], room, &all);
        next[digit] = smaller + below;
        if (get_num_groups(0) > 1) next[digit] += counts[digit * get_num_groups(0) + get_group_id(0)];
        smaller += all;
    }
}

// Writes the first `count` keys of a sorted tile, each digit's to consecutive places from next[d]
// on, which moves behind them. to[k]: where the tile's key k * GP_GROUP + item went. `start` holds
// GP_DIGITS numbers.
void gp_write_keys(local const Key *tile, uint count, Key flip, uint shift, local uint *next, local ushort *start,
                   bool drop, global Key *keys_out, uint *to) {
    const uint item = (uint)get_local_id(0);
    Key keys[GP_ITEMS];
    uint digits[GP_ITEMS];
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const uint i = k * GP_GROUP + item;
        keys[k] = tile[GP_SLOT(i)];
        digits[k] = gp_digit(keys[k], flip, shift);
        if (i == 0 || gp_digit(tile[GP_SLOT(i - 1)], flip, shift) != digits[k]) start[digits[k]] = (ushort)i;
    }
    GP_SYNC;
    for (uint k = 0; k < GP_ITEMS; ++k) to[k] = next[digits[k]] + k * GP_GROUP + item - start[digits[k]];
    GP_SYNC;
    for (uint k = 0; k < GP_ITEMS; ++k) {
        const uint i = k * GP_GROUP + item;
        if (i >= count) continue;
        if (!drop) keys_out[to[k]] = keys[k];
        if (i + 1 == count || gp_digit(tile[GP_SLOT(i + 1)], flip, shift) != digits[k]) next[digits[k]] = to[k] + 1;
    }
    GP_SYNC;
}

// `number`: a key's value is its index, and values_in is not read. `drop_keys`: keys_out is not
// written.
kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
sort_tiles_scatter(ulong n, uint tiles, uint shift, ulong flip, uint passes, global const uint *counts,
                   ulong counts_offset, global const uint *totals, ulong totals_offset, global const uint *varying,
                   ulong varying_offset, GP_ARRAYS GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    const uint plan = gp_plan(varying[varying_offset], passes, flags);
    if (!(plan >> pass & 1)) return;
    GP_PICK_ARRAYS(plan)
#if GP_VALUE_BYTES > GP_KEY_BYTES
    local Value tile_memory[GP_SLOTS(GP_TILE)];
#else
    local Key tile_memory[GP_SLOTS(GP_TILE)];
#endif
    local Key *tile = (local Key *)tile_memory;
#if GP_VALUE_BYTES
    local Value *tile_values = (local Value *)tile_memory;
    const bool drop = drop_keys;
#else
    const bool drop = false;
#endif
    local uint counters[GP_SLOTS(GP_LANES * GP_GROUP)], room[2 * GP_GROUP];
    local uint next[GP_DIGITS];    // where this run's next key of each digit goes
    local ushort start[GP_DIGITS]; // where each digit starts in the sorted tile
    const uint item = (uint)get_local_id(0);
    gp_find_places(counts + counts_offset, totals + totals_offset, next, room);

    const ulong run = (ulong)tiles * GP_TILE;
    const ulong run_begin = get_group_id(0) * run, run_end = min(n, run_begin + run);
    for (ulong begin = run_begin; begin < run_end; begin += GP_TILE) {
        const uint count = (uint)min((ulong)GP_TILE, run_end - begin);
        Key keys[GP_ITEMS];
        uint ranks[GP_ITEMS], to[GP_ITEMS];

        // Neighbouring work-items read neighbouring keys, then each takes consecutive ones. What is
        // missing at the end counts as the largest key, and comes last because it is last.
        for (uint i = item; i < GP_TILE; i += GP_GROUP) {
            tile[GP_SLOT(i)] = i < count ? keys_in[begin + i] : GP_LAST((Key)flip);
        }
        GP_SYNC;
        gp_take_keys(tile, keys);
#if GP_VALUE_BYTES
        Value values[GP_ITEMS];
        GP_SYNC;
        for (uint i = item; i < count; i += GP_GROUP) {
            tile_values[GP_SLOT(i)] = number ? (Value)(begin + i) : values_in[begin + i];
        }
        GP_SYNC;
        gp_take_values(tile_values, values);
#endif

        gp_rank(keys, (Key)flip, shift, 0, counters, room, ranks);
        gp_put_keys(tile, ranks, keys);
        GP_SYNC;
        gp_take_keys(tile, keys);
#if GP_VALUE_BYTES
        GP_SYNC;
        gp_put_values(tile_values, ranks, values);
        GP_SYNC;
        gp_take_values(tile_values, values);
#endif
        gp_rank(keys, (Key)flip, shift, 4, counters, room, ranks);
        gp_put_keys(tile, ranks, keys);
        GP_SYNC;
        gp_write_keys(tile, count, (Key)flip, shift, next, start, drop, keys_out, to);
#if GP_VALUE_BYTES
        gp_put_values(tile_values, ranks, values);
        GP_SYNC;
        for (uint k = 0; k < GP_ITEMS; ++k) {
            const uint i = k * GP_GROUP + item;
            if (i < count) values_out[to[k]] = tile_values[GP_SLOT(i)];
        }
        GP_SYNC;
#endif
    }
}

// Search in a sorted array, for GPUs: every work-group takes a run of tiles of values. It searches
// first among samples of the array in local memory, then between two of them.
//
// Values in no order: the samples are those of the whole array, read once, and lie as the nodes of
//           a binary tree lie, row by row. So work-items that look at the nodes of one row look at
//           neighbours, in different banks of local memory. A work-item searches for GP_TOGETHER
//           values side by side, without branches, so that its loads overlap.
// A tile in order: the samples are those of the window of the array in which its values belong.
//           Where they are all there are, the array is read in order, once. The work-group searches
//           for the first values of its tiles together. The samples lie in order; a value's place
//           among them is between those of two values of the tile, GP_STRIDE apart, that are
//           searched for first.
// Macros:   those of window.cl; GP_GROUP, the work-group size, a power of two; GP_ITEMS, values of
//           a work-item; GP_TOGETHER, which divides it; GP_SAMPLES, elements in local memory, a
//           power of two; GP_LAST, 2 where the last few elements are read as vectors, 1 where one
//           by one; GP_WIDE where n may be 2^32 and more
// Launch:   work-groups of GP_GROUP, one for each `run` of the tiles, which is less than GP_BOUNDS
// Source:   Khuong and Morin, "Array Layouts for Comparison-Based Searching", 2017; Green, McColl
//           and Bader, "GPU Merge Path", 2012
// SPDX-License-Identifier: MIT
#include "common/inline.cl"
#include "common/paste.cl"
#include "search/window.cl"
#if !defined(GP_GROUP) || !defined(GP_ITEMS) || !defined(GP_TOGETHER) || !defined(GP_SAMPLES)
#error "GP_GROUP, GP_ITEMS, GP_TOGETHER and GP_SAMPLES must be defined"
#endif

#ifdef GP_WIDE
typedef ulong Place;
#else
typedef uint Place;
#endif

#define GP_TILE (GP_GROUP * GP_ITEMS)
#define GP_STRIDE (GP_GROUP < 32 ? GP_GROUP : 32)
#define GP_PIVOTS (GP_TILE / GP_STRIDE)
#define GP_BOUNDS (GP_GROUP < 32 ? GP_GROUP : 32) // places that are searched for together

#define GP_EACH(k, count) _Pragma("unroll") for (uint k = 0; k < (count); ++k)
#define GP_SAMPLE(i) samples[i]
#define GP_ELEMENT(i) gp_ordered(sorted[i], (Key)flip)

// at[k] += how many of the `length` elements from at[k] on come before value k, for each of `count`
// values; element(i) is number i as gp_ordered gives it.
#define GP_SEARCH_WINDOW(element, type, length, count, at)                                                             \
    {                                                                                                                  \
        type left = (length);                                                                                          \
        while (left > 1) {                                                                                             \
            const type middle = left / 2;                                                                              \
            Key probed[count];                                                                                         \
            GP_EACH(k, count) probed[k] = element(at[k] + middle - 1);                                                 \
            GP_EACH(k, count) at[k] += gp_counts(probed[k], value[k], right) != 0 ? middle : 0;                        \
            left -= middle;                                                                                            \
        }                                                                                                              \
        if (left == 1) {                                                                                               \
            Key probed[count];                                                                                         \
            GP_EACH(k, count) probed[k] = element(at[k]);                                                              \
            GP_EACH(k, count) at[k] += gp_counts(probed[k], value[k], right);                                          \
        }                                                                                                              \
    }
#if GP_LAST == 2
#if GP_KEY_BYTES == 1
#define GP_WIDTH 16
#elif GP_KEY_BYTES == 2
#define GP_WIDTH 8
#elif GP_KEY_BYTES == 4
#define GP_WIDTH 4
#else
#define GP_WIDTH 2
#endif
#define GP_FEW (GP_WIDTH + 1)

// How many elements come before a value that belongs behind element `at` and no more than GP_FEW
// further: two aligned vectors hold all that it may be behind, unless they reach past the array.
GP_INLINE Place gp_count_few(global const Key *sorted, Place n, Place at, Place window, Key value, Key flip,
                             uint right) {
    const uint head = (uint)((size_t)(sorted + at) / GP_KEY_BYTES) % GP_WIDTH;
    Place place = at;
    if (at >= head && at - head + 2 * GP_WIDTH <= n) {
        Key raw[2 * GP_WIDTH];
        global const GP_PASTE(Key, GP_WIDTH) *from = (global const GP_PASTE(Key, GP_WIDTH) *)(sorted + (at - head));
        GP_PASTE(vstore, GP_WIDTH)(from[0], 0, raw);
        GP_PASTE(vstore, GP_WIDTH)(from[1], 1, raw);
        place -= head;
#pragma unroll
        for (uint j = 0; j < 2 * GP_WIDTH; ++j) place += gp_counts(gp_ordered(raw[j], flip), value, right);
    } else {
        for (Place j = 0; j < window; ++j) place += gp_counts(gp_ordered(sorted[at + j], flip), value, right);
    }
    return place;
}
#endif

// Did any work-item of the work-group give true? All call it together, with three flags that are
// zero before the first call, of which `turn` is the one whose turn it is.
GP_INLINE bool gp_any(bool mine, local uint *flags, uint *turn) {
    if (mine) flags[*turn] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool any = flags[*turn] != 0;
    *turn = *turn == 2 ? 0 : *turn + 1;
    if (get_local_id(0) == 0) flags[*turn == 2 ? 0 : *turn + 1] = 0; // which was read two barriers ago
    return any;
}

// The place of a value among n elements, which `lanes` neighbouring work-items search for, a power
// of two that divides GP_GROUP; each of them gets it. All work-items of the work-group call it
// together. `counts` is local memory for 3 * GP_BOUNDS numbers, as many as GP_GROUP / lanes is at
// most.
GP_INLINE Place gp_place_of(global const Key *sorted, Place n, Key value, Key flip, uint right, uint lanes,
                            local uint *counts) {
    const uint id = (uint)get_local_id(0), lane = id & (lanes - 1), slot = id / lanes;
    Place low = 0, window = n;
    for (uint i = id; i < 3 * GP_BOUNDS; i += GP_GROUP) counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint round = 0; window > 0; round = round == 2 ? 0 : round + 1) {
        const Place step = window / (lanes + 1) + 1; // so that less than a step is left behind the last probe
        const Place probe = (lane + 1) * step - 1;
        if (probe < window && gp_counts(gp_ordered(sorted[low + probe], flip), value, right))
            atomic_inc(counts + round * GP_BOUNDS + slot);
        barrier(CLK_LOCAL_MEM_FENCE);
        window = step - 1;
        low = min(low + counts[round * GP_BOUNDS + slot] * step, n - window);
        // What was read a round ago is cleared for the round after the next.
        if (lane == 0) counts[(round == 0 ? 2 : round - 1) * GP_BOUNDS + slot] = 0;
    }
    return low;
}

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void search_tiles(GP_SEARCH, ulong tiles,
                                                                               ulong run GP_TWO_COUNT_PARAMETERS) {
    GP_TAKE_TWO_COUNTS(n, m)
    local Key samples[GP_SAMPLES];
    local Place bounds[GP_BOUNDS];
    local uint counts[3 * GP_BOUNDS];
    local uint pivots[GP_PIVOTS + 1];
    local uint flags[3];
    const uint id = (uint)get_local_id(0);
    sorted += sorted_offset;
    values += values_offset;
    if (id < 3) flags[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const ulong first_tile = get_group_id(0) * run;
#ifdef GP_COUNTED_TWO
    tiles = (m + GP_TILE - 1) / GP_TILE;
    if (first_tile >= tiles) return;
#endif
    const uint own = (uint)min(tiles - first_tile, run);
    const ulong begins = first_tile * GP_TILE, ends = min(begins + own * GP_TILE, m);
    // Values that lie apart tell whether to look at all of them.
    const ulong apart = max((ends - begins) / GP_GROUP, (ulong)1), left = min(begins + id * apart, ends - 1);
    const bool falls_apart =
        gp_ordered(values[min(left + apart, ends - 1)], (Key)flip) < gp_ordered(values[left], (Key)flip);
    uint turn = 0;
    const bool ascends = !gp_any(falls_apart, flags, &turn);
    if (ascends) {
        uint slots = 2;
        while (slots <= own) slots *= 2;
        const uint lanes = GP_GROUP / slots, slot = id / lanes;
        const Key mine = gp_ordered(values[slot < own ? begins + slot * GP_TILE : ends - 1], (Key)flip);
        const Place place = gp_place_of(sorted, (Place)n, mine, (Key)flip, right, lanes, counts);
        if ((id & (lanes - 1)) == 0) bounds[slot] = place;
    }
    const Place step = (Place)n / GP_SAMPLES + ((Place)n % GP_SAMPLES != 0);
    const uint some = step == 0 ? 0 : (uint)((Place)n / step);
    const uint depth = some < 2 ? 0 : 32 - clz(some - 1); // of the tree, which has 2^depth - 1 nodes
    bool has_tree = false;
    for (uint tile = 0; tile < own; ++tile) {
        const ulong tile_begins = begins + (ulong)tile * GP_TILE;
        global const Key *from = values + tile_begins;
        const uint count = (uint)min(m - tile_begins, (ulong)GP_TILE);
        uint falls = !ascends;
        if (ascends) {
            // The order of a tile's last value and the next tile's first counts, too.
            const uint last = (uint)min(ends - tile_begins - 1, (ulong)GP_TILE);
            Key here[GP_ITEMS], next[GP_ITEMS];
            GP_EACH(k, GP_ITEMS) here[k] = from[min(k * GP_GROUP + id, last)];
            GP_EACH(k, GP_ITEMS) next[k] = from[min(k * GP_GROUP + id + 1, last)];
            GP_EACH(k, GP_ITEMS) falls |= (uint)(gp_ordered(next[k], (Key)flip) < gp_ordered(here[k], (Key)flip));
        }
        // All barriers are those of every tile, whatever its order: PoCL 3.1 needs that.
        const bool in_order = !gp_any(falls != 0, flags, &turn);
        Place begin = 0, end = 0, window_step = 0;
        uint window = 0;
        if (in_order) {
            has_tree = false;
            begin = bounds[tile];
            end = max(begin, bounds[tile + 1]);
            window_step = (end - begin) / GP_SAMPLES + ((end - begin) % GP_SAMPLES != 0);
            window = window_step == 0 ? 0 : (uint)((end - begin) / window_step);
            for (uint i = id; i < window; i += GP_GROUP)
                samples[i] = GP_ELEMENT(begin + (Place)(i + 1) * window_step - 1);
        } else if (!has_tree) {
            has_tree = true;
            // Node i has the children 2 i and 2 i + 1. Number 0 is behind them all.
            for (uint i = id; i < 1u << depth; i += GP_GROUP) {
                const uint row = 31 - clz(max(i, 1u));
                const uint number = i == 0 ? (1u << depth) - 1 : ((2 * (i - (1u << row)) + 1) << (depth - 1 - row)) - 1;
                samples[i] = number < some ? GP_ELEMENT((Place)(number + 1) * step - 1) : (Key) ~(Key)0;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (in_order) {
            for (uint i = id; i < GP_PIVOTS; i += GP_GROUP) {
                const Key value[1] = {gp_ordered(from[min(i * GP_STRIDE, count - 1)], (Key)flip)};
                uint sample[1] = {0};
                GP_SEARCH_WINDOW(GP_SAMPLE, uint, window, 1, sample)
                pivots[i] = sample[0];
            }
            if (id == 0) pivots[GP_PIVOTS] = window;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (in_order) {
            Key value[GP_ITEMS];
            uint sample[GP_ITEMS], most = 0;
            GP_EACH(k, GP_ITEMS) value[k] = gp_ordered(from[min(k * GP_GROUP + id, count - 1)], (Key)flip);
            GP_EACH(k, GP_ITEMS) {
                const uint pivot = (k * GP_GROUP + id) / GP_STRIDE;
                sample[k] = pivots[pivot];
                most = max(most, max(pivots[pivot + 1], sample[k]) - sample[k]);
            }
            GP_EACH(k, GP_ITEMS) sample[k] = min(sample[k], window - most);
            GP_SEARCH_WINDOW(GP_SAMPLE, uint, most, GP_ITEMS, sample)
            Place at[GP_ITEMS];
            if (window_step > 1) {
                GP_EACH(k, GP_ITEMS) at[k] = min(begin + sample[k] * window_step, end - (window_step - 1));
                GP_SEARCH_WINDOW(GP_ELEMENT, Place, window_step - 1, GP_ITEMS, at)
            } else {
                GP_EACH(k, GP_ITEMS) at[k] = begin + sample[k];
            }
            GP_EACH(k, GP_ITEMS) {
                const uint i = k * GP_GROUP + id;
                if (i < count) GP_WRITE_POSITION(tile_begins + i, at[k])
            }
        } else {
            for (uint first = 0; first < count; first += GP_TOGETHER * GP_GROUP) {
                Key value[GP_TOGETHER];
                uint node[GP_TOGETHER];
                Place at[GP_TOGETHER];
                GP_EACH(k, GP_TOGETHER)
                value[k] = gp_ordered(from[min(first + k * GP_GROUP + id, count - 1)], (Key)flip);
                GP_EACH(k, GP_TOGETHER) node[k] = 1;
                for (uint row = 0; row < depth; ++row) {
                    Key probed[GP_TOGETHER];
                    GP_EACH(k, GP_TOGETHER) probed[k] = samples[node[k]];
                    GP_EACH(k, GP_TOGETHER) node[k] = 2 * node[k] + gp_counts(probed[k], value[k], right);
                }
                const Key behind = samples[0];
                GP_EACH(k, GP_TOGETHER) {
                    uint sample = node[k] - (1u << depth);
                    sample += sample + 1 == 1u << depth ? gp_counts(behind, value[k], right) : 0;
                    at[k] = min(min(sample, some) * step, step == 0 ? 0 : (Place)n - (step - 1));
                }
                if (step > 1) {
#if GP_LAST == 2
                    Place few = step - 1;
                    while (few > GP_FEW) {
                        const Place middle = few / 2;
                        Key probed[GP_TOGETHER];
                        GP_EACH(k, GP_TOGETHER) probed[k] = GP_ELEMENT(at[k] + middle - 1);
                        GP_EACH(k, GP_TOGETHER) at[k] += gp_counts(probed[k], value[k], right) != 0 ? middle : 0;
                        few -= middle;
                    }
                    GP_EACH(k, GP_TOGETHER)
                    at[k] = gp_count_few(sorted, (Place)n, at[k], few, value[k], (Key)flip, right);
#else
                    GP_SEARCH_WINDOW(GP_ELEMENT, Place, step - 1, GP_TOGETHER, at)
#endif
                }
                GP_EACH(k, GP_TOGETHER) {
                    const uint i = first + k * GP_GROUP + id;
                    if (i < count) GP_WRITE_POSITION(tile_begins + i, at[k])
                }
            }
        }
    }
}

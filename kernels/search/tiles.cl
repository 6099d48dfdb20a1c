// Search in a sorted array, for GPUs: every work-group takes tiles of values. It searches first among
// samples of the array in local memory, then between two of them.
//
// Computes: the window of the array in which a tile's values belong, which is the whole array unless
//           they are sorted themselves; then the work-group searches for their first and their last
//           together. As many elements of the window as local memory has room for are the samples;
//           where they are all there are, the array is read in order, once. Work-items search for
//           GP_ITEMS values side by side, without branches, so that their loads overlap.
// Macros:   those of window.cl; GP_GROUP, the work-group size, a power of two; GP_ITEMS, values of a
//           work-item; GP_SAMPLES, elements in local memory; GP_LAST, 2 where the last few elements are
//           read as vectors, 1 where one by one; GP_WIDE where n may be 2^32 and more
// Launch:   work-groups of GP_GROUP, no more than there are tiles
// Source:   Khuong and Morin, "Array Layouts for Comparison-Based Searching", 2017; Green, McColl and
//           Bader, "GPU Merge Path", 2012
// SPDX-License-Identifier: MIT
#include "common/inline.cl"
#include "common/paste.cl"
#include "search/window.cl"
#if !defined(GP_GROUP) || !defined(GP_ITEMS) || !defined(GP_SAMPLES)
#error "GP_GROUP, GP_ITEMS and GP_SAMPLES must be defined"
#endif

#ifdef GP_WIDE
typedef ulong Place;
#else
typedef uint Place;
#endif

#define GP_TILE (GP_GROUP * GP_ITEMS)

// at[k] += how many of the `window` elements from at[k] on come before value k; element(i) is number
// i as gp_ordered gives it.
#define GP_SEARCH_WINDOW(element, type, length, at)                                                                    \
    {                                                                                                                  \
        type window = (length);                                                                                        \
        while (window > 1) {                                                                                           \
            const type middle = window / 2;                                                                            \
            Key probed[GP_ITEMS];                                                                                      \
            GP_EACH(k) probed[k] = element(at[k] + middle - 1);                                                        \
            GP_EACH(k) at[k] += gp_counts(probed[k], value[k], right) != 0 ? middle : 0;                               \
            window -= middle;                                                                                          \
        }                                                                                                              \
        if (window == 1) {                                                                                             \
            Key probed[GP_ITEMS];                                                                                      \
            GP_EACH(k) probed[k] = element(at[k]);                                                                     \
            GP_EACH(k) at[k] += gp_counts(probed[k], value[k], right);                                                 \
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

#define GP_EACH(k) _Pragma("unroll") for (uint k = 0; k < GP_ITEMS; ++k)
#define GP_SAMPLE(i) samples[i]
#define GP_ELEMENT(i) gp_ordered(sorted[i], (Key)flip)

// The places of two values among n elements, the second at or behind the first. All work-items of
// the work-group call it together, and get the same. `counts` is local memory for six numbers.
GP_INLINE void gp_two_places(global const Key *sorted, Place n, Key first, Key last, Key flip, uint right,
                             local uint *counts, Place *begin, Place *end) {
    const uint id = (uint)get_local_id(0);
    Place low = 0, high = 0, window = n;
    if (id < 6) counts[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint round = 0; window > 0; round = round == 2 ? 0 : round + 1) {
        const Place step = window / GP_GROUP + 1; // so that a probe is past the end, or the last of all
        const Place probe = (id + 1) * step - 1;
        if (probe < window) {
            const Key at_low = gp_ordered(sorted[low + probe], flip), at_high = gp_ordered(sorted[high + probe], flip);
            if (gp_counts(at_low, first, right)) atomic_inc(counts + 2 * round);
            if (gp_counts(at_high, last, right)) atomic_inc(counts + 2 * round + 1);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const Place low_step = counts[2 * round] * step, high_step = counts[2 * round + 1] * step;
        // What was read a round ago is cleared for the round after the next.
        if (id < 2) counts[(round == 0 ? 4 : 2 * round - 2) + id] = 0;
        const Place left = step - 1;
        low = min(low + low_step, n - left);
        high = min(high + high_step, n - left);
        window = left;
    }
    *begin = low;
    *end = max(low, high);
}

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void search_tiles(GP_SEARCH, ulong tiles) {
    local Key samples[GP_SAMPLES];
    local uint counts[6];
    local uint unordered[3];
    const uint id = (uint)get_local_id(0);
    sorted += sorted_offset;
    values += values_offset;
    if (id < 3) unordered[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    bool has_all = false; // the samples are those of the whole array
    uint turn = 0;
    for (ulong tile = get_group_id(0); tile < tiles; tile += get_num_groups(0)) {
        global const Key *from = values + tile * GP_TILE;
        const uint count = (uint)min(m - tile * GP_TILE, (ulong)GP_TILE);
        Key value[GP_ITEMS], next[GP_ITEMS];
        GP_EACH(k) value[k] = from[min(k * GP_GROUP + id, count - 1)];
        GP_EACH(k) next[k] = from[min(k * GP_GROUP + id + 1, count - 1)];
        uint falls = 0;
        GP_EACH(k) {
            value[k] = gp_ordered(value[k], (Key)flip);
            falls |= (uint)(gp_ordered(next[k], (Key)flip) < value[k]);
        }
        if (falls) unordered[turn] = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        const bool is_ordered = unordered[turn] == 0;
        turn = turn == 2 ? 0 : turn + 1;
        if (id == 0) unordered[turn == 2 ? 0 : turn + 1] = 0; // which was read two barriers ago
        Place begin = 0, end = (Place)n;
        if (is_ordered)
            gp_two_places(sorted, (Place)n, gp_ordered(from[0], (Key)flip), gp_ordered(from[count - 1], (Key)flip),
                          (Key)flip, right, counts, &begin, &end);
        const Place length = end - begin, step = length / GP_SAMPLES + (length % GP_SAMPLES != 0);
        const uint some = step == 0 ? 0 : (uint)(length / step);
        if (!has_all || length != n) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint i = id; i < some; i += GP_GROUP)
                samples[i] = gp_ordered(sorted[begin + (Place)(i + 1) * step - 1], (Key)flip);
            barrier(CLK_LOCAL_MEM_FENCE);
            has_all = length == n;
        }
        uint sample[GP_ITEMS];
        GP_EACH(k) sample[k] = 0;
        GP_SEARCH_WINDOW(GP_SAMPLE, uint, some, sample)
        Place at[GP_ITEMS];
        if (step > 1) {
            GP_EACH(k) at[k] = min(begin + sample[k] * step, end - (step - 1));
#if GP_LAST == 2
            Place few = step - 1;
            while (few > GP_FEW) {
                const Place middle = few / 2;
                Key probed[GP_ITEMS];
                GP_EACH(k) probed[k] = GP_ELEMENT(at[k] + middle - 1);
                GP_EACH(k) at[k] += gp_counts(probed[k], value[k], right) != 0 ? middle : 0;
                few -= middle;
            }
            GP_EACH(k) at[k] = gp_count_few(sorted, (Place)n, at[k], few, value[k], (Key)flip, right);
#else
            GP_SEARCH_WINDOW(GP_ELEMENT, Place, step - 1, at)
#endif
        } else {
            GP_EACH(k) at[k] = begin + sample[k];
        }
        GP_EACH(k) {
            const uint i = k * GP_GROUP + id;
            if (i < count) GP_WRITE_POSITION(tile * GP_TILE + i, at[k])
        }
    }
}

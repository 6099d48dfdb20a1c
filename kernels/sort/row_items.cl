// Sorts rows, or with GP_SEGMENTS segments, each by one work-item; for CPUs.
//
// Computes: a stable reordering of the n keys of each row in place, of their values of any size, or
//           the order as indices. Few keys are sorted by insertion, more of them digit by digit,
//           with their indices. Keys and values are then fetched by index, one column of words
//           after the other, by way of memory that each work-group has for itself.
// Macros:   those of keys.cl and words.cl; with GP_SEGMENTS those of segments.cl
// Launch:   any number of work-groups of 1, which take turns with the `batch` rows. For each
//           work-group `codes` has 2 n keys, `order` 2 n uints and `column` n words. With
//           GP_SEGMENTS n is that of the whole array, and they have as much for all work-groups
//           together. Where segments share keys, which they must not, nothing is written beyond
//           them
// SPDX-License-Identifier: MIT
#include "sort/keys.cl"
#include "sort/words.cl"

#ifdef GP_SEGMENTS
#include "sort/segment.cl"
// Other work-items write what a segment shares with others, so that counts and places may be wrong.
#define GP_WITHIN(place) min(place, n - 1)
#else
#define GP_WITHIN(place) (place)
#endif

#define GP_FEW 32

// Sorts codes[0 .. n) with what `order` says of them, with as much memory so many elements `apart`;
// returns where the order ends: there or here.
global uint *gp_sort_row(uint n, uint width, ulong apart, global Key *codes, global uint *order) {
    for (uint i = 0; i < n; ++i) order[i] = i;
    if (n <= GP_FEW) {
        for (uint i = 1; i < n; ++i) {
            const Key code = codes[i];
            uint to = i;
            for (; to > 0 && codes[to - 1] > code; --to) {
                codes[to] = codes[to - 1];
                order[to] = order[to - 1];
            }
            codes[to] = code;
            order[to] = i;
        }
        return order;
    }
    global Key *to_codes = codes + apart;
    global uint *to_order = order + apart;
    for (uint shift = 0; shift < width; shift += 8) {
        uint next[GP_DIGITS], sum = 0;
        for (uint digit = 0; digit < GP_DIGITS; ++digit) next[digit] = 0;
        for (uint i = 0; i < n; ++i) ++next[(uint)(codes[i] >> shift) & 255];
        if (next[(uint)(codes[0] >> shift) & 255] == n) continue;
        for (uint digit = 0; digit < GP_DIGITS; ++digit) {
            const uint count = next[digit];
            next[digit] = sum;
            sum += count;
        }
        for (uint i = 0; i < n; ++i) {
            const uint to = GP_WITHIN(next[(uint)(codes[i] >> shift) & 255]++);
            to_codes[to] = codes[i];
            to_order[to] = order[i];
        }
        global Key *const codes_here = codes;
        global uint *const order_here = order;
        codes = to_codes;
        order = to_order;
        to_codes = codes_here;
        to_order = order_here;
    }
    return order;
}

// One column of `array`, whose elements have `words` words, by way of `column`.
#define GP_FETCH(array, words, column)                                                                                 \
    {                                                                                                                  \
        for (uint i = 0; i < n; ++i) (column)[i] = (array)[(ulong)GP_WITHIN(from[i]) * (words)];                       \
        for (uint i = 0; i < n; ++i) (array)[(ulong)i * (words)] = (column)[i];                                        \
    }

#ifdef GP_SEGMENTS
#define GP_KERNEL sort_segment_items
#else
#define GP_KERNEL sort_row_items
#endif

// The bits [begin, begin + width) of the keys count.
__attribute__((reqd_work_group_size(1, 1, 1))) kernel void GP_KERNEL(uint length, uint begin, uint width, ulong flip,
                                                                     global Key *keys, ulong keys_offset,
                                                                     GP_MOVED
#ifdef GP_SEGMENTS
                                                                         GP_OFFSETS,
#else
                                                                         ulong batch,
                                                                     ulong stride,
#endif
                                                                     global Key *codes, ulong codes_offset,
                                                                     global uint *order, ulong order_offset
#if GP_WORDS
                                                                     ,
                                                                     global Word *column, ulong column_offset
#endif
) {
    const ulong group = get_group_id(0), apart = length;
    const Key mask = (Key)(~(Key)0) >> (8 * GP_KEY_BYTES - width);
    keys += keys_offset;
    codes += codes_offset;
    order += order_offset;
#if GP_INDEX
    indices += indices_offset;
#elif GP_WORDS
    values += values_offset * words;
    column += column_offset;
#endif
#ifdef GP_SEGMENTS
    offsets += offsets_offset;
    GP_TAKE_ENDS
    for (ulong segment = group; segment < segments; segment += get_num_groups(0)) {
        const uint2 cut = gp_cut(segment, length, GP_OFFSET_ARRAYS);
        const uint n = cut.y;
        const ulong first = cut.x, room = first;
        if (n == 0) continue;
#else
    const uint n = length;
    for (ulong row = group; row < batch; row += get_num_groups(0)) {
        const ulong first = row * stride, room = group * 2 * n;
#endif
        global Key *const mine = keys + first, *const my_codes = codes + room;
        for (uint i = 0; i < n; ++i) my_codes[i] = gp_ordered(mine[i], (Key)flip) >> begin & mask;
        global const uint *const from = gp_sort_row(n, width, apart, my_codes, order + room);
#if GP_INDEX
        for (uint i = 0; i < n; ++i) indices[first + i] = from[i];
#else
        GP_FETCH(mine, 1, my_codes)
#if GP_WORDS
#ifdef GP_SEGMENTS
        global Word *const my_column = column + first;
#else
        global Word *const my_column = column + group * n;
#endif
        for (uint word = 0; word < words; ++word) GP_FETCH(values + first * words + word, words, my_column)
#endif
#endif
    }
}

// Search in a sorted array, for CPUs: every work-item takes a chunk of the values, several of which
// it searches for side by side, without branches. A block of values that are sorted themselves
// searches between its first and its last.
//
// Macros: those of window.cl
// Launch: work-groups of one, each with `chunk` values (the last with the rest)
// Source: Khuong and Morin, "Array Layouts for Comparison-Based Searching", 2017
// SPDX-License-Identifier: MIT
#include "search/window.cl"

#define GP_BLOCK 256 // values that are looked at for their order
#define GP_AT_ONCE 8 // that are searched for side by side

// How many of the `window` elements from `from` on come before a value.
ulong gp_count(global const Key *from, ulong window, Key value, Key flip, uint right) {
    ulong at = 0;
    for (; window > 1; window -= window / 2)
        at += gp_counts(gp_ordered(from[at + window / 2 - 1], flip), value, right) != 0 ? window / 2 : 0;
    return window == 0 ? 0 : at + gp_counts(gp_ordered(from[at], flip), value, right);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void search_chunks(GP_SEARCH,
                                                                         ulong chunk GP_TWO_COUNT_PARAMETERS) {
    GP_TAKE_TWO_COUNTS(n, m)
    const ulong first = get_global_id(0) * chunk, end = min(first + chunk, m);
    sorted += sorted_offset;
    values += values_offset;
    for (ulong block = first; block < end; block += GP_BLOCK) {
        const uint count = (uint)min(end - block, (ulong)GP_BLOCK);
        Key value[GP_BLOCK + GP_AT_ONCE];
        for (uint i = 0; i < count; ++i) value[i] = gp_ordered(values[block + i], (Key)flip);
        for (uint i = count; i < count + GP_AT_ONCE; ++i) value[i] = value[count - 1];
        uint unordered = 0;
        for (uint i = 1; i < count; ++i) unordered |= (uint)(value[i] < value[i - 1]);
        ulong begin = 0, length = n;
        if (unordered == 0 && count >= GP_AT_ONCE) {
            begin = gp_count(sorted, n, value[0], (Key)flip, right);
            length = gp_count(sorted + begin, n - begin, value[count - 1], (Key)flip, right);
        }
        for (uint i = 0; i < count; i += GP_AT_ONCE) {
            ulong at[GP_AT_ONCE];
            for (uint k = 0; k < GP_AT_ONCE; ++k) at[k] = begin;
            for (ulong window = length; window > 1; window -= window / 2)
                for (uint k = 0; k < GP_AT_ONCE; ++k)
                    at[k] += gp_counts(gp_ordered(sorted[at[k] + window / 2 - 1], (Key)flip), value[i + k], right) != 0
                                 ? window / 2
                                 : 0;
            if (length > 0)
                for (uint k = 0; k < GP_AT_ONCE; ++k)
                    at[k] += gp_counts(gp_ordered(sorted[at[k]], (Key)flip), value[i + k], right);
            for (uint k = 0; k < min(count - i, (uint)GP_AT_ONCE); ++k) GP_WRITE_POSITION(block + i + k, at[k])
        }
    }
}

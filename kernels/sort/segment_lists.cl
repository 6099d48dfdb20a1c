// Lists of the segments that a kernel leaves to those behind it, by classes of their length.
//
// `lists` has an entry of 2 uints for each listed segment, where it begins and its length. Class c
// has the entries from first_c on, before those of the next class. counts[c - 1], which is zero
// before, says how many there would be. No more are written than there is room for, which is enough
// unless segments share keys. Who needs zeros in `counts` again clears them.
//
// Macros: GP_MOST_1 to GP_MOST_5, the longest segment of each class but the last
// Gives:  GP_CLASSES; GP_LISTS and GP_ZEROS, parameters; GP_KIND; GP_PUT_LISTED; GP_FILL_ZEROS
// SPDX-License-Identifier: MIT

#define GP_CLASSES 6
#define GP_LISTS                                                                                                       \
    global uint *counts, ulong counts_offset, global uint *lists, ulong lists_offset, uint first_1, uint first_2,      \
        uint first_3, uint first_4, uint first_5, uint first_6, uint end_6

// The class of a segment; 0 for one of at most `shortest` keys.
#define GP_KIND(length, shortest)                                                                                      \
    ((length) <= (shortest)  ? 0                                                                                       \
     : (length) <= GP_MOST_1 ? 1                                                                                       \
     : (length) <= GP_MOST_2 ? 2                                                                                       \
     : (length) <= GP_MOST_3 ? 3                                                                                       \
     : (length) <= GP_MOST_4 ? 4                                                                                       \
     : (length) <= GP_MOST_5 ? 5                                                                                       \
                             : 6)

// Writes a segment, where it begins and its length, as entry `place` of its class.
#define GP_PUT_LISTED(segment, kind, place)                                                                            \
    {                                                                                                                  \
        const uint first = (kind) == 1   ? first_1                                                                     \
                           : (kind) == 2 ? first_2                                                                     \
                           : (kind) == 3 ? first_3                                                                     \
                           : (kind) == 4 ? first_4                                                                     \
                           : (kind) == 5 ? first_5                                                                     \
                                         : first_6;                                                                    \
        const uint end = (kind) == 1   ? first_2                                                                       \
                         : (kind) == 2 ? first_3                                                                       \
                         : (kind) == 3 ? first_4                                                                       \
                         : (kind) == 4 ? first_5                                                                       \
                         : (kind) == 5 ? first_6                                                                       \
                                       : end_6;                                                                        \
        if ((place) < end - first) vstore2(segment, first + (place), lists);                                           \
    }

// What those who come behind need zeros in, so many uints each.
#define GP_ZEROS                                                                                                       \
    global uint *zeros, ulong zeros_offset, uint zero_count, global uint *more_zeros, ulong more_zeros_offset,         \
        uint more_zero_count
#define GP_FILL_ZEROS                                                                                                  \
    for (ulong i = get_global_id(0); i < zero_count; i += get_global_size(0)) zeros[zeros_offset + i] = 0;             \
    for (ulong i = get_global_id(0); i < more_zero_count; i += get_global_size(0))                                     \
        more_zeros[more_zeros_offset + i] = 0;

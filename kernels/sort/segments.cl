// Sorts short segments of an array, and divides the others into classes by their length.
//
// Computes: a stable reordering of the keys of each segment of up to GP_WIDTH, in place, of their
//           values of any size, or the order as indices; and lists of the others. A work-group
//           takes GP_GROUP segments, as many at once as it has slots for.
// Macros:   those of ranks.cl, segment.cl and segment_lists.cl; GP_GROUP is a multiple of 32;
//           GP_WIDTH, the longest segment that is sorted, at most GP_ROOM; the form of
//           device/shuffle.cl
// Launch:   a work-group of GP_GROUP for each GP_GROUP segments
// Source:   that of ranks.cl
// SPDX-License-Identifier: MIT
#include "sort/lower_sum.cl"
#include "sort/ranks.cl"
#include "sort/segment.cl"
#include "sort/segment_lists.cl"

#ifndef GP_WIDTH
#error "GP_WIDTH must be defined: the longest segment that is sorted"
#elif GP_ROOM < GP_WIDTH
#error "there must be room for a segment"
#elif GP_GROUP * GP_SLOTS_OF(GP_WIDTH) > 65535
#error "sums of slots must fit 16 bits"
#endif

// The bits [begin, begin + width) of the keys count.
__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
sort_segments(uint n, uint begin, uint width, ulong flip, global Key *keys, ulong keys_offset, GP_MOVED GP_OFFSETS,
              GP_LISTS, GP_ZEROS) {
    local Slots slots;
    local uint scan[GP_LOWER_SUM_ROOM(GP_GROUP)], listed[GP_CLASSES], firsts[GP_CLASSES];
    local uint start, next, taken, is_apart;
    const uint id = (uint)get_local_id(0);
    const Key mask = (Key)(~(Key)0) >> (8 * GP_KEY_BYTES - width);
    const ulong segment = get_group_id(0) * (ulong)GP_GROUP + id;
    GP_FILL_ZEROS
    keys += keys_offset;
    offsets += offsets_offset;
    GP_TAKE_ENDS
    counts += counts_offset;
    lists += lists_offset;
    uint2 mine = (uint2)(0, 0);
    if (segment < segments) mine = gp_cut(segment, n, GP_OFFSET_ARRAYS);
    if (id < GP_CLASSES) listed[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint kind = GP_KIND(mine.y, GP_WIDTH);
    uint rank = 0;
    if (kind > 0) rank = atomic_inc(&listed[kind - 1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < GP_CLASSES && listed[id] > 0) firsts[id] = atomic_add(&counts[id], listed[id]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (kind > 0) {
        const uint place = firsts[kind - 1] + rank;
        GP_PUT_LISTED(mine, kind, place)
    }

    // Sums of slots and of keys, together in a word.
    const uint length = kind == 0 ? mine.y : 0, both = GP_SLOTS_OF(length) << 16 | length;
    for (uint from = 0; from < GP_GROUP;) { // segments from this one on are left
        const uint wanted = id >= from ? both : 0, sums = gp_lower_sum(wanted, GP_GROUP, scan);
        const uint first = sums >> 16, before = sums & 0xffff, end = (sums + wanted) >> 16;
        const bool fits = end <= GP_ROOM, is_taken = fits && wanted > 0;
        if (is_taken) gp_put_segment(mine.x, first, length, before, id, &slots);
        if (is_taken && before == 0) start = mine.x;
        if (id == 0) is_apart = 0;
        if (fits ? id == GP_GROUP - 1 : first <= GP_ROOM) { // the last that fits, or the first that doesn't
            next = fits ? GP_GROUP : id;
            taken = fits ? sums + wanted : sums;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (is_taken && mine.x != start + before) is_apart = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        from = next;
        gp_sort_slots(&slots, keys, GP_MOVED_HERE taken >> 16, is_apart != 0, start, taken & 0xffff, begin, mask,
                      (Key)flip);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

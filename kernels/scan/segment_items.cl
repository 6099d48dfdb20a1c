// The consecutive items of a work-item: how they make a part, and how they are scanned.
//
// Macros: those of heads.cl and segment_parts.cl
// Gives:  GP_ADD_ITEM, part_of; GP_SCAN_ITEM; GP_INITIAL_FIELDS, GP_INITIAL_VALUES and
//         GP_USE_INITIAL, by which a structure brings initial values to functions; what heads.cl
//         and segment_parts.cl do
// SPDX-License-Identifier: MIT
#include "scan/heads.cl"
#include "scan/segment_parts.cl"

// Adds item k to the sum of those before it; k ascends from 0.
#define GP_ADD_ITEM(all, heads, rows, k, x)                                                                            \
    do {                                                                                                               \
        GP_REACH(heads, k);                                                                                            \
        const T left = GP_BEGINS(heads, k) ? GP_FRESH(heads, rows, k) : (all);                                         \
        all = GP_COMBINE(left, x);                                                                                     \
    } while (0)

// Replaces item k by its result; `running` is what comes before it, and then what comes behind it.
#define GP_SCAN_ITEM(running, heads, rows, k, x, exclusive)                                                            \
    do {                                                                                                               \
        GP_REACH(heads, k);                                                                                            \
        if (GP_BEGINS(heads, k)) running = GP_FRESH(heads, rows, k);                                                   \
        const T following = GP_COMBINE(running, x);                                                                    \
        x = (exclusive) ? running : following;                                                                         \
        running = following;                                                                                           \
        GP_PASS(heads, rows, k, running);                                                                              \
    } while (0)

// The part of a work-item whose items have the sum `all`.
GP_INLINE Part part_of(T all, const Heads *heads) {
    const T sum = GP_BEGINS(*heads, GP_ITEMS) ? GP_ZERO : all;
    return GP_PART(sum, heads->begins != 0);
}

#ifdef GP_CARRY
#define GP_INITIAL_FIELDS                                                                                              \
    global const T *initial;                                                                                           \
    ulong initial_offset;                                                                                              \
    uint carries;
#define GP_INITIAL_VALUES , initial, initial_offset, carries
#define GP_USE_INITIAL(from)                                                                                           \
    global const T *initial = (from)->initial;                                                                         \
    const ulong initial_offset = (from)->initial_offset;                                                               \
    const uint carries = (from)->carries;
#else
#define GP_INITIAL_FIELDS
#define GP_INITIAL_VALUES
#define GP_USE_INITIAL(from)
#endif

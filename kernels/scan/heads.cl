// Where segments begin among the consecutive items of a work-item, a bit each.
//
// Rows that follow each other are one sequence of positions, in which each row and each flag begins
// a segment. In reverse it runs from the last row's end, and a flag ends a segment with its own
// element.
//
// Macros: those of carry.cl; GP_ITEMS, items of a work-item, less than 31
// Gives:  Rows, rows_of; Heads, find_heads; GP_FRESH, what item k of a segment's first begins with;
//         GP_PASS, behind each item
// SPDX-License-Identifier: MIT
#include "common/carry.cl"
#include "common/inline.cl"

#if GP_ITEMS > 30
#error "GP_ITEMS must be 30 at most"
#endif
#define GP_HEAD_BITS ((2u << GP_ITEMS) - 1)

typedef struct {
    ulong n, batch;
    ulong count;  // of all elements
    uint pattern; // bit k: a row begins k positions after another one did
    uint reverse;
} Rows;

GP_INLINE Rows rows_of(ulong n, ulong batch, uint reverse) {
    Rows rows = {n, batch, n * batch, 0, reverse};
    for (ulong k = 0; k <= GP_ITEMS; k += n) rows.pattern |= 1u << k;
    return rows;
}

// Bit k is about item k; bit GP_ITEMS is about what follows the last one.
typedef struct {
    uint begins; // nothing before item k counts for it
#ifdef GP_CARRY
    uint starts; // a row begins with item k
    uint takes;  // and with what comes before the row
    uint ends;   // a row ends with item k - 1
    uint closes; // and so does its last segment
    ulong row;   // of item 0, in the order of positions
#endif
} Heads;

// Of the items from position `first`; `flags`: the elements' flags, in the order of positions.
GP_INLINE Heads find_heads(const Rows *rows, ulong first, uint flags) {
    Heads heads;
    ulong row;
    if (rows->count >> 31 == 0)
        row = (uint)first / (uint)rows->n;
    else
        row = first / rows->n;
    const ulong place = first - row * rows->n, next = place == 0 ? 0 : rows->n - place;
    const uint starts = next <= GP_ITEMS ? rows->pattern << (uint)next & GP_HEAD_BITS : 0;
    heads.begins = starts | (rows->reverse ? flags << 1 : flags);
#ifdef GP_CARRY
    const ulong left = first < rows->count ? rows->count - first : 0; // elements
    const uint there = left > GP_ITEMS ? GP_HEAD_BITS : (1u << (uint)left) - 1;
    heads.starts = starts;
    heads.takes = starts & there & ~(rows->reverse ? 0 : flags);
    heads.ends = starts & there << 1;
    heads.closes = rows->reverse ? flags << 1 : 0;
    heads.row = row;
#endif
    return heads;
}

#ifdef GP_CARRY
#define GP_ROW(heads, rows) ((rows)->reverse ? (rows)->batch - 1 - (heads).row : (heads).row)
// Called for each item in turn, before GP_FRESH.
#define GP_REACH(heads, k)                                                                                             \
    do {                                                                                                               \
        if ((k) > 0 && ((heads).starts >> (k)&1)) ++(heads).row;                                                       \
    } while (0)
#define GP_FRESH(heads, rows, k) ((heads).takes >> (k)&1 ? GP_INITIAL(GP_ROW(heads, rows)) : GP_ZERO)
// Called behind item k, with what it hands on.
#define GP_PASS(heads, rows, k, value)                                                                                 \
    do {                                                                                                               \
        if ((heads).ends >> ((k) + 1) & 1)                                                                             \
            GP_HAND_ON(GP_ROW(heads, rows), (heads).closes >> ((k) + 1) & 1 ? GP_ZERO : (value));                      \
    } while (0)
#else
#define GP_REACH(heads, k)
#define GP_FRESH(heads, rows, k) GP_ZERO
#define GP_PASS(heads, rows, k, value)
#endif
#define GP_BEGINS(heads, k) ((heads).begins >> (k)&1)

// Where the row begins that position `first` belongs to.
GP_INLINE ulong row_begin(const Rows *rows, ulong first) {
    if (rows->count >> 31 == 0) return first - (uint)first % (uint)rows->n;
    return first - first % rows->n;
}

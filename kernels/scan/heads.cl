// Where segments begin among the consecutive items of a work-item, a bit each.
//
// The rows, one after the other, are one sequence of positions, in which each row and each flag
// begins a segment. In reverse each row runs from its end, and a flag ends a segment with its own
// element.
//
// Macros: those of carry.cl; GP_ITEMS, items of a work-item, less than 31; GP_INDEX, uint where
//         that counts elements, places in memory and a tile more, else ulong
// Gives: Index; Rows, set_rows; Heads, find_heads; GP_BEGINS, whether item k begins a segment;
//         GP_FRESH, what comes before one that does; GP_REACH and GP_PASS, called before and behind
//         each item
// SPDX-License-Identifier: MIT
#include "common/carry.cl"
#include "common/inline.cl"

#if GP_ITEMS > 30
#error "GP_ITEMS must be 30 at most"
#endif
#define GP_HEAD_BITS ((2u << GP_ITEMS) - 1)

typedef GP_INDEX Index;

typedef struct {
    Index n, batch;
    Index count;  // of all positions
    Index shift;  // what is added to a position, so that rows begin at multiples of n
    uint pad;     // the first position at which there is an element
    uint pattern; // bit k: a row begins k positions after another one did
    uint reverse;
    uint from_last; // rows come from the last to the first
} Rows;

GP_INLINE void set_rows(Rows *rows, Index n, Index batch, uint pad, uint reverse, uint from_last) {
    rows->n = n;
    rows->batch = batch;
    rows->count = n * batch + pad;
    rows->shift = pad == 0 ? 0 : n - 1 - (pad - 1) % n;
    rows->pad = pad;
    rows->pattern = 0;
    for (Index k = 0; k <= GP_ITEMS; k += n) rows->pattern |= 1u << k;
    rows->reverse = reverse;
    rows->from_last = from_last;
}

// Bit k is about item k; bit GP_ITEMS is about what follows the last one.
typedef struct {
    uint begins; // nothing before item k counts for it
#ifdef GP_CARRY
    uint starts; // a row begins with item k
    uint takes;  // and with what comes before the row
    uint ends;   // a row ends with item k - 1
    uint closes; // and so does its last segment
    Index row;   // of item 0, in the order of positions
#endif
} Heads;

// Of the items from position `first`, of which those from `end` on are not there; `flags`: the
// elements' flags, in the order of positions.
GP_INLINE void find_heads(Heads *heads, const Rows *rows, Index first, Index end, uint flags) {
    const Index shifted = first + rows->shift, row = shifted / rows->n, place = shifted - row * rows->n,
                next = place == 0 ? 0 : rows->n - place;
    const uint starts = next <= GP_ITEMS ? rows->pattern << (uint)next & GP_HEAD_BITS : 0;
    heads->begins = (starts | (rows->reverse ? flags << 1 : flags)) & GP_HEAD_BITS;
#ifdef GP_CARRY
    uint there = first >= end ? 0 : end - first > GP_ITEMS ? GP_HEAD_BITS : (1u << (uint)(end - first)) - 1;
    if (first < rows->pad) there &= ~0u << min(rows->pad - (uint)first, 31u);
    heads->starts = starts;
    heads->takes = starts & there & ~(rows->reverse ? 0 : flags);
    heads->ends = starts & there << 1;
    heads->closes = rows->reverse ? flags << 1 : 0;
    heads->row = row - (rows->pad + rows->shift) / rows->n;
#endif
}

#ifdef GP_CARRY
#define GP_ROW(heads, rows) ((rows)->from_last ? (rows)->batch - 1 - (heads).row : (heads).row)
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

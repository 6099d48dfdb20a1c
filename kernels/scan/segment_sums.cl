// What comes before a tile where segments begin: as sums.cl, but tiles publish parts, sums with
// whether a head lies in the tile.
//
// A head hides what comes before it. So the window may begin at any tile with a head: the sums are
// the same bits, whichever waves a work-group has combined before.
//
// Macros: those of warp.cl and look_back.cl
// Needs:  Segments, what tiles are computed from, defined before this file is included; late_state,
//         defined after it
// Gives:  GP_SUM_WORDS, ulongs that a tile publishes; Tiles, Waiting, publish; Before, take_before;
//         what segment_parts.cl does
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016;
//         the fixed waves are our own
// SPDX-License-Identifier: MIT
#include "scan/segment_parts.cl"

#define GP_SUM_WORDS (GP_TYPE_SIZE / 4)
#define GP_THERE (1ul << 32) // beside a word that is published
#define GP_HEAD_BIT 33       // of a tile's first word; from there on how many, where they are counted

#ifdef GP_COUNTS_HEADS
#define GP_HEADS_OF(part) GP_ANY(part)
#else
#define GP_HEADS_OF(part) (GP_ANY(part) != 0)
#endif

typedef Part State;

typedef struct {
    Segments segments;
    volatile global ulong *sums;
} Tiles;

typedef struct {
    PartWarps warps;
    uint late;
} Waiting;

#include "common/look_back.cl"

GP_INLINE void publish(const Tiles *tiles, uint tile, Part part) {
    volatile global ulong *to = tiles->sums + (ulong)tile * GP_SUM_WORDS;
    gp_publish_ulong(to, GP_THERE | (ulong)GP_HEADS_OF(part) << GP_HEAD_BIT | part.x);
#if GP_SUM_WORDS == 2
    gp_publish_ulong(to + 1, GP_THERE | part.y);
#endif
}

GP_INLINE uint look(const Tiles *tiles, uint tile, Part *part) {
    volatile global const ulong *from = tiles->sums + (ulong)tile * GP_SUM_WORDS;
    const ulong first = gp_peek_ulong(from);
    const uint any = (uint)(first >> GP_HEAD_BIT);
#if GP_SUM_WORDS == 1
    *part = (Part)((uint)first, any);
    return (first & GP_THERE) != 0;
#else
    const ulong second = gp_peek_ulong(from + 1);
    *part = (Part)((uint)first, (uint)second, any, 0);
    return (first & second & GP_THERE) != 0;
#endif
}

// The tiles from number `begin` to `end` of the wave that begins with tile `first`, joined.
// Work-item number i looks for the i-th tile of the wave.
GP_INLINE Part join_tiles(const Tiles *tiles, uint first, uint begin, uint end, local Waiting *room) {
    const uint id = (uint)get_local_id(0);
    Part mine = GP_NO_PART, all;
    uint found = id < begin || id >= end;
    gp_take_for_late(tiles, first + begin, first + end, room);
    do {
        found = gp_await(tiles, first + id, found, &mine);
    } while (gp_fell_back(tiles, found ? 0 : first + id + 1, room));
    gp_scan_parts(mine, &all, &room->warps);
    barrier(CLK_LOCAL_MEM_FENCE);
    return all;
}

// How far a work-group has come. Its tiles ascend, so no wave is combined twice.
typedef struct {
    T carry; // of all waves before `wave`, since the last head
    uint wave;
} Before;

// What comes before a tile, since the last head. No tile before `begin` counts: there is a head in
// that one, or it is the first. It does not descend from call to call.
GP_INLINE T take_before(Before *before, uint begin, uint tile, const Tiles *tiles, local Waiting *room) {
    if (begin == tile) return GP_ZERO;
    if (before->wave < begin / GP_GROUP) {
        before->wave = begin / GP_GROUP;
        before->carry = GP_ZERO;
    }
    for (; before->wave < tile / GP_GROUP; ++before->wave) {
        const uint first = before->wave * GP_GROUP;
        const Part whole = join_tiles(tiles, first, max(begin, first) - first, GP_GROUP, room);
        before->carry = gp_join_sum(before->carry, whole);
    }
    const uint first = before->wave * GP_GROUP;
    return gp_join_sum(before->carry, join_tiles(tiles, first, max(begin, first) - first, tile % GP_GROUP, room));
}

// What comes before a tile, by the sums that tiles publish: the window of a scan's look-back.
//
// The window is a wave of GP_GROUP consecutive tiles, one for each work-item. What comes before a
// tile is the combination of all whole waves before its own, and of the tiles before it in its
// wave. The tree of combinations is always the same. So floating-point results are the same bits
// from run to run, whichever work-group was first.
//
// Macros: those of warp.cl and look_back.cl; GP_PARTS, if late_state needs as many T in Waiting
// Needs:  late_state, defined after this file is included
// Gives:  GP_SUM_WORDS, ulongs that a tile publishes; Tiles, Waiting, publish; Before, take_before
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016;
//         the fixed waves are our own
// SPDX-License-Identifier: MIT
#include "common/source.cl"
#include "common/warp.cl"

#define GP_SUM_WORDS (GP_TYPE_SIZE / 4)
#define GP_STATE_WORDS GP_SUM_WORDS

typedef T State;

typedef struct {
    Source source;
    volatile global ulong *sums;
} Tiles;

typedef struct {
    Warps warps;
    uint late;
#ifdef GP_PARTS
    T parts[GP_PARTS];
#endif
} Waiting;

#include "common/look_back.cl"

GP_INLINE void publish(const Tiles *tiles, uint tile, T sum) {
#if GP_SUM_WORDS == 1
    const Words words = {{as_uint(sum)}};
#else
    const Words words = {{as_uint2(sum).x, as_uint2(sum).y}};
#endif
    gp_publish_words(tiles->sums + (ulong)tile * GP_SUM_WORDS, words);
}

GP_INLINE uint look(const Tiles *tiles, uint tile, T *sum) {
    Words words;
    const uint found = gp_look_words(tiles->sums + (ulong)tile * GP_SUM_WORDS, &words);
#if GP_SUM_WORDS == 1
    *sum = GP_AS_T(words.words[0]);
#else
    *sum = GP_AS_T((uint2)(words.words[0], words.words[1]));
#endif
    return found;
}

// The combination of the first `count` tiles of the wave that begins with tile `first`. Work-item
// number i looks for the i-th of them.
GP_INLINE T combine_sums(const Tiles *tiles, uint first, uint count, local Waiting *room) {
    const uint id = (uint)get_local_id(0);
    T mine = GP_ZERO;
    uint found = id >= count;
    gp_take_for_late(tiles, first, first + count, room);
    do {
        found = gp_await(tiles, first + id, found, &mine);
    } while (gp_fell_back(tiles, found ? 0 : first + id + 1, room));
    const T all = gp_combine_group(mine, &room->warps);
    barrier(CLK_LOCAL_MEM_FENCE);
    return all;
}

// How far a work-group has come. Its tiles ascend, so no wave is combined twice.
typedef struct {
    T carry; // of all waves before `wave`
    uint wave;
} Before;

// The combination of all tiles before this one.
GP_INLINE T take_before(Before *before, uint tile, const Tiles *tiles, local Waiting *room) {
    for (; before->wave < tile / GP_GROUP; ++before->wave) {
        const T whole = combine_sums(tiles, before->wave * GP_GROUP, GP_GROUP, room);
        before->carry = GP_COMBINE(before->carry, whole);
    }
    const T in_wave = combine_sums(tiles, before->wave * GP_GROUP, tile % GP_GROUP, room);
    return GP_COMBINE(before->carry, in_wave);
}

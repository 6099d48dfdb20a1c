// Sums that tiles publish, and what comes before a tile by them.
//
// Tiles form waves of GP_GROUP. What comes before a tile is the combination of all whole waves before its own, and of the
// tiles before it in its wave, always in the same tree: floating-point results are the same bits from run to run, whichever
// work-group was first. Each work-item waits for one sum, of a tile that was taken before its own by a work-group that runs.
// Should that not move for long, the tile's sum is computed here too.
//
// Macros: those of warp.cl; GP_SPIN_LIMIT, how often to look for a sum before computing it; GP_FALLBACK_ONLY, for tests: take every
//         sum for late, one after the other
// Needs:  late_sum, defined by whoever includes this: the sum of a tile, known to work-item 0 at least
// Gives:  Waiting, local memory whose `missing` is ~0u at first; publish; Before, take_before
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016; Smith, Levien and Owens,
//         "Decoupled Fallback", 2024; the fixed waves are our own
// SPDX-License-Identifier: MIT
#include "common/source.cl"
#include "common/warp.cl"
#include "device/fence.cl"

#ifndef GP_SPIN_LIMIT
#error "GP_SPIN_LIMIT must be defined"
#endif

// A sum is published as words of 32 bits, each beside a mark, written and read in one go.
#define GP_SUM_WORDS (GP_TYPE_SIZE / 4)
#define GP_MARK (1ul << 32)

typedef struct {
    Warps warps;
    uint missing; // the first tile of a wave whose sum took too long
} Waiting;

T late_sum(const Source *source, ulong tile, local Waiting *room);

void publish_word(volatile global ulong *to, uint word) { gp_publish_ulong(to, GP_MARK | word); }

uint look_at_word(volatile global ulong *from, uint *word) {
    const ulong both = gp_look_ulong(from);
    *word = (uint)both;
    return both >= GP_MARK;
}

void publish(volatile global ulong *sums, ulong tile, T sum) {
#if GP_TYPE_SIZE == 4
    publish_word(sums + tile, as_uint(sum));
#else
    const uint2 words = as_uint2(sum);
    publish_word(sums + 2 * tile, words.x);
    publish_word(sums + 2 * tile + 1, words.y);
#endif
}

// 1 when the sum was there.
uint look(volatile global ulong *sums, ulong tile, T *sum) {
#if GP_TYPE_SIZE == 4
    uint word;
    const uint found = look_at_word(sums + tile, &word);
    *sum = GP_AS_T(word);
    return found;
#else
    uint2 words;
    uint low, high;
    const uint found = look_at_word(sums + 2 * tile, &low) & look_at_word(sums + 2 * tile + 1, &high);
    words.x = low;
    words.y = high;
    *sum = GP_AS_T(words);
    return found;
#endif
}

// Computes and publishes the sum of a tile that is late. Its owner publishes before it overwrites the tile, so what is read
// here is the input, or not needed. Out of line, since it hardly ever runs and would take registers.
GP_OUT_OF_LINE void stand_in(volatile global ulong *sums, ulong tile, const Source *source, local Waiting *room) {
    const T sum = late_sum(source, tile, room);
    if (get_local_id(0) == 0) {
        T published;
        room->missing = ~0u;
        gp_fence_device();
        if (!look(sums, tile, &published)) publish(sums, tile, sum);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// The combination of the first `count` tiles of a wave that begins with tile `first`.
T combine_sums(volatile global ulong *sums, ulong first, uint count, const Source *source, local Waiting *room) {
    const uint id = (uint)get_local_id(0);
    T mine = GP_ZERO;
    uint found = id >= count;
#ifdef GP_FALLBACK_ONLY
    for (uint i = 0; i < count; ++i) stand_in(sums, first + i, source, room);
#endif
    for (;;) {
        for (uint i = 0; i < GP_SPIN_LIMIT && !found; ++i) {
            T sum;
            found = look(sums, first + id, &sum);
            if (found) mine = sum;
        }
        if (!found) atomic_min(&room->missing, id);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint missing = room->missing;
        if (missing == ~0u) break;
        stand_in(sums, first + missing, source, room);
    }
    T total, all;
    gp_scan_warp(mine, &total, &room->warps);
    gp_scan_warps(total, &all, &room->warps);
    barrier(CLK_LOCAL_MEM_FENCE);
    return all;
}

// How far a work-group has come, with the tiles that it takes in ascending order.
typedef struct {
    T carry; // of all waves before `wave`
    ulong wave;
} Before;

// The combination of all tiles before this one.
__attribute__((always_inline)) T take_before(Before *before, volatile global ulong *sums, ulong tile,
                                             const Source *source, local Waiting *room) {
    for (; before->wave < tile / GP_GROUP; ++before->wave) {
        const T whole = combine_sums(sums, before->wave * GP_GROUP, GP_GROUP, source, room);
        before->carry = GP_COMBINE(before->carry, whole);
    }
    const T in_wave = combine_sums(sums, before->wave * GP_GROUP, (uint)(tile % GP_GROUP), source, room);
    return GP_COMBINE(before->carry, in_wave);
}

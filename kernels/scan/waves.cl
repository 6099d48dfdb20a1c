// Scan in a single pass: every element is read once and written once. Work-groups take tiles in order, publish each tile's
// sum before they scan it, and add up the sums of the tiles before theirs.
//
// Tiles form waves of GP_GROUP. What comes before a tile is the combination of all whole waves before its own, and of the
// tiles before it in its wave, always in the same tree: floating-point results are the same bits from run to run, whichever
// work-group was first. Each work-item waits for one sum, of a tile that was taken before its own by a work-group that runs.
// Should that not move for long, the tile's sum is computed here too.
//
// Macros: those of warp.cl; GP_VECTORS, vectors of 16 bytes that each work-item takes of a tile; GP_PATIENCE, how often to
//         look for a sum before computing it; GP_NO_WAIT, for tests: take every sum for late, one after the other
// Launch: work-groups of GP_GROUP work-items, any number; `state` is filled with zeros, 16 bytes and GP_SUM_WORDS ulongs a
//         tile; a single tile needs none
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016; Smith, Levien and Owens,
//         "Decoupled Fallback", 2024; the fixed waves are our own
// SPDX-License-Identifier: MIT
#include "common/fence.cl"
#include "common/positions.cl"
#include "common/warp.cl"

#if !defined(GP_VECTORS) || !defined(GP_PATIENCE)
#error "GP_VECTORS and GP_PATIENCE must be defined"
#endif

#if GP_TYPE_SIZE == 4
#define GP_WIDTH 4
#else
#define GP_WIDTH 2
#endif
#define GP_ITEMS (GP_WIDTH * GP_VECTORS)
#define GP_TILE (GP_ITEMS * GP_GROUP)
#define TV GP_PASTE(T, GP_WIDTH)
#define GP_LOAD GP_PASTE(vload, GP_WIDTH)
#define GP_STORE GP_PASTE(vstore, GP_WIDTH)

// A sum is published as words of 32 bits, each beside a mark.
#define GP_SUM_WORDS (GP_TYPE_SIZE / 4)
#define GP_MARK (1ul << 32)

typedef struct {
    Warps warps[2];
    uint tile;
    uint missing; // the first tile of a wave whose sum took too long
} Local;

// Where vector v of this work-item begins: warps take consecutive parts of the tile.
#define GP_POSITION(first, v) ((first) + ((id / 32) * GP_VECTORS + (v)) * (32 * GP_WIDTH) + id % 32 * GP_WIDTH)

void load_tile(T (*x)[GP_WIDTH], global const T *in, ulong first, ulong n, uint reverse) {
    const uint id = (uint)get_local_id(0);
    if (!reverse && first + GP_TILE <= n && ((size_t)in % 16) == 0) {
#pragma unroll
        for (uint v = 0; v < GP_VECTORS; ++v) {
            const TV whole = *(global const TV *)(in + GP_POSITION(first, v));
            GP_STORE(whole, 0, x[v]);
        }
        return;
    }
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) {
#pragma unroll
        for (uint i = 0; i < GP_WIDTH; ++i) {
            const ulong p = GP_POSITION(first, v) + i;
            x[v][i] = p < n ? in[GP_AT(p)] : GP_ZERO;
        }
    }
}

void store_tile(T (*x)[GP_WIDTH], global T *out, ulong first, ulong n, uint reverse) {
    const uint id = (uint)get_local_id(0);
    if (!reverse && first + GP_TILE <= n && ((size_t)out % 16) == 0) {
#pragma unroll
        for (uint v = 0; v < GP_VECTORS; ++v) *(global TV *)(out + GP_POSITION(first, v)) = GP_LOAD(0, x[v]);
        return;
    }
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) {
#pragma unroll
        for (uint i = 0; i < GP_WIDTH; ++i) {
            const ulong p = GP_POSITION(first, v) + i;
            if (p < n) out[GP_AT(p)] = x[v][i];
        }
    }
}

// before[v]: the combination of what comes before vector v within the warp's part. Returns that of the warps before, and in
// *sum the tile's.
T combine_tile(T (*x)[GP_WIDTH], T *before, T *sum, local Warps *warps) {
    T running = GP_ZERO;
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) {
        T mine = x[v][0];
#pragma unroll
        for (uint i = 1; i < GP_WIDTH; ++i) mine = GP_COMBINE(mine, x[v][i]);
        T total;
        const T left = gp_scan_warp(mine, &total);
        before[v] = GP_COMBINE(running, left);
        running = GP_COMBINE(running, total);
    }
    return gp_scan_warps(running, sum, warps);
}

// A word and its mark, written and read in one go.
void publish_word(volatile global ulong *to, uint word) { *to = GP_MARK | word; }

uint look_at_word(volatile global ulong *from, uint *word) {
    const ulong both = *from;
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
__attribute__((noinline)) void stand_in(volatile global ulong *sums, ulong tile, global const T *in, ulong n,
                                        uint reverse, local Local *room) {
    T x[GP_VECTORS][GP_WIDTH], before[GP_VECTORS], sum, published;
    load_tile(x, in, tile * GP_TILE, n, reverse);
    combine_tile(x, before, &sum, &room->warps[1]);
    if (get_local_id(0) == 0) {
        room->missing = ~0u;
        gp_fence_device();
        if (!look(sums, tile, &published)) publish(sums, tile, sum);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// The combination of the first `count` tiles of a wave that begins with tile `first`.
T combine_sums(volatile global ulong *sums, ulong first, uint count, global const T *in, ulong n, uint reverse,
               local Local *room) {
    const uint id = (uint)get_local_id(0);
    T mine = GP_ZERO;
    uint found = id >= count;
#ifdef GP_NO_WAIT
    for (uint i = 0; i < count; ++i) stand_in(sums, first + i, in, n, reverse, room);
#endif
    for (;;) {
        for (uint i = 0; i < GP_PATIENCE && !found; ++i) {
            T sum;
            found = look(sums, first + id, &sum);
            if (found) mine = sum;
        }
        if (!found) atomic_min(&room->missing, id);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint missing = room->missing;
        if (missing == ~0u) break;
        stand_in(sums, first + missing, in, n, reverse, room);
    }
    T total, all;
    gp_scan_warp(mine, &total);
    gp_scan_warps(total, &all, &room->warps[1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    return all;
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void scan_waves(global const T *in, ulong in_offset,
                                                                             global T *out, ulong out_offset,
                                                                             global ulong *state, ulong state_offset,
                                                                             ulong n, uint exclusive, uint reverse) {
    local Local room;
    const uint id = (uint)get_local_id(0);
    const ulong tiles = (n + GP_TILE - 1) / GP_TILE;
    volatile global uint *ticket = (volatile global uint *)(state + state_offset);
    volatile global ulong *sums = state + state_offset + 2;
    in += in_offset;
    out += out_offset;
    if (id == 0) room.missing = ~0u;

    T carry = GP_ZERO; // of all waves before `wave`
    ulong wave = 0;
    uint next_tile = 0; // known to work-item 0
    if (id == 0) next_tile = tiles > 1 ? atomic_inc(ticket) : (uint)get_group_id(0);
    for (;;) {
        if (id == 0) room.tile = next_tile;
        barrier(CLK_LOCAL_MEM_FENCE);
        const ulong tile = room.tile;
        if (tile >= tiles) break;
        T x[GP_VECTORS][GP_WIDTH], before[GP_VECTORS], sum;
        load_tile(x, in, tile * GP_TILE, n, reverse);
        T start = combine_tile(x, before, &sum, &room.warps[0]);
        if (tiles > 1) {
            if (id == 0) {
                publish(sums, tile, sum);
                if (in == out) gp_fence_device(); // before the tile is overwritten, which a stand-in must not mistake
            }
            for (; wave < tile / GP_GROUP; ++wave) {
                const T whole = combine_sums(sums, wave * GP_GROUP, GP_GROUP, in, n, reverse, &room);
                carry = GP_COMBINE(carry, whole);
            }
            const T in_wave = combine_sums(sums, wave * GP_GROUP, (uint)(tile % GP_GROUP), in, n, reverse, &room);
            const T before_tile = GP_COMBINE(carry, in_wave);
            start = GP_COMBINE(before_tile, start);
            // The answer comes while this tile is stored. Taken sooner, others would wait for it.
            if (id == 0) next_tile = atomic_inc(ticket);
        }
#pragma unroll
        for (uint v = 0; v < GP_VECTORS; ++v) {
            T running = GP_COMBINE(start, before[v]);
#pragma unroll
            for (uint i = 0; i < GP_WIDTH; ++i) {
                const T next = GP_COMBINE(running, x[v][i]);
                x[v][i] = exclusive ? running : next;
                running = next;
            }
        }
        store_tile(x, out, tile * GP_TILE, n, reverse);
        if (tiles == 1) break;
    }
}

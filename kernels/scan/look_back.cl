// Scan in a single pass: every element is read once and written once. Work-groups take tiles in
// order, publish each tile's sum before they scan the tile, and combine the sums of the tiles
// before theirs (sums.cl).
//
// Macros: those of sums.cl and counted.cl; GP_VECTORS, vectors of 16 bytes that each work-item
//         takes of a tile
// Launch: any number of work-groups of GP_GROUP work-items. `state` is filled with zeros: 16 bytes,
//         and GP_SUM_WORDS ulongs for each tile. A single tile needs no state
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016
// SPDX-License-Identifier: MIT
#include "common/carry.cl"
#include "common/counted.cl"
#include "common/positions.cl"
#include "common/vectors.cl"
#include "device/shuffle.cl"
#if GP_TOGETHER
#define GP_PARTS (GP_GROUP * GP_VECTORS / 32 * 33)
#endif
#include "scan/sums.cl"

typedef struct {
    Waiting waiting;
    uint tile;
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

#if GP_TOGETHER
// before[v] becomes the combination of what comes before vector v in the tile, *sum the tile's. The
// vectors' sums meet in local memory, where each work-item scans GP_VECTORS of them. A barrier must
// come before the next call. Returns the identity.
T combine_tile(T (*x)[GP_WIDTH], T *before, T *sum, local Waiting *room) {
    const uint id = (uint)get_local_id(0);
#define GP_PART(i) room->parts[(i) + (i) / 32]
#define GP_PART_OF(v) GP_PART((id / 32 * GP_VECTORS + (v)) * 32 + id % 32)
    for (uint v = 0; v < GP_VECTORS; ++v) {
        T mine = x[v][0];
#pragma unroll
        for (uint i = 1; i < GP_WIDTH; ++i) mine = GP_COMBINE(mine, x[v][i]);
        GP_PART_OF(v) = mine;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    T mine = GP_ZERO;
    for (uint v = 0; v < GP_VECTORS; ++v) {
        const T one = GP_PART(id * GP_VECTORS + v);
        mine = GP_COMBINE(mine, one);
    }
    T running = gp_scan_items(mine, GP_GROUP, sum, room->warps.items);
    for (uint v = 0; v < GP_VECTORS; ++v) {
        const T one = GP_PART(id * GP_VECTORS + v);
        GP_PART(id * GP_VECTORS + v) = running;
        running = GP_COMBINE(running, one);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint v = 0; v < GP_VECTORS; ++v) before[v] = GP_PART_OF(v);
    return GP_ZERO;
}
#else
// before[v] becomes the combination of what comes before vector v in the warp's part. Returns the
// combination of all lower warps' parts, and in *sum the tile's.
T combine_tile(T (*x)[GP_WIDTH], T *before, T *sum, local Waiting *room) {
    local Warps *const warps = &room->warps;
    T running = GP_ZERO;
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) {
        T mine = x[v][0];
#pragma unroll
        for (uint i = 1; i < GP_WIDTH; ++i) mine = GP_COMBINE(mine, x[v][i]);
        T total;
        const T left = gp_scan_warp(mine, &total, warps);
        before[v] = GP_COMBINE(running, left);
        running = GP_COMBINE(running, total);
    }
    return gp_scan_warps(running, sum, warps);
}
#endif

T late_state(const Tiles *tiles, uint tile, local Waiting *room) {
    const Source *source = &tiles->source;
    T x[GP_VECTORS][GP_WIDTH], before[GP_VECTORS], sum;
    load_tile(x, source->in, (ulong)tile * GP_TILE, source->n, source->reverse);
    combine_tile(x, before, &sum, room);
    return sum;
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
scan_look_back(global const T *in, ulong in_offset, global T *out, ulong out_offset, global ulong *state,
               ulong state_offset, ulong n, uint exclusive, uint reverse GP_CARRY_PARAMETERS GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local Local room;
    const uint id = (uint)get_local_id(0);
    const ulong tiles = (n + GP_TILE - 1) / GP_TILE;
    volatile global uint *ticket = (volatile global uint *)(state + state_offset);
    in += in_offset;
    out += out_offset;
    if (id == 0) room.waiting.late = 0;

    const Tiles all = {{in, n, reverse}, state + state_offset + 2};
    Before way = {GP_ZERO, 0};
    uint next_tile = 0; // known to work-item 0
    if (id == 0) next_tile = tiles > 1 ? atomic_inc(ticket) : (uint)get_group_id(0);
    for (;;) {
        if (id == 0) room.tile = next_tile;
        barrier(CLK_LOCAL_MEM_FENCE);
        const ulong tile = room.tile;
        if (tile >= tiles) break;
        T x[GP_VECTORS][GP_WIDTH], before[GP_VECTORS], sum;
        load_tile(x, in, tile * GP_TILE, n, reverse);
        T start = combine_tile(x, before, &sum, &room.waiting);
        if (tiles > 1) {
            if (id == 0) {
                publish(&all, (uint)tile, sum);
                if (in == out) gp_fence_device(); // before the tile is overwritten, which a fallback must not read
            }
            const T before_all = take_before(&way, (uint)tile, &all, &room.waiting);
            start = GP_COMBINE(before_all, start);
            // The number arrives while this tile is stored. A tile that was taken sooner would keep
            // other work-groups waiting for its sum.
            if (id == 0) next_tile = atomic_inc(ticket);
        }
#ifdef GP_CARRY
        const T carry = GP_INITIAL(0);
        start = GP_COMBINE(carry, start);
#endif
#pragma unroll
        for (uint v = 0; v < GP_VECTORS; ++v) {
            T running = GP_COMBINE(start, before[v]);
#pragma unroll
            for (uint i = 0; i < GP_WIDTH; ++i) {
                const T next = GP_COMBINE(running, x[v][i]);
                x[v][i] = exclusive ? running : next;
                running = next;
            }
#ifdef GP_CARRY
            if (tile == tiles - 1 && v == GP_VECTORS - 1 && id == GP_GROUP - 1) GP_HAND_ON(0, running);
#endif
        }
        store_tile(x, out, tile * GP_TILE, n, reverse);
        if (tiles == 1) break;
    }
}

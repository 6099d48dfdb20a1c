// A bit for each element of a tile, and how many are set before each.
//
// Warps take consecutive parts of a tile, and in them vectors, one a lane. A work-item's word has a
// bit for each of its elements, those of its first vector lowest.
//
// Macros: GP_GROUP, work-items of a work-group, a multiple of 32; GP_ITEMS, elements of each, 32 at
//         most; GP_WIDTH, elements of a vector
// Gives:  GP_TILE, GP_VECTORS; GP_PLACE; Warps, local memory; gp_sum_of_group; Ranks, gp_rank_tile,
//         GP_FIELD, GP_BITS_OF
// Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.3 (packing)
// SPDX-License-Identifier: MIT
#include "common/group_scan.cl"
#include "common/inline.cl"
#include "device/shuffle.cl"
#include "device/warp_sum.cl"

#define GP_WARPS (GP_GROUP / 32)
#define GP_TILE (GP_GROUP * GP_ITEMS)
#define GP_VECTORS (GP_ITEMS / GP_WIDTH)
#if GP_TILE > 65536 || GP_ITEMS > 32 || GP_ITEMS % GP_WIDTH != 0
#error "places in a tile have 16 bits, a work-item's elements 32, in whole vectors"
#endif

typedef struct {
    uint totals[GP_WARPS];
#if GP_LANES
    uint lanes[GP_LANES];
#endif
} Warps;

GP_DEFINE_WARP_SCAN(gp_scan_counts, uint, gp_shuffle_up_word, GP_PLUS)

// Where vector v of this work-item begins in its tile.
#define GP_PLACE(v) (((id / 32) * GP_VECTORS + (v)) * (32 * GP_WIDTH) + id % 32 * GP_WIDTH)

// The sum of x over the work-group. A barrier must come before the next use of `warps`.
GP_INLINE uint gp_sum_of_group(uint x, local Warps *warps) {
    const uint id = (uint)get_local_id(0);
    x = gp_sum_of_warp(x, GP_ROOM_OF(warps->lanes));
    if (id % 32 == 0) warps->totals[id / 32] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
#pragma unroll
    for (uint warp = 0; warp < GP_WARPS; ++warp) sum += warps->totals[warp];
    return sum;
}

// How many bits of a vector are set in a warp takes 8 bits, or 10; so several vectors' counts go
// through a scan as the fields of a word.
#if GP_WIDTH <= 4
#define GP_FIELDS 4
#else
#define GP_FIELDS 2
#endif
#define GP_FIELD_BITS (32 / GP_FIELDS)
#define GP_FIELD(words, v) ((words)[(v) / GP_FIELDS] >> (v) % GP_FIELDS * GP_FIELD_BITS & ((1u << GP_FIELD_BITS) - 1))
#define GP_WORDS_OF_FIELDS ((GP_VECTORS + GP_FIELDS - 1) / GP_FIELDS)
#define GP_BITS_OF(bits, v) ((bits) >> (v)*GP_WIDTH & (uint)((1ul << GP_WIDTH) - 1))

// Of each vector how many bits are set in lower lanes, and in the warp; those of lower warps; and
// of all the tile.
typedef struct {
    uint lower[GP_WORDS_OF_FIELDS], of_warp[GP_WORDS_OF_FIELDS];
    uint below, total;
} Ranks;

// A barrier must come before the next use of `warps`.
GP_INLINE Ranks gp_rank_tile(uint bits, local Warps *warps) {
    const uint id = (uint)get_local_id(0);
    Ranks ranks;
#pragma unroll
    for (uint q = 0; q < GP_WORDS_OF_FIELDS; ++q) {
        uint mine = 0;
#pragma unroll
        for (uint k = 0; k < GP_FIELDS; ++k) {
            const uint v = q * GP_FIELDS + k;
            if (v < GP_VECTORS) mine |= popcount(GP_BITS_OF(bits, v)) << k * GP_FIELD_BITS;
        }
        const uint scanned = gp_scan_counts(mine, GP_ROOM_OF(warps->lanes));
        ranks.of_warp[q] = gp_shuffle_word(scanned, 31, GP_ROOM_OF(warps->lanes));
        ranks.lower[q] = scanned - mine;
    }
    uint sum = 0;
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) sum += GP_FIELD(ranks.of_warp, v);
    if (id % 32 == 0) warps->totals[id / 32] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    ranks.below = ranks.total = 0;
#pragma unroll
    for (uint warp = 0; warp < GP_WARPS; ++warp) {
        if (warp == id / 32) ranks.below = ranks.total;
        ranks.total += warps->totals[warp];
    }
    return ranks;
}

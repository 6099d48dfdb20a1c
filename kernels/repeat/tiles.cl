// Repeats for GPUs: each work-group writes a tile of the output. The first launch finds the element
// with which each tile begins. In a tile, each element that begins there notes its number where it
// does; the maximum of what is noted up to a place is the element there.
//
// Macros: those of call.cl and shuffle.cl; GP_GROUP, the work-group size, a multiple of 32, and
//         GP_ITEMS, an odd number, so that neighbours do not share banks
// Launch: repeat_starts, a work-item a tile and one more, for `tiles` tiles that the capacity
//         makes; then repeat_tiles, a work-group of GP_GROUP a tile. n is less than 2^32. starts[k]
//         is the element at the first place of tile k, behind the end that at the last place
// SPDX-License-Identifier: MIT
#include "common/group_scan.cl"
#include "device/shuffle.cl"
#include "repeat/call.cl"

#if GP_ITEMS % 2 == 0
#error "GP_ITEMS must be odd"
#endif
#define GP_TILE (GP_GROUP * GP_ITEMS)
#define GP_WARPS (GP_GROUP / 32)

kernel void repeat_starts(GP_REPEAT, global uint *starts, ulong starts_offset, ulong tiles) {
    GP_BEGIN_REPEAT
    const ulong tile = get_global_id(0), first = tile * GP_TILE;
    if (tile > tiles || size == 0) return;
    starts[starts_offset + tile] = (uint)gp_run_at(ends, n, min(first, size - 1));
}

GP_DEFINE_WARP_SCAN(gp_scan_most, uint, gp_shuffle_up_word, max)

typedef struct {
    uint places[GP_TILE]; // which element is there, counted from the tile's first one
    uint most[GP_WARPS];
#if GP_LANES
    uint lanes[GP_LANES];
#endif
} Local;

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP void
repeat_tiles(GP_REPEAT, global const uint *starts, ulong starts_offset) {
    local Local room;
    GP_BEGIN_REPEAT
    const uint id = (uint)get_local_id(0);
    const ulong tile = get_group_id(0), first = tile * GP_TILE;
    if (first >= size) return;
    const uint some = (uint)min(size - first, (ulong)GP_TILE);
    const uint start = starts[starts_offset + tile], last = starts[starts_offset + tile + 1];
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) room.places[k * GP_GROUP + id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    // The tile's first element is number 0, which is noted everywhere.
    for (ulong run = (ulong)start + 1 + id; run <= last; run += GP_GROUP) {
        const ulong begin = ends[run - 1];
        if (begin < first + some && begin >= first && ends[run] > begin)
            atomic_max(&room.places[begin - first], (uint)(run - start)); // one each, but where sums wrap
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint mine[GP_ITEMS], most = 0;
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        most = max(most, room.places[id * GP_ITEMS + k]);
        mine[k] = most;
    }
    const uint up_to_here = gp_scan_most(most, GP_ROOM_OF(room.lanes));
    if (id % 32 == 31) room.most[id / 32] = up_to_here;
    uint before = gp_shuffle_up_word(up_to_here, 1, GP_ROOM_OF(room.lanes));
    if (id % 32 == 0) before = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint w = 0; w < id / 32; ++w) before = max(before, room.most[w]);
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) room.places[id * GP_ITEMS + k] = max(mine[k], before);
    barrier(CLK_LOCAL_MEM_FENCE);
    // Loads have no conditions around them, so that the compiler lets several be under way
    // together: what is behind the tile's end is its last word again.
    global const Word *const from = in + (ulong)start * GP_WORDS;
    global Word *const to = out + first * GP_WORDS;
    const uint words = some * GP_WORDS;
    for (uint block = 0; block < words; block += GP_TILE) {
        Word x[GP_ITEMS];
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            const uint w = min(block + k * GP_GROUP + id, words - 1);
            x[k] = from[(ulong)room.places[w / GP_WORDS] * GP_WORDS + w % GP_WORDS];
        }
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            const uint w = block + k * GP_GROUP + id;
            if (w < words) to[w] = x[k];
        }
    }
}

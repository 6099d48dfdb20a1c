// Sorts every block of a tile of elements in local memory, by the caller's order; stable.
//
// Computes: out = the blocks of in, each sorted; flags[0..flag_count) = 0. Each work-item sorts
//           GP_ITEMS neighbours by odd-even transposition; then neighbouring runs are merged two by
//           two, each work-item a part. Where the caller's order is none, parts may not fit each
//           other: such a round is left out.
// Macros:   those of elements.cl
// Launch:   a work-group of GP_GROUP for each GP_GROUP * GP_ITEMS elements
// Local:    a tile of elements, GP_GROUP ushorts
// Source:   Satish, Harris and Garland, "Designing Efficient Sorting Algorithms for Manycore GPUs",
//           2009; Green, McColl and Bader, "GPU Merge Path", 2012
// SPDX-License-Identifier: MIT
#include "sort_by/elements.cl"

// A round pair by pair of neighbours, as far as both are elements.
#define GP_SORT_PART(part, both_are)                                                                                   \
    _Pragma("unroll") for (uint round = 0; round < GP_ITEMS; ++round) {                                                \
        _Pragma("unroll") for (uint k = round % 2; k + 1 < GP_ITEMS; k += 2) {                                         \
            if ((both_are) && gp_is_before(part[k + 1], part[k])) {                                                    \
                const Element first = part[k];                                                                         \
                part[k] = part[k + 1];                                                                                 \
                part[k + 1] = first;                                                                                   \
            }                                                                                                          \
        }                                                                                                              \
    }

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
sort_by_blocks(ulong n, global const Word *in, ulong in_offset, global Word *out, ulong out_offset, uint flag_count,
               global uint *flags, ulong flags_offset GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local Cell cells[GP_TILE + GP_ITEMS + 1]; // some are read behind the last
    local ushort begins[GP_GROUP];            // of each work-item's part: elements of its first run before it
    local uint broken[32];                    // rounds that the caller's order has no result for
    const uint item = (uint)get_local_id(0), mine = item * GP_ITEMS;
    const ulong tile = (ulong)get_group_id(0) * GP_TILE;
    // A tile behind all elements reads one and writes none. It does not return early: PoCL 3.1 runs
    // the last loop once too often then.
    const uint size = tile < n ? (uint)min((ulong)GP_TILE, n - tile) : 1, words = tile < n ? size * GP_WORDS : 0;
    in += (in_offset + tile) * GP_WORDS;
    out += (out_offset + tile) * GP_WORDS;
    if (get_group_id(0) == 0)
        for (uint k = item; k < flag_count; k += GP_GROUP) flags[flags_offset + k] = 0;
    for (uint k = item; k < 32; k += GP_GROUP) broken[k] = 0;
    GP_LOAD_TILE(cells, size, size, in, in)
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); // out may be in, whose last element several read

    // Only what lies before `size` is compared or moved to a place before it.
    Element part[GP_ITEMS];
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) part[k] = cells[min(mine + k, size - 1)].element;
    if (mine + GP_ITEMS <= size) {
        GP_SORT_PART(part, true)
    } else {
        GP_SORT_PART(part, mine + k + 1 < size)
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) cells[mine + k].element = part[k];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint items = 1, round = 0; items < GP_GROUP && items * GP_ITEMS < size; items *= 2, ++round) {
        const uint first = (item & ~(2 * items - 1)) * GP_ITEMS;
        const bool takes_part = mine < size;
        const uint both = takes_part ? min(2 * items * GP_ITEMS, size - first) : 1;
        const uint of_a = takes_part ? min(items * GP_ITEMS, both) : 0, begin = takes_part ? mine - first : 0;
        local const Cell *const pair = cells + (takes_part ? first : 0);
        GP_BEGIN_MERGE(pair, of_a, both, begin, 0)
        begins[item] = (ushort)i;
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) {
            GP_MERGE_STEP(pair, of_a, both, 0)
            part[k] = merged;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (takes_part && begin + GP_ITEMS < both && begins[item + 1] != i) broken[round] = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!broken[round]) {
#pragma unroll
            for (uint k = 0; k < GP_ITEMS; ++k) cells[mine + k].element = part[k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint k = item; k < words; k += GP_GROUP) out[k] = cells[k / GP_WORDS].words[k % GP_WORDS];
}

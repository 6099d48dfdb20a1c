// A pass of the merge sort by the caller's order: neighbouring runs are merged two by two; stable.
//
// Computes: sort_by_splits: of the elements before each tile in its pair of runs, how many come from
//           the first run; and whether these numbers fit each other, which they may not where the
//           caller's order is none
//           sort_by_merge: the runs of in, `run` elements each (the last may be shorter), merged two by
//           two; a copy of in where the numbers do not fit; a tile whose parts do not is left as it is
// Macros:   those of elements.cl; GP_GROUP, GP_ITEMS: work-items of a work-group, elements of each
// Launch:   sort_by_splits: work-groups of GP_GROUP, GP_STRIDE tiles each
//           sort_by_merge: a work-group of GP_GROUP for each tile of GP_GROUP * GP_ITEMS elements; tiles
//           divide `run`
// Local:    a tile of elements and of ushorts, GP_GROUP ushorts
// Source:   Green, McColl and Bader, "GPU Merge Path", 2012
// SPDX-License-Identifier: MIT
#include "sort_by/elements.cl"

// The pair of runs in which an element is: where it begins, and how many elements its runs have.
typedef struct {
    ulong first, of_a, both;
} Pair;
Pair gp_pair(ulong at, ulong run, ulong n) {
    const ulong first = at / (2 * run) * (2 * run);
    const Pair pair = {first, min(run, n - first), min(2 * run, n - first)};
    return pair;
}

// Work-groups of sort_by_splits overlap by a tile, so that each sees pairs of neighbours.
#define GP_STRIDE (GP_GROUP > 1 ? GP_GROUP - 1 : 1)

ulong gp_split(Pair pair, global const Word *in, ulong at) {
    global const Word *const a = in + pair.first * GP_WORDS;
    return gp_path(a, pair.of_a, a + pair.of_a * GP_WORDS, pair.both - pair.of_a, at - pair.first, 0);
}

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
sort_by_splits(ulong n, ulong run, global const Word *in, ulong in_offset, global ulong *splits, ulong splits_offset,
               global uint *unfit, ulong unfit_offset) {
    local ulong found[GP_GROUP];
    const uint item = (uint)get_local_id(0);
    const ulong tile = get_group_id(0) * (ulong)GP_STRIDE + item, at = tile * GP_TILE;
    Pair pair = {0, 0, 0};
    in += in_offset * GP_WORDS;
    if (at < n) {
        pair = gp_pair(at, run, n);
        found[item] = gp_split(pair, in, at);
        splits[splits_offset + tile] = found[item];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (at + GP_TILE >= pair.first + pair.both || (GP_GROUP > 1 && item + 1 == GP_GROUP)) return;
    const ulong next = GP_GROUP > 1 ? found[item + 1] : gp_split(pair, in, at + GP_TILE);
    if (next < found[item] || next - found[item] > GP_TILE) unfit[unfit_offset] = 1;
}

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
sort_by_merge(ulong n, ulong run, global const Word *in, ulong in_offset, global Word *out, ulong out_offset,
              global const ulong *splits, ulong splits_offset, global const uint *unfit, ulong unfit_offset) {
    local Cell cells[GP_TILE + 1]; // one is read behind the last
    local ushort numbers[GP_TILE]; // where in `cells` each element of the result is
    local ushort begins[GP_GROUP]; // of each work-item's part: elements of the first run before it
    local uint broken;
    const uint item = (uint)get_local_id(0), group = (uint)get_group_id(0);
    const ulong tile = (ulong)group * GP_TILE;
    const uint size = (uint)min((ulong)GP_TILE, n - tile);
    in += in_offset * GP_WORDS;
    out += (out_offset + tile) * GP_WORDS;
    // Where the numbers do not fit, the tile is taken as it lies.
    const bool fits = !unfit[unfit_offset];
    const Pair pair = gp_pair(tile, run, n);
    const ulong behind = tile + size - pair.first; // the tile's end in its pair
    const ulong before = fits ? splits[splits_offset + group] : min(tile - pair.first, pair.of_a);
    const ulong after = fits && behind < pair.both ? splits[splits_offset + group + 1] : min(behind, pair.of_a);
    const uint count = (uint)(after - before); // from the first run
    const ulong a = pair.first + before, b = pair.first + pair.of_a + (tile - pair.first - before) - count;
    if (item == 0) broken = !fits;
    GP_LOAD_TILE(cells, size, in[((k / GP_WORDS < count ? a : b)) * GP_WORDS + k])
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint begin = min(item * GP_ITEMS, size);
    GP_BEGIN_MERGE(cells, count, size, begin, 0)
    begins[item] = (ushort)i;
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        if (begin + k < size) {
            GP_MERGE_STEP(cells, count, size, 0)
            numbers[begin + k] = (ushort)from;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (begin + GP_ITEMS < size && begins[item + 1] != i) broken = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = item; k < size * GP_WORDS; k += GP_GROUP) {
        const uint number = broken ? k / GP_WORDS : numbers[k / GP_WORDS];
        out[k] = cells[number].words[k % GP_WORDS];
    }
}

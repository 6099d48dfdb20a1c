// A pass of the merge sort by the caller's order: neighbouring runs are merged two by two; stable.
//
// Computes: sort_by_splits: of the elements before each tile in its pair of runs, how many come
//           from the first run sort_by_merge: the runs of in, `run` elements each (the last may be
//           shorter), merged two by two; a tile whose parts do not fit each other is left as it is
//           sort_by_restore: elements = copy, where the last pass failed
// Failure: Where the caller's order is none, the tiles' numbers may not fit each other. Such a pass
//           sets its flag, and what it writes is of no use; but what it read is whole, and lies
//           where the next pass would write. So the next pass does nothing.
// Macros:   those of elements.cl; GP_OWN: 1 where each work-group finds its part itself, 0 where
//           sort_by_splits has; GP_KEEP: 1 where merged elements stay in registers, 0 where their
//           numbers stay in local memory
// Launch:   sort_by_splits: work-groups of GP_GROUP, `lanes` work-items for each tile
//           sort_by_merge: a work-group of GP_GROUP for each tile of GP_GROUP * GP_ITEMS elements;
//           tiles divide `run` sort_by_restore: work-groups of GP_GROUP
// Local:    a tile of elements, and of ushorts without GP_KEEP, GP_GROUP ushorts
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

// What gp_wide_path finds for the diagonal that many elements into the pair.
ulong gp_split(Pair pair, global const Word *in, ulong diagonal, ulong run, uint lanes, local uint *first,
               local uchar *found) {
    global const Word *const a = in + pair.first * GP_WORDS;
    return gp_wide_path(a, pair.of_a, a + pair.of_a * GP_WORDS, pair.both - pair.of_a, diagonal, run, lanes, 0, first,
                        found);
}

// flags[0]: the pass before has failed; flags[1]: this one has.
#if GP_OWN
#define GP_HALF (GP_GROUP / 2)
#else
kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
sort_by_splits(ulong n, ulong run, uint lanes, global const Word *in, ulong in_offset, global ulong *splits,
               ulong splits_offset, global const uint *flags, ulong flags_offset GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local uint first[2 * GP_GROUP];
    local uchar found[GP_GROUP];
    const ulong tile = get_global_id(0) / lanes, at = tile * GP_TILE;
    const bool is_asked = at < n && !flags[flags_offset];
    in += in_offset * GP_WORDS;
    Pair pair = {0, 0, 0};
    if (is_asked) pair = gp_pair(at, run, n);
    const ulong split = gp_split(pair, in, is_asked ? at - pair.first : 0, run, lanes, first, found);
    if (is_asked && (get_local_id(0) & (lanes - 1)) == 0) splits[splits_offset + tile] = split;
}
#endif

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
sort_by_merge(ulong n, ulong run, global const Word *in, ulong in_offset, global Word *out, ulong out_offset,
              global const ulong *splits, ulong splits_offset, global uint *flags,
              ulong flags_offset GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local Cell cells[GP_TILE + GP_ITEMS + 1]; // some are read behind the last
    local ushort begins[GP_GROUP];            // of each work-item's part: elements of the first run before it
    local uint broken;
    const uint item = (uint)get_local_id(0), group = (uint)get_group_id(0);
    const ulong tile = (ulong)group * GP_TILE;
    const bool is_there = tile < n; // else it reads one element and writes none, as in blocks.cl
    const uint size = is_there ? (uint)min((ulong)GP_TILE, n - tile) : 1;
    in += in_offset * GP_WORDS;
    out += (out_offset + tile) * GP_WORDS;
    Pair pair = {tile, 1, 1};
    if (is_there) pair = gp_pair(tile, run, n);
    const ulong behind = tile + size - pair.first; // the tile's end in its pair
#if GP_OWN
    local uint first[4];
    local uchar found[GP_GROUP];
    local ulong ends[2];
    const bool is_first = item < GP_HALF;
    const ulong split = gp_split(pair, in, is_first ? tile - pair.first : behind, run, GP_HALF, first, found);
    if (item % GP_HALF == 0) ends[is_first ? 0 : 1] = split;
    barrier(CLK_LOCAL_MEM_FENCE);
    const ulong before = ends[0], after = ends[1];
#else
    const ulong before = is_there ? min(splits[splits_offset + group], pair.of_a) : 0;
    const ulong after = behind < pair.both ? splits[splits_offset + group + 1] : pair.of_a;
#endif
    const bool fits = before <= after && after - before <= size, has_failed = flags[flags_offset];
    if (is_there && !fits && !has_failed) flags[flags_offset + 1] = 1;
    const bool merges = is_there && fits && !has_failed;
    // Where it does not merge, elements of the tile are read, and none is written.
    const uint count = merges ? (uint)(after - before) : 0; // from the first run
    global const Word *const a = in + (pair.first + before) * GP_WORDS;
    global const Word *const b =
        in + (merges ? pair.first + pair.of_a + (tile - pair.first - before) - count : tile) * GP_WORDS;
    const uint words = merges ? size * GP_WORDS : 0;
    if (item == 0) broken = 0;
    GP_LOAD_TILE(cells, size, count, a, b)
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint begin = min(item * GP_ITEMS, size);
    GP_BEGIN_MERGE(cells, count, size, begin, 0)
    begins[item] = (ushort)i;
#if GP_KEEP
    Element part[GP_ITEMS];
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        GP_MERGE_STEP(cells, count, size, 0)
        part[k] = merged;
    }
#else
    local ushort numbers[GP_TILE]; // where in `cells` each element of the result is
#pragma unroll
    for (uint k = 0; k < GP_ITEMS; ++k) {
        GP_MERGE_STEP(cells, count, size, 0)
        numbers[item * GP_ITEMS + k] = (ushort)from;
    }
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    if (begin + GP_ITEMS < size && begins[item + 1] != i) broken = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
#if GP_KEEP
    if (!broken) {
#pragma unroll
        for (uint k = 0; k < GP_ITEMS; ++k) cells[item * GP_ITEMS + k].element = part[k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = item; k < words; k += GP_GROUP) out[k] = cells[k / GP_WORDS].words[k % GP_WORDS];
#else
    for (uint k = item; k < words; k += GP_GROUP) {
        const uint number = broken ? k / GP_WORDS : numbers[k / GP_WORDS];
        out[k] = cells[number].words[k % GP_WORDS];
    }
#endif
}

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
sort_by_restore(ulong n, global const Word *copy, ulong copy_offset, global Word *elements, ulong elements_offset,
                global const uint *flag, ulong flag_offset GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    if (!flag[flag_offset]) return;
    for (ulong k = get_global_id(0); k < n * GP_WORDS; k += get_global_size(0))
        elements[elements_offset * GP_WORDS + k] = copy[copy_offset * GP_WORDS + k];
}

// A pass of the merge sort by the caller's order: neighbouring runs are merged two by two; stable.
//
// Computes: sort_by_splits: of the elements before each tile in its pair of runs, how many come from
//           the first run
//           sort_by_merge: the runs of in, `run` elements each (the last may be shorter), merged two by
//           two; a tile whose parts do not fit each other is left as it is
//           sort_by_restore: elements = copy, where the last pass failed
// Failure:  Where the caller's order is none, the tiles' numbers may not fit each other. Such a pass sets
//           its flag, and what it writes is of no use; but what it read is whole, and lies where the next
//           pass would write. So the next pass does nothing.
// Macros:   those of elements.cl; GP_OWN: how many work-items find an end of their work-group's part, a
//           power of two, at most half of it; 0 where sort_by_splits has found it; GP_KEEP: 1 where
//           merged elements stay in registers, 0 where their numbers stay in local memory
// Launch:   sort_by_splits: work-groups of GP_GROUP, `lanes` work-items for each tile; `wide`, a power of
//           two, is at most half of them
//           sort_by_merge: a work-group of GP_GROUP for each tile of GP_GROUP * GP_ITEMS elements; `run`
//           is a power of two of tiles
//           sort_by_restore: work-groups of GP_GROUP
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

// flags[0]: the pass before has failed; flags[1]: this one has.
#if !GP_OWN
// Where all tiles of a work-group are of one pair, it finds the first and the last of its splits, by `wide`
// work-items each, and the others lie between them.
kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
sort_by_splits(ulong n, ulong run, uint lanes, uint wide, global const Word *in, ulong in_offset, global ulong *splits,
               ulong splits_offset, global const uint *flags, ulong flags_offset) {
    local uint first[2 * GP_GROUP];
    local uchar found[GP_GROUP];
    local ulong ends[2];
    const uint item = (uint)get_local_id(0), numbers = GP_GROUP / lanes, team = item / wide;
    const ulong begin = get_group_id(0) * (ulong)numbers, tile = begin + item / lanes;
    const bool has_failed = flags[flags_offset] != 0, has_ends = numbers > 1 && 2 * run >= (ulong)numbers * GP_TILE;
    const bool is_asked = tile * GP_TILE < n && !has_failed;
    in += in_offset * GP_WORDS;

    // Diagonals of the pair that the work-item's tile is in.
    const Pair pair = gp_pair(is_asked ? tile * GP_TILE : 0, run, n);
    global const Word *const a = in + pair.first * GP_WORDS, *const b = a + pair.of_a * GP_WORDS;
    const ulong at = is_asked ? tile * GP_TILE - pair.first : 0, of_b = pair.both - pair.of_a;
    ulong low = at - min(at, of_b), high = min(at, pair.of_a);

    // Of the pair of the work-group's first tile, where that is all there is.
    const Pair all = gp_pair(begin * GP_TILE, run, n);
    global const Word *const all_a = in + all.first * GP_WORDS, *const all_b = all_a + all.of_a * GP_WORDS;
    const ulong from = begin * GP_TILE - all.first, to = min(from + numbers * GP_TILE, all.both);
    const ulong at_end = has_failed || !has_ends ? 0 : team == 0 ? from : team == 1 ? to : 0;
    const ulong found_end = gp_wide_path(all_a, all_b, at_end, at_end - min(at_end, all.both - all.of_a),
                                         min(at_end, all.of_a), has_ends ? run : 0, wide, 0, first, found);
    if (team < 2 && item == team * wide) ends[team] = found_end;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_asked && has_ends) {
        low = max(ends[0], at - min(at, to - ends[1]));
        high = max(low, min(ends[1], at - (from - ends[0])));
    }
    const ulong split =
        gp_wide_path(a, b, at, low, high, has_ends ? min(run, (ulong)numbers * GP_TILE) : run, lanes, 0, first, found);
    if (is_asked && (item & (lanes - 1)) == 0) splits[splits_offset + tile] = split;
}
#endif

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
sort_by_merge(ulong n, ulong run, global const Word *in, ulong in_offset, global Word *out, ulong out_offset,
              global const ulong *splits, ulong splits_offset, global uint *flags, ulong flags_offset) {
    local Cell cells[GP_TILE + GP_ITEMS + 1]; // some are read behind the last
    local ushort begins[GP_GROUP];            // of each work-item's part: elements of the first run before it
    local uint broken;
    const uint item = (uint)get_local_id(0), group = (uint)get_group_id(0);
    const ulong tile = (ulong)group * GP_TILE;
    const uint size = (uint)min((ulong)GP_TILE, n - tile);
    in += in_offset * GP_WORDS;
    out += (out_offset + tile) * GP_WORDS;
    const Pair pair = gp_pair(tile, run, n);
    const ulong behind = tile + size - pair.first; // the tile's end in its pair
#if GP_OWN
    local uint first[2 * GP_GROUP / GP_OWN];
    local uchar found[GP_GROUP];
    local ulong ends[2];
    const uint team = item / GP_OWN;
    const ulong at_end = team == 0 ? tile - pair.first : team == 1 ? behind : 0, of_b = pair.both - pair.of_a;
    global const Word *const pair_a = in + pair.first * GP_WORDS;
    const ulong split = gp_wide_path(pair_a, pair_a + pair.of_a * GP_WORDS, at_end, at_end - min(at_end, of_b),
                                     min(at_end, pair.of_a), run, GP_OWN, 0, first, found);
    if (team < 2 && item == team * GP_OWN) ends[team] = split;
    barrier(CLK_LOCAL_MEM_FENCE);
    const ulong before = ends[0], after = ends[1];
#else
    const ulong before = min(splits[splits_offset + group], pair.of_a);
    const ulong after = behind < pair.both ? splits[splits_offset + group + 1] : pair.of_a;
#endif
    const bool fits = before <= after && after - before <= size, has_failed = flags[flags_offset];
    if (!fits && !has_failed) flags[flags_offset + 1] = 1;
    // Where it fails, elements of the tile are read, and none is written.
    const uint count = fits && !has_failed ? (uint)(after - before) : 0; // from the first run
    global const Word *const a = in + (pair.first + before) * GP_WORDS;
    global const Word *const b =
        in + (fits && !has_failed ? pair.first + pair.of_a + (tile - pair.first - before) - count : tile) * GP_WORDS;
    const uint written = fits && !has_failed ? size : 0;
    if (item == 0) broken = 0;
    GP_LOAD_TILE(cells, size, count, a, b)
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint begin = min(item * GP_ITEMS, size);
    GP_BEGIN_MERGE(cells, count, size, begin, 0)
    begins[item] = (ushort)i;
#if GP_KEEP
    Element part[GP_ITEMS];
    GP_MERGE_ITEMS(gp_is_before, cells, count, size, 0, true, part[k] = merged)
#else
    local ushort numbers[GP_TILE]; // where in `cells` each element of the result is
    GP_MERGE_ITEMS(gp_is_before, cells, count, size, 0, true, numbers[item * GP_ITEMS + k] = (ushort)from)
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
    GP_STORE_TILE(out, written, at)
#else
    GP_STORE_TILE(out, written, broken ? at : numbers[at])
#endif
}

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
sort_by_restore(ulong n, global const Word *copy, ulong copy_offset, global Word *elements, ulong elements_offset,
                global const uint *flag, ulong flag_offset) {
    if (!flag[flag_offset]) return;
    for (ulong k = get_global_id(0); k < n * GP_WORDS; k += get_global_size(0))
        elements[elements_offset * GP_WORDS + k] = copy[copy_offset * GP_WORDS + k];
}

// Merges neighbouring runs two by two, tile by tile of the result, in local memory; stable.
//
// Tiles do not cross pairs. Tile k of pair p has number floor(first / GP_TILE) + p + k, where
// `first` is where the pair begins. Pairs have no number in common, and each leaves out one at
// most, so that a search in the offsets tells what a number stands for.
//
// Computes: merge_runs_splits: for each number where its tile begins in both runs of its pair, and
//           how many keys each has from there on: 4 ulongs, of which the last two are 0 where there
//           is none merge_runs_tiles: a pass of the merge of all runs
// Macros:   those of merge/arrays.cl, merge/tile.cl and runs.cl; GP_OWN: 1 where each work-group
//           finds its part itself, 0 where merge_runs_splits has
// Launch:   merge_runs_splits: work-groups of GP_GROUP, `lanes` work-items each of `tiles` numbers;
//           merge_runs_tiles: a work-group of GP_GROUP for each number, of which there are
//           floor(n / GP_TILE) and one for each pair
// Local:    a TileRoom
// Source:   Green, McColl and Bader, "GPU Merge Path", 2012
// SPDX-License-Identifier: MIT
#include "merge/arrays.cl"
#include "merge/tile.cl"
#include "merge_runs/runs.cl"

// What a number stands for: a tile's place in its pair; behind the pair's end where it is left out.
typedef struct {
    Pair pair;
    ulong begin;
} Tile;
Tile gp_tile(Runs runs, ulong number) {
    ulong low = 0, high = gp_pairs(runs);
    while (high - low > 1) {
        const ulong middle = (low + high) / 2;
        if (gp_pair_begin(runs, middle) / GP_TILE + middle <= number)
            low = middle;
        else
            high = middle;
    }
    const Pair pair = gp_pair(runs, low);
    const Tile tile = {pair, (number - (pair.first / GP_TILE + low)) * GP_TILE};
    return tile;
}

#if GP_OWN
#define GP_HALF (GP_GROUP / 2)
#else
kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
merge_runs_splits(ulong tiles, uint lanes, global ulong *splits, ulong splits_offset, GP_RUNS) {
    local uint first[2 * GP_GROUP], bits;
    local uchar found[GP_GROUP];
    GP_TAKE_RUNS
    const uint item = (uint)get_local_id(0);
    const ulong number = get_global_id(0) / lanes;
    const Tile tile = gp_tile(runs, min(number, tiles - 1));
    const Pair pair = tile.pair;
    const bool is_tile = number < tiles && tile.begin < pair.both;
    // The numbers to search in grow to the longest of the work-group, which has as many steps for
    // all.
    if (item == 0) bits = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_tile) atomic_max(&bits, (uint)(64 - clz(min(pair.of_a, pair.both - pair.of_a))));
    barrier(CLK_LOCAL_MEM_FENCE);
    const ulong most = bits == 0 ? 0 : ~(ulong)0 >> (64 - bits);
    global const Key *const a = in + pair.first;
    const ulong split = gp_wide_path(a, pair.of_a, a + pair.of_a, pair.both - pair.of_a, is_tile ? tile.begin : 0, most,
                                     lanes, order, first, found);
    if (number < tiles && (item & (lanes - 1)) == 0) {
        const ulong from_b = tile.begin - split;
        const ulong4 part = {pair.first + split, pair.first + pair.of_a + from_b, pair.of_a - split,
                             pair.both - pair.of_a - from_b};
        vstore4(is_tile ? part : (ulong4)(0), number, splits + splits_offset);
    }
}
#endif

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void merge_runs_tiles(global const ulong *splits,
                                                                                   ulong splits_offset, GP_RUNS) {
    local TileRoom room;
    GP_TAKE_RUNS
#if GP_OWN
    local uint firsts[4];
    local uchar found[GP_GROUP];
    local ulong ends[2];
    const uint item = (uint)get_local_id(0);
    const bool is_first = item < GP_HALF;
    const Tile tile = gp_tile(runs, get_group_id(0));
    const Pair pair = tile.pair;
    const bool is_tile = tile.begin < pair.both;
    const ulong begin = is_tile ? tile.begin : 0;
    const uint size = is_tile ? (uint)min((ulong)GP_TILE, pair.both - begin) : 0;
    global const Key *const runs_of_pair = in + (is_tile ? pair.first : 0);
    const ulong of_a = is_tile ? pair.of_a : 0, of_b = is_tile ? pair.both - of_a : 0;
    const ulong split = gp_wide_path(runs_of_pair, of_a, runs_of_pair + of_a, of_b, is_first ? begin : begin + size,
                                     min(of_a, of_b), GP_HALF, order, firsts, found);
    if (item % GP_HALF == 0) ends[is_first ? 0 : 1] = split;
    barrier(CLK_LOCAL_MEM_FENCE);
    const ulong first = is_tile ? pair.first : 0, a = first + ends[0], b = first + of_a + begin - ends[0];
    const ulong taken = max(ends[0], ends[1]) - ends[0];
    const ulong at = first + begin;
#else
    splits += splits_offset + 4 * (ulong)get_group_id(0);
    const ulong4 part = vload4(0, splits);
    const ulong a = part.x, b = part.y, left = part.z + part.w;
    const uint size = (uint)min((ulong)GP_TILE, left);
    // Behind the last tile of a pair, all of the first run.
    const ulong next = left > GP_TILE ? splits[4] : a + part.z;
    const ulong taken = max(next, a) - a;
    const ulong at = left == 0 ? 0 : b - part.z; // the first run's end is a + part.z, where the second began
#endif
    // Where the runs are not sorted, the ends may be anywhere within them.
    const uint count = (uint)min(taken, (ulong)size); // from the first run
#if GP_WORD_BYTES
    gp_merge_tile(in + a, in + b, out + at, count, size, order, &room, words, in_values + a * words,
                  in_values + b * words, out_values + at * words);
#else
    gp_merge_tile(in + a, in + b, out + at, count, size, order, &room);
#endif
}

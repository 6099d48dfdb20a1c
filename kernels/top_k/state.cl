// What the kernels of a selection in several launches tell each other.
//
// Macros: those of results.cl
// Gives: what bins.cl does; GP_PARTS_OF; GP_STATE; words of the state: GP_FIRST ... GP_DONE,
//         GP_THRESHOLD; of the tally: GP_FILLED ... GP_COUNTS; gp_load_bin, gp_store_bin, gp_begin;
//         GP_FOR_TILES
// SPDX-License-Identifier: MIT
#include "top_k/bins.cl"

#include "common/last_group.cl"
#include "common/rank.cl"

#define GP_STATE global ulong *state, ulong state_offset, volatile global uint *tally, ulong tally_offset

#define GP_FIRST 0 // the bin
#define GP_LAST 1
#define GP_FIRST_PLACE 2
#define GP_LAST_PLACE 3
#define GP_NEED 4      // how many of those in the bin are among the first k
#define GP_DONE 5      // 1: it is all of them; GP_WRITTEN: results are
#define GP_THRESHOLD 6 // the last rank that the filter keeps

#define GP_WORDS 8 // of a state
#define GP_WRITTEN 2

#define GP_FILLED 0  // elements in the list; more than there is room for: it is of no use
#define GP_TAKEN 1   // elements that were gathered
#define GP_ENDED 2   // work-groups, for gp_is_last
#define GP_COUNTS 32 // GP_BINS of them

// Through a pointer: a large result would be memory that not every compiler's callers know how to
// take.
void gp_load_bin(global const ulong *state, Bin *bin) {
    bin->first = (Key)state[GP_FIRST];
    bin->last = (Key)state[GP_LAST];
    bin->first_place = (uint)state[GP_FIRST_PLACE];
    bin->last_place = (uint)state[GP_LAST_PLACE];
}

void gp_store_bin(global ulong *state, const Bin *bin) {
    state[GP_FIRST] = bin->first;
    state[GP_LAST] = bin->last;
    state[GP_FIRST_PLACE] = bin->first_place;
    state[GP_LAST_PLACE] = bin->last_place;
}

// By a single work-group: everything is in the bin, nothing in the list, all counts are 0. Of no
// elements, nothing is left to write.
void gp_begin(global ulong *state, volatile global uint *tally, ulong k) {
    for (uint i = (uint)get_local_id(0); i < GP_COUNTS + GP_BINS; i += GP_GROUP) tally[i] = 0;
    if (get_local_id(0) != 0) return;
    const Bin bin = GP_WHOLE;
    gp_store_bin(state, &bin);
    state[GP_NEED] = k;
    state[GP_DONE] = k == 0 ? GP_WRITTEN : 0;
}

// Parts of up to `size` that `length` elements make. None of none: llvmpipe of Mesa 22.3 goes on
// with a loop for lanes of its vectors that are no work-items, and those read a length of 0.
#define GP_PARTS_OF(length, size) ((length) / (size) + ((length) % (size) != 0 ? 1 : 0))

// The tiles of work-group `group` of `groups`, `tile` being the first element of each: one after
// the other where a work-item is alone, else side by side with those of the others. All there are
// is below 2^32.
#if GP_GROUP == 1
#define GP_FOR_TILES(length, size, group, groups)                                                                      \
    const uint tiles_here = GP_PARTS_OF(length, size), tiles_each = GP_PARTS_OF(tiles_here, groups);                   \
    const uint tiles_end = min((ulong)tiles_here, ((ulong)(group) + 1) * tiles_each);                                  \
    for (uint number = (group)*tiles_each, tile = number * (size); number < tiles_end; ++number, tile += (size))
#else
#define GP_FOR_TILES(length, size, group, groups)                                                                      \
    const uint tiles_here = GP_PARTS_OF(length, size);                                                                 \
    for (uint number = (group), tile = number * (size); number < tiles_here;                                           \
         number += (groups), tile += (groups) * (size))
#endif

// Selection digit by digit: the k first elements are narrowed down to a bin that holds the last of
// them.
//
// Elements are ordered by rank, then by place. A bin is an interval of that order, of ranks, or of
// places of one rank. Elements before the bin are among the first k; `need` of those in it are,
// too. A digit divides a bin into up to GP_BINS smaller ones.
//
// Macros: those of results.cl
// Gives: GP_BITS, GP_BINS; gp_shift_behind; Bin; GP_WHOLE; gp_has, gp_takes, gp_digit_of,
//         gp_narrow; gp_find
// SPDX-License-Identifier: MIT
#include "top_k/results.cl"

#include "common/group_scan.cl"
#include "device/shuffle.cl"

#define GP_BITS 11
#define GP_BINS 2048

// Where the next digit begins when so many bits are left. Signed: not every compiler has saturating
// differences.
uint gp_shift_behind(uint left) {
    const int rest = (int)left - GP_BITS;
    return (uint)(rest > 0 ? rest : 0);
}

typedef struct {
    Key first, last;              // ranks
    uint first_place, last_place; // all places, unless it is of one rank
} Bin;

#define GP_WHOLE                                                                                                       \
    { 0, GP_NO_RANK, 0, GP_NO_PLACE } // a Bin of all

bool gp_has(const Bin *bin, Key rank, uint place) {
    return rank >= bin->first && rank <= bin->last && place >= bin->first_place && place <= bin->last_place;
}

// Is it before the bin, or in it?
bool gp_takes(const Bin *bin, Key rank, uint place) {
    return rank < bin->last || (rank == bin->last && place <= bin->last_place);
}

// Of an element in the bin: the digit from bit `shift` on, of its place or else of its rank.
uint gp_digit_of(const Bin *bin, Key rank, uint place, uint shift, bool of_place) {
    return of_place ? (place - bin->first_place) >> shift : (uint)((Key)(rank - bin->first) >> shift);
}

// The smaller bin of a digit.
void gp_narrow(Bin *bin, uint digit, uint shift, bool of_place) {
    if (of_place) {
        bin->first_place += digit << shift;
        bin->last_place = bin->first_place + ((1u << shift) - 1);
    } else {
        bin->first += (Key)((Key)digit << shift);
        bin->last = bin->first + (Key)(((Key)1 << shift) - 1);
    }
}

#if defined(GP_PTX) && GP_GROUP >= 32
GP_DEFINE_WARP_SCAN(gp_sum_lanes, uint, gp_shuffle_up_word, GP_PLUS)
#endif

// What gp_find tells.
typedef struct {
    uint digit;  // that `need` falls on
    uint before; // elements of lower digits
    uint here;   // elements of that digit
} Found;

// Called by all work-items, behind a barrier; 0 < need <= the sum of the GP_BINS counts. `sums`
// holds GP_GROUP elements. Ends with a barrier.
void gp_find(local const uint *counts, local uint *sums, uint need, local Found *found) {
    const uint id = (uint)get_local_id(0);
    const uint each = GP_BINS >= GP_GROUP ? GP_BINS / GP_GROUP : 1;
    uint mine = 0;
    for (uint i = 0; i < each; ++i)
        if (id * each + i < GP_BINS) mine += counts[id * each + i];
#if defined(GP_PTX) && GP_GROUP >= 32
    const uint warp = id / 32;
    uint end = gp_sum_lanes(mine, 0);
    if (id % 32 == 31) sums[warp] = end;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint warps = gp_sum_lanes(id % 32 < GP_GROUP / 32 ? sums[id % 32] : 0, 0);
    const uint below = gp_shuffle_word(warps, (warp + 31) % 32, 0);
    if (warp > 0) end += below;
#else
    uint end = mine;
    sums[id] = mine;
    for (uint step = 1; step < GP_GROUP; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint other = id >= step ? sums[id - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        end += other;
        sums[id] = end;
    }
#endif
    if (end - mine < need && need <= end) {
        uint before = end - mine, digit = id * each;
        while (before + counts[digit] < need) before += counts[digit++];
        *found = (Found){digit, before, counts[digit]};
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Merge paths: where a part of two merged arrays begins in both, and the merge of a part in local
// memory.
//
// Macros: Element, Rank, Order: the types of what is merged, of what is compared, and of what says
//         how
// Needs:  Rank gp_rank(Element x, Order order)
//         bool gp_is_before(Rank x, Rank y): must x come before y?
// May be: Stored, GP_READ(from, i): how elements lie in global memory, and how number i is read;
//         LocalStored, GP_READ_LOCAL(from, i): the same in local memory. Else they lie as Element
// Gives:  gp_path, gp_local_path, gp_wide_path; GP_BEGIN_MERGE, GP_MERGE_STEP
//
// What is read lies in bounds whether the arrays are sorted or not, and whether gp_is_before is an
// order or not.
// Source: Green, McColl and Bader, "GPU Merge Path", 2012; Odeh, Green, Mwassi, Shmueli and Birk,
//         "Merge Path: Parallel Merging Made Simple", 2012
// SPDX-License-Identifier: MIT
#ifndef GP_READ
#define Stored Element
#define GP_READ(from, i) (from)[i]
#define LocalStored Element
#define GP_READ_LOCAL(from, i) (from)[i]
#endif

// Of the first `diagonal` elements of two merged arrays, how many come from the first one: at least
// diagonal - of_b, at most of_a and diagonal.
#define GP_DEFINE_PATH(name, memory, Stored, read, Size)                                                               \
    Size name(memory const Stored *a, Size of_a, memory const Stored *b, Size of_b, Size diagonal, Order order) {      \
        Size low = diagonal - min(diagonal, of_b), high = min(diagonal, of_a);                                         \
        while (low < high) {                                                                                           \
            const Size middle = (low + high) / 2;                                                                      \
            if (gp_is_before(gp_rank(read(b, diagonal - 1 - middle), order), gp_rank(read(a, middle), order)))         \
                high = middle;                                                                                         \
            else                                                                                                       \
                low = middle + 1;                                                                                      \
        }                                                                                                              \
        return low;                                                                                                    \
    }
GP_DEFINE_PATH(gp_path, global, Stored, GP_READ, ulong)
GP_DEFINE_PATH(gp_local_path, local, LocalStored, GP_READ_LOCAL, uint)

// gp_path of each team of `lanes` neighbouring work-items, found by them together: each step leaves
// one part in lanes + 1 of the places. All work-items of a work-group call it, with the same
// `lanes`, a power of two that divides their number, and the same `most`, which no team's of_a or
// of_b passes, or min(of_a, of_b) where that is less. Who has nothing to search gives a diagonal of
// 0.
// Local memory: `first` has two numbers for each team, `found` one for each work-item. Every call
// with the same arrays and `lanes` has the same result, whether gp_is_before is an order or not.
ulong gp_wide_path(global const Stored *a, ulong of_a, global const Stored *b, ulong of_b, ulong diagonal, ulong most,
                   uint lanes, Order order, local uint *first, local uchar *found) {
    const uint item = (uint)get_local_id(0), lane = item & (lanes - 1), team = 2 * (item / lanes);
    ulong low = diagonal - min(diagonal, of_b), high = min(diagonal, of_a);
    if (lane == 0) first[team] = lanes;
    uint now = 0;
    for (ulong left = most; left > 0; left /= lanes + 1) {
        // Is the path's number at most `middle`?
        const ulong middle = low + (high - low) * (lane + 1) / (lanes + 1);
        const bool is_low = low < high && gp_is_before(gp_rank(GP_READ(b, diagonal - 1 - middle), order),
                                                       gp_rank(GP_READ(a, middle), order));
        found[item] = is_low;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane == 0) first[team + 1 - now] = lanes;
        if (is_low && (lane == 0 || !found[item - 1])) atomic_min(first + team + now, lane);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint at = first[team + now];
        const ulong size = high - low, begin = low;
        if (at > 0 && size > 0) low = begin + size * at / (lanes + 1) + 1;
        if (at < lanes) high = begin + size * (at + 1) / (lanes + 1);
        now = 1 - now;
    }
    return low;
}

// A work-item's place in two arrays in local memory, one behind the other, of_a elements in the
// first and `size` in both: i and j are the numbers of the next element of each, or past its end.
#define GP_BEGIN_MERGE(elements, of_a, size, begin, order)                                                             \
    uint i = gp_local_path(elements, of_a, (elements) + (of_a), (size) - (of_a), begin, order);                        \
    uint j = (of_a) + (begin)-i;                                                                                       \
    Element x = GP_READ_LOCAL(elements, min(i, (size)-1)), y = GP_READ_LOCAL(elements, min(j, (size)-1));              \
    Rank rank_x = gp_rank(x, order), rank_y = gp_rank(y, order);

// Takes the next element: `merged`, number `from`. Past both ends it takes anything, so the array
// has room for as many elements as there are steps, and one, behind the `size`.
#define GP_MERGE_STEP(elements, of_a, size, order) GP_MERGE_STEP_BY(gp_is_before, elements, of_a, size, order)

// The same with an order of its own.
#define GP_MERGE_STEP_BY(is_before, elements, of_a, size, order)                                                       \
    const bool takes_b = j < (size) && (i >= (of_a) || is_before(rank_y, rank_x));                                     \
    const Element merged = takes_b ? y : x;                                                                            \
    const uint from = takes_b ? j : i;                                                                                 \
    const Element next = GP_READ_LOCAL(elements, from + 1);                                                            \
    const Rank rank = gp_rank(next, order);                                                                            \
    if (takes_b) {                                                                                                     \
        y = next;                                                                                                      \
        rank_y = rank;                                                                                                 \
        ++j;                                                                                                           \
    } else {                                                                                                           \
        x = next;                                                                                                      \
        rank_x = rank;                                                                                                 \
        ++i;                                                                                                           \
    }

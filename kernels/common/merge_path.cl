// Merge paths: where a part of two merged arrays begins in both, and the merge of a part in local
// memory.
//
// Macros: Element, Rank, Order: the types of what is merged, of what is compared, and of what says how
// Needs:  Rank gp_rank(Element x, Order order)
//         bool gp_is_before(Rank x, Rank y): must x come before y?
// May be: Stored, GP_READ(from, i): how elements lie in global memory, and how number i is read;
//         LocalStored, GP_READ_LOCAL(from, i): the same in local memory. Else they lie as Element
// Gives:  gp_path, gp_local_path; GP_BEGIN_MERGE, GP_MERGE_STEP
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

// A work-item's place in two arrays in local memory, one behind the other, of_a elements in the first
// and `size` in both: i and j are the numbers of the next element of each, or past its end.
#define GP_BEGIN_MERGE(elements, of_a, size, begin, order)                                                             \
    uint i = gp_local_path(elements, of_a, (elements) + (of_a), (size) - (of_a), begin, order);                        \
    uint j = (of_a) + (begin)-i;                                                                                       \
    Element x = GP_READ_LOCAL(elements, min(i, (size)-1)), y = GP_READ_LOCAL(elements, min(j, (size)-1));              \
    Rank rank_x = gp_rank(x, order), rank_y = gp_rank(y, order);

// Takes the next element: `merged`, number `from`. Past both ends it takes anything, so the array has
// room for as many elements as there are steps, and one, behind the `size`.
#define GP_MERGE_STEP(elements, of_a, size, order)                                                                     \
    const bool takes_b = j < (size) && (i >= (of_a) || gp_is_before(rank_y, rank_x));                                  \
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

// Elements of the caller's type, and his order of them.
//
// Text before it: the caller's helpers, GpElement, and bool gp_comes_before(GpElement a, GpElement
// b)
// Macros: those of counted.cl
//         GP_BYTES       of an element
//         GP_WORD_BYTES of the words that elements are moved by in global memory: 1, 2, 4 or 8,
//                        which divides their size and their address
//         GP_GROUP, a power of two, and GP_ITEMS: work-items of a work-group, elements of each
// Gives:  Word, Cell (an element in local memory), GP_WORDS (of an element), GP_TILE (elements of a
//         work-group); gp_load; GP_LOAD_TILE; the searches and steps of merge_path.cl, where
//         elements in global memory are words
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "common/word.cl"
#define GP_WORDS (GP_BYTES / GP_WORD_BYTES)

typedef union {
    GpElement element;
    Word words[GP_WORDS];
} Cell;

// Element i of global memory, whatever its alignment.
GpElement gp_load(global const Word *from, ulong i) {
    Cell cell;
#pragma unroll
    for (uint word = 0; word < GP_WORDS; ++word) cell.words[word] = from[i * GP_WORDS + word];
    return cell.element;
}

#define Element GpElement
#define Rank GpElement
#define Order uint // nothing
GpElement gp_rank(GpElement x, Order order) { return x; }
bool gp_is_before(GpElement x, GpElement y) { return gp_comes_before(x, y); }
#define Stored Word
#define GP_READ(from, i) gp_load(from, i)
#define LocalStored Cell
#define GP_READ_LOCAL(from, i) (from)[i].element
#include "common/merge_path.cl"

#define GP_TILE (GP_GROUP * GP_ITEMS)
#if GP_TILE > 65536
#error "numbers must fit 16 bits"
#endif

// `size` elements to local memory, word by word: word k is from[k] where it is of the first `of_a`
// elements, else behind[k].
#if GP_WORDS == 1
#define GP_LOAD_TILE(cells, size, of_a, from, behind)                                                                  \
    {                                                                                                                  \
        Word loaded[GP_ITEMS];                                                                                         \
        _Pragma("unroll") for (uint k = 0; k < GP_ITEMS; ++k) {                                                        \
            const uint at = min(k * GP_GROUP + (uint)get_local_id(0), (size)-1);                                       \
            loaded[k] = (at < (of_a) ? from : behind)[at];                                                             \
        }                                                                                                              \
        _Pragma("unroll") for (uint k = 0; k < GP_ITEMS; ++k)(cells)[k * GP_GROUP + (uint)get_local_id(0)].words[0] =  \
            loaded[k];                                                                                                 \
    }
#else
#define GP_LOAD_TILE(cells, size, of_a, from, behind)                                                                  \
    for (uint k = (uint)get_local_id(0); k < (size)*GP_WORDS; k += GP_GROUP)                                           \
        (cells)[k / GP_WORDS].words[k % GP_WORDS] = (k < (of_a)*GP_WORDS ? from : behind)[k];
#endif

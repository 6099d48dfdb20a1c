// Elements that are repeated: what kernels read and write.
//
// Macros: GP_WORD_BYTES, 1, 2, 4 or 8, which divides an element's size and the addresses of both
//         arrays; GP_WORDS, words of an element
// Gives: Word; GP_REPEAT, parameters of kernels, and GP_BEGIN_REPEAT, which takes them in and gives
//         `size`, how many elements are written; gp_run_at
// SPDX-License-Identifier: MIT
#include "common/word.cl"
#ifndef GP_WORDS
#error "GP_WORDS must be defined"
#endif

// ends[i] is the sum of the repeats of elements 0 .. i. There are n elements, or fewer where
// `bounded` and `bound` says so.
#define GP_REPEAT                                                                                                      \
    global const ulong *ends, ulong ends_offset, global const ulong *bound, ulong bound_offset, uint bounded, ulong n, \
        global const Word *in, ulong in_offset, global Word *out, ulong out_offset, ulong capacity,                    \
        global ulong *count, ulong count_offset

#define GP_BEGIN_REPEAT                                                                                                \
    if (bounded) n = min(n, bound[bound_offset]);                                                                      \
    ends += ends_offset;                                                                                               \
    in += in_offset;                                                                                                   \
    out += out_offset;                                                                                                 \
    const ulong total = n > 0 ? ends[n - 1] : 0, size = min(total, capacity);                                          \
    if (get_global_id(0) == 0) count[count_offset] = total;

// Which element place number `place` of the output repeats; `place` is less than the last sum. It
// is the number of sums that are not above it.
ulong gp_run_at(global const ulong *ends, ulong n, ulong place) {
    ulong low = 0, high = n - 1;
    while (low < high) {
        const ulong middle = low + (high - low) / 2;
        if (ends[middle] <= place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

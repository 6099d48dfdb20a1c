// Values that do not travel with their keys are fetched once, in the order of the sorted indices.
//
// Computes: sort_gather: out[i] = in[order[i]], values of `size` bytes without alignment
//           sort_widen: out[i] = in[i], uint32 to uint64
// Macros:   those of counted.cl; GP_ORDER, uint or ulong, the type of `order`
// Launch:   any number of work-items; each takes `run` neighbours, then those that lie `run` times
//           the number of work-items further on (run = 1 lets neighbouring work-items of a GPU
//           share memory transactions)
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#ifndef GP_ORDER
#error "GP_ORDER must be defined: uint or ulong"
#endif

// Copies bytes one by one, or as words where the whole array allows it.
#define GP_GATHER(Word)                                                                                                \
    for (ulong base = get_global_id(0) * run; base < n; base += step) {                                                \
        const ulong end = min(n, base + run);                                                                          \
        for (ulong i = base; i < end; ++i) {                                                                           \
            global const Word *from = (global const Word *)(in + (ulong)order[i] * size);                              \
            global Word *to = (global Word *)(out + i * size);                                                         \
            for (uint word = 0; word < size / sizeof(Word); ++word) to[word] = from[word];                             \
        }                                                                                                              \
    }

// `word`: the widest of 1, 4 and 8 bytes that divides the size and both addresses.
kernel void sort_gather(ulong n, ulong run, uint size, uint word, global const uchar *in, ulong in_offset,
                        global const GP_ORDER *order, ulong order_offset, global uchar *out,
                        ulong out_offset GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    const ulong step = get_global_size(0) * run;
    in += in_offset * size;
    out += out_offset * size;
    order += order_offset;
    if (word == 8) {
        GP_GATHER(ulong)
    } else if (word == 4) {
        GP_GATHER(uint)
    } else {
        GP_GATHER(uchar)
    }
}

kernel void sort_widen(ulong n, ulong run, global const uint *in, ulong in_offset, global ulong *out,
                       ulong out_offset GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    const ulong step = get_global_size(0) * run;
    in += in_offset;
    out += out_offset;
    for (ulong base = get_global_id(0) * run; base < n; base += step) {
        const ulong end = min(n, base + run);
        for (ulong i = base; i < end; ++i) out[i] = in[i];
    }
}

// Histogram of weights or of pairs with the sums in global memory: for GPUs where local memory does
// not hold them; and with GP_ALONE for CPUs, where every work-item sums one contiguous chunk.
//
// Macros: those of sums.cl but for GP_SPACE, GP_TABLE and GP_COUNT_WORDS
// Launch: histogram_weighted_global on words that hold GP_BIAS, with any number of work-items; with
//         GP_ALONE one for each chunk of `chunk` elements, in work-groups of one, each with words of
//         its own, which it clears. Then histogram_weighted_results with a work-item a cell at
//         least, on `parts` sets of words
// Source: sums.cl's
// SPDX-License-Identifier: MIT
#define GP_SPACE global
#define GP_COUNT_WORDS 2
#include "histogram_weighted/sums.cl"

kernel void histogram_weighted_global(GP_AXES, volatile global uint *words, ulong words_offset, ulong n, ulong chunk,
                                      uint cells) {
    words += words_offset;
    x += x_offset;
    weights += weights_offset;
    GP_BEGIN_AXIS(x, x_table + x_table_offset);
#ifdef GP_TWO
    y += y_offset;
    GP_BEGIN_AXIS(y, y_table + y_table_offset);
#endif
#ifdef GP_ALONE
    const ulong size = (ulong)cells * GP_STRIDE;
    words += get_global_id(0) * size;
    for (ulong i = 0; i < size; ++i) words[i] = GP_BIAS;
    const ulong end = min((get_global_id(0) + 1) * chunk, n), step = 1;
    ulong i = get_global_id(0) * chunk;
#else
    const ulong end = n, step = get_global_size(0);
    ulong i = get_global_id(0);
#endif
    for (; i < end; i += step) {
        const uint cell = GP_CELL_OF(x[i], y[i]);
#if GP_WEIGHT == 0
        if (cell != GP_NONE) gp_add_weight(words + (ulong)cell * GP_STRIDE, 0);
#else
        if (cell != GP_NONE) gp_add_weight(words + (ulong)cell * GP_STRIDE, weights[i]);
#endif
    }
}

kernel void histogram_weighted_results(global const uint *words, ulong words_offset, global Result *sums,
                                       ulong sums_offset, uint cells, uint parts) {
    const uint cell = (uint)get_global_id(0);
    if (cell >= cells) return;
    const ulong size = (ulong)cells * GP_STRIDE;
    words += words_offset + (ulong)cell * GP_STRIDE;
#if GP_WEIGHT == 0
    ulong count = 0;
    for (uint part = 0; part < parts; ++part) count += words[part * size] + ((ulong)words[part * size + 1] << 32);
    sums[sums_offset + cell] = count;
#else
    uint digits[GP_WORDS], met = 0;
    long sum = 0; // of a word, and what goes to it
    for (uint j = 0; j < GP_WORDS; ++j) {
        for (uint part = 0; part < parts; ++part) sum += (long)words[part * size + j] - GP_BIAS;
        digits[j] = (uint)sum;
        sum >>= 32;
    }
    for (uint part = 0; part < parts; ++part) met |= words[part * size + GP_WORDS] & 7;
    sums[sums_offset + cell] = gp_rounded(digits, met);
#endif
}

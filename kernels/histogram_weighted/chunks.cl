// Histogram of weights or of pairs for CPUs: every work-item sums one contiguous chunk.
//
// Macros: those of sums.cl
// Launch: histogram_weighted_chunks with a work-item for each chunk of `chunk` elements, in
//         work-groups of one, each with words of its own, which it clears. Then
//         histogram_weighted_results with a work-item a cell at least, on `parts` sets of words
// Source: sums.cl's
// SPDX-License-Identifier: MIT
#include "histogram_weighted/sums.cl"

#if GP_WEIGHT == 0
#define Word ulong
#define GP_WORDS_OF_CELL 1
#else
#define Word uint
#define GP_WORDS_OF_CELL GP_STRIDE
GP_ADDERS(alone, global, GP_ADD_ALONE, GP_MEET_ALONE)
#endif

kernel void histogram_weighted_chunks(GP_AXES, global Word *words, ulong words_offset, ulong n, ulong chunk,
                                      uint cells GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    const ulong size = (ulong)cells * GP_WORDS_OF_CELL;
    words += words_offset + get_global_id(0) * size;
    x += x_offset;
    weights += weights_offset;
    GP_BEGIN_AXIS(x, x_table + x_table_offset);
#ifdef GP_TWO
    y += y_offset;
    GP_BEGIN_AXIS(y, y_table + y_table_offset);
#endif
    for (ulong i = 0; i < size; ++i) words[i] = 0;
    const ulong end = min((get_global_id(0) + 1) * chunk, n);
    for (ulong i = get_global_id(0) * chunk; i < end; ++i) {
        const uint cell = GP_CELL_OF(x[i], y[i]);
        if (cell == GP_NONE) continue;
#if GP_WEIGHT == 0
        ++words[cell];
#else
        gp_add_number_alone(words + (ulong)cell * GP_STRIDE, gp_number(weights[i]));
#endif
    }
}

kernel void histogram_weighted_results(global const Word *words, ulong words_offset, global Result *sums,
                                       ulong sums_offset, uint cells, uint parts) {
    const uint cell = (uint)get_global_id(0);
    if (cell >= cells) return;
    const ulong size = (ulong)cells * GP_WORDS_OF_CELL;
    words += words_offset + (ulong)cell * GP_WORDS_OF_CELL;
#if GP_WEIGHT == 0
    ulong count = 0;
    for (uint part = 0; part < parts; ++part) count += words[part * size];
    sums[sums_offset + cell] = count;
#else
    uint digits[GP_WORDS], met = 0;
    long sum = 0; // of a word, and what goes to it
    for (uint j = 0; j < GP_WORDS; ++j) {
        for (uint part = 0; part < parts; ++part) sum += (int)words[part * size + j];
        digits[j] = (uint)sum;
        sum >>= 32;
    }
    for (uint part = 0; part < parts; ++part) met |= words[part * size + GP_WORDS];
    sums[sums_offset + cell] = gp_rounded(digits, met);
#endif
}

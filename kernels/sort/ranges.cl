// Pieces of an array, each sorted by the highest digit, and the ranges of digits of all pieces.
//
// Computes: sort_digit_begins: where the keys of each digit begin in a piece, and where the last
//           ones end: 257 numbers. sort_collect: the elements of the digits first .. end - 1 of all
//           pieces, one piece after the other. sort_number: out[i] = first + i.
// Macros:   those of keys.cl, without values
// Launch:   sort_digit_begins: 257 work-items; sort_collect: any multiple of the number of pieces;
//           sort_number: any number of work-items
// SPDX-License-Identifier: MIT
#include "sort/keys.cl"

#define GP_BEGINS (GP_DIGITS + 1)

kernel void sort_digit_begins(uint n, uint shift, ulong flip, global const Key *keys, ulong keys_offset,
                              global uint *begins, ulong begins_offset) {
    const uint digit = (uint)get_global_id(0);
    uint low = 0, high = n; // the first key of that digit or a higher one
    keys += keys_offset;
    while (low < high) {
        const uint middle = low + (high - low) / 2;
        if (gp_digit(keys[middle], (Key)flip, shift) < digit)
            low = middle + 1;
        else
            high = middle;
    }
    begins[begins_offset + digit] = low;
}

#define GP_COPY_WORDS(Word)                                                                                            \
    {                                                                                                                  \
        global const Word *const from = (global const Word *)in + begin * words;                                       \
        global Word *const to = (global Word *)out + before * words;                                                   \
        for (ulong i = id; i < count * words; i += step) to[i] = from[i];                                              \
    }

// Elements of `words` words of `word` bytes: 1, 4 or 8. A piece has `piece` elements, the last one
// may have fewer.
kernel void sort_collect(uint pieces, ulong piece, uint first, uint end, uint words, uint word,
                         global const uint *begins, ulong begins_offset, global const uchar *in, ulong in_offset,
                         global uchar *out, ulong out_offset) {
    const ulong step = get_global_size(0) / pieces, id = get_global_id(0) % step;
    const uint mine = (uint)(get_global_id(0) / step);
    begins += begins_offset;
    in += in_offset * words * word;
    out += out_offset * words * word;
    ulong before = 0; // elements of the pieces before
    for (uint p = 0; p < mine; ++p) before += begins[p * GP_BEGINS + end] - begins[p * GP_BEGINS + first];
    const uint in_piece = begins[mine * GP_BEGINS + first];
    const ulong begin = mine * piece + in_piece, count = begins[mine * GP_BEGINS + end] - in_piece;
    if (word == 8)
        GP_COPY_WORDS(ulong)
    else if (word == 4)
        GP_COPY_WORDS(uint)
    else
        GP_COPY_WORDS(uchar)
}

kernel void sort_number(uint n, uint first, global uint *out, ulong out_offset) {
    out += out_offset;
    for (uint i = (uint)get_global_id(0); i < n; i += (uint)get_global_size(0)) out[i] = first + i;
}

// Transposes for CPUs: each work-item takes a tile of rows and columns, in parts of as many columns
// as a line of the cache has, and of these parts squares of 4 x 4 elements, which it turns round as
// vectors.
//
// Macros: those of matrices.cl
// Launch: work-groups of one, one for each tile of `tile_rows` x `tile_columns` of each matrix
// Source: Lam, Rothberg and Wolf, "The Cache Performance and Optimizations of Blocked Algorithms",
//         1991
// SPDX-License-Identifier: MIT
#include "common/paste.cl"
#include "transpose/matrices.cl"

#if GP_WORDS == 1 && GP_WORD_BYTES <= 8
#define Words GP_PASTE(Word, 4)
#endif
#define GP_LINE 64 // bytes of a line

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void transpose_blocks(GP_MATRICES, uint tile_rows,
                                                                            uint tile_columns) {
    const ulong tile = get_group_id(0), line = tile / across, matrix = line / down;
    const ulong row = (line - matrix * down) * tile_rows, column = (tile - line * across) * tile_columns;
    in += in_offset + matrix * stride_in + row * ld_in + column * GP_WORDS;
    out += out_offset + matrix * stride_out + column * ld_out + row * GP_WORDS;
    const uint high = (uint)min(rows - row, (ulong)tile_rows), wide = (uint)min(columns - column, (ulong)tile_columns);
    const uint part = max(GP_LINE / (GP_WORD_BYTES * GP_WORDS), 4);
    for (uint begin = 0; begin < wide; begin += part) {
        const uint end = min(begin + part, wide);
        uint y = 0;
#ifdef Words
        for (; y + 4 <= high; y += 4) {
            global const Word *const from = in + y * ld_in;
            uint x = begin;
            for (; x + 4 <= end; x += 4) {
                const Words a = vload4(0, from + x), b = vload4(0, from + ld_in + x);
                const Words c = vload4(0, from + 2 * ld_in + x), d = vload4(0, from + 3 * ld_in + x);
                global Word *const to = out + x * ld_out + y;
                vstore4((Words)(a.s0, b.s0, c.s0, d.s0), 0, to);
                vstore4((Words)(a.s1, b.s1, c.s1, d.s1), 0, to + ld_out);
                vstore4((Words)(a.s2, b.s2, c.s2, d.s2), 0, to + 2 * ld_out);
                vstore4((Words)(a.s3, b.s3, c.s3, d.s3), 0, to + 3 * ld_out);
            }
            for (; x < end; ++x)
                vstore4((Words)(from[x], from[ld_in + x], from[2 * ld_in + x], from[3 * ld_in + x]), 0,
                        out + x * ld_out + y);
        }
#endif
        for (; y < high; ++y)
            for (uint x = begin; x < end; ++x)
                for (uint word = 0; word < GP_WORDS; ++word)
                    out[x * ld_out + y * GP_WORDS + word] = in[y * ld_in + x * GP_WORDS + word];
    }
}

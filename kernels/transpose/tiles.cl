// Transposes for GPUs: a work-group a tile, by way of local memory, so that both its loads and its
// stores are of neighbours. A cell is GP_SIDE x GP_SIDE elements, which a work-item loads as
// vectors and turns round in registers. Rows of local memory have an odd number of cells, which
// keeps its banks apart.
//
// Macros: those of matrices.cl
//         GP_GROUP, the work-group size, which divides GP_WIDE * GP_HIGH
//         GP_SIDE 1, 2 or 4; more than 1 where elements are single words, and GP_SIDE words divide
//                  the addresses of all rows, or GP_ANYWHERE is defined
//         GP_ANYWHERE  rows begin at any element; GP_SIDE words have 4 bytes
//         GP_WIDE, GP_HIGH  cells of a tile beside and below each other in the input
// Launch: work-groups of GP_GROUP, one for each tile of each matrix
// Source: Ruetsch and Micikevicius, "Optimizing Matrix Transpose in CUDA", 2009
// SPDX-License-Identifier: MIT
#include "common/paste.cl"
#include "transpose/matrices.cl"

#if !defined(GP_GROUP) || !defined(GP_WIDE) || !defined(GP_HIGH)
#error "GP_GROUP, GP_WIDE and GP_HIGH must be defined"
#endif
#if GP_SIDE != 1 && GP_SIDE != 2 && GP_SIDE != 4
#error "GP_SIDE must be 1, 2 or 4"
#endif
#define GP_STEPS (GP_WIDE * GP_HIGH / GP_GROUP)
#define GP_PITCH (GP_WIDE == 1 ? 1 : GP_WIDE + 1)

// Where the work-group's tile begins.
#define GP_BEGIN_TILE                                                                                                  \
    const ulong tile = get_group_id(0), line = tile / across, matrix = line / down;                                    \
    const ulong row = (line - matrix * down) * (GP_HIGH * GP_SIDE),                                                    \
                column = (tile - line * across) * (GP_WIDE * GP_SIDE);                                                 \
    const uint item = (uint)get_local_id(0);                                                                           \
    in += in_offset + matrix * stride_in + row * ld_in + column * GP_WORDS;                                            \
    out += out_offset + matrix * stride_out + column * ld_out + row * GP_WORDS;                                        \
    const uint high = (uint)min(rows - row, (ulong)(GP_HIGH * GP_SIDE));                                               \
    const uint wide = (uint)min(columns - column, (ulong)(GP_WIDE * GP_SIDE));

#if GP_WORDS == 1

#if GP_SIDE == 1
#define Words Word
#define GP_EACH(f) f(0)
#else
#define Words GP_PASTE(Word, GP_SIDE)
#if GP_SIDE == 2
#define GP_EACH(f) (Words)(f(0), f(1))
#else
#define GP_EACH(f) (Words)(f(0), f(1), f(2), f(3))
#endif
#endif

#ifdef GP_ANYWHERE
#include "common/unaligned.cl"
#if GP_WORD_BYTES == 1
#define GP_AS_WORDS as_uchar4
#else
#define GP_AS_WORDS as_ushort2
#endif

#define gp_words(from) GP_AS_WORDS(gp_unaligned_word((global const uchar *)(from)))

// Stores word `y` of a line of a tile. The line has GP_HIGH words of 4 bytes and begins at `to`;
// each work-item has one. `next` is the word behind `words`, or the first one behind the last.
// Where the line begins within an aligned word, each work-item stores the aligned word that begins
// in its own; the last one stores the bytes at both ends of the line instead.
GP_INLINE void gp_store(Words words, Words next, uint y, global Word *to) {
    const uint before = (4 - (uint)(size_t)to % 4) % 4;
    if (before == 0) {
        *(global Words *)(to + y * GP_SIDE) = words;
    } else if (y < GP_HIGH - 1) {
        *(global uint *)((global uchar *)to + before + 4 * y) = gp_word_within(as_uint(words), as_uint(next), before);
    } else {
        Word first[GP_SIDE], last[GP_SIDE];
        GP_PASTE(vstore, GP_SIDE)(next, 0, first);
        GP_PASTE(vstore, GP_SIDE)(words, 0, last);
        for (uint e = 0; e < GP_SIDE; ++e) {
            if (e * sizeof(Word) < before)
                to[e] = first[e];
            else
                to[y * GP_SIDE + e] = last[e];
        }
    }
}
#else
#define gp_words(from) (*(global const Words *)(from))
#endif

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void transpose_tiles(GP_MATRICES) {
    local Words cells[GP_SIDE][GP_HIGH * GP_PITCH];
    GP_BEGIN_TILE
#ifdef GP_ANYWHERE // nothing lies behind the last tile that could be read with it
    const bool is_last = row + GP_HIGH * GP_SIDE >= rows && column + GP_WIDE * GP_SIDE >= columns;
#else
    const bool is_last = false;
#endif
    const bool is_whole = high == GP_HIGH * GP_SIDE && wide == GP_WIDE * GP_SIDE && !is_last;
    Words lines[GP_STEPS][GP_SIDE];
    if (is_whole) {
#pragma unroll
        for (uint step = 0; step < GP_STEPS; ++step) {
            const uint cell = step * GP_GROUP + item, x = cell % GP_WIDE, y = cell / GP_WIDE;
#pragma unroll
            for (uint k = 0; k < GP_SIDE; ++k) lines[step][k] = gp_words(in + (y * GP_SIDE + k) * ld_in + x * GP_SIDE);
        }
    } else { // what lies beyond the edges is a copy of what lies at them
#pragma unroll
        for (uint step = 0; step < GP_STEPS; ++step) {
            const uint cell = step * GP_GROUP + item, x = cell % GP_WIDE, y = cell / GP_WIDE;
#pragma unroll
            for (uint k = 0; k < GP_SIDE; ++k) {
                global const Word *const from = in + min(y * GP_SIDE + k, high - 1) * ld_in;
#define GP_AT_EDGE(e) from[min(x * GP_SIDE + e, wide - 1)]
                lines[step][k] = GP_EACH(GP_AT_EDGE);
            }
        }
    }
#pragma unroll
    for (uint step = 0; step < GP_STEPS; ++step) {
        const uint cell = step * GP_GROUP + item, at = cell / GP_WIDE * GP_PITCH + cell % GP_WIDE;
#if GP_SIDE == 1
        cells[0][at] = lines[step][0];
#else
#define GP_FIRST(k) lines[step][k].s0
#define GP_SECOND(k) lines[step][k].s1
        cells[0][at] = GP_EACH(GP_FIRST);
        cells[1][at] = GP_EACH(GP_SECOND);
#if GP_SIDE == 4
#define GP_THIRD(k) lines[step][k].s2
#define GP_FOURTH(k) lines[step][k].s3
        cells[2][at] = GP_EACH(GP_THIRD);
        cells[3][at] = GP_EACH(GP_FOURTH);
#endif
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint step = 0; step < GP_STEPS; ++step) {
        const uint cell = step * GP_GROUP + item, x = cell / GP_HIGH, y = cell % GP_HIGH;
#pragma unroll
        for (uint k = 0; k < GP_SIDE; ++k) {
            const Words line = cells[k][y * GP_PITCH + x];
            const uint line_at = x * GP_SIDE + k, first = y * GP_SIDE;
            global Word *const to = out + line_at * ld_out + first;
            if (is_whole) {
#ifdef GP_ANYWHERE
                const uint next = y + 1 < GP_HIGH ? y + 1 : 0;
                gp_store(line, cells[k][next * GP_PITCH + x], y, out + line_at * ld_out);
#else
                *(global Words *)to = line;
#endif
            } else if (line_at < wide) {
#if GP_SIDE == 1
                if (first < high) to[0] = line;
#else
                if (first < high) to[0] = line.s0;
                if (first + 1 < high) to[1] = line.s1;
#if GP_SIDE == 4
                if (first + 2 < high) to[2] = line.s2;
                if (first + 3 < high) to[3] = line.s3;
#endif
#endif
            }
        }
    }
}

#else // elements of several words

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void transpose_tiles(GP_MATRICES) {
    local Word cells[GP_HIGH * GP_PITCH * GP_WORDS];
    GP_BEGIN_TILE
    for (uint word = item; word < GP_HIGH * GP_WIDE * GP_WORDS; word += GP_GROUP) {
        const uint y = word / (GP_WIDE * GP_WORDS), x = word % (GP_WIDE * GP_WORDS);
        if (y < high && x < wide * GP_WORDS) cells[y * (GP_PITCH * GP_WORDS) + x] = in[y * ld_in + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint word = item; word < GP_HIGH * GP_WIDE * GP_WORDS; word += GP_GROUP) {
        const uint x = word / (GP_HIGH * GP_WORDS), rest = word % (GP_HIGH * GP_WORDS);
        const uint y = rest / GP_WORDS, of_element = rest % GP_WORDS;
        if (x < wide && y < high) out[x * ld_out + rest] = cells[(y * GP_PITCH + x) * GP_WORDS + of_element];
    }
}

#endif

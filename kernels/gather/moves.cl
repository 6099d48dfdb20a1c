// What gather and scatter share: their arguments, positions and words.
//
// Macros: GP_WORD_BYTES, 1, 2, 4, 8 or 16, which divides a row's size and the addresses of both
//         arrays
// Gives:  Word; GP_MOVES, arguments of a kernel; GP_BEGIN_MOVES, their first statements: `count`,
//         how many positions there are; gp_position; GP_NOTE
// SPDX-License-Identifier: MIT
#if GP_WORD_BYTES == 16
#define Word ulong2
#elif GP_WORD_BYTES == 1 || GP_WORD_BYTES == 2 || GP_WORD_BYTES == 4 || GP_WORD_BYTES == 8
#include "common/word.cl"
#else
#error "GP_WORD_BYTES must be 1, 2, 4, 8 or 16"
#endif

#define GP_WIDE 1     // positions have 64 bits, else 32
#define GP_SIGNED 2   // positions have a sign
#define GP_FROM_END 4 // negative positions count from the end
#define GP_SCATTER 8  // row i of `in` goes to positions[i], else row positions[i] goes to i
#define GP_COUNTED 16 // counts[0] says how many positions there are, at most m
#define GP_NOTED 32   // wrong[0] receives the first block that has a wrong position

// Rows have `words` words, which are elements of `in` and `out`; where that is 0, positions are
// only looked at. Arrays that are not wanted stand for nothing.
#define GP_MOVES                                                                                                       \
    uint flags, ulong n, ulong m, ulong words, global const uint *positions, ulong positions_offset,                   \
        global const ulong *counts, ulong counts_offset, global uint *wrong, ulong wrong_offset,                       \
        global const Word *in, ulong in_offset, global Word *out, ulong out_offset

#define GP_BEGIN_MOVES                                                                                                 \
    const ulong count = (flags & GP_COUNTED) != 0 ? min(m, counts[counts_offset]) : m;                                 \
    const bool scatters = (flags & GP_SCATTER) != 0;                                                                   \
    in += in_offset;                                                                                                   \
    out += out_offset;

// The row that position i names; n where there is none.
ulong gp_position(global const uint *positions, ulong offset, ulong i, uint flags, ulong n) {
    ulong at;
    if ((flags & GP_WIDE) != 0)
        at = ((global const ulong *)positions)[offset + i];
    else
        at = (flags & GP_SIGNED) != 0 ? (ulong)(long)as_int(positions[offset + i]) : (ulong)positions[offset + i];
    if ((flags & GP_FROM_END) != 0 && (long)at < 0) at += n;
    return min(at, n);
}

// Notes a block with a wrong position. wrong[0] is UINT_MAX minus the first such block; 0 where
// there is none.
#define GP_NOTE(block)                                                                                                 \
    if ((flags & GP_NOTED) != 0) atomic_max(wrong + wrong_offset, UINT_MAX - (uint)(block));

// Writes the first wrong place, from the first block of `rows` positions that has one, and leaves
// wrong[0] as it was before: 0. One work-item.
kernel void gather_first(GP_MOVES, ulong rows, global ulong *first, ulong first_offset) {
    const uint block = wrong[wrong_offset];
    wrong[wrong_offset] = 0;
    ulong result = ULONG_MAX;
    if (block != 0) {
        const ulong begin = (ulong)(UINT_MAX - block) * rows, end = min(begin + rows, m);
        // Two loops, since some drivers leave one after 65535 turns.
        for (ulong from = begin; from < end && result == ULONG_MAX; from += 4096)
            for (ulong i = from; i < min(from + 4096, end) && result == ULONG_MAX; ++i)
                if (gp_position(positions, positions_offset, i, flags, n) == n) result = i;
    }
    first[first_offset] = result;
}

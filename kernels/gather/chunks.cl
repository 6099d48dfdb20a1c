// Gather and scatter for CPUs: each work-item moves the rows of a chunk of positions, which it
// reads a block at a time before it moves their rows.
//
// Macros: GP_WORD_BYTES as in moves.cl
// Launch: work-groups of one, each with `chunk` positions (the last with the rest)
// SPDX-License-Identifier: MIT
#include "gather/moves.cl"

#define GP_BLOCK 256 // positions

// at[i] = expression(from[i]), whose type is Index.
#define GP_READ_BLOCK(Index, expression)                                                                               \
    {                                                                                                                  \
        global const Index *const from = (global const Index *)positions + positions_offset + block;                   \
        for (uint i = 0; i < size; ++i) {                                                                              \
            const Index x = from[i];                                                                                   \
            at[i] = expression;                                                                                        \
        }                                                                                                              \
    }

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void gather_chunks(GP_MOVES, ulong chunk) {
    GP_BEGIN_MOVES
    const ulong begin = get_global_id(0) * chunk, end = min(begin + chunk, count);
    bool is_wrong = false;
    for (ulong block = begin; block < end; block += GP_BLOCK) {
        const uint size = (uint)min(end - block, (ulong)GP_BLOCK);
        ulong at[GP_BLOCK];
        if ((flags & GP_WIDE) != 0)
            GP_READ_BLOCK(ulong, x)
        else if ((flags & GP_SIGNED) != 0)
            GP_READ_BLOCK(int, (ulong)(long)x)
        else
            GP_READ_BLOCK(uint, (ulong)x)
        if ((flags & GP_FROM_END) != 0)
            for (uint i = 0; i < size; ++i) at[i] += (long)at[i] < 0 ? n : 0;
        ulong most = 0;
        for (uint i = 0; i < size; ++i) most = max(most, at[i]);
        const bool is_right = most < n;
        is_wrong |= !is_right;
        if (is_right && words == 1) {
            if (scatters)
                for (uint i = 0; i < size; ++i) out[at[i]] = in[block + i];
            else
                for (uint i = 0; i < size; ++i) out[block + i] = in[at[i]];
        } else if (words > 0) {
            for (uint i = 0; i < size; ++i) {
                if (scatters && at[i] >= n) continue;
                global const Word *const from = in + (scatters ? block + i : min(at[i], n)) * words;
                global Word *const to = out + (scatters ? at[i] : block + i) * words;
                for (ulong word = 0; word < words; word += 4096) { // two loops, as in moves.cl
                    const uint some = (uint)min(words - word, (ulong)4096);
                    if (at[i] < n)
                        for (uint w = 0; w < some; ++w) to[word + w] = from[word + w];
                    else
                        for (uint w = 0; w < some; ++w) to[word + w] = 0;
                }
            }
        }
    }
    if (is_wrong) {
        GP_NOTE(get_global_id(0))
    }
}

// Combination of rows, or of parts of rows, by lanes.
//
// A lane reads aligned vectors. The elements of a row's first and last vector that are not the
// row's don't count.
//
// Macros: those of lanes.cl; GP_WIDTH is 1 where neighbouring elements lie step_in apart;
//         GP_CHAINS, how many states a lane has; GP_BLOCKS, where there is a gp_with_block, with 1
//         state
// Gives:  what lanes.cl does; gp_combine_lane
// SPDX-License-Identifier: MIT
#include "common/lanes.cl"

#ifndef GP_CHAINS
#error "GP_CHAINS must be defined"
#endif

#ifdef GP_BLOCKS
// gp_with, of GP_READS elements: element i is at position gp_place_of_read(i, v, next) - head.
GP_INLINE State gp_with_block(State state, const GP_RAW *raw, uint v, uint next, uint head, ulong told);
#endif
// The position of element i of those that a lane reads at a time, with `head`. Their first vector
// is number v, and each other one `next` behind the one before.
GP_INLINE uint gp_place_of_read(uint i, uint v, uint next) {
    return (v + i / GP_WIDTH * next) * GP_WIDTH + i % GP_WIDTH;
}

// Where elements lie that may be read: those of all rows, and what is between them.
typedef struct {
    global const GP_RAW *begin, *end;
} Span;

// Reads the vector at `from`, of which elements that don't lie in the span are 0.
GP_INLINE void gp_read_within(const Span *span, global const GP_RAW *from, uint number, GP_RAW *raw) {
    if (from >= span->begin && from + GP_WIDTH <= span->end) {
        gp_read_vector(from, number, raw);
        return;
    }
#pragma unroll
    for (uint j = 0; j < GP_WIDTH; ++j)
        raw[number * GP_WIDTH + j] = from + j >= span->begin && from + j < span->end ? from[j] : 0;
}

// What one of `lanes` lanes combines of the n elements from `in` on, which lie in the span. n <
// 2^31. The positions that gp_with is told count from `in`.
GP_INLINE State gp_combine_lane(const Span *span, global const GP_RAW *in, uint n, uint lane, uint lanes, ulong step_in,
                                ulong told) {
    const uint head = GP_WIDTH > 1 ? (uint)((size_t)in / GP_RAW_BYTES) % GP_WIDTH : 0;
    global const GP_RAW *row = in - head; // where its first vector begins
    const uint vectors = (head + n + GP_WIDTH - 1) / GP_WIDTH;
#ifdef GP_ANY_ORDER
    const uint begin = lane, next = lanes, end = vectors;
#else
    const uint share = (vectors + lanes * GP_LOADS - 1) / (lanes * GP_LOADS) * GP_LOADS;
    const uint begin = lane * share, next = 1, end = min(begin + share, vectors);
#endif
    // Of whole vectors, the first one and the end. No lane's own number counts, so that all lanes
    // of a row go the same way.
    const uint whole = head != 0 ? 1 : 0, whole_end = (head + n) / GP_WIDTH;
    State mine[GP_CHAINS];
#pragma unroll
    for (uint c = 0; c < GP_CHAINS; ++c) mine[c] = gp_none();
    for (uint v = begin; v < end; v += next * GP_LOADS) {
        GP_RAW raw[GP_READS];
#ifdef GP_ANY_ORDER
        const uint first = v - lane, last = first + lanes * GP_LOADS;
#else
        const uint first = v, last = v + GP_LOADS;
#endif
        if (first >= whole && last <= whole_end) {
#pragma unroll
            for (uint k = 0; k < GP_LOADS; ++k)
                gp_read_vector(row + GP_RAW_AT((ulong)(v + k * next) * GP_WIDTH), k, raw);
#ifdef GP_BLOCKS
            mine[0] = gp_with_block(mine[0], raw, v, next, head, told);
#else
#pragma unroll
            for (uint i = 0; i < GP_READS; ++i)
                mine[i % GP_CHAINS] =
                    gp_with(mine[i % GP_CHAINS], raw[i], gp_place_of_read(i, v, next) - head, true, told);
#endif
        } else {
#pragma unroll
            for (uint k = 0; k < GP_LOADS; ++k) {
                for (uint j = 0; j < GP_WIDTH; ++j) raw[k * GP_WIDTH + j] = 0;
                if (v + k * next < end) gp_read_within(span, row + GP_RAW_AT((ulong)(v + k * next) * GP_WIDTH), k, raw);
            }
#pragma unroll
            for (uint i = 0; i < GP_READS; ++i) {
                const uint vector = v + i / GP_WIDTH * next, p = vector * GP_WIDTH + i % GP_WIDTH - head;
                mine[i % GP_CHAINS] = gp_with(mine[i % GP_CHAINS], raw[i], p, vector < end && p < n, told);
            }
        }
    }
#pragma unroll
    for (uint c = 1; c < GP_CHAINS; ++c) mine[0] = gp_join(mine[0], mine[c]);
    return mine[0];
}

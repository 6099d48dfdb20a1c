// The best element so far, as lanes have it.
//
// Macros: those of results.cl
// Gives:  GP_RAW, GP_RAW_BYTES, State and the functions that lanes.cl needs; GP_ANY_ORDER; gp_place
// SPDX-License-Identifier: MIT
#include "arg_reduce/results.cl"
#include "common/inline.cl"
#include "common/rank.cl"
#include "device/shuffle.cl"

#define GP_RAW Key
#define GP_RAW_BYTES GP_KEY_BYTES
#define GP_ANY_ORDER // of equal ranks the lower position is the better
#define GP_CHAINS 1

typedef struct {
    Key rank;
    uint position; // GP_NOWHERE, too, where all ranks are the worst
} State;
#define GP_NOWHERE (~0u)

GP_INLINE State gp_none(void) { return (State){(Key) ~(Key)0, GP_NOWHERE}; }

// Elements come in the order of their positions. `told`: as gp_rank takes it.
GP_INLINE State gp_with(State state, Key x, uint position, bool valid, ulong told) {
    const Key rank = gp_rank(x, (Key)told);
    const bool better = valid && rank < state.rank;
    return (State){better ? rank : state.rank, better ? position : state.position};
}

GP_INLINE State gp_join(State left, State right) {
    const bool first = left.rank < right.rank || (left.rank == right.rank && left.position <= right.position);
    return (State){first ? left.rank : right.rank, first ? left.position : right.position};
}

GP_INLINE State gp_state_down(State x, uint step, local uint *room) {
    State result;
    result.position = gp_shuffle_down_word(x.position, step, room);
#if GP_KEY_BYTES == 8
    const uint low = gp_shuffle_down_word((uint)x.rank, step, room);
    result.rank = low | (ulong)gp_shuffle_down_word((uint)(x.rank >> 32), step, room) << 32;
#else
    result.rank = (Key)gp_shuffle_down_word(x.rank, step, room);
#endif
    return result;
}

// The position of the best of all. Where all are the worst, that is the first.
GP_INLINE uint gp_place(State best) { return best.position == GP_NOWHERE ? 0 : best.position; }

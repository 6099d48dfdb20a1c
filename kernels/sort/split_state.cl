// What the kernels of a sort that splits by the two leading digits share: bins, one for each value of both, and the state
// that they keep in global memory.
//
// Where the leading digits do not suit, the key space is cut into 256 pieces instead, of about as many keys each: the first
// digit is a key's piece, the second one where in the piece it lies, in 256 equal steps. Then a second state of the same
// parts follows the first one, and behind it the pieces.
//
// Macros: those of keys.cl; GP_PIECES for kernels that work by pieces
// Gives:  GP_BINS, gp_leading, gp_raw, gp_unlike; where the parts of `state` begin, which counts in uints; with GP_PIECES
//         Pieces, gp_read_pieces, gp_piece, gp_within, gp_exact, gp_gives_up
// SPDX-License-Identifier: MIT
#include "sort/keys.cl"

#define GP_BINS (GP_DIGITS * GP_DIGITS)

#define GP_ENDS 0                          // of each bin: its keys; then where it begins; split.cl leaves where it ends
#define GP_COUNTS (GP_ENDS + GP_BINS)      // keys of each first digit
#define GP_HEADS (GP_COUNTS + GP_DIGITS)   // where the next key of each first digit goes
#define GP_TILES (GP_HEADS + GP_DIGITS)    // of the second split: before each first digit's, and all
#define GP_LEFT (GP_TILES + GP_DIGITS + 1) // leading bits that all keys share, which the digits leave out
#define GP_MISFIT (GP_LEFT + 1)            // 1: a bin holds more keys than can be finished, so that nothing is done

#define GP_STATE (GP_MISFIT + 2)           // uints of a state; an even number
#define GP_LOWS GP_STATE                   // of the second state: each piece's lowest key, its two halves
#define GP_SHIFTS (GP_LOWS + 2 * GP_DIGITS)  // of each piece: see gp_within
#define GP_FACTORS (GP_SHIFTS + GP_DIGITS)
#define GP_LEFTOVERS (GP_FACTORS + GP_DIGITS) // keys of bins that are neither finished nor in order

// The 32 leading bits of an ordered key.
uint gp_leading(Key ordered) { return (uint)(ordered >> (8 * GP_KEY_BYTES - 32)); }

// Is the key one of several that are equal, but not bit for bit? A sort that is not stable must not have such.
bool gp_unlike(Key key) {
#if GP_KEY_FLOAT
    return (key & ~GP_SIGN) > GP_INFINITY || key == GP_SIGN;
#else
    return false;
#endif
}

// The key that gp_ordered made this of.
Key gp_raw(Key ordered, Key flip) {
#if GP_KEY_FLOAT
    ordered ^= flip;
    return ordered & GP_SIGN ? ordered ^ GP_SIGN : ~ordered;
#else
    return ordered ^ flip;
#endif
}

#ifdef GP_PIECES
typedef struct {
    ulong lows[GP_DIGITS];
    ulong tree[GP_DIGITS]; // the same without the first, as a search tree: those below node i are 2 i and 2 i + 1
    uint shifts[GP_DIGITS], factors[GP_DIGITS];
} Pieces;

// By all work-items; a barrier must follow.
void gp_read_pieces(global const uint *state, local Pieces *pieces) {
    for (uint i = (uint)get_local_id(0); i < GP_DIGITS; i += (uint)get_local_size(0)) {
        const uint depth = 31 - clz(max(i, 1u));
        const uint middle = i == 0 ? 0 : (2 * (i - (1u << depth)) + 1) << (7 - depth);
        pieces->lows[i] = state[GP_LOWS + 2 * i] | (ulong)state[GP_LOWS + 2 * i + 1] << 32;
        pieces->tree[i] = state[GP_LOWS + 2 * middle] | (ulong)state[GP_LOWS + 2 * middle + 1] << 32;
        pieces->shifts[i] = state[GP_SHIFTS + i];
        pieces->factors[i] = state[GP_FACTORS + i];
    }
}

uint gp_piece(ulong ordered, local const Pieces *pieces) {
    uint node = 1;
#pragma unroll
    for (uint depth = 0; depth < 8; ++depth) node = 2 * node + (ordered >= pieces->tree[node] ? 1 : 0);
    return node - GP_DIGITS;
}

// Where in its piece a key lies, of 2^32. It never falls as the key grows; the 8 leading bits are the second digit.
uint gp_within(ulong ordered, ulong low, uint shift, uint factor) {
    return 2 * mul_hi((uint)((ordered - low) << shift >> 32), factor);
}

// Has the piece at most 256 keys, so that each has a bin of its own?
bool gp_exact(uint shift) { return shift >= 56; }

// More than this is left to onesweep.cl all together.
bool gp_gives_up(global const uint *state, uint n) { return state[GP_MISFIT] || state[GP_LEFTOVERS] > n / 4; }
#endif

// What the kernels of a sort that splits by the two leading digits share: bins, one for each value
// of both digits, and the state that they keep in global memory.
//
// Where the leading digits do not suit, 255 splitters cut the key space into 256 pieces instead.
// The splitters are taken from sorted samples of the keys. A key's first digit is its piece. Its
// second digit says in which of 256 equal steps of the piece it lies. Bins that hold more keys than
// split_finish.cl takes are oversized buckets; onesweep.cl sorts their keys afterwards. A second
// state of the same parts follows the first one then, and the samples follow that.
//
// With GP_ONCE, keys are split into pieces only, which are finished without a second digit.
//
// The leading digits of floating-point keys are those of their places on a curve (curve.cl), which
// is kept behind the first state.
//
// Macros: those of keys.cl; GP_PIECES for kernels that work by pieces; GP_ONCE, with GP_PIECES
// Gives:  GP_BINS, gp_leading, gp_few_vary; where the parts of `state` begin, which counts in
//         uints; with GP_PIECES Pieces, gp_read_pieces, gp_piece, gp_range_of, gp_step, gp_exact,
//         gp_exact_steps, gp_to_cut, gp_by_pieces; GP_BY_CURVE, for kernels that take digits from
//         the curve
// SPDX-License-Identifier: MIT
#include "sort/keys.cl"
#if GP_KEY_FLOAT
#include "sort/curve.cl"
#ifndef GP_PIECES
#define GP_BY_CURVE
#endif
#endif

#define GP_BINS (GP_DIGITS * GP_DIGITS)

#define GP_ENDS 0                          // of each bin: its keys; then where it begins; split.cl leaves where it ends
#define GP_COUNTS (GP_ENDS + GP_BINS)      // keys of each first digit
#define GP_HEADS (GP_COUNTS + GP_DIGITS)   // where the next key of each first digit goes
#define GP_TILES (GP_HEADS + GP_DIGITS)    // of the second split: before each first digit's, and all
#define GP_LEFT (GP_TILES + GP_DIGITS + 1) // leading bits that all keys share, which the digits leave out
#define GP_MISFIT (GP_LEFT + 1)            // 1: a bin holds more keys than can be finished, so that nothing is done

// Bits that differ, low and high: in all keys where a misfit was seen at once and few digits vary;
// else in some.
#define GP_VARYING (GP_MISFIT + 1)

// Of keys that are numbers: GP_POSITIVE_ZERO and GP_NEGATIVE_ZERO where those are among them; which
// bits are ones in some NaN, low and high, and which are zeros in some; 1 if zeros of both signs or
// several NaN are among them, whose order only a stable sort keeps.
#define GP_ZEROS (GP_VARYING + 2)
#define GP_NAN_ONES (GP_ZEROS + 1)
#define GP_NAN_ZEROS (GP_NAN_ONES + 2)
#define GP_MIXED (GP_NAN_ZEROS + 2)

#define GP_CURVE_BEGIN (GP_MIXED + 1)
#if GP_KEY_FLOAT
#define GP_STATE (GP_CURVE_BEGIN + GP_CURVE_SIZE) // uints of a state
#else
#define GP_STATE GP_CURVE_BEGIN
#endif
#define GP_SORTED GP_STATE // of the second state: the samples, two uints each
#ifdef GP_ONCE
#define GP_SAMPLES 4096
#else
#define GP_SAMPLES 8192
#endif
#define GP_LEFTOVERS (GP_SORTED + 2 * GP_SAMPLES) // of each piece, and of all: keys of oversized buckets

// Of the first state, of floating-point keys, behind all else: where each bin begins, and the last
// one ends, as ordered keys. No zeros are needed there.
#define GP_EDGES (GP_STATE + GP_LEFTOVERS + GP_DIGITS + 1)

// The 32 leading bits of an ordered key.
uint gp_leading(Key ordered) { return (uint)(ordered >> (8 * GP_KEY_BYTES - 32)); }

#if GP_KEY_FLOAT
// The ordered key from which on a bin's keys are about; the end of them all where `bin` is GP_BINS.
#if GP_KEY_BYTES == 8
Key gp_edge(global const uint *state, uint bin) { return as_ulong(vload2(bin, state + GP_EDGES)); }
#else
Key gp_edge(global const uint *state, uint bin) { return state[GP_EDGES + bin]; }
#endif
#endif

// Do so few digits vary that onesweep.cl, which skips the others, is faster?
bool gp_few_vary(uint low, uint high) {
    uint digits = 0;
    for (uint shift = 0; shift < 32; shift += 8) digits += (high >> shift & 255 ? 1 : 0);
    if (GP_KEY_BYTES == 8)
        for (uint shift = 0; shift < 32; shift += 8) digits += (low >> shift & 255 ? 1 : 0);
    return digits <= GP_KEY_BYTES / 2;
}

#if GP_KEY_FLOAT
#define GP_POSITIVE_ZERO 1
#define GP_NEGATIVE_ZERO 2

// What of the numbers is not told by their codes.
typedef struct {
    uint zeros;
    Key nan_ones, nan_zeros;
} Kinds;

void gp_see(Key key, Kinds *kinds) {
    if ((Key)(key << 1) == 0) kinds->zeros |= key == 0 ? GP_POSITIVE_ZERO : GP_NEGATIVE_ZERO;
    if (gp_is_nan(key)) {
        kinds->nan_ones |= key;
        kinds->nan_zeros |= ~key;
    }
}

void gp_note_word(global uint *to, uint bits) {
    if (bits & ~*to) atomic_or(to, bits);
}

void gp_note(const Kinds *kinds, global uint *state) {
    gp_note_word(&state[GP_ZEROS], kinds->zeros);
    if (kinds->nan_ones == 0) return;
    gp_note_word(&state[GP_NAN_ONES], (uint)kinds->nan_ones);
    gp_note_word(&state[GP_NAN_ZEROS], (uint)kinds->nan_zeros);
#if GP_KEY_BYTES == 8
    gp_note_word(&state[GP_NAN_ONES + 1], (uint)(kinds->nan_ones >> 32));
    gp_note_word(&state[GP_NAN_ZEROS + 1], (uint)(kinds->nan_zeros >> 32));
#endif
}

bool gp_are_mixed(global const uint *state) {
    return state[GP_ZEROS] == (GP_POSITIVE_ZERO | GP_NEGATIVE_ZERO) || (state[GP_NAN_ONES] & state[GP_NAN_ZEROS]) ||
           (state[GP_NAN_ONES + 1] & state[GP_NAN_ZEROS + 1]);
}

// The key of a code, where kinds are not mixed.
Key gp_restored(Key code, Key flip, Key zero, Key nan) {
    const Key ordered = code ^ flip;
    const Key number = ordered & GP_SIGN ? ordered ^ GP_SIGN : ~ordered;
    return code == (Key) ~(Key)0 ? nan : number == 0 ? zero : number;
}
#endif

#ifdef GP_PIECES
#define GP_CELLS 4096

// How a range of keys is divided into 2^32 equal steps.
typedef struct {
    Key low;
    uint shift, factor;
} Range;

// The first piece begins, and the last one ends, not far from the samples. Keys beyond count as the
// first key of the first piece, or the last key of the last one.
typedef struct {
    Key lows[GP_DIGITS], last;
    uint shifts[GP_DIGITS], factors[GP_DIGITS];
    Range cells;               // all pieces' range in GP_CELLS equal cells
    ushort there[GP_CELLS];    // the first piece that keys of a cell may lie in, and from bit 8 on the last one
    ushort cell_of[GP_DIGITS]; // where each piece begins
} Pieces;

// `most` is the distance of the range's last key from its first one.
Range gp_range(Key low, Key most) {
    Range range = {low, 8 * GP_KEY_BYTES - 1, 0};
    if (most > 0) {
        range.shift = (uint)clz(most);
        range.factor = (uint)(0x8000000000000000ul / ((ulong)gp_leading(most << range.shift) + 1));
    }
    return range;
}

// The step of a key in a range. A greater key never has a lower step.
uint gp_within(Key key, Range range) { return 2 * mul_hi(gp_leading((key - range.low) << range.shift), range.factor); }

#if GP_KEY_BYTES == 8
Key gp_sample(global const uint *state, uint rank) { return as_ulong(vload2(rank, state + GP_SORTED)); }
#else
Key gp_sample(global const uint *state, uint rank) { return state[GP_SORTED + rank]; }
#endif

// The splitter that a piece begins with; with piece = GP_DIGITS, the highest key of all pieces.
// Each piece has about as many samples, but the pieces at both ends have fewer, since keys may be
// sparse there. The first and the last piece hold more than 256 keys, so that they are not exact:
// keys beyond the samples lie in their bins at the ends. If two neighbouring splitters are the same
// key, that key is a piece alone.
Key gp_piece_low(global const uint *state, uint piece) {
#define GP_FROM_END(i) ((i) <= 6 ? 1u << ((i)-1) : 32 + ((i)-6) * (GP_SAMPLES / 2 - 32) / (GP_DIGITS / 2 - 6))
#define GP_RANK(i) ((i) <= GP_DIGITS / 2 ? GP_FROM_END(i) - 1 : GP_SAMPLES - GP_FROM_END(GP_DIGITS - (i)))
    if (piece == 0) {
        const Key first = gp_sample(state, 0);
        return sub_sat(first, max(gp_sample(state, 16) - first, (Key)(GP_DIGITS + 1)));
    }
    const uint begin = min(piece, (uint)GP_DIGITS - 1);
    Key low = gp_sample(state, GP_RANK(begin));
    if (begin > 1 && gp_sample(state, GP_RANK(begin - 1)) == low) low = add_sat(low, (Key)1);
    if (piece < GP_DIGITS) return low;
    return add_sat(low, max(gp_sample(state, GP_SAMPLES - 1) - gp_sample(state, GP_SAMPLES - 17), (Key)GP_DIGITS));
}

Range gp_piece_range(global const uint *state, uint piece) {
    const Key low = gp_piece_low(state, piece), next = gp_piece_low(state, piece + 1);
    return gp_range(low, piece + 1 == GP_DIGITS ? next - low : max(next, (Key)(low + 1)) - low - 1);
}

// How many of the pieces, without the first, begin in a cell below this one.
uint gp_begun(uint cell, local const Pieces *pieces) {
    uint count = 0;
    for (uint step = GP_DIGITS / 2; step > 0; step /= 2)
        if (pieces->cell_of[count + step] < cell) count += step;
    return count;
}

// Called by all work-items. `search`: gp_piece will be called.
void gp_read_pieces(global const uint *state, bool search, local Pieces *pieces) {
    const uint id = (uint)get_local_id(0), size = (uint)get_local_size(0);
    const Key low = gp_piece_low(state, 0), last = gp_piece_low(state, GP_DIGITS);
    const Range cells = gp_range(low, last - low);
    for (uint i = id; i < GP_DIGITS; i += size) {
        const Range range = gp_piece_range(state, i);
        pieces->lows[i] = range.low;
        pieces->shifts[i] = range.shift;
        pieces->factors[i] = range.factor;
        pieces->cell_of[i] = (ushort)(gp_within(range.low, cells) / (0xffffffffu / GP_CELLS + 1));
    }
    if (id == 0) {
        pieces->last = last;
        pieces->cells = cells;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!search) return;
    for (uint i = id; i < GP_CELLS; i += size)
        pieces->there[i] = (ushort)(gp_begun(i, pieces) | gp_begun(i + 1, pieces) << 8);
    barrier(CLK_LOCAL_MEM_FENCE);
}

Key gp_clamp(Key key, local const Pieces *pieces) { return clamp(key, pieces->cells.low, pieces->last); }

uint gp_piece(Key key, local const Pieces *pieces) {
    const uint both = pieces->there[gp_within(gp_clamp(key, pieces), pieces->cells) / (0xffffffffu / GP_CELLS + 1)];
    uint low = both & 255, high = both >> 8;
    while (low < high) {
        const uint middle = (low + high + 1) / 2;
        if (key >= pieces->lows[middle])
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// Where in its piece a key lies; the 8 leading bits are the second digit.
Range gp_range_of(uint piece, local const Pieces *pieces) {
    const Range range = {pieces->lows[piece], pieces->shifts[piece], pieces->factors[piece]};
    return range;
}
uint gp_step(Key key, Range range, local const Pieces *pieces) { return gp_within(gp_clamp(key, pieces), range); }

// Has the piece at most 256 keys, so that each has a bin of its own?
bool gp_exact(uint shift) { return shift >= 8 * GP_KEY_BYTES - 8; }

// Has it so few that each has one of `steps` steps of its own, `bits` being steps' logarithm? One
// bit is spared, since steps are rounded.
bool gp_exact_steps(uint shift, uint bits) { return shift + bits > 8 * GP_KEY_BYTES; }

// `state` is the first of both states. Is the key space to be cut? It is not where the leading
// digits suit, nor where few digits vary.
bool gp_to_cut(global const uint *state) {
#ifdef GP_ONCE
    return !state[GP_MIXED];
#else
    return state[GP_MISFIT] && !state[GP_MIXED] && !gp_few_vary(state[GP_VARYING], state[GP_VARYING + 1]);
#endif
}

#ifdef GP_ONCE
#define GP_MOST_LEFTOVERS 0
#else
#define GP_MOST_LEFTOVERS n / 4
#endif

// Called once the bins are known: does the sort go by pieces? If oversized buckets hold too many
// keys, onesweep.cl sorts all keys.
bool gp_by_pieces(global const uint *state, uint n) {
    return gp_to_cut(state) && state[GP_STATE + GP_LEFTOVERS + GP_DIGITS] <= (GP_MOST_LEFTOVERS);
}
#endif

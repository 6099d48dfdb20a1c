// Splits keys by a leading digit, in no order among those of the same digit: one read and one
// write.
//
// Computes: with `second` = 0, keys_out holds the keys by their first digit; with `second` = 1,
//           each part of equal first digits by the second digit. The keys of a tile are counted by
//           digit, which gives each its place among the tile's keys of its digit. One atomic
//           addition for each digit reserves places in the output. The keys are put in order in
//           local memory before they are written, so that stores come in runs. No tile waits for
//           another. With GP_PIECES, digits are those of the pieces, of floating-point keys those
//           of their places (split_state.cl).
// Macros:   those of keys.cl; GP_GROUP, work-items of a work-group, a multiple of 256; GP_KEYS,
//           keys a work-item takes of a tile; the form of device/shuffle.cl
// Launch:   any number of work-groups of GP_GROUP; `state` as split_count.cl leaves it
// Source:   Stehle and Jacobsen, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs", 2017
// SPDX-License-Identifier: MIT
#include "sort/lower_sum.cl"
#include "sort/split_state.cl"

#if !defined(GP_GROUP) || !defined(GP_KEYS)
#error "GP_GROUP and GP_KEYS must be defined"
#endif

#define GP_TILE (GP_GROUP * GP_KEYS)

typedef struct {
    Key keys[GP_TILE];         // in order
    uint counts[GP_DIGITS];    // keys of each digit; then where they begin in the tile
    uint base[GP_DIGITS];      // where they go, less where they begin in the tile
    uint begin[GP_DIGITS + 1]; // of each first digit's part
    uint tiles[GP_DIGITS + 1];
    uint scan[GP_LOWER_SUM_ROOM(GP_DIGITS)];
    uint part;
#if defined(GP_PIECES)
    Pieces pieces;
    uchar digits[GP_TILE]; // of `keys`
#elif defined(GP_BY_CURVE)
    Curve curve;
    uchar digits[GP_TILE];
#endif
    uint shift; // of the digit in a key's leading bits; read anew by each step, lest compilers keep every key's digit
} Local;

typedef struct {
    uint size; // keys, GP_TILE or fewer
    uint flip; // what to turn of a digit
    global const Key *in;
    global Key *out;
    global uint *places; // where the next key of each digit goes
#ifdef GP_PIECES
    uint second, piece;
#endif
} Tile;

#if defined(GP_PIECES) || defined(GP_BY_CURVE)
#define GP_DIGIT(k, key) (kept[(k) / 4] >> (k) % 4 * 8 & 255)
#define GP_PUT_DIGIT(to, digit) room->digits[to] = (uchar)(digit);
#define GP_SORTED_DIGIT(i, key) room->digits[i]
#else
#define GP_DIGIT(k, key) ((gp_leading(key) >> shift & 255) ^ tile->flip)
#define GP_PUT_DIGIT(to, digit)
#define GP_SORTED_DIGIT(i, key) GP_DIGIT(0, key)
#endif

// `full`, a constant: the tile has GP_TILE keys.
void split_tile(const Tile *tile, bool full, ulong flip, local Local *room) {
    const uint id = (uint)get_local_id(0);
    uint shift = room->shift;
    Key mine[GP_KEYS];
    uint ranks[(GP_KEYS + 1) / 2]; // two in a word
    global const Key *const in = tile->in + id;
    local Key *const sorted = room->keys + id;
#define GP_THERE(k) (full || (k)*GP_GROUP + id < tile->size)
#pragma unroll
    for (uint k = 0; k < GP_KEYS; ++k) mine[k] = GP_THERE(k) ? in[k * GP_GROUP] : 0;
#if defined(GP_PIECES) || defined(GP_BY_CURVE) // digits that take long: found once, then kept
    uint kept[(GP_KEYS + 3) / 4] = {0};
#endif
#ifdef GP_BY_CURVE
#pragma unroll
    for (uint k = 0; k < GP_KEYS; ++k)
        kept[k / 4] |= (gp_place(mine[k], (Key)flip, &room->curve) >> shift & 255) << k % 4 * 8;
#elif defined(GP_PIECES)
    if (tile->second) {
        const Range range = gp_range_of(tile->piece, &room->pieces);
#pragma unroll
        for (uint k = 0; k < GP_KEYS; ++k)
            kept[k / 4] |= gp_step(gp_ordered(mine[k], (Key)flip), range, &room->pieces) >> 24 << k % 4 * 8;
    } else {
#pragma unroll
        for (uint k = 0; k < GP_KEYS; ++k)
            kept[k / 4] |= gp_piece(gp_ordered(mine[k], (Key)flip), &room->pieces) << k % 4 * 8;
    }
#endif
#pragma unroll
    for (uint k = 0; k < GP_KEYS; ++k) {
        const uint rank = GP_THERE(k) ? atomic_inc(&room->counts[GP_DIGIT(k, mine[k])]) : 0;
        ranks[k / 2] = k % 2 == 0 ? rank : ranks[k / 2] | rank << 16;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint count = id < GP_DIGITS ? room->counts[id] : 0;
    uint to = 0;
    if (count > 0) to = atomic_add(&tile->places[id], count);
    const uint place = gp_lower_sum(count, GP_DIGITS, room->scan); // where the digit begins in the tile
    if (id < GP_DIGITS) {
        room->counts[id] = place;
        room->base[id] = to - place;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    shift = room->shift;
#pragma unroll
    for (uint k = 0; k < GP_KEYS; ++k)
        if (GP_THERE(k)) {
            const uint at = room->counts[GP_DIGIT(k, mine[k])] + (ranks[k / 2] >> k % 2 * 16 & 0xffff);
            room->keys[at] = mine[k];
            GP_PUT_DIGIT(at, GP_DIGIT(k, mine[k]))
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    shift = room->shift;
    if (id < GP_DIGITS) room->counts[id] = 0;
#pragma unroll
    for (uint k = 0; k < GP_KEYS; ++k)
        if (GP_THERE(k)) mine[k] = sorted[k * GP_GROUP];
#pragma unroll
    for (uint k = 0; k < GP_KEYS; ++k)
        if (GP_THERE(k))
            tile->out[room->base[GP_SORTED_DIGIT(k * GP_GROUP + id, mine[k])] + k * GP_GROUP + id] = mine[k];
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
sort_split(uint n, uint second, ulong flip, global const Key *keys_in, ulong keys_in_offset, global Key *keys_out,
           ulong keys_out_offset, global uint *state, ulong state_offset) {
    local Local room;
    const uint id = (uint)get_local_id(0);
    state += state_offset;
    Tile tile;
#ifdef GP_PIECES
    if (!gp_by_pieces(state, n)) return;
    state += GP_STATE;
    gp_read_pieces(state, !second, &room.pieces);
    tile.second = second;
#else
    if (state[GP_MISFIT]) return;
#endif
#ifdef GP_BY_CURVE
    gp_read_curve(state + GP_CURVE_BEGIN, &room.curve);
#endif
    const uint shift = (second ? 16 : 24) - state[GP_LEFT];
    tile.flip = gp_leading((Key)flip) >> shift & 255;
    tile.out = keys_out + keys_out_offset;
    if (id == 0) {
        room.begin[0] = 0;
        room.shift = shift;
    }
    if (id < GP_DIGITS) {
        room.begin[id + 1] = second ? state[GP_HEADS + id] : n; // the first split has left there where each part ends
        room.counts[id] = 0;
    }
    for (uint i = id; i <= GP_DIGITS; i += GP_GROUP)
        room.tiles[i] = second ? state[GP_TILES + i] : i == 0 ? 0 : (n + GP_TILE - 1) / GP_TILE;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint t = (uint)get_group_id(0); t < room.tiles[GP_DIGITS]; t += (uint)get_num_groups(0)) {
        if (id < GP_DIGITS && room.tiles[id] <= t && t < room.tiles[id + 1]) room.part = id;
        barrier(CLK_LOCAL_MEM_FENCE); // the tile before is done too
        const uint part = room.part;
        const uint first = room.begin[part] + (t - room.tiles[part]) * GP_TILE;
        tile.size = min(room.begin[part + 1] - first, (uint)GP_TILE);
#ifdef GP_PIECES
        tile.piece = part;
#endif
        tile.in = keys_in + keys_in_offset + first;
        tile.places = state + (second ? GP_ENDS + part * GP_DIGITS : GP_HEADS);
        if (tile.size == GP_TILE)
            split_tile(&tile, true, flip, &room);
        else
            split_tile(&tile, false, flip, &room);
    }
}

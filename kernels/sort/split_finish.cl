// Sorts each bin of keys whose two leading digits are the same, in local memory.
//
// Computes: the bits behind the two digits spread a bin's keys over sub-bins, about as many as
//           there are keys; of floating-point keys, equal steps of the range that the curve tells
//           do. Each key finds its place among the few of its sub-bin by comparing. If
//           a sub-bin is oversized (more than GP_CROWD keys), the whole bin is sorted digit by
//           digit instead. Equal keys that come with values keep their order.
// Macros:   those of keys.cl; GP_GROUP, work-items of a work-group, a power of two; GP_KEYS, keys a
//           work-item: a bin holds at most GP_GROUP * GP_KEYS, less than 65536; the form of
//           device/match.cl; GP_ONCE, with GP_PIECES: bins are pieces, and go from `keys` to
//           `sorted`; GP_OTHER_MEMORY, if defined: the keys began in other memory than `keys`
// Launch:   any number of work-groups of GP_GROUP; `state` as split.cl leaves it, or with values as
//           onesweep.cl does; `done` becomes 1
// Source:   Stehle and Jacobsen, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs", 2017
// SPDX-License-Identifier: MIT
#include "device/match.cl"
#include "sort/lower_sum.cl"
#include "sort/split_state.cl"

#if !defined(GP_GROUP) || !defined(GP_KEYS)
#error "GP_GROUP and GP_KEYS must be defined"
#endif

#define GP_WARPS (GP_GROUP / 32)
#define GP_SUBS (8 * GP_GROUP) // a power of two; as many as there are digits in all warps
#define GP_CROWD 32            // more keys of one sub-bin are too many to compare
#define GP_ROOM (GP_GROUP * GP_KEYS)

typedef struct {
    uint subs[GP_SUBS + 4] __attribute__((aligned(16))); // the keys of each; then where they begin
    Key keys[GP_ROOM];
#if GP_VALUE_BYTES
    Value values[GP_ROOM]; // as they came
    ushort from[GP_ROOM];  // where each of `keys` came
#endif
    uint scan[GP_LOWER_SUM_ROOM(GP_GROUP)];
#ifdef GP_PIECES
    Pieces pieces;
    uint piece; // the bin's
#endif
#ifdef GP_BY_CURVE
    Key low; // as it is told by the curve, where the bin begins
#endif
    uint varying[2]; // bits, low and high
    uint crowded;
    uint shift; // of the sub-bin; read anew by each step, lest compilers keep every key's
#ifdef GP_MATCHES_IN_ROOM
    uint peers[GP_SUBS];
#endif
} Local;

// The bits behind both digits.
uint gp_next(Key ordered, local const Local *room) {
#ifdef GP_ONCE
    return gp_step(ordered, gp_range_of(room->piece, &room->pieces), &room->pieces);
#elif defined(GP_PIECES)
    return gp_step(ordered, gp_range_of(room->piece, &room->pieces), &room->pieces) << 8;
#else
    return GP_KEY_BYTES == 8 ? (uint)(ordered >> 16) : (uint)ordered << 16;
#endif
}
#ifdef GP_BY_CURVE
#define GP_SUB(ordered) (uint) min(sub_sat((Key)(ordered), room.low) >> shift, (Key)(GP_SUBS - 1))
#else
#define GP_SUB(ordered) (gp_next(ordered, &room) >> shift & (GP_SUBS - 1))
#endif

// Turns the number of keys of each sub-bin into where the sub-bin begins. It goes by 16 bytes,
// which has the fewest bank conflicts.
void scan_subs(local Local *room) {
    local uint4 *const mine = (local uint4 *)room->subs + 2 * get_local_id(0);
    const uint4 a = mine[0], b = mine[1];
    const uint4 most = max(a, b);
    if (max(max(most.x, most.y), max(most.z, most.w)) > GP_CROWD) room->crowded = 1;
    const uint4 x = {0, a.x, a.x + a.y, a.x + a.y + a.z};
    const uint4 y = {0, b.x, b.x + b.y, b.x + b.y + b.z};
    const uint half_sum = x.w + a.w;
    const uint begin = gp_lower_sum(half_sum + y.w + b.w, GP_GROUP, room->scan);
    mine[0] = begin + x;
    mine[1] = begin + half_sum + y;
    barrier(CLK_LOCAL_MEM_FENCE);
}

void clear_subs(local Local *room) {
#pragma unroll
    for (uint i = 0; i < GP_SUBS / GP_GROUP; ++i) room->subs[i * GP_GROUP + (uint)get_local_id(0)] = 0;
}

#ifdef GP_MATCHES_IN_ROOM
#define GP_PEERS(room, slot) (&(room)->peers[slot])
#else
#define GP_PEERS(room, slot) 0
#endif

// Sorts a bin with an oversized sub-bin by each digit that varies, as onesweep.cl sorts a tile. The
// keys lie as they came. Out of line, since it would take registers.
GP_OUT_OF_LINE void sort_crowd(uint size, local Local *room) {
    const uint id = (uint)get_local_id(0), warp = id / 32, below = (1u << id % 32) - 1;
    const uint first = warp * (32 * GP_KEYS) + id % 32;
    const Key one = room->keys[0];
    Key differing = 0;
    for (uint i = id; i < size; i += GP_GROUP) differing |= room->keys[i] ^ one;
    for (uint word = 0; word < (GP_KEY_BYTES + 3) / 4; ++word)
        if ((uint)(differing >> 32 * word)) atomic_or(&room->varying[word], (uint)(differing >> 32 * word));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint shift = 0; shift < 8 * GP_KEY_BYTES; shift += 8) {
        if (!(room->varying[shift / 32] >> shift % 32 & 255)) continue;
        Key mine[GP_KEYS];
#if GP_VALUE_BYTES
        ushort from[GP_KEYS];
#endif
#pragma unroll
        for (uint k = 0; k < GP_KEYS; ++k) {
            mine[k] = first + k * 32 < size ? room->keys[first + k * 32] : ~(Key)0; // which stays behind
#if GP_VALUE_BYTES
            from[k] = room->from[first + k * 32];
#endif
        }
        clear_subs(room);
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint k = 0; k < GP_KEYS; ++k) atomic_inc(&room->subs[(uint)(mine[k] >> shift & 255) * GP_WARPS + warp]);
        barrier(CLK_LOCAL_MEM_FENCE);
        scan_subs(room);
#pragma unroll
        for (uint k = 0; k < GP_KEYS; ++k) {
            const uint digit = (uint)(mine[k] >> shift & 255), slot = digit * GP_WARPS + warp;
            const uint peers = gp_match(digit, GP_PEERS(room, slot));
            const uint before = room->subs[slot], lower = popcount(peers & below);
            gp_join_warp();
            if (lower == 0) room->subs[slot] = before + popcount(peers);
            gp_join_warp();
            room->keys[before + lower] = mine[k];
#if GP_VALUE_BYTES
            room->from[before + lower] = from[k];
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Does key i come before another, key j?
bool comes_before(Key key, uint i, Key other, uint j, local const Local *room) {
#if GP_VALUE_BYTES
    return key < other || (key == other && room->from[i] < room->from[j]);
#else
    return key < other || (key == other && i < j);
#endif
}

#ifdef GP_ONCE
#define GP_SORTED_ARRAY sorted
#define GP_LEAST 1 // keys of a bin that is not there yet
#define GP_FINISHED GP_DIGITS
#define GP_PIECE_OF(bin) (bin)
#define GP_BITS_BEFORE 0

void find_piece(uint piece, global const uint *state, uint *begin, uint *size) {
    *begin = piece == 0 ? 0 : state[GP_HEADS + piece - 1];
    *size = state[GP_HEADS + piece] - *begin;
}
#else
#define GP_SORTED_ARRAY keys
#define GP_LEAST 2
#define GP_FINISHED GP_BINS
#define GP_PIECE_OF(bin) ((bin) / GP_DIGITS)
#define GP_BITS_BEFORE 8
#endif

// Where a bin begins and how many keys it has; none behind the last bin.
void find_bin(uint bin, uint n, global const uint *state, local const Local *room, uint *begin, uint *size) {
    *begin = *size = 0;
    if (bin >= GP_FINISHED) return;
#ifdef GP_ONCE
    find_piece(bin, state, begin, size);
    if (room->pieces.factors[bin] == 0 || *size > GP_ROOM) *size = 0; // written before
    return;
#elif GP_VALUE_BYTES
    *begin = state[GP_ENDS + bin];
    *size = (bin + 1 < GP_BINS ? state[GP_ENDS + bin + 1] : n) - *begin;
#else
    *begin = bin == 0 ? 0 : state[GP_ENDS + bin - 1];
    *size = state[GP_ENDS + bin] - *begin;
#endif
#ifdef GP_PIECES // nothing to do, or sort_split_leftovers does it
    if (*size > GP_ROOM || gp_exact(room->pieces.shifts[bin / GP_DIGITS])) *size = 0;
#endif
}

// Brings a bin's keys, and its values.
#if GP_VALUE_BYTES
#define GP_LOAD(begin, size)                                                                                           \
    {                                                                                                                  \
        global const Key *const from = keys + (begin) + id;                                                            \
        global const Value *const values_from = values + (begin) + id;                                                 \
        _Pragma("unroll") for (uint k = 0; k < GP_KEYS; ++k) {                                                         \
            mine[k] = k * GP_GROUP + id < (size) ? from[k * GP_GROUP] : 0;                                             \
            brought[k] = k * GP_GROUP + id < (size) ? values_from[k * GP_GROUP] : 0;                                   \
        }                                                                                                              \
    }
#else
#define GP_LOAD(begin, size)                                                                                           \
    {                                                                                                                  \
        global const Key *const from = keys + (begin) + id;                                                            \
        _Pragma("unroll") for (uint k = 0; k < GP_KEYS; ++k) mine[k] =                                                 \
            k * GP_GROUP + id < (size) ? from[k * GP_GROUP] : 0;                                                       \
    }
#endif

#if GP_KEY_FLOAT
#define GP_RESTORED(key) gp_restored(key, (Key)flip, zero, nan)
#else
#define GP_RESTORED(key) (key) ^ (Key)flip
#endif

// Writes key i of local memory, and its value.
#if GP_VALUE_BYTES
#define GP_PUT(to, i, key)                                                                                             \
    {                                                                                                                  \
        keys_out[to] = GP_RESTORED(key);                                                                               \
        values_out[to] = room.values[room.from[i]];                                                                    \
    }
#else
#define GP_PUT(to, i, key) keys_out[to] = GP_RESTORED(key);
#endif

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
sort_split_finish(uint n, ulong flip, global const uint *state, ulong state_offset, global uint *done,
                  ulong done_offset, global Key *keys, ulong keys_offset
#ifdef GP_ONCE
                  ,
                  global Key *sorted, ulong sorted_offset
#elif GP_VALUE_BYTES
                  ,
                  global Value *values, ulong values_offset
#endif
) {
    local Local room;
    const uint id = (uint)get_local_id(0);
    state += state_offset;
#if GP_KEY_FLOAT
    const Key zero = state[GP_ZEROS] == GP_NEGATIVE_ZERO ? GP_SIGN : 0;
#if GP_KEY_BYTES == 8
    const Key nan = (Key)state[GP_NAN_ONES + 1] << 32 | state[GP_NAN_ONES];
#else
    const Key nan = state[GP_NAN_ONES];
#endif
#endif
#ifdef GP_PIECES
#ifdef GP_ONCE
    const bool equal = false;
    sorted += sorted_offset;
#else
    const bool equal = GP_KEY_BYTES == 8 && (state[GP_VARYING] | state[GP_VARYING + 1]) == 0; // all keys
#endif
#ifndef GP_OTHER_MEMORY // they lie where they are wanted
    if (state[GP_MISFIT] && equal && get_global_id(0) == 0) done[done_offset] = 1;
#endif
    if (!gp_by_pieces(state, n)) return;
    state += GP_STATE;
    if (get_global_id(0) == 0) done[done_offset] = 1 + state[GP_LEFTOVERS + GP_DIGITS];
    gp_read_pieces(state, false, &room.pieces);
#else
    if (state[GP_MISFIT]) return;
    if (get_global_id(0) == 0) done[done_offset] = 1;
#endif
    keys += keys_offset;
#if GP_VALUE_BYTES
    values += values_offset;
#endif
#ifdef GP_ONCE
    // Pieces of one key, which all work-groups write, and larger ones of a few, each of which one
    // does.
    if (id < GP_DIGITS) room.subs[id] = 0;
    if (id == 0) room.crowded = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < GP_DIGITS) {
        uint first, count;
        find_piece(id, state, &first, &count);
        const bool is_large = count > GP_ROOM && id % (uint)get_num_groups(0) == (uint)get_group_id(0);
        if (count > 0 && gp_exact(room.pieces.shifts[id]) && (room.pieces.factors[id] == 0 || is_large))
            room.subs[GP_DIGITS + atomic_inc(&room.crowded)] = id;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint special = room.crowded;
    for (uint s = 0; s < special; ++s) {
        const uint piece = room.subs[GP_DIGITS + s];
        const Key low = room.pieces.lows[piece];
        uint first, count;
        find_piece(piece, state, &first, &count);
        global Key *const to = sorted + first;
        if (room.pieces.factors[piece] == 0) {
            const Key only = GP_RESTORED(low);
            for (uint i = (uint)get_global_id(0); i < count; i += (uint)get_global_size(0)) to[i] = only;
            continue;
        }
        for (uint i = id; i < count; i += GP_GROUP)
            atomic_inc(&room.subs[(uint)(gp_ordered(keys[first + i], (Key)flip) - low) & 255]);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint d = 0, begin = 0; d < GP_DIGITS; ++d) {
            const Key one = GP_RESTORED((Key)(low + d));
            const uint end = begin + room.subs[d];
            for (uint i = begin + id; i < end; i += GP_GROUP) to[i] = one;
            begin = end;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < GP_DIGITS) room.subs[id] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
    const uint step = (uint)get_num_groups(0);
    uint bin = (uint)get_group_id(0), begin, size;
    find_bin(bin, n, state, &room, &begin, &size);
    Key mine[GP_KEYS];
#if GP_VALUE_BYTES
    Value brought[GP_KEYS];
#endif
    GP_LOAD(begin, size)
#ifdef GP_BY_CURVE
    Key low = gp_edge(state, bin), high = gp_edge(state, bin + 1);
#endif
    while (bin < GP_FINISHED) {
        uint next = bin + step, next_begin, next_size;
        find_bin(next, n, state, &room, &next_begin, &next_size);
        barrier(CLK_LOCAL_MEM_FENCE); // the bin before is done
        clear_subs(&room);
        if (id == 0) {
            room.crowded = room.varying[0] = room.varying[1] = 0;
#ifdef GP_PIECES
            room.piece = GP_PIECE_OF(bin);
#endif
#ifdef GP_BY_CURVE
            const uint bits = 8 * GP_KEY_BYTES - (uint)clz(high - low);
            room.low = low;
            room.shift = bits - min(bits, 31 - (uint)clz((uint)GP_SUBS));
#else
            room.shift = clz(GP_SUBS) + 1 - state[GP_LEFT];
#endif
            room.subs[GP_SUBS] = size;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint shift = room.shift;
        uint ranks[(GP_KEYS + 1) / 2]; // two in a word
#pragma unroll
        for (uint k = 0; k < GP_KEYS; ++k) {
            mine[k] = gp_ordered(mine[k], (Key)flip);
            const uint rank = k * GP_GROUP + id < size ? atomic_inc(&room.subs[GP_SUB(mine[k])]) : 0;
            ranks[k / 2] = k % 2 == 0 ? rank : ranks[k / 2] | rank << 16;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        scan_subs(&room);
        shift = room.shift;
#ifdef GP_PIECES
        // Whether each sub-bin holds one key only, however often. Pieces at the ends have keys
        // beyond.
        const uint piece = room.piece;
        const bool in_order = piece > 0 && piece < GP_DIGITS - 1 &&
                              gp_exact_steps(room.pieces.shifts[piece], GP_BITS_BEFORE + 31 - (uint)clz((uint)GP_SUBS));
#else
        const bool in_order = false;
#endif
        const bool crowded = room.crowded && !in_order;
#pragma unroll
        for (uint k = 0; k < GP_KEYS; ++k) {
            const uint i = k * GP_GROUP + id;
            if (i >= size) continue;
            const uint to = crowded ? i : room.subs[GP_SUB(mine[k])] + (ranks[k / 2] >> k % 2 * 16 & 0xffff);
            room.keys[to] = mine[k];
#if GP_VALUE_BYTES
            room.from[to] = (ushort)i;
            room.values[i] = brought[k];
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (crowded) sort_crowd(size, &room);
        shift = room.shift;
        for (; next < GP_FINISHED && next_size < GP_LEAST; next += step)
            find_bin(next + step, n, state, &room, &next_begin, &next_size);
        GP_LOAD(next_begin, next_size) // while this bin is finished
#ifdef GP_BY_CURVE
        low = gp_edge(state, min(next, (uint)GP_BINS - 1));
        high = gp_edge(state, min(next + 1, (uint)GP_BINS));
#endif
        global Key *const keys_out = GP_SORTED_ARRAY + begin;
#if GP_VALUE_BYTES
        global Value *const values_out = values + begin;
#endif
        if (crowded || in_order) {
            for (uint i = id; i < size; i += GP_GROUP) GP_PUT(i, i, room.keys[i])
        } else {
            for (uint i = id; i < size; i += GP_GROUP) {
                const Key key = room.keys[i];
                local const uint *const sub = room.subs + GP_SUB(key);
                const uint end = sub[1];
                uint to = sub[0];
                for (uint j = to; j < end; ++j) to += comes_before(room.keys[j], j, key, i, &room) ? 1 : 0;
                GP_PUT(to, i, key)
            }
        }
        bin = next;
        begin = next_begin;
        size = next_size;
    }
}

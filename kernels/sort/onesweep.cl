// One pass of a least-significant-digit radix sort that reads and writes every key once; for GPUs.
//
// sort_count_digits counts every digit of all passes in one go. sort_onesweep takes tiles in order.
// It publishes the tile's count of each digit, and ranks the keys within their warp by matching
// digits. By look-back it finds how many keys of each digit the tiles before hold. It puts the keys
// in order in local memory before it writes them, so that stores come in runs.
//
// The window of the look-back: the work-item of each digit goes back from tile to tile and adds up
// what it finds. A tile publishes its own count first, and once it is known the count of all tiles
// up to it, at which the work-item stops. The rows of published counts form a ring, since only
// tiles under way need them.
//
// With GP_SPLIT the pass is one of a sort that begins with the leading digits (split_finish.cl), as
// split_count.cl plans it. Pass 0 takes the first digit of all keys, pass 1 the second one of each
// part whose first digit is the same. There tiles look back within their part.
//
// With GP_ROWS each row is a part, and is sorted by itself, in the same passes as all others.
// There are totals for each row, `parts` work-groups count a row, and with `relative` indices count
// from the beginning of their row.
//
// With GP_SEGMENTS the parts are the segments of a list, and what lies outside them is neither read
// nor written; `table` is that of segment_table.cl. sort_count_segments counts them.
//
// With GP_ALL_PASSES, sort_all_passes does all of it in one launch.
//
// With GP_COPY_FIRST, sort_count_digits also copies keys and values to where the first pass reads
// them, so that an odd number of passes ends where they came from. sort_fill_keys writes keys of
// one byte, alone, from their counts.
//
// Where GP_DONE is 1 nothing is counted and no pass runs: whoever sets it has written the sorted
// keys to where they are wanted. With GP_REST, keys may be left over from such a sort. If GP_DONE
// is greater than 1, GP_DONE - 1 keys are to be sorted, and lie in keys_odd.
//
// Macros: those of keys.cl and counted.cl; GP_GROUP, work-items of a work-group, a multiple of 256;
//         GP_KEYS, keys a work-item takes of a tile; GP_COPIES of the counts of all digits, which
//         take GP_KEY_BYTES KiB each; those of look_back.cl; the form of device/match.cl;
//         with GP_ALL_PASSES those of phases.cl
// Launch: both kernels: any number of work-groups of GP_GROUP; with GP_ROWS, sort_count_digits
//         `parts` of them for each row, and with GP_ROWS or GP_SEGMENTS `row_totals` are 256 uints
//         for each row and pass, filled with zeros. Filled with zeros once for all
//         passes: `totals`, 256 uints for each pass, then one for the plan, one ticket for each
//         pass and GP_DONE; `rows`, `ring` of them, of 256 ulongs; ring is a power of two, more
//         than twice the work-groups
// Source: Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs",
//         2022
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "device/match.cl"
#include "sort/keys.cl"
#include "sort/lower_sum.cl"
#ifdef GP_SPLIT
#include "sort/split_state.cl"
#endif

#if !defined(GP_GROUP) || !defined(GP_KEYS) || !defined(GP_COPIES)
#error "GP_GROUP, GP_KEYS and GP_COPIES must be defined"
#endif

#define GP_WARPS (GP_GROUP / 32)
#define GP_TILE (GP_GROUP * GP_KEYS)

// Behind the totals of `passes` passes: the plan, tickets that say which tile comes next, and
// whether all is done already.
#define GP_PLAN(totals, passes) ((totals) + (passes)*GP_DIGITS)
#define GP_TICKET(totals, passes, pass) (GP_PLAN(totals, passes) + 1 + (pass))
#define GP_DONE(totals, passes) GP_TICKET(totals, passes, passes)

// Set in the plan where some keys' order is not that of their bits: NaN, and -0, which equals +0.
#define GP_SPECIAL (1u << 31)

#if GP_KEY_FLOAT
// gp_ordered of other keys.
GP_INLINE Key ordered_number(Key key, Key flip) {
    return key ^ ((Key)(key >> (8 * GP_KEY_BYTES - 1) ? ~(Key)0 : GP_SIGN)) ^ flip;
}
#define GP_SEE(special, key, ordered, flip) special |= (ordered) ^ ordered_number(key, flip);
#else
#define GP_SEE(special, key, ordered, flip)
#endif

#ifdef GP_SEGMENTS
#include "sort/segment_tiles.cl"

// Counts the digits of each segment of a list, in row_totals[256 * (passes * segment + pass) +
// digit], and finds which passes are of use. A work-group takes some tiles that follow each other.
__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
sort_count_segments(uint begin, uint last, uint passes, ulong flip, global const Key *keys, ulong keys_offset,
                    global const uint *list, ulong list_offset, global const uint *table, ulong table_offset,
                    global uint *row_totals, ulong row_totals_offset, global uint *totals, ulong totals_offset) {
    local uint counts[GP_KEY_BYTES * GP_DIGITS * GP_COPIES];
    local uint varying;
    const uint id = (uint)get_local_id(0), copy = id % GP_COPIES;
    keys += keys_offset;
    list += list_offset;
    table += table_offset;
    row_totals += row_totals_offset;
    totals += totals_offset;
    const uint all = table[0], tiles = table[1], groups = (uint)get_num_groups(0);
    const uint each = tiles / groups + (tiles % groups != 0 ? 1 : 0);
    const uint from = (uint)get_group_id(0) * each, to = min(from + each, tiles);
    if (from >= to) return;
    if (id == 0) varying = 0;
    for (uint segment = gp_segment_of(from, table); segment < all && table[2 + segment] < to; ++segment) {
        for (uint i = id; i < GP_KEY_BYTES * GP_DIGITS * GP_COPIES; i += GP_GROUP) counts[i] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint2 where = vload2(segment, list);
        const uint before = table[2 + segment], end = segment + 1 < all ? table[3 + segment] : tiles;
        global const Key *const mine = keys + where.x;
        const Key one = gp_ordered(mine[0], (Key)flip);
        Key differing = 0, special = 0;
        for (uint tile = max(from, before); tile < min(to, end); ++tile) {
#pragma unroll 4
            for (uint k = 0; k < GP_KEYS; ++k) {
                const uint i = (tile - before) * GP_TILE + k * GP_GROUP + id;
                if (i >= where.y) continue;
                const Key key = mine[i], ordered = gp_ordered(key, (Key)flip);
                differing |= ordered ^ one;
                GP_SEE(special, key, ordered, (Key)flip)
#pragma unroll
                for (uint pass = 0; pass < GP_KEY_BYTES; ++pass) {
                    if (pass >= passes) continue;
                    const uint digit = (uint)(ordered >> GP_SHIFT(pass, begin, last)) & ((1u << GP_DIGIT_BITS) - 1);
                    atomic_inc(&counts[(pass * GP_DIGITS + digit) * GP_COPIES + copy]);
                }
            }
        }
        const uint seen = gp_varying(differing, begin, last, passes) | (special != 0 ? GP_SPECIAL : 0);
        if (seen != 0) atomic_or(&varying, seen);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = id; i < passes * GP_DIGITS; i += GP_GROUP) {
            uint sum = 0;
            for (uint c = 0; c < GP_COPIES; ++c) sum += counts[i * GP_COPIES + (c + id) % GP_COPIES];
            if (sum != 0) atomic_add(&row_totals[(ulong)segment * passes * GP_DIGITS + i], sum);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0) // && instead loses work-items with PoCL 3.1 where it does not optimise
        if (varying != 0) atomic_or(GP_PLAN(totals, passes), varying);
}
#else
#if GP_KEY_BYTES == 8
#define Turned ulong
#else
#define Turned uint
#endif
#define GP_COPY_BITS (31 - (uint)clz((uint)GP_COPIES))

// Counts the digits of this work-item's keys of a tile, one in GP_GROUP of the `left` keys from the
// first of them on; `full`, a constant: there are GP_KEYS, and as many passes as keys have bytes.
// Returns the bits in which any differs from `one`.
GP_INLINE Key count_tile(global const Key *keys, uint left, bool full, Key one, Key flip, uint passes,
                         const uint *turns, uint copy, Key *special, local uint *counts) {
    Key mine[GP_KEYS], differing = 0;
#define GP_IS_THERE(k) (full || (k)*GP_GROUP < left)
#pragma unroll
    for (uint k = 0; k < GP_KEYS; ++k) mine[k] = GP_IS_THERE(k) ? keys[k * GP_GROUP] : 0;
#pragma unroll
    for (uint k = 0; k < GP_KEYS; ++k) {
        if (!GP_IS_THERE(k)) continue;
        const Key ordered = gp_ordered(mine[k], flip);
        differing |= ordered ^ one;
        GP_SEE(*special, mine[k], ordered, flip)
#pragma unroll
        for (uint pass = 0; pass < GP_KEY_BYTES; ++pass) {
            if (!full && pass >= passes) continue;
            const uint mask = ((1u << GP_DIGIT_BITS) - 1) * GP_COPIES;
            const uint place = (uint)rotate((Turned)ordered, (Turned)turns[pass]) & mask;
            atomic_inc(&counts[pass * GP_DIGITS * GP_COPIES + (place | copy)]);
        }
    }
    return differing;
}

#ifdef GP_COPY_FIRST
// Copies this work-item's elements of a tile, one in GP_GROUP of the `left` ones from the first of
// them on.
#define GP_DEFINE_COPY(name, Type)                                                                                     \
    GP_INLINE void name(global const Type *from, global Type *to, uint left) {                                         \
        Type moved[GP_KEYS];                                                                                           \
        _Pragma("unroll") for (uint k = 0; k < GP_KEYS; ++k) if (k * GP_GROUP < left) moved[k] = from[k * GP_GROUP];   \
        _Pragma("unroll") for (uint k = 0; k < GP_KEYS; ++k) if (k * GP_GROUP < left) to[k * GP_GROUP] = moved[k];     \
    }
GP_DEFINE_COPY(copy_keys, Key)
#if GP_VALUE_BYTES
GP_DEFINE_COPY(copy_values, Value)
#endif
#endif

typedef struct {
    uint counts[GP_KEY_BYTES * GP_DIGITS * GP_COPIES];
    uint varying;
} Counts;

// What count_part copies, and to where, as parameters and as arguments.
#ifndef GP_COPY_FIRST
#define GP_COPY_PARAMETERS
#define GP_COPY(keys_copy, values, values_copy)
#elif GP_VALUE_BYTES
#define GP_COPY_PARAMETERS global Key *keys_copy, global const Value *values, global Value *values_copy,
#define GP_COPY(keys_copy, values, values_copy) keys_copy, values, values_copy,
#else
#define GP_COPY_PARAMETERS global Key *keys_copy,
#define GP_COPY(keys_copy, values, values_copy) keys_copy,
#endif

// Counts the digits of a part of the n keys, one tile in `parts`, in sums[256 * pass + digit], and
// finds which passes are of use. Neighbouring lanes count in different copies, so that equal digits
// do not wait for each other.
GP_INLINE void count_part(ulong n, global const Key *keys, GP_COPY_PARAMETERS uint begin, uint last, uint passes,
                          Key flip, ulong part, ulong parts, global uint *sums, global uint *plan, local Counts *room) {
    const uint id = (uint)get_local_id(0), copy = id % GP_COPIES;
    for (uint i = id; i < GP_KEY_BYTES * GP_DIGITS * GP_COPIES; i += GP_GROUP) room->counts[i] = 0;
    if (id == 0) room->varying = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const Key one = gp_ordered(keys[0], flip);
    Key differing = 0, special = 0;
    uint turns[GP_KEY_BYTES]; // that bring each digit to where it counts in the place of a counter
#pragma unroll
    for (uint pass = 0; pass < GP_KEY_BYTES; ++pass)
        turns[pass] = (8 * sizeof(Turned) + GP_COPY_BITS - GP_SHIFT(pass, begin, last)) % (8 * sizeof(Turned));
    for (ulong first = part * GP_TILE; first < n; first += parts * GP_TILE) {
        const uint left = (uint)min(n - first, (ulong)GP_TILE);
        global const Key *const mine = keys + first + id;
#ifdef GP_COPY_FIRST
#if GP_VALUE_BYTES
        copy_values(values + first + id, values_copy + first + id, left - min(id, left));
#endif
        copy_keys(mine, keys_copy + first + id, left - min(id, left));
#endif
        if (left == GP_TILE && passes == GP_KEY_BYTES)
            differing |= count_tile(mine, left - id, true, one, flip, passes, turns, copy, &special, room->counts);
        else if (id < left)
            differing |= count_tile(mine, left - id, false, one, flip, passes, turns, copy, &special, room->counts);
    }
    const uint seen = gp_varying(differing, begin, last, passes) | (special != 0 ? GP_SPECIAL : 0);
    if (seen != 0) atomic_or(&room->varying, seen);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = id; i < passes * GP_DIGITS; i += GP_GROUP) {
        uint sum = 0;
        for (uint c = 0; c < GP_COPIES; ++c) sum += room->counts[i * GP_COPIES + (c + id) % GP_COPIES];
        if (sum != 0) atomic_add(&sums[i], sum);
    }
    if (id == 0)
        if (room->varying != 0) atomic_or(plan, room->varying);
}

#ifndef GP_ALL_PASSES
// Counts every digit of every key, in `totals` or `row_totals`.
__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
sort_count_digits(ulong n, uint begin, uint last, uint passes, ulong flip, global const Key *keys, ulong keys_offset,
#ifdef GP_REST
                  global const Key *rest, ulong rest_offset,
#endif
#ifdef GP_ROWS
                  uint parts, global uint *row_totals, ulong row_totals_offset,
#endif
#ifdef GP_COPY_FIRST
                  global Key *keys_copy, ulong keys_copy_offset,
#if GP_VALUE_BYTES
                  global const Value *values, ulong values_offset, global Value *values_copy, ulong values_copy_offset,
#endif
#endif
                  global uint *totals, ulong totals_offset GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local Counts room;
    keys += keys_offset;
    totals += totals_offset;
    const uint done = *GP_DONE(totals, passes);
#ifdef GP_REST
    if (done > 1) {
        keys = rest + rest_offset;
        n = done - 1;
    }
    if (done == 1) return;
#else
    if (done) return; // no pass runs
#endif
#ifdef GP_ROWS
    const ulong row = get_group_id(0) / parts, part = get_group_id(0) - row * parts;
    global uint *const sums = row_totals + row_totals_offset + row * passes * GP_DIGITS;
    keys += row * n;
#else
    const ulong part = get_group_id(0), parts = get_num_groups(0);
    global uint *const sums = totals;
#endif
    count_part(n, keys,
               GP_COPY(keys_copy + keys_copy_offset, values + values_offset, values_copy + values_copy_offset) begin,
               last, passes, (Key)flip, part, parts, sums, GP_PLAN(totals, passes), &room);
}
#endif
#endif

#if GP_KEY_BYTES == 1 && !GP_VALUE_BYTES
// Writes n keys in order from the totals of their only digit, 16 at once where they are the same.
__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
sort_fill_keys(ulong n, ulong flip, global const uint *totals, ulong totals_offset, global Key *keys,
               ulong keys_offset GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local uint begins[GP_DIGITS + 1], scan[GP_LOWER_SUM_ROOM(GP_DIGITS)];
    const uint id = (uint)get_local_id(0);
    keys += keys_offset;
    const uint begin = gp_lower_sum(id < GP_DIGITS ? totals[totals_offset + id] : 0, GP_DIGITS, scan);
    if (id < GP_DIGITS) begins[id] = begin;
    if (id == 0) begins[GP_DIGITS] = (uint)n;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint skew = (uint)((uintptr_t)keys % 16); // of the first key behind an address that 16 divides
    const uint end = (uint)n;
    for (ulong v = get_global_id(0); v * 16 < n + skew; v += get_global_size(0)) {
        uint at = v == 0 ? 0 : (uint)(v * 16) - skew;
        const uint next = min((uint)(v * 16) + 16 - skew, end);
        uint digit = 0;
        for (uint step = GP_DIGITS / 2; step > 0; step /= 2)
            if (begins[digit + step] <= at) digit += step;
        if (next - at == 16 && next <= begins[digit + 1]) {
            *(global uint4 *)(keys + at) = (uint4)((digit ^ (uint)(Key)flip) * 0x01010101u);
            continue;
        }
        for (; at < next; ++at) {
            while (begins[digit + 1] <= at) ++digit;
            keys[at] = (Key)(digit ^ (uint)flip);
        }
    }
}
#endif

typedef struct {
    union {
        Key keys[GP_TILE]; // in order
#if GP_VALUE_BYTES
        Value values[GP_TILE];
#endif
    };
    uint counts[GP_WARPS][GP_DIGITS]; // of each warp; then where each warp's next key of a digit goes in the tile
    uint base[GP_DIGITS];             // where the tile's keys of a digit go, less where they begin in the tile
    uint scan[GP_LOWER_SUM_ROOM(GP_DIGITS)];
    uint tile;
    uint shift; // read anew by each step, lest compilers keep every key's digit in registers
    uint turn;  // what to turn of keys that are shifted so
    uint late;
    uint alike; // whether all keys of the tile have the same digit
#ifdef GP_MATCHES_IN_ROOM
    uint peers[GP_WARPS][GP_DIGITS];
#endif
#ifdef GP_SPLIT
    uint tiles[GP_DIGITS + 1]; // before each part
    uint part;
#endif
#ifdef GP_SEGMENTS
    uint segment;
#endif
} Waiting;

// The keys that a pass orders among each other: all, or with GP_SPLIT those of one first digit.
typedef struct {
    ulong begin, end;
    uint tile; // the first one
} Part;

// A tile publishes a row of counts, one for each digit. Later tiles, of this pass and of the next
// ones, use the row's memory anew. So each count comes with the number of its tile, counted over
// all passes: `epoch` is the number of tiles of the passes before.
typedef struct {
    volatile global ulong *rows;
    uint ring, epoch;
    Part part;
    ulong flip;
    global const Key *keys;
    bool plain; // no key is special
} Tiles;

typedef uint State; // a digit's count, by the work-item of its number
#define GP_STATE_PARTS GP_DIGITS
#include "common/look_back.cl"

// The digit of a key, like gp_digit, with fewer instructions; `plain`: no key is special.
GP_INLINE uint digit_of(Key key, ulong flip, bool plain, uint shift, uint turn) {
#if GP_KEY_FLOAT
    if (!plain) return gp_digit(key, (Key)flip, shift);
    const uint negative = (uint)((int)(uint)(key >> (8 * GP_KEY_BYTES - 32)) >> 31); // every bit
    return ((uint)(key >> shift) ^ (negative | (uint)(GP_SIGN >> shift)) ^ turn) & ((1u << GP_DIGIT_BITS) - 1);
#else
    return ((uint)(key >> shift) ^ turn) & ((1u << GP_DIGIT_BITS) - 1);
#endif
}

// A key that none comes after.
#if GP_KEY_FLOAT
#define GP_BEHIND(flip, plain) ((plain) ? (Key)(flip) | (Key)~GP_SIGN : GP_LAST((Key)(flip)))
#else
#define GP_BEHIND(flip, plain) GP_LAST((Key)(flip))
#endif

GP_INLINE void load_keys(Key *mine, ulong first, ulong n, ulong flip, bool plain, global const Key *keys) {
    const uint id = (uint)get_local_id(0);
    const ulong begin = first + id / 32 * (32 * GP_KEYS) + id % 32;
    if (first + GP_TILE <= n) {
#pragma unroll
        for (uint k = 0; k < GP_KEYS; ++k) mine[k] = keys[begin + k * 32];
        return;
    }
#pragma unroll
    for (uint k = 0; k < GP_KEYS; ++k) mine[k] = begin + k * 32 < n ? keys[begin + k * 32] : GP_BEHIND(flip, plain);
}

GP_INLINE void clear_counts(local Waiting *room) {
    for (uint i = (uint)get_local_id(0); i < GP_WARPS * GP_DIGITS; i += GP_GROUP)
        room->counts[i / GP_DIGITS][i % GP_DIGITS] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
}

// How many keys of each digit each warp has.
GP_INLINE void count_keys(const Key *mine, ulong flip, bool plain, local Waiting *room) {
    const uint warp = (uint)get_local_id(0) / 32;
    clear_counts(room);
    const uint shift = room->shift, turn = room->turn;
#pragma unroll
    for (uint k = 0; k < GP_KEYS; ++k) atomic_inc(&room->counts[warp][digit_of(mine[k], flip, plain, shift, turn)]);
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Two ranks in a word: registers limit how many work-groups a compute unit holds.
#define GP_RANK_WORDS ((GP_KEYS + 1) / 2)
#define GP_RANK(ranks, k) ((ranks)[(k) / 2] >> (k) % 2 * 16 & 0xffff)

#ifdef GP_MATCHES_IN_ROOM
#define GP_PEERS(room, warp, digit) (&(room)->peers[warp][digit])
#else
#define GP_PEERS(room, warp, digit) 0
#endif

// Puts the keys in order in local memory. Rank k is the place of key k in the tile. counts[w][d] is
// where warp w's next key of digit d goes.
GP_INLINE void rank_keys(const Key *mine, uint *ranks, ulong flip, bool plain, local Waiting *room) {
    const uint id = (uint)get_local_id(0), warp = id / 32, shift = room->shift, turn = room->turn;
    const uint below = (1u << id % 32) - 1;
#pragma unroll
    for (uint k = 0; k < GP_KEYS; ++k) {
        const uint digit = digit_of(mine[k], flip, plain, shift, turn);
        const uint peers = gp_match(digit, GP_PEERS(room, warp, digit));
        const uint before = room->counts[warp][digit];
        gp_join_warp();
        const uint lower = popcount(peers & below);
        if (lower == 0) room->counts[warp][digit] = before + popcount(peers);
        gp_join_warp();
        room->keys[before + lower] = mine[k];
#if GP_VALUE_BYTES
        if (k % 2 == 0)
            ranks[k / 2] = before + lower;
        else
            ranks[k / 2] |= (before + lower) << 16;
#endif
    }
}

// The same where all keys have one digit: they are in order.
GP_INLINE void keep_order(const Key *mine, uint *ranks, local Waiting *room) {
    const uint id = (uint)get_local_id(0), first = id / 32 * (32 * GP_KEYS) + id % 32;
#pragma unroll
    for (uint k = 0; k < GP_KEYS; ++k) {
        room->keys[first + k * 32] = mine[k];
#if GP_VALUE_BYTES
        if (k % 2 == 0)
            ranks[k / 2] = first + k * 32;
        else
            ranks[k / 2] |= (first + k * 32) << 16;
#endif
    }
}

// The tile's count of digit `digit`.
GP_INLINE uint count_digit(uint digit, local const Waiting *room) {
    uint sum = 0;
#pragma unroll
    for (uint w = 0; w < GP_WARPS; ++w) sum += room->counts[w][digit];
    return sum;
}

// The upper half of a published count: its tile, and whether the count is the tile's own or that of
// all tiles of the part up to it.
#define GP_OWN(tiles, tile) ((ulong)(2 * ((tiles)->epoch + (tile)) + 2) << 32)
#define GP_UP_TO(tiles, tile) ((ulong)(2 * ((tiles)->epoch + (tile)) + 3) << 32)
#define GP_AT_ONCE 4 // rows to look at together

GP_INLINE volatile global ulong *count_at(const Tiles *tiles, uint tile) {
    return tiles->rows + (tile & (tiles->ring - 1)) * GP_DIGITS + (uint)get_local_id(0);
}

GP_INLINE void publish(const Tiles *tiles, uint tile, uint count) {
    gp_publish_ulong(count_at(tiles, tile), GP_OWN(tiles, tile) | count);
}

GP_INLINE void publish_up_to(const Tiles *tiles, uint tile, uint count) {
    gp_publish_ulong(count_at(tiles, tile), GP_UP_TO(tiles, tile) | count);
}

GP_INLINE uint look(const Tiles *tiles, uint tile, uint *count) {
    const ulong seen = gp_look_ulong(count_at(tiles, tile)), tag = seen >> 32 << 32;
    *count = (uint)seen;
    return tag == GP_OWN(tiles, tile) || tag == GP_UP_TO(tiles, tile);
}

// The local counts are lost.
GP_INLINE uint late_state(const Tiles *tiles, uint tile, local Waiting *room) {
    const uint id = (uint)get_local_id(0);
    Key mine[GP_KEYS];
    load_keys(mine, tiles->part.begin + (ulong)(tile - tiles->part.tile) * GP_TILE, tiles->part.end, tiles->flip,
              tiles->plain, tiles->keys);
    count_keys(mine, tiles->flip, tiles->plain, room);
    return id < GP_DIGITS ? count_digit(id, room) : 0;
}

// How many keys of digit `id` the tiles before this one hold. The first GP_DIGITS work-items look,
// and all wait. The local counts may be lost.
GP_INLINE uint look_back(const Tiles *tiles, uint tile, local Waiting *room) {
    const uint id = (uint)get_local_id(0);
    uint sum = 0;
    uint next = id < GP_DIGITS && tile > tiles->part.tile ? tile : 0; // what lies from this tile on is summed up
    uint at_once = GP_AT_ONCE;
    do {
        for (uint left = GP_SPIN_LIMIT; left > 0 && next > 0; --left) {
            ulong seen[GP_AT_ONCE];
#pragma unroll
            for (uint i = 0; i < GP_AT_ONCE; ++i) {
                // A peek may go on finding another tile's count, so the last look is none.
                volatile global const ulong *const at = count_at(tiles, next - 1 - i);
                const bool looks = next > i && i < at_once;
                seen[i] = !looks ? 0 : left > 1 ? gp_peek_ulong(at) : gp_look_ulong(at);
            }
            const uint from = next;
            at_once = 1; // while the next row is not there yet, the ones behind it need no second look
#pragma unroll
            for (uint i = 0; i < GP_AT_ONCE; ++i) {
                if (next != from - i || next == 0) continue;
                const uint other = next - 1;
                const ulong tag = seen[i] >> 32 << 32;
                if (tag != GP_OWN(tiles, other) && tag != GP_UP_TO(tiles, other)) continue;
                sum += (uint)seen[i];
                next = tag == GP_UP_TO(tiles, other) || other == tiles->part.tile ? 0 : other;
                left = GP_SPIN_LIMIT;
                at_once = GP_AT_ONCE;
            }
        }
    } while (gp_fell_back(tiles, next, room));
    return sum;
}

// Turns the warps' counts of a digit, which begins at `place` in the tile, into where each warp's
// keys of it begin.
GP_INLINE void place_warps(uint digit, uint place, local Waiting *room) {
#pragma unroll
    for (uint w = 0; w < GP_WARPS; ++w) {
        const uint here = room->counts[w][digit];
        room->counts[w][digit] = place;
        place += here;
    }
}

// Writes the tile's keys, if `writes`, and leaves in `to`, for their values, where they go.
GP_INLINE void write_keys(global Key *keys_out, uint end, ulong flip, bool plain, bool writes, uint *to,
                          local Waiting *room) {
    const uint id = (uint)get_local_id(0), shift = room->shift, turn = room->turn;
#pragma unroll
    for (uint k = 0; k < GP_KEYS; ++k) {
        const uint i = k * GP_GROUP + id;
        const Key key = room->keys[i];
        const uint at = room->base[digit_of(key, flip, plain, shift, turn)] + i;
#if GP_VALUE_BYTES
        to[k] = at;
#endif
        if (at < end && writes) keys_out[at] = key;
    }
}

#ifdef GP_SPLIT
// The part of a tile of the second pass; room->part becomes its digit. There is a barrier within.
GP_INLINE Part find_part(uint tile, ulong n, global const uint *state, local Waiting *room) {
    const uint id = (uint)get_local_id(0);
    if (id < GP_DIGITS && room->tiles[id] <= tile && tile < room->tiles[id + 1]) room->part = id;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint d = room->part;
    const Part part = {state[GP_HEADS + d], d + 1 < GP_DIGITS ? state[GP_HEADS + d + 1] : n, room->tiles[d]};
    return part;
}
#endif

// Where a pass reads values, and where it writes keys and values. `number`: a key's value is its
// index, from `number_from` on, and values_in is not read. `drop_keys`: keys_out is not written.
typedef struct {
    global Key *keys_out;
#if GP_VALUE_BYTES
    global const Value *values_in;
    global Value *values_out;
    uint number_from;
    bool number, drop_keys;
#endif
} Moves;

// Puts a tile's keys, and what comes with them, where they go. `start`: where digit `id` begins in
// the output; `plain`: no key is special.
GP_INLINE void sweep_tile(const Tiles *tiles, uint tile, uint start, bool plain, const Moves *moves,
                          local Waiting *room) {
    const uint id = (uint)get_local_id(0), warp = id / 32;
    const ulong flip = tiles->flip;
    Tiles all = *tiles;
    all.plain = plain;
    const ulong first = all.part.begin + (ulong)(tile - all.part.tile) * GP_TILE;
    Key mine[GP_KEYS];
    uint ranks[GP_RANK_WORDS];
    load_keys(mine, first, all.part.end, flip, plain, all.keys);
    count_keys(mine, flip, plain, room);
    const uint count = id < GP_DIGITS ? count_digit(id, room) : 0;
    if (id < GP_DIGITS) {
        if (count == GP_TILE) room->alike = 1;
        if (tile == all.part.tile)
            publish_up_to(&all, tile, count);
        else
            publish(&all, tile, count);
    }
    const uint place = gp_lower_sum(count, GP_DIGITS, room->scan); // where the digit begins in the tile
    if (id < GP_DIGITS) place_warps(id, place, room);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (room->alike)
        keep_order(mine, ranks, room);
    else
        rank_keys(mine, ranks, flip, plain, room);
    const uint before = look_back(&all, tile, room);
    if (id < GP_DIGITS) {
        if (tile > all.part.tile) publish_up_to(&all, tile, before + count);
        room->base[id] = start + before - place;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#if GP_VALUE_BYTES
    uint to[GP_KEYS];
    write_keys(moves->keys_out, (uint)all.part.end, flip, plain, !moves->drop_keys, to, room);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint begin = (uint)first + warp * (32 * GP_KEYS) + id % 32, end = (uint)all.part.end;
#pragma unroll
    for (uint k = 0; k < GP_KEYS; ++k) {
        const uint i = begin + k * 32;
        room->values[GP_RANK(ranks, k)] = moves->number ? (Value)(i - moves->number_from)
                                          : i < end     ? moves->values_in[i]
                                                        : (Value)0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint k = 0; k < GP_KEYS; ++k)
        if (to[k] < end) moves->values_out[to[k]] = room->values[k * GP_GROUP + id];
#else
    write_keys(moves->keys_out, (uint)all.part.end, flip, plain, true, 0, room);
#endif
}

// The same, with a form of its own for either `plain` where that pays.
GP_INLINE void sweep_either(const Tiles *tiles, uint tile, uint start, bool plain, const Moves *moves,
                            local Waiting *room) {
#if GP_KEY_FLOAT && defined(GP_PTX) && !defined(GP_SPLIT)
    if (plain)
        sweep_tile(tiles, tile, start, true, moves, room);
    else
        sweep_tile(tiles, tile, start, false, moves, room);
#else
    sweep_tile(tiles, tile, start, plain, moves, room);
#endif
}

// What a work-group needs to know of a pass, for its tiles. A barrier must come behind it.
GP_INLINE void begin_pass(uint shift, ulong flip, local Waiting *room) {
    if (get_local_id(0) == 0) {
        room->late = 0;
        room->shift = shift;
        room->turn = (uint)((Key)flip >> shift);
    }
}

#ifdef GP_ALL_PASSES
#include "common/phases.cl"

// All of it in one launch: `counters` tasks count, then each pass has a task for each tile. `rows`
// need not be zeros; `totals` are, before and after. With GP_COPY_FIRST, what the last pass writes
// is what is sorted, and it is copied to where the first pass reads.
__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
sort_all_passes(ulong n, uint begin, uint last, uint passes, ulong flip, uint counters, global uint *totals,
                ulong totals_offset, volatile global ulong *rows, ulong rows_offset, uint ring,
                volatile global uint *phases, ulong phases_offset, GP_ARRAYS GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local union {
        Counts counts;
        Waiting tile;
    } room;
    local uint drawn;
    const uint id = (uint)get_local_id(0), given = flags;
    const Phases all = {counters, (uint)((n + GP_TILE - 1) / GP_TILE), passes};
    Turn turn = GP_FIRST_TURN;
    totals += totals_offset;
    rows += rows_offset;
    while (gp_next_task(phases + phases_offset, &all, &turn, &drawn)) {
        if (turn.task < counters) {
            for (uint i = turn.task * GP_GROUP + id; i < ring * GP_DIGITS; i += counters * GP_GROUP) rows[i] = 0;
#ifdef GP_COPY_FIRST
            global const Key *const source = keys_odd + keys_odd_offset;
#else
            global const Key *const source = keys_first + keys_first_offset;
#endif
            count_part(n, source,
                       GP_COPY(keys_even + keys_even_offset, values_odd + values_odd_offset,
                               values_even + values_even_offset) begin,
                       last, passes, (Key)flip, turn.task, counters, totals, GP_PLAN(totals, passes), &room.counts);
        } else {
            const uint found = *GP_PLAN(totals, passes), plan = gp_plan(found, passes, given);
            const bool plain = GP_KEY_FLOAT && !(found & GP_SPECIAL);
            pass = (turn.task - counters) / all.tasks;
            if (plan >> pass & 1) {
                const uint tile = turn.task - counters - pass * all.tasks, shift = GP_SHIFT(pass, begin, last);
                flags = pass + 1 < passes ? given & ~(uint)GP_DROP_KEYS : given;
                GP_PICK_ARRAYS(plan)
                begin_pass(shift, flip, &room.tile);
                if (id == 0) room.tile.alike = 0;
                const uint total = id < GP_DIGITS ? totals[pass * GP_DIGITS + id] : 0;
                const uint start = gp_lower_sum(total, GP_DIGITS, room.tile.scan);
                barrier(CLK_LOCAL_MEM_FENCE);
                const Tiles tiles = {rows, ring, pass * all.tasks, {0, n, 0}, flip, keys_in, false};
#if GP_VALUE_BYTES
                const Moves moves = {keys_out, values_in, values_out, 0, number, drop_keys};
#else
                const Moves moves = {keys_out};
#endif
                sweep_either(&tiles, tile, start, plain, &moves, &room.tile);
            }
        }
    }
    if (turn.is_last)
        for (uint i = id; i < passes * GP_DIGITS + 1; i += GP_GROUP) totals[i] = 0;
}

#else
__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void
sort_onesweep(ulong n, uint shift, ulong flip, uint passes, global uint *totals, ulong totals_offset,
              volatile global ulong *rows, ulong rows_offset, uint ring,
#ifdef GP_SPLIT
              global const uint *state, ulong state_offset,
#endif
#ifdef GP_ROWS
              ulong batch, uint relative, global const uint *row_totals, ulong row_totals_offset,
#endif
#ifdef GP_SEGMENTS
              uint relative, global const uint *row_totals, ulong row_totals_offset, global const uint *list,
              ulong list_offset, global const uint *table, ulong table_offset,
#endif
              GP_ARRAYS GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local Waiting room;
    const uint id = (uint)get_local_id(0);
    totals += totals_offset;
#ifdef GP_REST
    const uint done = *GP_DONE(totals, passes);
    if (done > 1) {
        keys_first = keys_even = keys_odd;
        keys_first_offset = keys_even_offset = keys_odd_offset;
        keys_odd_offset += n / 2;
        n = done - 1;
    }
#endif
#ifdef GP_ROWS
    const uint row_tiles = (uint)((n + GP_TILE - 1) / GP_TILE), whole_tiles = row_tiles * (uint)batch;
#elif defined(GP_SEGMENTS)
    list += list_offset;
    table += table_offset;
    const uint whole_tiles = table[1];
#else
    const uint whole_tiles = (uint)((n + GP_TILE - 1) / GP_TILE);
#endif
    const uint epoch = pass * whole_tiles;
    rows += rows_offset;
    volatile global uint *ticket = GP_TICKET(totals, passes, pass);
    Tiles all = {rows, ring, epoch, {0, n, 0}, flip, 0, false};
#ifdef GP_SPLIT
    state += state_offset;
    if (state[GP_MISFIT]) return;
    shift -= state[GP_LEFT];
    GP_PICK_ARRAYS(3u) // both passes run
    const uint tiles = pass == 0 ? whole_tiles : state[GP_TILES + GP_DIGITS];
    const bool plain = false;
    uint start = id < GP_DIGITS ? state[GP_HEADS + id] : 0; // where each digit's keys begin in the output
    for (uint i = id; i <= GP_DIGITS; i += GP_GROUP) room.tiles[i] = state[GP_TILES + i];
#else
    const bool is_done = *GP_DONE(totals, passes) == 1;
    const uint found = *GP_PLAN(totals, passes), plan = is_done ? 0 : gp_plan(found, passes, flags);
    const bool plain = GP_KEY_FLOAT && !(found & GP_SPECIAL);
    if (!(plan >> pass & 1)) return;
    GP_PICK_ARRAYS(plan)
    const uint tiles = whole_tiles;
#if defined(GP_ROWS) || defined(GP_SEGMENTS)
    row_totals += row_totals_offset + pass * GP_DIGITS;
    uint row = ~0u, start = 0;
#else
    totals += pass * GP_DIGITS;
    // Where each digit's keys begin in the output.
    const uint start = gp_lower_sum(id < GP_DIGITS ? totals[id] : 0, GP_DIGITS, room.scan);
#endif
#endif
    all.keys = keys_in;
#if GP_VALUE_BYTES
    Moves moves = {keys_out, values_in, values_out, 0, number, drop_keys};
#else
    const Moves moves = {keys_out};
#endif
    begin_pass(shift, flip, &room);
    for (;;) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id == 0) {
            room.tile = atomic_inc(ticket); // no sooner than it can be worked on: others wait for it
#ifdef GP_SEGMENTS
            if (room.tile < tiles) room.segment = gp_segment_of(room.tile, table);
#endif
            room.alike = 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint tile = room.tile;
        if (tile >= tiles) break;
#ifdef GP_SPLIT
        if (pass > 0) {
            all.part = find_part(tile, n, state, &room);
            start = id < GP_DIGITS ? state[GP_ENDS + room.part * GP_DIGITS + id] : 0;
        }
#endif
#ifdef GP_ROWS
        if (tile / row_tiles != row) {
            row = tile / row_tiles;
            all.part.begin = row * n;
            all.part.end = all.part.begin + n;
            all.part.tile = row * row_tiles;
            const uint total = id < GP_DIGITS ? row_totals[(ulong)row * passes * GP_DIGITS + id] : 0;
            start = (uint)all.part.begin + gp_lower_sum(total, GP_DIGITS, room.scan);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
#endif
#ifdef GP_SEGMENTS
        if (room.segment != row) {
            row = room.segment;
            const uint2 where = vload2(row, list);
            all.part.begin = where.x;
            all.part.end = all.part.begin + where.y;
            all.part.tile = table[2 + row];
            const uint total = id < GP_DIGITS ? row_totals[(ulong)row * passes * GP_DIGITS + id] : 0;
            start = where.x + gp_lower_sum(total, GP_DIGITS, room.scan);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
#endif
#if GP_VALUE_BYTES
#if defined(GP_ROWS) || defined(GP_SEGMENTS)
        moves.number_from = relative ? (uint)all.part.begin : 0;
#endif
#endif
        sweep_either(&all, tile, start, plain, &moves, &room);
    }
}
#endif

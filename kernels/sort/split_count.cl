// Counts keys by their two leading digits, and plans what split.cl and split_finish.cl do.
//
// Computes: sort_split_count: how many keys each bin of split_state.cl has, or that some bins have
//           too many. A sample of the keys tells which leading bits all keys seem to share, and
//           whether a first digit has so many keys that counting is in vain. sort_split_plan: where
//           each bin begins.
// Macros:   those of keys.cl; GP_GROUP, 1024, work-items of a work-group that counts; GP_KEYS, keys
//           that a work-item takes at once; GP_TILE, keys of a tile of split.cl; GP_MOST, keys that
//           split_finish.cl takes, less than 65536;
//           GP_BEFORE_PIECES, to find whether few digits vary if leading digits do not suit;
//           GP_PIECES, to do the same by pieces of the key space (split_state.cl) if leading digits
//           do not suit; GP_ONCE, with GP_PIECES: to count keys of pieces only
// Launch:   sort_split_count: any number of work-groups of 1024, `state` filled with zeros;
//           sort_split_plan: 256 of 256, with GP_ONCE one
// SPDX-License-Identifier: MIT
#include "common/group_scan.cl"
#include "sort/split_state.cl"

#if !defined(GP_GROUP) || !defined(GP_KEYS) || !defined(GP_TILE) || !defined(GP_MOST)
#error "GP_GROUP, GP_KEYS, GP_TILE and GP_MOST must be defined"
#endif

#define GP_LOOKS 4096
#define GP_MOST_SAMPLES 80 // of a first digit: 16 are its share, 24 what bins of GP_MOST keys allow
#define GP_MOST_LEFT (GP_KEY_BYTES == 8 ? 16 : 4) // more would leave few bits to finish by
#define GP_WORDS (GP_BINS / 2)

#ifdef GP_ONCE

// Counts the keys of each piece.
__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
sort_split_count(ulong n, ulong flip, global const Key *keys, ulong keys_offset, global uint *state,
                 ulong state_offset) {
    const ulong step = get_num_groups(0) * (GP_GROUP * GP_KEYS);
    local uint counts[GP_DIGITS];
    local Pieces pieces;
    const uint id = (uint)get_local_id(0);
    keys += keys_offset;
    state += state_offset;
    gp_read_pieces(state + GP_STATE, true, &pieces);
    if (id < GP_DIGITS) counts[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#if GP_KEY_FLOAT
    Kinds kinds = {0, 0, 0};
#endif
    for (ulong first = get_group_id(0) * (GP_GROUP * GP_KEYS); first < n; first += step) {
        Key mine[GP_KEYS];
#pragma unroll
        for (uint k = 0; k < GP_KEYS; ++k) {
            const ulong i = first + k * GP_GROUP + id;
            mine[k] = i < n ? keys[i] : 0;
        }
#pragma unroll
        for (uint k = 0; k < GP_KEYS; ++k) {
            if (first + k * GP_GROUP + id >= n) continue;
#if GP_KEY_FLOAT
            gp_see(mine[k], &kinds);
#endif
            atomic_inc(&counts[gp_piece(gp_ordered(mine[k], (Key)flip), &pieces)]);
        }
    }
#if GP_KEY_FLOAT
    gp_note(&kinds, state);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < GP_DIGITS && counts[id] != 0) atomic_add(&state[GP_STATE + GP_COUNTS + id], counts[id]);
}

#else

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
sort_split_count(ulong n, ulong flip, global const Key *keys, ulong keys_offset, global uint *state,
                 ulong state_offset) {
    const ulong step = get_num_groups(0) * (GP_GROUP * GP_KEYS);
    local uint counts[GP_WORDS];             // two in a word: bin b, and bin b + GP_WORDS from bit 16 on
    local uint varying, varying_low, misfit; // of the leading 32 bits, and of those below
    const uint id = (uint)get_local_id(0);
    keys += keys_offset;
    state += state_offset;
#if GP_KEY_FLOAT
    global uint *const first_state = state;
#endif
#ifdef GP_PIECES
    local Pieces pieces;
    if (!gp_to_cut(state)) return;
    state += GP_STATE;
    gp_read_pieces(state, true, &pieces);
#elif defined(GP_BY_CURVE)
    local Curve curve;
    gp_read_curve(state + GP_CURVE_BEGIN, &curve);
#endif
    for (uint i = id; i < GP_WORDS; i += GP_GROUP) counts[i] = 0;
    if (id == 0) varying = varying_low = misfit = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

#ifndef GP_PIECES
    // All groups find the same here.
    const uint one = gp_leading(gp_ordered(keys[0], (Key)flip));
    uint samples[GP_LOOKS / GP_GROUP], differing = 0;
    Key all = 0;
#pragma unroll
    for (uint i = 0; i < GP_LOOKS / GP_GROUP; ++i) {
        const Key key = keys[(i * GP_GROUP + id) * (n - 1) / (GP_LOOKS - 1)];
        samples[i] = gp_leading(gp_ordered(key, (Key)flip));
        differing |= samples[i] ^ one;
#ifdef GP_BY_CURVE
        samples[i] = gp_place(key, (Key)flip, &curve);
#endif
        all |= gp_ordered(key, (Key)flip) ^ gp_ordered(keys[0], (Key)flip);
    }
    if (differing & ~varying) atomic_or(&varying, differing);
#ifdef GP_BEFORE_PIECES
    if ((uint)all & ~varying_low) atomic_or(&varying_low, (uint)all);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
#ifdef GP_BEFORE_PIECES
    const bool few_vary = gp_few_vary(varying_low, varying); // as it seems
#endif
#ifdef GP_BY_CURVE
    const uint left = 0;
#else
    const uint left = min((uint)clz(varying), (uint)GP_MOST_LEFT);
#endif
#pragma unroll
    for (uint i = 0; i < GP_LOOKS / GP_GROUP; ++i) atomic_inc(&counts[samples[i] << left >> 24]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < GP_DIGITS) {
        if (counts[id] > GP_MOST_SAMPLES) misfit = 1;
        counts[id] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_global_id(0) == 0) state[GP_LEFT] = left;
#ifdef GP_BEFORE_PIECES
    if (GP_KEY_BYTES == 8 && misfit && few_vary) { // look at all keys
        for (ulong first = get_group_id(0) * (GP_GROUP * GP_KEYS); first < n; first += step)
#pragma unroll
            for (uint k = 0; k < GP_KEYS; ++k)
                all |=
                    gp_ordered(keys[min(first + k * GP_GROUP + id, n - 1)], (Key)flip) ^ gp_ordered(keys[0], (Key)flip);
        if ((uint)all & ~varying_low) atomic_or(&varying_low, (uint)all);
        if (gp_leading(all) & ~varying) atomic_or(&varying, gp_leading(all));
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0) {
        atomic_or(&state[GP_VARYING], varying_low);
        atomic_or(&state[GP_VARYING + 1], varying);
    }
#endif
    if (misfit) {
        if (id == 0) state[GP_MISFIT] = 1;
        return;
    }
#endif
#if GP_KEY_FLOAT
    Kinds kinds = {0, 0, 0};
#endif

    // A counter that overflows loses keys. sort_split_plan sees it, since the sum of all counters
    // is not n then.
    for (ulong first = get_group_id(0) * (GP_GROUP * GP_KEYS); first < n; first += step) {
        Key mine[GP_KEYS];
#pragma unroll
        for (uint k = 0; k < GP_KEYS; ++k) {
            const ulong i = first + k * GP_GROUP + id;
            mine[k] = i < n ? keys[i] : 0;
        }
#pragma unroll
        for (uint k = 0; k < GP_KEYS; ++k) {
            if (first + k * GP_GROUP + id >= n) continue;
#if GP_KEY_FLOAT
            gp_see(mine[k], &kinds);
#endif
            const Key ordered = gp_ordered(mine[k], (Key)flip);
#ifdef GP_PIECES
            const uint p = gp_piece(ordered, &pieces);
            const uint bin = p * GP_DIGITS + (gp_step(ordered, gp_range_of(p, &pieces), &pieces) >> 24);
            const uint one = bin < GP_WORDS ? 1u : 1u << 16;
            const uint old = atomic_add(&counts[bin % GP_WORDS], one);
            if ((bin < GP_WORDS ? old & 0xffff : old >> 16) == 0x7fff) { // here any number may be the same
                atomic_sub(&counts[bin % GP_WORDS], one << 15);
                atomic_add(&state[GP_ENDS + bin], 0x8000u);
                atomic_add(&state[GP_COUNTS + p], 0x8000u);
            }
#else
#ifdef GP_BY_CURVE
            const uint bin = gp_place(mine[k], (Key)flip, &curve) >> 16;
#else
            const uint leading = gp_leading(ordered), bin = leading << left >> 16;
            differing |= leading ^ one;
#endif
            atomic_add(&counts[bin % GP_WORDS], bin < GP_WORDS ? 1u : 1u << 16);
#endif
        }
    }
#if !defined(GP_PIECES) && !defined(GP_BY_CURVE)
    if (differing & ~(0xffffffffu >> left)) state[GP_MISFIT] = 1;
#endif
#if GP_KEY_FLOAT
    gp_note(&kinds, first_state);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);

    // A work-item's words belong to one first digit in their lower halves, to another in the upper.
    uint low = 0, high = 0;
    for (uint i = 0; i < GP_WORDS / GP_GROUP; ++i) {
        const uint both = counts[id * (GP_WORDS / GP_GROUP) + (i + id) % (GP_WORDS / GP_GROUP)];
        low += both & 0xffff;
        high += both >> 16;
    }
    const uint digit = id / (GP_GROUP / (GP_DIGITS / 2));
    if (low) atomic_add(&state[GP_COUNTS + digit], low);
    if (high) atomic_add(&state[GP_COUNTS + digit + GP_DIGITS / 2], high);
    for (uint i = id; i < GP_WORDS; i += GP_GROUP) {
        const uint bin = (i + (uint)get_group_id(0) * GP_GROUP) % GP_WORDS; // not all groups the same at once
        const uint both = counts[bin];
        if (both & 0xffff) atomic_add(&state[GP_ENDS + bin], both & 0xffff);
        if (both >> 16) atomic_add(&state[GP_ENDS + bin + GP_WORDS], both >> 16);
    }
}

#endif

GP_DEFINE_GROUP_SCAN(gp_sum_items, uint, GP_PLUS)

// The sum of x of all lower work-items. `room` holds 2 * GP_DIGITS words.
uint sum_below(uint x, local uint *room) {
    uint sum = x;
    gp_sum_items(&sum, GP_DIGITS, room);
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum - x;
}

#ifdef GP_ONCE

// One work-group.
__attribute__((reqd_work_group_size(GP_DIGITS, 1, 1))) kernel void
sort_split_plan(uint n, ulong flip, global uint *state, ulong state_offset) {
    local uint sums[2 * GP_DIGITS];
    const uint id = (uint)get_local_id(0);
    state += state_offset;
#if GP_KEY_FLOAT
    if (id == 0 && gp_are_mixed(state)) state[GP_MIXED] = 1;
#endif
    state += GP_STATE;
    const uint keys = state[GP_COUNTS + id];
    state[GP_HEADS + id] = sum_below(keys, sums);
    if (keys > GP_MOST && !gp_exact(gp_piece_range(state, id).shift))
        atomic_add(&state[GP_LEFTOVERS + GP_DIGITS], keys);
}

#else

#ifdef GP_BY_CURVE
void find_edge(uint bin, Key flip, global uint *state) {
    const Key edge = gp_key_at((ulong)bin << 16, flip, state + GP_CURVE_BEGIN);
#if GP_KEY_BYTES == 8
    vstore2(as_uint2(edge), bin, state + GP_EDGES);
#else
    state[GP_EDGES + bin] = edge;
#endif
}
#endif

// A work-group for each first digit.
__attribute__((reqd_work_group_size(GP_DIGITS, 1, 1))) kernel void
sort_split_plan(uint n, ulong flip, global uint *state, ulong state_offset) {
    local uint sums[2 * GP_DIGITS], head;
    const uint id = (uint)get_local_id(0), digit = (uint)get_group_id(0);
    state += state_offset;
#if GP_KEY_FLOAT
    if (digit == 0 && id == 0 && gp_are_mixed(state)) state[GP_MISFIT] = state[GP_MIXED] = 1;
#endif
#ifdef GP_PIECES
    if (!gp_to_cut(state)) return;
    state += GP_STATE;
#elif defined(GP_BY_CURVE)
    find_edge(digit * GP_DIGITS + id, (Key)flip, state);
    if (digit == 0 && id == 0) find_edge(GP_BINS, (Key)flip, state);
#endif
    const uint keys = state[GP_COUNTS + id], tiles = (keys + GP_TILE - 1) / GP_TILE;
    const uint begin = sum_below(keys, sums);
    if (id == digit) state[GP_HEADS + digit] = head = begin;
    if (digit == 0) {
        if (id == GP_DIGITS - 1 && begin + keys != n) state[GP_MISFIT] = 1;
        const uint before = sum_below(tiles, sums);
        state[GP_TILES + id] = before;
        if (id == GP_DIGITS - 1) state[GP_TILES + GP_DIGITS] = before + tiles;
    }
    global uint *const bin = &state[GP_ENDS + digit * GP_DIGITS + id];
    const uint mine = *bin, place = sum_below(mine, sums); // which makes `head` known too
    *bin = head + place;
#ifdef GP_PIECES
    const uint left = mine > GP_MOST && !gp_exact(gp_piece_range(state, digit).shift) ? mine : 0;
    const uint before = sum_below(left, sums);
    if (id == GP_DIGITS - 1) {
        state[GP_LEFTOVERS + digit] = before + left;
        atomic_add(&state[GP_LEFTOVERS + GP_DIGITS], before + left);
    }
#else
    if (mine > GP_MOST) state[GP_MISFIT] = 1;
#endif
}

#endif

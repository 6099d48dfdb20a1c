// Decoupled look-back with a fallback: what tiles publish, how a work-group waits for it, and what
// it does when a tile is late.
//
// Work-groups take tiles in order. Each publishes its tile's state before it waits for the state of
// another tile. So the first tile whose state is missing belongs to a work-group that does not
// wait. Not every device lets that work-group run meanwhile. So each wait ends after GP_SPIN_LIMIT
// looks; then the work-group that waits computes the state itself, which is the fallback. Whoever
// computes a state publishes the same words.
//
// The window stays with the operation: which tile each work-item looks for, and how the work-group
// combines what they find. Operations combine in different orders, and this is the loop in which
// they spend their time. The pattern, by all work-items:
//
//     do {
//         found = gp_await(&tiles, tile, found, &state);
//     } while (gp_fell_back(&tiles, found ? 0 : tile + 1, room));
//     ... // combine what was found
//
// An operation may also combine within the loop, before the barrier of gp_fell_back. Nothing of
// that counts if gp_fell_back returns true.
//
// Macros: GP_SPIN_LIMIT, looks of a work-item before its work-group falls back; GP_FALLBACK_ONLY,
//         for tests: every state is late; GP_STATE_PARTS, how many work-items publish a part of a
//         state each, 1 if not defined; GP_STATE_WORDS, for states that are published as so many
//         words of 32 bits
// Needs:  types, defined before this file is included: State, what a tile publishes, or a part of
//         it; Tiles, where a row's states are and what they are computed from; Waiting, local
//         memory with a uint `late`, 0 at first. Functions, defined after it: look, publish and
//         late_state, which are declared below
// Gives:  gp_await, gp_fell_back, gp_take_for_late; with GP_STATE_WORDS Words, gp_publish_words,
//         gp_look_words
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016;
//         Smith, Levien and Owens, "Decoupled Fallback", 2024
// SPDX-License-Identifier: MIT
#include "device/fence.cl"
#include "device/shuffle.cl"

#ifndef GP_SPIN_LIMIT
#error "GP_SPIN_LIMIT must be defined"
#endif
#ifndef GP_STATE_PARTS
#define GP_STATE_PARTS 1
#endif

// 1 if a tile's state is published.
GP_INLINE uint look(const Tiles *tiles, uint tile, State *state);
GP_INLINE void publish(const Tiles *tiles, uint tile, State state);
// Computes a tile's state, or this work-item's part of it. All work-items call it; the result
// counts for the first GP_STATE_PARTS of them.
GP_INLINE State late_state(const Tiles *tiles, uint tile, local Waiting *room);

#ifdef GP_STATE_WORDS
// Each word is published beside a mark that says that it is there. Both are written, and read, in
// one go.
#define GP_MARK (1ul << 32)

typedef struct {
    uint words[GP_STATE_WORDS];
} Words;

GP_INLINE void gp_publish_words(volatile global ulong *to, Words words) {
#pragma unroll
    for (uint i = 0; i < GP_STATE_WORDS; ++i) gp_publish_ulong(to + i, GP_MARK | words.words[i]);
}

// 1 if all words were there.
GP_INLINE uint gp_look_words(volatile global const ulong *from, Words *words) {
    ulong found = GP_MARK;
#pragma unroll
    for (uint i = 0; i < GP_STATE_WORDS; ++i) {
        const ulong word = gp_peek_ulong(from + i);
        found &= word;
        words->words[i] = (uint)word;
    }
    return found != 0;
}
#endif

// The fallback: computes and publishes the state of a tile that is late. The tile's owner publishes
// before it overwrites the tile. So either the input is still there, or the look that follows finds
// the state. Out of line, since this hardly ever runs and would take registers.
GP_OUT_OF_LINE void gp_compute_late(Tiles tiles, uint tile, local Waiting *room) {
    // This work-group itself may have stored a tile's results in its place, and used `room`.
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    const State state = late_state(&tiles, tile, room);
    if (get_local_id(0) < GP_STATE_PARTS) {
        State published;
        gp_fence_device();
        if (!look(&tiles, tile, &published)) publish(&tiles, tile, state);
    }
    if (get_local_id(0) == 0) room->late = 0;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// With GP_FALLBACK_ONLY, computes the states of the tiles from `first` to `end`.
GP_INLINE void gp_take_for_late(const Tiles *tiles, uint first, uint end, local Waiting *room) {
#ifdef GP_FALLBACK_ONLY
    for (uint tile = first; tile < end; ++tile) gp_compute_late(*tiles, tile, room);
#endif
}

// Looks for a tile's state until it is there or the spin limit is reached; with `found`, it does
// nothing. Returns whether the state is found. *state changes only if it is.
GP_INLINE uint gp_await(const Tiles *tiles, uint tile, uint found, State *state) {
    for (uint i = 0; i < GP_SPIN_LIMIT && !found; ++i) {
        State seen;
        found = look(tiles, tile, &seen);
        if (found) *state = seen;
    }
    return found;
}

// Called by all work-items after gp_await. `late` is 1 + the number of the tile whose state this
// work-item did not find, or 0. If any work-item misses a state, this computes one of those that
// are missing, and returns true. There is a barrier within.
GP_INLINE bool gp_fell_back(const Tiles *tiles, uint late, local Waiting *room) {
    if (late != 0) atomic_max(&room->late, late);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint any = room->late;
    if (any == 0) return false;
    barrier(CLK_LOCAL_MEM_FENCE);
    const Tiles copy = *tiles; // lest *tiles itself stay in memory for the call
    gp_compute_late(copy, any - 1, room);
    return true;
}

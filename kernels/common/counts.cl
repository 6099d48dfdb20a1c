// What tiles publish of what they count, and the window of the look-back over it.
//
// A tile publishes how many it counts, then how many are counted up to its end. With GP_LASTS it
// publishes beside that where the last of them lies: of the tile, then up to its end.
//
// Macros: those of look_back.cl and tile_bits.cl; GP_WINDOW, tiles that a work-group looks at in
//         one go, a multiple of 32, GP_GROUP at most; GP_LASTS, if defined. With it the first
//         element of all is counted
// Needs:  Counted, what tiles are computed from, defined before this file is included; late_state,
//         defined after it
// Gives:  GP_STATE_ULONGS, of a tile; State, GP_STATE; Tiles; Waiting, local memory; Before,
//         gp_before_tile; publish
// Source: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016
// SPDX-License-Identifier: MIT
#include "common/tile_bits.cl"

#if !defined(GP_WINDOW) || GP_WINDOW % 32 != 0 || GP_WINDOW > GP_GROUP
#error "GP_WINDOW must be a multiple of 32, GP_GROUP at most"
#endif

// A count, and in the bits above whether it is of the tile, or up to its end.
#define GP_OF_TILE (1ul << 62)
#define GP_UP_TO_END (2ul << 62)
#define GP_COUNT(word) ((word) & ~(3ul << 62))

#ifdef GP_LASTS
#define GP_STATE_ULONGS 2
typedef ulong2 State;
#define GP_STATE(marked, last) ((ulong2)(marked, (1ul << 32) | (last)))
#define GP_COUNT_WORD(state) ((state).x)
#define GP_LAST(state) ((uint)(state).y)
#else
#define GP_STATE_ULONGS 1
typedef ulong State;
#define GP_STATE(marked, last) (marked)
#define GP_COUNT_WORD(state) (state)
#define GP_LAST(state) 0u
#endif

typedef struct {
    Counted counted;
    volatile global ulong *states;
} Tiles;

typedef struct {
    Warps warps;
    uint late;
    uint lasts[GP_WINDOW / 32];
    ulong counts[GP_WINDOW / 32];
} Waiting;

#include "common/look_back.cl"

GP_INLINE uint look(const Tiles *tiles, uint tile, State *state) {
#ifdef GP_LASTS
    ulong count, last;
    gp_look_pair_if_ulong(&count, &last, tiles->states + 2 * (ulong)tile, 1);
    *state = (ulong2)(count, last);
    return count != 0 && last != 0;
#else
    *state = gp_peek_ulong(tiles->states + tile);
    return *state != 0;
#endif
}

GP_INLINE void publish(const Tiles *tiles, uint tile, State state) {
#ifdef GP_LASTS
    gp_publish_ulong(tiles->states + 2 * (ulong)tile + 1, state.y);
    gp_publish_ulong(tiles->states + 2 * (ulong)tile, state.x);
#else
    gp_publish_ulong(tiles->states + tile, state);
#endif
}

// What is counted before a tile, and 1 + the place of the last of it.
typedef struct {
    ulong count;
    uint last;
} Before;

// Work-items look at the GP_WINDOW tiles before, then at those before them: as far as no count is
// up to its tile's end, and no last one is known. The two words of a state may be of different age,
// so either is told by itself. There is a barrier within.
GP_INLINE Before gp_before_tile(const Tiles *tiles, uint tile, local Waiting *room) {
    const uint id = (uint)get_local_id(0), lane = id % 32;
    Before before = {0, 0};
    bool known = false; // all of the count
    for (uint end = tile;; end -= GP_WINDOW) {
        // Before the first tile there is nothing, up to whose end nothing is counted.
        const bool looks = id < GP_WINDOW && id < end;
        State state = GP_STATE(GP_UP_TO_END, 0);
        uint found = !looks;
        gp_take_for_late(tiles, (uint)max((int)end - GP_WINDOW, 0), end, room);
        do {
            found = gp_await(tiles, end - 1 - id, found, &state);
        } while (gp_fell_back(tiles, found ? 0 : end - id, room));
        // Of each warp: up to the nearest tile whose count is up to its end.
        const ulong word = GP_COUNT_WORD(state);
        const uint ends = gp_ballot((word & GP_UP_TO_END) != 0, GP_ROOM_OF(room->warps.lanes));
        const uint nearest = ends == 0 ? 32 : 31 - clz(ends & (~ends + 1));
        const uint counts = gp_sum_of_warp(lane < nearest ? (uint)GP_COUNT(word) : 0, GP_ROOM_OF(room->warps.lanes));
        if (id < GP_WINDOW &&
            lane == min(nearest, 31u)) // in lane 31 `counts` has that lane's own, or it is up to its end
            room->counts[id / 32] = counts + (nearest < 32 ? GP_COUNT(word) + GP_UP_TO_END : 0);
#ifdef GP_LASTS
        const uint lasts = gp_ballot(GP_LAST(state) != 0, GP_ROOM_OF(room->warps.lanes));
        if (id < GP_WINDOW && lane == (lasts == 0 ? 0 : 31 - clz(lasts & (~lasts + 1))))
            room->lasts[id / 32] = GP_LAST(state);
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint warp = 0; warp < GP_WINDOW / 32; ++warp) {
            const ulong of_warp = room->counts[warp];
            if (!known) before.count += GP_COUNT(of_warp);
            known |= (of_warp & GP_UP_TO_END) != 0;
#ifdef GP_LASTS
            if (before.last == 0) before.last = room->lasts[warp];
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#ifdef GP_LASTS
        known = known && (before.last != 0 || end <= GP_WINDOW);
#endif
        if (known) return before;
    }
}

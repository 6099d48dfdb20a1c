// Whether rows are sorted, on GPUs in one launch. Lanes, a power of two of work-items, look through
// each row, or each part of a long one. The last work-group to end of a row's parts compares their
// results.
//
// Macros: those of breaks.cl and lanes.cl; GP_WIDTH is 1 where neighbouring elements lie step_in
//         apart
// Launch: work-groups of GP_GROUP work-items; along the first dimension one for every GP_GROUP /
//         lanes rows, along the second one for every `share` elements of a row. With several parts,
//         lanes is GP_GROUP, `places` holds one of each part, and `ended` one number a row, which
//         is zero, and zero again in the end. With one part neither is used
// Source: Harris, "Optimizing Parallel Reduction in CUDA", 2007
// SPDX-License-Identifier: MIT
#include "common/inline.cl"
#include "device/fence.cl"
#include "is_sorted/breaks.cl"

#define GP_RAW Key
#define GP_RAW_BYTES GP_KEY_BYTES
typedef uint State; // the least position in a part; ~0u: none
#include "common/lanes.cl"
#include "common/last_group.cl"

GP_INLINE State gp_none(void) { return ~0u; }
GP_INLINE State gp_join(State left, State right) { return min(left, right); }
#if GP_SHUFFLES
GP_INLINE State gp_state_down(State x, uint step, local uint *room) { return gp_shuffle_down_word(x, step, room); }
#endif

// The first of the n elements from `in` on that is out of order, of those that one of `lanes` lanes
// looks at; as a position from `in` on. n < 2^31. `follows`: there is an element before the first.
GP_INLINE State gp_first_of_lane(global const Key *in, uint n, bool follows, uint lane, uint lanes, ulong step_in,
                                 Key flip, uint strict) {
    const uint head = GP_WIDTH > 1 ? (uint)((size_t)in / GP_RAW_BYTES) % GP_WIDTH : 0;
    global const Key *row = in - head; // where its first vector begins
    const uint vectors = (head + n + GP_WIDTH - 1) / GP_WIDTH;
    const uint whole = head != 0 || !follows ? 1 : 0, whole_end = (head + n) / GP_WIDTH;
    for (uint v = lane; v < vectors; v += lanes * GP_LOADS) {
        Key raw[GP_READS], before[GP_LOADS];
        const uint first = v - lane, last = first + lanes * GP_LOADS;
        uint any = 1;
        if (first >= whole && last <= whole_end) {
#pragma unroll
            for (uint k = 0; k < GP_LOADS; ++k) {
                const ulong at = (ulong)(v + k * lanes) * GP_WIDTH;
                gp_read_vector(row + GP_RAW_AT(at), k, raw);
                before[k] = row[GP_RAW_AT(at - 1)];
            }
            any = 0;
#pragma unroll
            for (uint k = 0; k < GP_LOADS; ++k) {
                Key left = gp_ordered(before[k], flip);
#pragma unroll
                for (uint j = 0; j < GP_WIDTH; ++j) {
                    const Key here = gp_ordered(raw[k * GP_WIDTH + j], flip);
                    any |= gp_breaks(left, here, strict);
                    left = here;
                }
            }
        }
        if (any == 0) continue;
        for (uint k = 0; k < GP_LOADS; ++k) {
            for (uint j = 0; j < GP_WIDTH; ++j) {
                const uint vector = v + k * lanes, p = vector * GP_WIDTH + j - head;
                if (vector >= vectors || p >= n || (p == 0 && !follows)) continue;
                global const Key *here = in + GP_RAW_AT((ulong)p);
                if (gp_breaks(gp_ordered(*(here - GP_RAW_AT((ulong)1)), flip), gp_ordered(*here, flip), strict))
                    return p;
            }
        }
    }
    return gp_none();
}

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP void
is_sorted_lanes(GP_ROWS, uint lanes, ulong share, volatile global uint *places, ulong places_offset,
                volatile global uint *ended, ulong ended_offset, global ulong *positions, ulong positions_offset,
                ulong stride_out GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local State room[GP_GROUP];
    local uint last;
    const uint id = (uint)get_local_id(0), lane = id & (lanes - 1);
    const uint part = (uint)get_group_id(1), parts = (uint)get_num_groups(1);
    const ulong row = get_group_id(0) * (GP_GROUP / lanes) + id / lanes, begin = part * share;
    State first = gp_none();
    if (row < batch)
        first =
            gp_first_of_lane(in + in_offset + row * stride_in + begin * step_in, (uint)min(share, n - min(begin, n)),
                             begin > 0, lane, lanes, step_in, (Key)flip, strict);
    first = gp_join_lanes(first, lanes, room);
    ulong place = first == ~0u ? n : begin + first;
    if (parts > 1) {
        places += places_offset + row * parts;
        if (id == 0) gp_publish_uint(places + part, first);
        if (!gp_is_last(ended + ended_offset + row, parts, &last)) return;
        const uint each = (parts + GP_GROUP - 1) / GP_GROUP;
        State found = gp_none(); // the first part with an element out of order
        for (uint k = id * each; k < min((id + 1) * each, parts); ++k)
            if (gp_look_uint(places + k) != ~0u) found = gp_join(found, k);
        found = gp_join_lanes(found, GP_GROUP, room);
        place = found == ~0u ? n : found * share + gp_look_uint(places + min(found, parts - 1));
    }
    if (lane == 0 && row < batch) positions[positions_offset + row * stride_out] = place;
}

// The first k elements of many rows, a warp a row, whose elements lie in registers.
//
// Computes: top_k_warps: of rows up to 32 elements, which are sorted, several to a warp; of longer
//           ones the k-th rank, bit by bit, and then what is up to it, in order of places. That is
//           sorted
// Macros:   those of results.cl; GP_GROUP, a multiple of 32; GP_EACH, elements of a lane, a power
//           of two; GP_TAKES, results of a lane, 1 where GP_EACH is 1, else a power of two
// Launch:   work-groups of GP_GROUP, as many as there are rows for; n <= 32 * GP_EACH, k <= 32 *
//           GP_TAKES. `width`, at most 32, is the power of two from n on where GP_EACH is 1, so
//           many lanes take a row; else that from k on, if GP_TAKES is 1
// Source:   Batcher, "Sorting Networks and Their Applications", 1968
// SPDX-License-Identifier: MIT
#include "top_k/results.cl"

#include "common/inline.cl"
#include "device/shuffle.cl"
#include "device/warp_sum.cl"

// Where lanes meet at barriers, loops stay loops: compilers take minutes for them otherwise.
#if GP_TOGETHER
#define GP_UNROLL
#else
#define GP_UNROLL _Pragma("unroll")
#endif

GP_INLINE Key gp_shuffle_rank(Key x, uint lane, local uint *room) {
#if GP_KEY_BYTES == 8
    const uint low = gp_shuffle_word((uint)x, lane, room);
    return low | (ulong)gp_shuffle_word((uint)(x >> 32), lane, room) << 32;
#else
    return (Key)gp_shuffle_word(x, lane, room);
#endif
}

// Sorts runs of `width` entries, of which each lane has those `lane` + 32 j. Where a lane has
// several, `width` is all of them.
GP_INLINE void gp_sort_lanes(Key *rank, uint *place, uint width, local uint *room) {
    const uint lane = (uint)get_local_id(0) % 32;
    GP_UNROLL for (uint size = 2; size <= 32 * GP_TAKES; size *= 2) {
        if (size > width) break;
        GP_UNROLL for (uint step = size / 2; step > 0; step /= 2) {
            if (step >= 32) {
                GP_UNROLL for (uint j = 0; j < GP_TAKES; ++j) {
                    const uint other = j ^ step / 32;
                    if (other < j) continue;
                    const bool rising = (32 * j & size & (width - 1)) == 0;
                    if (gp_before(rank[other], place[other], rank[j], place[j]) != rising) continue;
                    const Key kept_rank = rank[j];
                    const uint kept_place = place[j];
                    rank[j] = rank[other];
                    place[j] = place[other];
                    rank[other] = kept_rank;
                    place[other] = kept_place;
                }
            } else {
                GP_UNROLL for (uint j = 0; j < GP_TAKES; ++j) {
                    const Key other_rank = gp_shuffle_rank(rank[j], lane ^ step, room);
                    const uint other_place = gp_shuffle_word(place[j], lane ^ step, room);
                    const bool rising = ((32 * j + lane) & size & (width - 1)) == 0, lower = (lane & step) == 0;
                    if (gp_before(other_rank, other_place, rank[j], place[j]) == (lower == rising)) {
                        rank[j] = other_rank;
                        place[j] = other_place;
                    }
                }
            }
        }
    }
}

kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP void
top_k_warps(GP_ROWS, GP_RESULTS, uint width GP_COUNT_PARAMETERS) {
    GP_TAKE_SIZES
#if GP_LANES
    local uint lanes[GP_LANES];
#endif
    local uint *const room = GP_ROOM_OF(lanes);
    const uint lane = (uint)get_local_id(0) % 32;
    const ulong warp = get_global_id(0) / 32;
    Key taken_rank[GP_TAKES];
    uint taken_place[GP_TAKES];
#if GP_EACH == 1
    const ulong row = warp * (32 / width) + lane / width;
    const uint place = lane & (width - 1);
    const bool there = row < batch && place < n;
    taken_rank[0] = there ? gp_ordered(in[in_offset + row * stride_in + place * step_in], (Key)flip) : GP_NO_RANK;
    taken_place[0] = there ? place : GP_NO_PLACE;
    gp_sort_lanes(taken_rank, taken_place, width, room);
    if (row < batch && place < k) GP_WRITE_RESULT(row, place, taken_place[0])
#else
    local Key kept_ranks[GP_GROUP * GP_TAKES];
    local uint kept_places[GP_GROUP * GP_TAKES];
    const uint kept = (uint)get_local_id(0) / 32 * 32 * GP_TAKES, lower = (1u << lane) - 1;
    const ulong row = warp;
    global const Key *const elements = in + in_offset + row * stride_in;
    Key rank[GP_EACH];
    GP_UNROLL for (uint j = 0; j < GP_EACH; ++j) {
        const uint place = 32 * j + lane;
        const bool there = row < batch && place < n;
        rank[j] = there ? elements[place * step_in] : 0;
    }
    // What is not there comes last, since places behind the row are higher than all others.
    GP_UNROLL for (uint j = 0; j < GP_EACH; ++j) rank[j] =
        row < batch && 32 * j + lane < n ? gp_ordered(rank[j], (Key)flip) : GP_NO_RANK;
    // `below` ranks are below `last`, fewer than k; or just k, where that is found out.
    Key last = 0;
    uint below = 0;
    for (uint bit = 8 * GP_KEY_BYTES; bit-- > 0;) {
        const Key next = (Key)(last | (Key)((Key)1 << bit));
        uint mine = 0;
        GP_UNROLL for (uint j = 0; j < GP_EACH; ++j) mine += rank[j] < next ? 1 : 0;
        const uint count = gp_sum_of_warp(mine, room);
        if (count <= k) {
            last = next;
            below = count;
        }
#if !GP_TOGETHER
        if (count == k) break;
#endif
    }
    const uint equal = (uint)k - below; // so many of rank `last` are taken
    uint taken = 0, passed = 0;
    GP_UNROLL for (uint j = 0; j < GP_EACH; ++j) {
        const uint ties = gp_ballot(rank[j] == last, room);
        const bool takes = rank[j] < last || (rank[j] == last && passed + popcount(ties & lower) < equal);
        const uint here = gp_ballot(takes, room), to = taken + popcount(here & lower);
        if (takes && to < k) {
            kept_ranks[kept + to] = rank[j];
            kept_places[kept + to] = 32 * j + lane;
        }
        passed += popcount(ties);
        taken += popcount(here);
    }
    gp_join_warp();
    GP_UNROLL for (uint j = 0; j < GP_TAKES; ++j) {
        const bool there = 32 * j + lane < k;
        taken_rank[j] = there ? kept_ranks[kept + 32 * j + lane] : GP_NO_RANK;
        taken_place[j] = there ? kept_places[kept + 32 * j + lane] : GP_NO_PLACE;
    }
    gp_sort_lanes(taken_rank, taken_place, GP_TAKES == 1 ? width : 32 * GP_TAKES, room);
    GP_UNROLL for (uint j = 0; j < GP_TAKES; ++j) if (row < batch && 32 * j + lane < k)
        GP_WRITE_RESULT(row, 32 * j + lane, taken_place[j])
#endif
}

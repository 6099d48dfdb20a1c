// What kernels that select the first k elements read, how elements compare, and where results go.
//
// An element's rank is an unsigned number, the smaller the earlier it comes; of equal ranks the one
// with the lower place in its row comes first. So no two elements are equal.
//
// Macros: those of order.cl and of counted.cl; GP_GROUP, the work-group size, a power of two
// Gives: GP_ROWS, GP_RESULTS, GP_ROWS_GIVEN, GP_RESULTS_GIVEN; GP_TAKE_SIZES; GP_WRITE_RESULT;
//         gp_before; gp_sort_places
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "common/order.cl"
#ifndef GP_GROUP
#error "GP_GROUP must be defined: the work-group size"
#endif

// Parameters of a kernel: what it reads, and where results go. `wanted` has a bit each for
// positions, for values and for positions of 64 bits.
#define GP_ROWS                                                                                                        \
    global const Key *in, ulong in_offset, ulong flip, ulong n, ulong stride_in, ulong step_in, ulong batch, ulong k
#define GP_RESULTS                                                                                                     \
    global uint *positions, ulong positions_offset, global Key *values, ulong values_offset, uint wanted,              \
        ulong stride_out

// The same, as a function of such parameters is given them.
#define GP_ROWS_GIVEN in, in_offset, flip, n, stride_in, step_in, batch, k
#define GP_RESULTS_GIVEN positions, positions_offset, values, values_offset, wanted, stride_out

// Comes before any use of n and k: where a number in a buffer says how many elements there are, and
// there are fewer than k, all of them are the first k.
#define GP_TAKE_SIZES GP_TAKE_COUNT(n) GP_TAKE_COUNT(k)

// Result number i of a row: its element at `place`.
#define GP_WRITE_RESULT(row, i, place)                                                                                 \
    {                                                                                                                  \
        const ulong result_at = (row)*stride_out + (i);                                                                \
        if ((wanted & 5) == 5)                                                                                         \
            ((global ulong *)positions)[positions_offset + result_at] = (place);                                       \
        else if (wanted & 1)                                                                                           \
            positions[positions_offset + result_at] = (place);                                                         \
        if (wanted & 2) values[values_offset + result_at] = in[in_offset + (row)*stride_in + (place)*step_in];         \
    }

bool gp_before(Key rank, uint place, Key other_rank, uint other_place) {
    return rank < other_rank || (rank == other_rank && place < other_place);
}

// What stands where there is no element: nothing comes after it.
#define GP_NO_RANK (~(Key)0)
#define GP_NO_PLACE (~0u)

// Sorts each run of `width` of the first `count` entries; both are powers of two. Source: Batcher,
// "Sorting Networks and Their Applications", 1968
void gp_sort_places(local Key *ranks, local uint *places, uint count, uint width) {
    for (uint size = 2; size <= width; size *= 2) {
        for (uint step = size / 2; step > 0; step /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint i = (uint)get_local_id(0); i < count / 2; i += GP_GROUP) {
                const uint a = 2 * i - (i & (step - 1)), b = a + step;
                const Key rank_a = ranks[a], rank_b = ranks[b];
                const uint place_a = places[a], place_b = places[b];
                const bool rising = (a & size & (width - 1)) == 0;
                if (gp_before(rank_b, place_b, rank_a, place_a) == rising) {
                    ranks[a] = rank_b;
                    ranks[b] = rank_a;
                    places[a] = place_b;
                    places[b] = place_a;
                }
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

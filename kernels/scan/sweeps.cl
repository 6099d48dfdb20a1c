// Blelloch's scan of one block in local memory, by one work-group.
//
// Macros: those of combine.cl; GP_GROUP, the work-items of a work-group, a power of two;
//         GP_CONFLICT_FREE, if a gap after every 32 elements is to keep the tree's strides off the
//         same memory bank
// Gives:  GP_BLOCK, the elements of a block; GP_BLOCK_SLOTS, the array that holds them; GP_SLOT(i),
//         element i's place; gp_scan_block(block)
// Source: Harris, Sengupta and Owens, "Parallel Prefix Sum (Scan) with CUDA", GPU Gems 3, 2007
// SPDX-License-Identifier: MIT
#include "common/combine.cl"
#ifndef GP_GROUP
#error "GP_GROUP is not defined"
#endif

#define GP_BLOCK (2 * GP_GROUP)
#ifdef GP_CONFLICT_FREE
#define GP_SLOT(i) ((i) + ((i) >> 5))
#else
#define GP_SLOT(i) (i)
#endif
#define GP_BLOCK_SLOTS (GP_SLOT(GP_BLOCK - 1) + 1)

// Replaces each element of the block by what comes before it; returns the sum to all. The caller
// has filled the block, and must put a barrier before it is changed again.
T gp_scan_block(local T *block) {
    const uint lane = (uint)get_local_id(0);
    uint offset = 1;
    for (uint nodes = GP_GROUP; nodes > 0; nodes /= 2, offset *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < nodes) {
            const uint right = (lane + 1) * 2 * offset - 1;
            const T a = block[GP_SLOT(right - offset)], b = block[GP_SLOT(right)];
            block[GP_SLOT(right)] = GP_COMBINE(a, b);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const T sum = block[GP_SLOT(GP_BLOCK - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0) block[GP_SLOT(GP_BLOCK - 1)] = GP_ZERO;
    for (uint nodes = 1; nodes <= GP_GROUP; nodes *= 2) {
        offset /= 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < nodes) {
            const uint right = (lane + 1) * 2 * offset - 1;
            const T before = block[GP_SLOT(right)], left = block[GP_SLOT(right - offset)];
            block[GP_SLOT(right - offset)] = before;
            block[GP_SLOT(right)] = GP_COMBINE(before, left);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

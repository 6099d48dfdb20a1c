// The sum of a number of each lane of a warp.
//
// The form: as in shuffle.cl
// Gives:    gp_sum_of_warp
// SPDX-License-Identifier: MIT
#include "device/shuffle.cl"

uint gp_sum_of_warp(uint x, local uint *room) {
#if defined(GP_PTX) && GP_PTX >= 80
    uint sum;
    __asm__ volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(sum) : "r"(x));
    return sum;
#else
    const uint lane = (uint)get_local_id(0) % 32;
    for (uint step = 16; step > 0; step /= 2) x += gp_shuffle_word(x, lane ^ step, room);
    return x;
#endif
}

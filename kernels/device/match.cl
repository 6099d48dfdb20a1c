// Lanes of a warp whose digits are the same.
//
// The form: as in shuffle.cl
// Gives:  gp_match; GP_MATCHES_IN_ROOM, where it takes local memory
// SPDX-License-Identifier: MIT
#include "device/shuffle.cl"
#if GP_TOGETHER
#define GP_MATCHES_IN_ROOM
#endif

// The lanes of this warp whose digit of 8 bits equals this lane's, a bit each. Every work-item of
// the group calls it. With GP_MATCHES_IN_ROOM, `room` points to a word that is the warp's and the
// digit's alone.
uint gp_match(uint digit, local uint *room) {
#ifdef GP_MATCHES_IN_ROOM
    *room = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_or(room, 1u << get_local_id(0) % 32);
    barrier(CLK_LOCAL_MEM_FENCE);
    return *room;
#else
    uint peers = 0xffffffff;
#pragma unroll
    for (uint bit = 0; bit < 8; ++bit) {
        uint with;
#ifdef GP_PTX
        __asm__ volatile("{ .reg .pred p; .reg .b32 t; and.b32 t, %1, %2; setp.ne.u32 p, t, 0;\n"
                         "  vote.sync.ballot.b32 t, p, 0xffffffff; @!p not.b32 t, t; mov.b32 %0, t; }"
                         : "=r"(with)
                         : "r"(digit), "r"(1u << bit));
#else
        const bool is_set = (digit >> bit & 1) != 0;
        with = gp_ballot(is_set, 0);
        with = is_set ? with : ~with;
#endif
        peers &= with;
    }
    return peers;
#endif
}

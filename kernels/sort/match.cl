// Lanes of a warp whose digits are the same.
//
// Macros: GP_SHUFFLE where inline PTX is understood
// Gives:  gp_match
// SPDX-License-Identifier: MIT

// The lanes of this warp whose digit of 8 bits is the same. Every work-item of the group calls it. Without GP_SHUFFLE
// `room` is a word for the warp and the digit.
uint gp_match(uint digit, local uint *room) {
#ifdef GP_SHUFFLE
    uint peers = 0xffffffff;
#pragma unroll
    for (uint bit = 0; bit < 8; ++bit) {
        uint with;
        __asm__ volatile("{ .reg .pred p; .reg .b32 t; and.b32 t, %1, %2; setp.ne.u32 p, t, 0;\n"
                         "  vote.sync.ballot.b32 t, p, 0xffffffff; @!p not.b32 t, t; mov.b32 %0, t; }"
                         : "=r"(with)
                         : "r"(digit), "r"(1u << bit));
        peers &= with;
    }
    return peers;
#else
    *room = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_or(room, 1u << get_local_id(0) % 32);
    barrier(CLK_LOCAL_MEM_FENCE);
    return *room;
#endif
}

// Words between the 32 consecutive work-items of a warp. A work-item's place in its warp is its
// lane.
//
// The form: GP_PTX, the level of NVIDIA's instructions (70, 80, 90 or 120); GP_SUB_GROUPS, OpenCL's
//           sub-groups of 32, or of 64, which are two warps; neither, local memory and barriers of
//           the whole work-group. lib/cl/features.h chooses it.
//
// Macros: GP_GROUP, the work-group size, a multiple of 32, where the form is local memory
// Gives:  GP_TOGETHER: 1 where only the whole work-group can call these, 0 where a warp can call
//         them alone; GP_LANES, uints of local memory that they need for each work-group, 0: none;
//         GP_ROOM_OF(array), the array where they need it, else 0; GP_SUB_GROUP, an attribute of
//         kernels; gp_join_warp; gp_shuffle_up_word, gp_shuffle_down_word, gp_shuffle_word;
//         gp_ballot; gp_all_of_warp; GP_OUT_OF_LINE; what inline.cl does
// SPDX-License-Identifier: MIT
#include "common/inline.cl"

#if defined(GP_PTX)
#define GP_TOGETHER 0
#define GP_LANES 0
#define GP_SUB_GROUP
#define GP_ROOM_OF(array) 0

// What the warp's work-items wrote to local memory is there for all of them.
void gp_join_warp(void) { __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }

// The x of the lane `delta` below, or above; the lane's own x where there is none.
uint gp_shuffle_up_word(uint x, uint delta, local uint *room) {
    uint result;
    __asm__ volatile("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;" : "=r"(result) : "r"(x), "r"(delta));
    return result;
}

uint gp_shuffle_down_word(uint x, uint delta, local uint *room) {
    uint result;
    __asm__ volatile("shfl.sync.down.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(result) : "r"(x), "r"(delta));
    return result;
}

// The x of that lane.
uint gp_shuffle_word(uint x, uint lane, local uint *room) {
    uint result;
    __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(result) : "r"(x), "r"(lane));
    return result;
}

// The lanes of this warp for which `here` is true, a bit each.
uint gp_ballot(bool here, local uint *room) {
    uint lanes;
    __asm__ volatile("{\n\t.reg .pred here;\n\tsetp.ne.u32 here, %1, 0;\n\tvote.sync.ballot.b32 %0, here, "
                     "0xffffffff;\n\t}"
                     : "=r"(lanes)
                     : "r"((uint)here)
                     : "memory");
    return lanes;
}

// Is `here` true for all work-items of the warp?
bool gp_all_of_warp(bool here, local uint *room) {
    uint all;
    __asm__ volatile("{\n\t.reg .pred here, all;\n\tsetp.ne.u32 here, %1, 0;\n\tvote.sync.all.pred all, here, "
                     "0xffffffff;\n\tselp.u32 %0, 1, 0, all;\n\t}"
                     : "=r"(all)
                     : "r"((uint)here)
                     : "memory");
    return all != 0;
}

#elif defined(GP_SUB_GROUPS)
#define GP_TOGETHER 0
#define GP_LANES 0
#ifdef cl_intel_required_subgroup_size
#define GP_SUB_GROUP __attribute__((intel_reqd_sub_group_size(32)))
#else
#define GP_SUB_GROUP
#endif
#define GP_ROOM_OF(array) 0
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable

void gp_join_warp(void) { sub_group_barrier(CLK_LOCAL_MEM_FENCE); }

// The lane of a sub-group where this work-item's warp begins.
uint gp_warp_begin(void) { return get_sub_group_local_id() & ~31u; }

uint gp_shuffle_word(uint x, uint lane, local uint *room) { return sub_group_shuffle(x, gp_warp_begin() + lane % 32); }

uint gp_shuffle_up_word(uint x, uint delta, local uint *room) {
    const uint lane = get_sub_group_local_id() % 32;
    return gp_shuffle_word(x, lane >= delta ? lane - delta : lane, room);
}

uint gp_shuffle_down_word(uint x, uint delta, local uint *room) {
    const uint lane = get_sub_group_local_id() % 32;
    return gp_shuffle_word(x, lane + delta < 32 ? lane + delta : lane, room);
}

uint gp_ballot(bool here, local uint *room) {
    const uint4 all = sub_group_ballot(here);
    return gp_warp_begin() == 0 ? all.x : all.y;
}

bool gp_all_of_warp(bool here, local uint *room) { return gp_ballot(here, room) == ~0u; }

#else
#define GP_TOGETHER 1
#define GP_LANES GP_GROUP
#define GP_SUB_GROUP
#define GP_ROOM_OF(array) (array)

void gp_join_warp(void) { barrier(CLK_LOCAL_MEM_FENCE); }

// The x of that work-item of the group.
uint gp_word_of(uint x, uint id, local uint *room) {
    room[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint result = room[id];
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}

uint gp_shuffle_word(uint x, uint lane, local uint *room) {
    return gp_word_of(x, ((uint)get_local_id(0) & ~31u) + lane % 32, room);
}

uint gp_shuffle_up_word(uint x, uint delta, local uint *room) {
    const uint id = (uint)get_local_id(0);
    return gp_word_of(x, id % 32 >= delta ? id - delta : id, room);
}

uint gp_shuffle_down_word(uint x, uint delta, local uint *room) {
    const uint id = (uint)get_local_id(0);
    return gp_word_of(x, id % 32 + delta < 32 ? id + delta : id, room);
}

uint gp_ballot(bool here, local uint *room) {
    const uint first = (uint)get_local_id(0) & ~31u;
    room[get_local_id(0)] = here;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint lanes = 0;
    for (uint i = 0; i < 32; ++i) lanes |= room[first + i] << i;
    barrier(CLK_LOCAL_MEM_FENCE);
    return lanes;
}

bool gp_all_of_warp(bool here, local uint *room) { return gp_ballot(here, room) == ~0u; }
#endif

// Functions that hardly ever run and would take registers. Not every compiler can have barriers out
// of line.
#ifdef GP_PTX
#define GP_OUT_OF_LINE __attribute__((noinline))
#else
#define GP_OUT_OF_LINE
#endif

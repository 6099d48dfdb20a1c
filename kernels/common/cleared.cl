// State that is full of zeros at the beginning and at the end of every launch.
//
// Macros: GP_GROUP, the work-group size
// Gives:  gp_clear_state
// SPDX-License-Identifier: MIT
#include "device/fence.cl"

// Called by all work-items of each work-group at its end. The last work-group fills `words` ulongs
// of the state with zeros: they are published, as what other work-groups published there was. Until
// then the state's second uint counts work-groups that have ended.
// `last` is local memory for one number.
void gp_clear_state(global ulong *state, ulong words, local uint *last) {
    const uint id = (uint)get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (id == 0) {
        gp_fence_device();
        *last = atomic_inc((volatile global uint *)state + 1) == (uint)get_num_groups(0) - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!*last) return;
    for (ulong i = id; i < words; i += GP_GROUP) gp_publish_ulong(state + i, 0);
}

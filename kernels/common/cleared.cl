// State that every launch finds full of zeros and leaves so.
//
// Macros: GP_GROUP, the work-group size
// Gives:  gp_clear_state
// SPDX-License-Identifier: MIT
#include "device/fence.cl"

// What a work-group does at its end: the last one fills `words` ulongs of the state with zeros. The second uint of them counts
// the work-groups. `last` is room for one number.
void gp_clear_state(global ulong *state, ulong words, local uint *last) {
    const uint id = (uint)get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (id == 0) {
        gp_fence_device();
        *last = atomic_inc((volatile global uint *)state + 1) == (uint)get_num_groups(0) - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!*last) return;
    for (ulong i = id; i < words; i += GP_GROUP) state[i] = 0;
}

// Which work-group is the last of several to end.
//
// Gives: gp_is_last
// SPDX-License-Identifier: MIT
#include "device/fence.cl"
#include "device/ticket.cl"

// True for all work-items of the last of `groups` work-groups that call it. That one sees what all
// of them wrote before. *ended is zero before the first call, and again after the last one.
// `last` is local memory that nobody uses any more.
bool gp_is_last(volatile global uint *ended, uint groups, local uint *last) {
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) { // for all work-items, whose writes came before the barrier
        gp_fence_device();
        *last = gp_take_ticket(ended) == groups - 1;
        if (*last) gp_publish_uint(ended, 0);
        gp_fence_device();
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    return *last != 0;
}

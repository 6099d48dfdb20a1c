// Where work-groups of one kernel wait for each other.
//
// Not every device lets all work-groups run side by side. So each wait ends after GP_SPIN_LIMIT
// looks. Then the work-group calls the meeting off, for all, and the kernel needs another way to
// its result: the last work-group that ends can find it alone.
//
// Macros: GP_SPIN_LIMIT, looks of a work-group before it calls a meeting off
// Gives:  gp_meet, gp_is_called_off
// SPDX-License-Identifier: MIT
#include "device/fence.cl"
#include "device/ticket.cl"
#ifndef GP_SPIN_LIMIT
#error "GP_SPIN_LIMIT must be defined"
#endif

#define GP_CALLED_OFF 0x80000000u

// Called by all work-items of `groups` work-groups, for the `number`th time, from 1 on. True: all
// work-groups are here, and each sees what the others wrote before; false: not all will come.
// *arrived is zero before the first call. `met` is local memory that nobody uses any more.
bool gp_meet(volatile global uint *arrived, uint number, uint groups, local uint *met) {
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) { // for all work-items, whose writes came before the barrier
        gp_fence_device();
        uint here = gp_take_ticket(arrived) + 1;
        for (uint looks = 0; here < number * groups && looks < GP_SPIN_LIMIT; ++looks) here = gp_look_uint(arrived);
        if (here < number * groups) here = atomic_or(arrived, GP_CALLED_OFF) | GP_CALLED_OFF;
        gp_fence_device();
        *met = here < GP_CALLED_OFF;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    return *met != 0;
}

// Of the last work-group that ends: did anybody call a meeting off?
bool gp_is_called_off(volatile global uint *arrived) { return gp_look_uint(arrived) >= GP_CALLED_OFF; }

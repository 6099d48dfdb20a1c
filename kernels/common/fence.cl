// Order between accesses to global memory of different work-groups, by NVIDIA's instructions (Volta or newer).
//
// Gives: gp_fence_device
// SPDX-License-Identifier: MIT

// What this work-item, or one that a barrier put before it, has read or written comes before what they do next.
void gp_fence_device(void) { __asm__ volatile("fence.acq_rel.gpu;" ::: "memory"); }

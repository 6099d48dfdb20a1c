// Bulk copies from global to local memory, which proceed while the work-group goes on, and barriers
// that count their bytes. Where the device has none, the work-item that begins a copy makes it.
//
// The form: GP_PTX of 90 or more, NVIDIA's instructions since the Hopper generation; else plain
//           loads and stores
// Gives: gp_bulk_begin, gp_bulk_copy, gp_bulk_expect, gp_bulk_wait, gp_bulk_release, with a `local
//        ulong` as the barrier of a stage; in the other direction gp_bulk_store, gp_bulk_commit,
//        GP_BULK_STORED
// Source: NVIDIA, "Parallel Thread Execution ISA", cp.async.bulk and mbarrier
// SPDX-License-Identifier: MIT
#if defined(GP_PTX) && GP_PTX >= 90
#define GP_LOCAL_ADDRESS(pointer) ((uint)(size_t)(pointer))

// Initialises a stage's barrier. One work-item calls it; a work-group barrier must follow.
void gp_bulk_begin(local ulong *barrier) {
    __asm__ volatile(
        "mbarrier.init.shared.b64 [%0], 1;\n\tfence.proxy.async.shared::cta;" ::"r"(GP_LOCAL_ADDRESS(barrier))
        : "memory");
}

// Tells the barrier how many bytes the copies bring that are about to begin.
void gp_bulk_expect(local ulong *barrier, uint bytes) {
    __asm__ volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(GP_LOCAL_ADDRESS(barrier)), "r"(bytes)
                     : "memory");
}

// Begins a copy. Both pointers and `bytes` are multiples of 16.
void gp_bulk_copy(local void *to, global const void *from, uint bytes, local ulong *barrier) {
    __asm__ volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         GP_LOCAL_ADDRESS(to)),
                     "l"((ulong)from), "r"(bytes), "r"(GP_LOCAL_ADDRESS(barrier))
                     : "memory");
}

// Waits until the stage's bytes are there, by all work-items of the group; `phase` is 0 for the
// barrier's first use, then 1, 0 ...
void gp_bulk_wait(local ulong *barrier, uint phase) {
    uint done;
    do {
        __asm__ volatile("{\n\t.reg .pred there;\n\tmbarrier.try_wait.parity.shared.b64 there, [%1], %2;\n\t"
                         "selp.u32 %0, 1, 0, there;\n\t}"
                         : "=r"(done)
                         : "r"(GP_LOCAL_ADDRESS(barrier)), "r"(phase)
                         : "memory");
    } while (done == 0);
}

// Called before the work-group barrier after which a stage is filled anew. Other work-items' stores
// wait for reads that are still under way; bulk copies do so only after this.
void gp_bulk_release(void) { __asm__ volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Begins a copy to global memory. A gp_bulk_release and a work-group barrier come between the
// writes to local memory and this. The copy comes after what this work-item did to the global
// memory. Both pointers and `bytes` are multiples of 16.
void gp_bulk_store(global void *to, local const void *from, uint bytes) {
    __asm__ volatile(
        "fence.proxy.async.global;\n\tcp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"((ulong)to),
        "r"(GP_LOCAL_ADDRESS(from)), "r"(bytes)
        : "memory");
}

// Makes a group of the stores that this work-item began since the last one; there may be none.
void gp_bulk_commit(void) { __asm__ volatile("cp.async.bulk.commit_group;" ::: "memory"); }

// Waits until all groups of stores of this work-item but the last `pending`, a literal number, have
// read their local memory.
#define GP_BULK_STORED(pending) __asm__ volatile("cp.async.bulk.wait_group.read " #pending ";" ::: "memory")

#else
void gp_bulk_begin(local ulong *barrier) {}
void gp_bulk_expect(local ulong *barrier, uint bytes) {}

void gp_bulk_copy(local void *to, global const void *from, uint bytes, local ulong *barrier) {
    for (uint i = 0; i < bytes / 16; ++i) ((local uint4 *)to)[i] = ((global const uint4 *)from)[i];
}

void gp_bulk_wait(local ulong *arrived, uint phase) { barrier(CLK_LOCAL_MEM_FENCE); }
void gp_bulk_release(void) {}

void gp_bulk_store(global void *to, local const void *from, uint bytes) {
    for (uint i = 0; i < bytes / 16; ++i) ((global uint4 *)to)[i] = ((local const uint4 *)from)[i];
}

void gp_bulk_commit(void) {}
#define GP_BULK_STORED(pending)
#endif

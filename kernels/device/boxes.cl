// Boxes of matrices, which fill tiles in local memory while the work-group goes on.
//
// A tile has GP_DEEP numbers of k, 128 bytes, for each of its lines (rows of A, columns of B). A
// row of a tile, 128 bytes, is a line; or, where lines are neighbours in memory, a step of k of
// GP_DEEP lines, not of bytes. Vectors of 16 bytes stand within a row in an order that keeps
// readers of a column apart (GP_PLACE). A box rounds float32 to 11 bits, as tf32 has, in the
// instructions' form.
//
// The form: GP_PTX 90, the instructions of compute capability 9.0 alone, behind the mark of
//           lib/cl/program.cpp; else loops, by work-groups without roles
// Macros: GP_NUMBERS, the GP_DTYPE_* of codes.cl of a tile's numbers: float16, bfloat16, float32,
//         float64, int8 or uint8; GP_BESIDE, work-groups that share a compute unit: 1, or 2 of 256
//         work-items; GP_GROUP, work-items that multiply, where they are more than 256: 384
// Gives: GP_NUMBER_BYTES, Number, as which numbers are copied; GP_DEEP; GP_PLACE; GP_ROLES, defined
//        where some warps bring tiles and others multiply them; gp_role_brings,
//        gp_role_multiplies; gp_warp_barrier; GP_MAP_BYTES, gp_map, gp_map_acquire;
//        gp_box; gp_stage_begin, gp_stage_begun, gp_stage_expect, gp_stage_arrive, gp_reads_end,
//        gp_stage_wait; of the instructions' form GP_OWN, GP_LOCAL_WORD
// Source: NVIDIA, "Parallel Thread Execution ISA", tensormap.replace and cp.async.bulk.tensor
// SPDX-License-Identifier: MIT
#include "common/codes.cl"
#if GP_NUMBERS == GP_DTYPE_INT8 || GP_NUMBERS == GP_DTYPE_UINT8
#define GP_NUMBER_BYTES 1
#define Number uchar
#elif GP_NUMBERS == GP_DTYPE_FLOAT16 || GP_NUMBERS == GP_DTYPE_BFLOAT16
#define GP_NUMBER_BYTES 2
#define Number ushort
#elif GP_NUMBERS == GP_DTYPE_FLOAT32
#define GP_NUMBER_BYTES 4
#define Number float
#elif GP_NUMBERS == GP_DTYPE_FLOAT64
#define GP_NUMBER_BYTES 8
#define Number double
#else
#error "GP_NUMBERS must be 1, 5 or 9 to 12"
#endif
#define GP_DEEP (128 / GP_NUMBER_BYTES)
#define GP_MAP_BYTES 128

// Where number i of row r is in a tile.
#define GP_IN_VECTOR (16 / GP_NUMBER_BYTES)
#define GP_PLACE(r, i) ((r)*GP_DEEP + (((i) / GP_IN_VECTOR) ^ ((r) % 8)) * GP_IN_VECTOR + (i) % GP_IN_VECTOR)

#if defined(GP_PTX) && GP_PTX == 90
#define GP_ROLES
#define GP_OWN "//sm_90a "
#define GP_LOCAL_WORD(pointer) ((uint)(size_t)(pointer))

// Registers go from the warps that bring tiles to those that multiply. A whole warp group calls
// one of these.
#if GP_BESIDE > 1 // of the 128 that a work-item has where two such work-groups share a compute unit
#define GP_MULTIPLYING "216"
#elif defined(GP_GROUP) && GP_GROUP > 256
#define GP_MULTIPLYING "152"
#else
#define GP_MULTIPLYING "232"
#endif
void gp_role_brings(void) { __asm__ volatile(GP_OWN "setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory"); }
void gp_role_multiplies(void) {
    __asm__ volatile(GP_OWN "setmaxnreg.inc.sync.aligned.u32 " GP_MULTIPLYING ";" ::: "memory");
}

// Called by the work-item that uses a map, before it does. Another one has described the map.
void gp_map_acquire(global const char *map) {
    __asm__ volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"((ulong)map) : "memory");
}

// Describes planes of numbers, `lines` rows of `inner` each, for boxes of GP_DEEP by box_lines.
// What is outside reads as 0. The pointer and the strides, in bytes, are multiples of 16. One
// work-item calls it, and lends GP_MAP_BYTES of local memory at a multiple of that.
void gp_map(global char *map, local char *own, ulong data, uint inner, uint lines, uint planes, ulong line_bytes,
            ulong plane_bytes, uint box_lines) {
    const uint at = GP_LOCAL_WORD(own);
    for (uint i = 0; i < GP_MAP_BYTES / 16; ++i) ((local uint4 *)own)[i] = 0;
    __asm__ volatile(GP_OWN "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(at), "l"(data)
                     : "memory");
    __asm__ volatile(GP_OWN "tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], 2;" ::"r"(at) : "memory");
#define GP_REPLACE(field, ordinal, value)                                                                              \
    __asm__ volatile(GP_OWN "tensormap.replace.tile." field ".shared::cta.b1024.b32 [%0], " #ordinal                   \
                            ", %1;" ::"r"(at),                                                                         \
                     "r"((uint)(value))                                                                                \
                     : "memory")
#define GP_REPLACE_STRIDE(ordinal, value)                                                                              \
    __asm__ volatile(GP_OWN "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], " #ordinal               \
                            ", %1;" ::"r"(at),                                                                         \
                     "l"(value)                                                                                        \
                     : "memory")
    GP_REPLACE("box_dim", 0, GP_DEEP);
    GP_REPLACE("box_dim", 1, box_lines);
    GP_REPLACE("box_dim", 2, 1);
    GP_REPLACE("global_dim", 0, inner);
    GP_REPLACE("global_dim", 1, lines);
    GP_REPLACE("global_dim", 2, planes);
    GP_REPLACE_STRIDE(0, line_bytes);
    GP_REPLACE_STRIDE(1, plane_bytes);
    GP_REPLACE("element_stride", 0, 1);
    GP_REPLACE("element_stride", 1, 1);
    GP_REPLACE("element_stride", 2, 1);
#if GP_NUMBER_BYTES == 2
    __asm__ volatile(GP_OWN "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 6;" ::"r"(at) : "memory");
#elif GP_NUMBER_BYTES == 4 // tf32
    __asm__ volatile(GP_OWN "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 11;" ::"r"(at) : "memory");
#elif GP_NUMBER_BYTES == 8
    __asm__ volatile(GP_OWN "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 9;" ::"r"(at) : "memory");
#else
    __asm__ volatile(GP_OWN "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 0;" ::"r"(at) : "memory");
#endif
    __asm__ volatile(GP_OWN "tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%0], 0;" ::"r"(at)
                     : "memory");
    __asm__ volatile(GP_OWN "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 3;" ::"r"(at) : "memory");
    __asm__ volatile(GP_OWN "tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 0;" ::"r"(at) : "memory");
    for (uint i = 0; i < GP_MAP_BYTES / 16; ++i) ((global uint4 *)map)[i] = ((local uint4 *)own)[i];
    __asm__ volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
}

// Among the work-items of a warp.
void gp_warp_barrier(void) { __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }

// Begins to copy the box of a plane that begins at (inner, line) to local memory.
void gp_box(local char *to, global const char *map, uint inner, uint line, uint plane, local ulong *barrier) {
    __asm__ volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, "
                     "%4}], [%5];" ::"r"(GP_LOCAL_WORD(to)),
                     "l"((ulong)map), "r"(inner), "r"(line), "r"(plane), "r"(GP_LOCAL_WORD(barrier))
                     : "memory");
}

// A stage's barrier, whose phases end after so many arrivals, and the bytes that these expect. One
// work-item initialises them; gp_stage_begun and a work-group barrier follow.
void gp_stage_begin(local ulong *barrier, uint arrivals) {
    __asm__ volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(GP_LOCAL_WORD(barrier)), "r"(arrivals) : "memory");
}
void gp_stage_begun(void) {
    __asm__ volatile("fence.mbarrier_init.release.cluster;\n\tfence.proxy.async.shared::cta;" ::: "memory");
}
void gp_stage_expect(local ulong *barrier, uint bytes) {
    __asm__ volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(GP_LOCAL_WORD(barrier)), "r"(bytes)
                     : "memory");
}
void gp_stage_arrive(local ulong *barrier) {
    __asm__ volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(GP_LOCAL_WORD(barrier)) : "memory");
}
// Called by all who have read a stage, before they arrive. Boxes come by another way (the async
// proxy), which waits for no reads without this.
void gp_reads_end(void) { __asm__ volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
// Waits for the end of the phase of this parity.
void gp_stage_wait(local ulong *barrier, uint parity) {
    __asm__ volatile("{\n\t.reg .pred done;\nAGAIN:\n\tmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
                     "@!done bra.uni AGAIN;\n\t}" ::"r"(GP_LOCAL_WORD(barrier)),
                     "r"(parity)
                     : "memory");
}

#else
void gp_role_brings(void) {}
void gp_role_multiplies(void) {}
void gp_map_acquire(global const char *map) {}

void gp_map(global char *map, local char *own, ulong data, uint inner, uint lines, uint planes, ulong line_bytes,
            ulong plane_bytes, uint box_lines) {
    global ulong *const to = (global ulong *)map;
    to[0] = data;
    to[1] = inner;
    to[2] = lines;
    to[3] = planes;
    to[4] = line_bytes;
    to[5] = plane_bytes;
    to[6] = box_lines;
}

void gp_box(local char *to, global const char *map, uint inner, uint line, uint plane, local ulong *barrier) {
    global const ulong *const of = (global const ulong *)map;
    for (uint r = 0; r < of[6]; ++r) {
        for (uint i = 0; i < GP_DEEP; ++i) {
            const bool inside = inner + i < of[1] && line + r < of[2] && plane < of[3];
            const ulong at = of[0] + plane * of[5] + (line + r) * of[4] + (inner + i) * GP_NUMBER_BYTES;
            ((local Number *)to)[GP_PLACE(r, i)] = inside ? *(global const Number *)at : 0;
        }
    }
}

void gp_warp_barrier(void) { barrier(CLK_LOCAL_MEM_FENCE); }
void gp_stage_begin(local ulong *barrier, uint arrivals) {}
void gp_stage_begun(void) {}
void gp_stage_expect(local ulong *barrier, uint bytes) {}
void gp_stage_arrive(local ulong *barrier) {}
void gp_reads_end(void) {}
void gp_stage_wait(local ulong *of_stage, uint parity) {}
#endif

// Matrix units that four warps, a warp group, use together: they multiply tiles of float16,
// bfloat16 or bytes in local memory, which boxes of matrices fill while the work-group goes on.
//
// A tile has GP_DEEP numbers of k, 64, or 128 bytes, for each of its lines (rows of A, columns of
// B). A row of a tile, 128 bytes, is a line; or, where lines are neighbours in memory, a step of k
// of 64 lines, not of bytes. Vectors of 16 bytes stand within a row in an order that keeps readers
// of a column apart.
//
// The form: GP_PTX 90, the instructions of compute capability 9.0 alone, behind the mark of
//           lib/cl/program.cpp; else loops over local memory, by work-groups without roles
// Macros: GP_BESIDE, work-groups that share a compute unit: 1, or 2 of 256 work-items;
//         GP_TILE_N, columns of a tile of B: 64, 128 or 256; GP_A_BY_LINES, GP_B_BY_LINES: 1 where
//         the operand's rows are steps of k; GP_NUMBERS, the GP_DTYPE_* of codes.cl of a tile's
//         numbers: float16, bfloat16, int8 or uint8
// Gives: GP_NUMBER_BYTES, Number, as which numbers are copied; Summed, float or uint, which wraps;
//        gp_both, two floats as numbers; GP_ROLES, defined where some warps bring tiles and others
//        multiply them; gp_role_brings, gp_role_multiplies; gp_warp_barrier; GP_MAP_BYTES, gp_map,
//        gp_map_acquire; gp_box; gp_stage_begin, gp_stage_begun,
//        gp_stage_expect, gp_stage_arrive, gp_stage_wait; GP_SUMS, GP_MULTIPLY_TILES,
//        GP_MULTIPLIED, GP_SUM_ROW, GP_SUM_COLUMN
// Source: NVIDIA, "Parallel Thread Execution ISA", wgmma, tensormap.replace and
//         cp.async.bulk.tensor
// SPDX-License-Identifier: MIT
#include "common/codes.cl"
#if GP_NUMBERS == GP_DTYPE_INT8 || GP_NUMBERS == GP_DTYPE_UINT8
#if GP_A_BY_LINES || GP_B_BY_LINES
#error "rows of bytes are lines"
#endif
#define GP_NUMBER_BYTES 1
#define Number uchar
#define Summed uint
#elif GP_NUMBERS == GP_DTYPE_FLOAT16 || GP_NUMBERS == GP_DTYPE_BFLOAT16
#define GP_NUMBER_BYTES 2
#define Number ushort
#define Summed float
#else
#error "GP_NUMBERS must be 1, 5, 9 or 12"
#endif
#define GP_DEEP (128 / GP_NUMBER_BYTES)
#define GP_MAP_BYTES 128
#define GP_SUMS (GP_TILE_N / 2) // of a work-item: 64 rows by GP_TILE_N columns of 128 work-items

// Where a work-item's sum number i, less a constant multiple of 4, is in the rows of its warp
// group, and in its columns.
#define GP_SUM_ROW(item, i) ((item) / 32 * 16 + (item) % 32 / 4 + (i) / 2 % 2 * 8)
#define GP_SUM_COLUMN(item, i) ((i) / 4 * 8 + (item) % 4 * 2 + (i) % 2)

#if defined(GP_PTX) && GP_PTX == 90
#define GP_ROLES
#define GP_OWN "//sm_90a "
#define GP_STRING_(x) #x
#define GP_STRING(x) GP_STRING_(x)
#define GP_LOCAL_WORD(pointer) ((uint)(size_t)(pointer))

// Registers go from the warps that bring tiles to those that multiply. A whole warp group calls
// one of these.
#if GP_BESIDE > 1 // of the 128 that a work-item has where two such work-groups share a compute unit
#define GP_MULTIPLYING "216"
#else
#define GP_MULTIPLYING "232"
#endif
void gp_role_brings(void) { __asm__ volatile(GP_OWN "setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory"); }
void gp_role_multiplies(void) {
    __asm__ volatile(GP_OWN "setmaxnreg.inc.sync.aligned.u32 " GP_MULTIPLYING ";" ::: "memory");
}

// Called before the use of a map by a work-item that has not described it.
void gp_map_acquire(global const char *map) {
    __asm__ volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"((ulong)map) : "memory");
}

// Describes planes of numbers, `lines` rows of `inner` each, for boxes of GP_DEEP by box_lines.
// What is outside reads as 0. The pointer and the strides, in bytes, are multiples of 16. One
// work-item calls it, lends GP_MAP_BYTES of local memory at a multiple of that, and may use the map
// from then on.
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
#else
    __asm__ volatile(GP_OWN "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 0;" ::"r"(at) : "memory");
#endif
    __asm__ volatile(GP_OWN "tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%0], 0;" ::"r"(at)
                     : "memory");
    __asm__ volatile(GP_OWN "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 3;" ::"r"(at) : "memory");
    __asm__ volatile(GP_OWN "tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 0;" ::"r"(at) : "memory");
    for (uint i = 0; i < GP_MAP_BYTES / 16; ++i) ((global uint4 *)map)[i] = ((local uint4 *)own)[i];
    __asm__ volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
    gp_map_acquire(map);
}

#if GP_NUMBER_BYTES == 2
uint gp_both(float2 x) {
    uint both;
#if GP_NUMBERS == GP_DTYPE_FLOAT16
    __asm__("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(x.y), "f"(x.x));
#else
    __asm__("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(x.y), "f"(x.x));
#endif
    return both;
}
#endif

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
// Waits for the end of the phase of this parity.
void gp_stage_wait(local ulong *barrier, uint parity) {
    __asm__ volatile("{\n\t.reg .pred done;\nAGAIN:\n\tmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
                     "@!done bra.uni AGAIN;\n\t}" ::"r"(GP_LOCAL_WORD(barrier)),
                     "r"(parity)
                     : "memory");
}

// How a tile is described to the units: its address, and the distances between groups of 64 lines
// and of 8 rows.
ulong gp_tile(local const char *tile, uint by_lines) {
    return (ulong)((GP_LOCAL_WORD(tile) & 0x3ffff) >> 4) | (ulong)(by_lines ? 512 : 1) << 16 | (ulong)64 << 32 |
           (ulong)1 << 62;
}

#if GP_A_BY_LINES
#define GP_A_STEP "128"
#else
#define GP_A_STEP "2"
#endif
#if GP_B_BY_LINES
#define GP_B_STEP "128"
#else
#define GP_B_STEP "2"
#endif
#define GP_NAMES_0                                                                                                     \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "   \
    "%24, %25, %26, %27, %28, %29, %30, %31"
#define GP_NAMES_32                                                                                                    \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, "   \
    "%54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define GP_NAMES_64                                                                                                    \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, "   \
    "%86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define GP_NAMES_96                                                                                                    \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, "   \
    "%115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#if GP_NUMBER_BYTES == 1
#define GP_REGISTER "+r"
#else
#define GP_REGISTER "+f"
#endif
#define GP_OUT_4(s, i)                                                                                                 \
    GP_REGISTER((s)[i]), GP_REGISTER((s)[(i) + 1]), GP_REGISTER((s)[(i) + 2]), GP_REGISTER((s)[(i) + 3])
#define GP_OUT_16(s, i) GP_OUT_4(s, i), GP_OUT_4(s, (i) + 4), GP_OUT_4(s, (i) + 8), GP_OUT_4(s, (i) + 12)
#define GP_OUT_32(s, i) GP_OUT_16(s, i), GP_OUT_16(s, (i) + 16)
#if GP_TILE_N == 64
#define GP_NAMES GP_NAMES_0
#define GP_OUT(s) GP_OUT_32(s, 0)
#define GP_INPUTS "mov.b64 a, %32;\n\tmov.b64 b, %33;\n\tsetp.ne.b32 p, %34, 0;\n\t"
#elif GP_TILE_N == 128
#define GP_NAMES GP_NAMES_0 ", " GP_NAMES_32
#define GP_OUT(s) GP_OUT_32(s, 0), GP_OUT_32(s, 32)
#define GP_INPUTS "mov.b64 a, %64;\n\tmov.b64 b, %65;\n\tsetp.ne.b32 p, %66, 0;\n\t"
#elif GP_TILE_N == 256
#define GP_NAMES GP_NAMES_0 ", " GP_NAMES_32 ", " GP_NAMES_64 ", " GP_NAMES_96
#define GP_OUT(s) GP_OUT_32(s, 0), GP_OUT_32(s, 32), GP_OUT_32(s, 64), GP_OUT_32(s, 96)
#define GP_INPUTS "mov.b64 a, %128;\n\tmov.b64 b, %129;\n\tsetp.ne.b32 p, %130, 0;\n\t"
#else
#error "GP_TILE_N must be 64, 128 or 256"
#endif
#define GP_BY_LINES ", 1, 1, " GP_STRING(GP_A_BY_LINES) ", " GP_STRING(GP_B_BY_LINES)
#if GP_NUMBERS == GP_DTYPE_FLOAT16
#define GP_KIND "k16.f32.f16.f16"
#elif GP_NUMBERS == GP_DTYPE_BFLOAT16
#define GP_KIND "k16.f32.bf16.bf16"
#elif GP_NUMBERS == GP_DTYPE_INT8
#define GP_KIND "k32.s32.s8.s8"
#else
#define GP_KIND "k32.s32.u8.u8"
#endif
#if GP_NUMBER_BYTES == 1
#undef GP_BY_LINES
#define GP_BY_LINES
#endif
#define GP_INSTRUCTION                                                                                                 \
    GP_OWN "wgmma.mma_async.sync.aligned.m64n" GP_STRING(GP_TILE_N) GP_KIND " {" GP_NAMES "}, a, b, p" GP_BY_LINES     \
                                                                            ";\n\t"
#define GP_NEXT_STEP "add.s64 a, a, " GP_A_STEP ";\n\tadd.s64 b, b, " GP_B_STEP ";\n\t"

// Begins to add the product of the tiles to the sums, or to make it the sums where `adds` is 0. By
// a warp group, whose 64 rows of A begin at `a`. The sums and the tiles are the units' until
// GP_MULTIPLIED; `item` is the work-item in its warp group.
#define GP_MULTIPLY_TILES(sums, a, b, adds, item)                                                                      \
    __asm__ volatile(                                                                                                  \
        "{\n\t.reg .pred p;\n\t.reg .b64 a, b;\n\t" GP_INPUTS GP_OWN                                                   \
        "wgmma.fence.sync.aligned;\n\t" GP_INSTRUCTION GP_NEXT_STEP                                                    \
        "setp.eq.b32 p, 0, 0;\n\t" GP_INSTRUCTION GP_NEXT_STEP GP_INSTRUCTION GP_NEXT_STEP GP_INSTRUCTION GP_OWN       \
        "wgmma.commit_group.sync.aligned;\n\t}"                                                                        \
        : GP_OUT(sums)                                                                                                 \
        : "l"(gp_tile(a, GP_A_BY_LINES)), "l"(gp_tile(b, GP_B_BY_LINES)), "r"(adds)                                    \
        : "memory")
// Waits until all products but the last `pending`, a literal number, are done.
#define GP_MULTIPLIED(sums, pending)                                                                                   \
    __asm__ volatile(GP_OWN "wgmma.wait_group.sync.aligned " #pending ";" : GP_OUT(sums)::"memory")
#define GP_MULTIPLIED_TILES(pending) __asm__ volatile(GP_OWN "wgmma.wait_group.sync.aligned " #pending ";" ::: "memory")

#else
// Where number i of row r is in a tile.
#define GP_IN_VECTOR (16 / GP_NUMBER_BYTES)
#define GP_PLACE(r, i) ((r)*GP_DEEP + (((i) / GP_IN_VECTOR) ^ ((r) % 8)) * GP_IN_VECTOR + (i) % GP_IN_VECTOR)

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
void gp_stage_wait(local ulong *of_stage, uint parity) {}

#if GP_NUMBER_BYTES == 2
uint gp_both(float2 x) {
#if GP_NUMBERS == GP_DTYPE_FLOAT16
    ushort2 both;
    vstore_half2_rte(x, 0, (half *)&both);
    return as_uint(both);
#else
    return GP_ROUNDED(as_uint(x.x)) | GP_ROUNDED(as_uint(x.y)) << 16;
#endif
}
#endif

// Number p of a line of a tile.
Summed gp_of_tile(local const char *tile, uint line, uint p, uint by_lines) {
    const uint row = by_lines ? p : line, i = by_lines ? line % 64 : p;
    local const Number *const at =
        (local const Number *)tile + (by_lines ? line / 64 * 64 * GP_DEEP : 0) + GP_PLACE(row, i);
#if GP_NUMBERS == GP_DTYPE_FLOAT16
    return vload_half(0, (local const half *)at);
#elif GP_NUMBERS == GP_DTYPE_BFLOAT16
    return as_float((uint)*at << 16);
#elif GP_NUMBERS == GP_DTYPE_INT8
    return (uint)as_char(*at);
#else
    return *at;
#endif
}

void gp_multiply_tiles(Summed *sums, local const char *a, local const char *b, uint adds, uint item) {
    for (uint i = 0; i < GP_SUMS; ++i) {
        Summed sum = adds ? sums[i] : 0;
        for (uint p = 0; p < GP_DEEP; ++p)
            sum += gp_of_tile(a, GP_SUM_ROW(item, i), p, GP_A_BY_LINES) *
                   gp_of_tile(b, GP_SUM_COLUMN(item, i), p, GP_B_BY_LINES);
        sums[i] = sum;
    }
}

#define GP_MULTIPLY_TILES(sums, a, b, adds, item) gp_multiply_tiles(sums, a, b, adds, item)
#define GP_MULTIPLIED(sums, pending)
#define GP_MULTIPLIED_TILES(pending)
#endif

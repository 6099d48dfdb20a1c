// Matrix units that four warps, a warp group, use together: they multiply tiles of float16,
// bfloat16, float32 or bytes in local memory, which boxes of matrices fill (boxes.cl).
//
// The units take rows that are steps of k of two-byte numbers alone. Of bytes, rows are always
// lines. Of float32, those of B are; numbers of A go through registers, in either order. The units
// multiply float32 as tf32, loops as it is.
//
// The form: GP_PTX 90, the instructions of compute capability 9.0 alone, behind the mark of
//           lib/cl/program.cpp; else loops over local memory, by work-groups without roles
// Macros: GP_TILE_N, columns of a tile of B: 64, 128 or 256; GP_A_BY_LINES, GP_B_BY_LINES: 1 where
//         the operand's rows are steps of k; those of boxes.cl, but GP_NUMBERS is not float64
// Gives: what boxes.cl does; Summed, float or uint, which wraps; GP_SUMS, GP_MULTIPLY_TILES,
//        GP_MULTIPLIED, GP_MULTIPLIED_TILES, GP_SUM_ROW, GP_SUM_COLUMN; of numbers of two bytes
//        gp_both, two floats as numbers, and gp_write_numbers; of float32 in place of
//        GP_MULTIPLY_TILES and GP_SUM_ROW: OfA, read_lines, GP_MULTIPLY_LINES, GP_LINE
// Source: NVIDIA, "Parallel Thread Execution ISA", wgmma
// SPDX-License-Identifier: MIT
#include "device/boxes.cl"
#if GP_NUMBER_BYTES == 1
#if GP_A_BY_LINES || GP_B_BY_LINES
#error "rows of bytes are lines"
#endif
#define Summed uint
#elif GP_NUMBER_BYTES == 2
#define Summed float
#elif GP_NUMBER_BYTES == 4
#if GP_B_BY_LINES
#error "rows of B are lines"
#endif
#define Summed float
#else
#error "GP_NUMBERS must be 1, 5, 9, 10 or 12"
#endif
#define GP_SUMS (GP_TILE_N / 2) // of a work-item: 64 rows by GP_TILE_N columns of 128 work-items

// Where a work-item's sum number i, less a constant multiple of 4, is in the rows of its warp
// group, and in its columns.
#define GP_SUM_ROW(item, i) ((item) / 32 * 16 + (item) % 32 / 4 + (i) / 2 % 2 * 8)
#define GP_SUM_COLUMN(item, i) ((i) / 4 * 8 + (item) % 4 * 2 + (i) % 2)

#if GP_NUMBERS == GP_DTYPE_FLOAT32
// A warp group multiplies 128 lines of A at a time, as two of 64. A work-item has sums of four of
// them: number q = 0, 1 of the first two, 2, 3 of the others; sum i is that of q = i / 2 % 2. Where
// rows are steps of k, they are neighbours, which one vector holds.
#if GP_A_BY_LINES
#define GP_LINE(item, q) ((item) / 32 * 32 + (item) / 4 % 2 * 16 + (item) % 32 / 8 * 4 + (q))
#else
#define GP_LINE(item, q) ((item) / 32 * 32 + (item) % 32 / 4 + 8 * (q))
#endif
#endif

#ifdef GP_ROLES
#define GP_STRING_(x) #x
#define GP_STRING(x) GP_STRING_(x)

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

// Writes 16 x GP_DEEP sums of a warp, times `factor`, as numbers to rows of a tile.
void gp_write_numbers(local Number *rows, const float *sums, float factor, uint lane) {
    const uint row = lane % 16;
#pragma unroll
    for (uint s = 0; s < 4; ++s) { // blocks of 16 columns
        const float *const of = sums + 8 * s;
        const uint at = GP_LOCAL_WORD(rows + GP_PLACE(row, 16 * s + lane / 16 * 8));
        __asm__ volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at),
                         "r"(gp_both((float2)(of[0], of[1]) * factor)), "r"(gp_both((float2)(of[2], of[3]) * factor)),
                         "r"(gp_both((float2)(of[4], of[5]) * factor)), "r"(gp_both((float2)(of[6], of[7]) * factor))
                         : "memory");
    }
}
#endif

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
#if GP_NUMBERS == GP_DTYPE_FLOAT32
#if GP_TILE_N == 64
#define GP_OF_A "{%34, %35, %36, %37}"
#define GP_OF_B "mov.b64 b, %32;\n\tsetp.ne.b32 p, %33, 0;\n\t"
#elif GP_TILE_N == 128
#define GP_OF_A "{%66, %67, %68, %69}"
#define GP_OF_B "mov.b64 b, %64;\n\tsetp.ne.b32 p, %65, 0;\n\t"
#else
#error "sums of 128 lines of A leave no registers for so many of B"
#endif

// A work-item's numbers of A, of half a tile: of 8 steps of k at a time, of 64 lines.
typedef struct {
    uint4 of[2][2];
} OfA;

// Reads a half, 0 or 1, of the steps of k of 128 lines of A.
void read_lines(OfA *a, local const char *tile, uint half_of, uint item) {
    const uint t = item % 4, g = item % 32 / 4;
#pragma unroll
    for (uint i = 0; i < 2; ++i) {
        const uint s = 2 * half_of + i;
#if GP_A_BY_LINES
        // Of each step of k a warp reads a row of 128 bytes.
        local const char *const box = tile + item / 32 * (GP_DEEP * 128);
        const uint vector = GP_LINE(item % 32, 0) / 4, k = 8 * s + t; // and k + 4
        const uint4 first = *(local const uint4 *)(box + k * 128 + (vector ^ t) * 16);
        const uint4 second = *(local const uint4 *)(box + (k + 4) * 128 + (vector ^ (t + 4)) * 16);
        a->of[i][0] = (uint4)(first.s0, first.s1, second.s0, second.s1);
        a->of[i][1] = (uint4)(first.s2, first.s3, second.s2, second.s3);
#else
        local const char *const line = tile + GP_LINE(item, 0) * 128 + 4 * t;
        const uint first = (2 * s ^ g) * 16, second = (2 * s + 1 ^ g) * 16; // vectors of four steps of k
#define GP_OF_LINE(q, vector) (*(local const uint *)(line + (q)*1024 + (vector)))
        a->of[i][0] = (uint4)(GP_OF_LINE(0, first), GP_OF_LINE(1, first), GP_OF_LINE(0, second), GP_OF_LINE(1, second));
        a->of[i][1] = (uint4)(GP_OF_LINE(2, first), GP_OF_LINE(3, first), GP_OF_LINE(2, second), GP_OF_LINE(3, second));
#endif
    }
}

#define GP_MULTIPLY_STEP(sums, a, b, adds)                                                                             \
    __asm__ volatile("{\n\t.reg .pred p;\n\t.reg .b64 b;\n\t" GP_OF_B GP_OWN                                           \
                     "wgmma.mma_async.sync.aligned.m64n" GP_STRING(GP_TILE_N) "k8.f32.tf32.tf32 {" GP_NAMES            \
                                                                              "}, " GP_OF_A ", b, p, 1, 1;\n\t}"       \
                     : GP_OUT(sums)                                                                                    \
                     : "l"(b), "r"(adds), "r"((a).s0), "r"((a).s1), "r"((a).s2), "r"((a).s3)                           \
                     : "memory")

// Begins to add the product of half the steps of 128 lines of A and of a tile of B to the sums, two
// times GP_SUMS, or to make it the sums where `adds` is 0. By a warp group. Sums, `a` and the tile
// are the units' until GP_MULTIPLIED_TILES.
#define GP_MULTIPLY_LINES(sums, a, tile, half_of, adds, item)                                                          \
    do {                                                                                                               \
        const ulong of_b = gp_tile(tile, 0) + 4 * (half_of);                                                           \
        __asm__ volatile(GP_OWN "wgmma.fence.sync.aligned;" ::: "memory");                                             \
        GP_MULTIPLY_STEP((sums)[0], (a).of[0][0], of_b, adds);                                                         \
        GP_MULTIPLY_STEP((sums)[1], (a).of[0][1], of_b, adds);                                                         \
        GP_MULTIPLY_STEP((sums)[0], (a).of[1][0], of_b + 2, 1);                                                        \
        GP_MULTIPLY_STEP((sums)[1], (a).of[1][1], of_b + 2, 1);                                                        \
        __asm__ volatile(GP_OWN "wgmma.commit_group.sync.aligned;" ::: "memory");                                      \
    } while (0)
#else
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
#endif
// Waits until all products but the last `pending`, a literal number, are done.
#define GP_MULTIPLIED(sums, pending)                                                                                   \
    __asm__ volatile(GP_OWN "wgmma.wait_group.sync.aligned " #pending ";" : GP_OUT(sums)::"memory")
#define GP_MULTIPLIED_TILES(pending) __asm__ volatile(GP_OWN "wgmma.wait_group.sync.aligned " #pending ";" ::: "memory")

#else
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

void gp_write_numbers(local Number *rows, const float *sums, float factor, uint lane) {
    for (uint i = 0; i < GP_DEEP / 2; i += 2)
        *(local uint *)(rows + GP_PLACE(GP_SUM_ROW(lane, i), GP_SUM_COLUMN(lane, i))) =
            gp_both((float2)(sums[i], sums[i + 1]) * factor);
}
#endif

// Number p of a line of a tile.
Summed gp_of_tile(local const char *tile, uint line, uint p, uint by_lines) {
    const uint row = by_lines ? p : line, i = by_lines ? line % GP_DEEP : p;
    local const Number *const at =
        (local const Number *)tile + (by_lines ? line / GP_DEEP * GP_DEEP * GP_DEEP : 0) + GP_PLACE(row, i);
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

#if GP_NUMBERS == GP_DTYPE_FLOAT32
typedef struct {
    local const char *tile;
} OfA;

void read_lines(OfA *a, local const char *tile, uint half_of, uint item) { a->tile = tile; }

void gp_multiply_lines(Summed (*sums)[GP_SUMS], OfA a, local const char *tile, uint half_of, uint adds, uint item) {
    for (uint i = 0; i < 2 * GP_SUMS; ++i) {
        const uint lines = i / GP_SUMS, e = i % GP_SUMS, begin = GP_DEEP / 2 * half_of;
        const uint line = GP_LINE(item, 2 * lines + e / 2 % 2), column = GP_SUM_COLUMN(item, e);
        Summed sum = adds ? sums[lines][e] : 0;
        for (uint p = begin; p < begin + GP_DEEP / 2; ++p)
            sum += gp_of_tile(a.tile, line, p, GP_A_BY_LINES) * gp_of_tile(tile, column, p, 0);
        sums[lines][e] = sum;
    }
}

#define GP_MULTIPLY_LINES(sums, a, tile, half_of, adds, item) gp_multiply_lines(sums, a, tile, half_of, adds, item)
#else
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
#endif
#define GP_MULTIPLIED(sums, pending)
#define GP_MULTIPLIED_TILES(pending)
#endif

// C = alpha * A * B + beta * C of float64 through matrix units, in one launch, from the matrices as
// they lie, which come as boxes (device/boxes.cl).
//
// Four warps of a work-group bring tiles, stages ahead; the others multiply them, and no barrier of
// the work-group stands between. GP_WARPS_M x GP_WARPS_N warps stand side by side and compute
// GP_WARP_M x 32 elements of C each. A work-group stays for several tiles of C.
//
// A unit multiplies 16 lines of one operand, the wide one, by 8 of the other, the narrow one. The
// wide one is B where its rows are steps of k and those of A are not: then the numbers of a
// work-item that a unit takes together are neighbours in a tile, and go to registers without moves.
// Where rows of the wide one are steps of k, a unit's 8 steps are the tile's in another order,
// alike of both, so that a work-item's two of the narrow one are neighbours too. Else numbers are
// read one by one. Lines are in another order: so a warp's reads meet no bank twice.
//
// Macros: those of semiring.cl, with GP_SEMIRING GP_PLUS_TIMES, GP_DTYPE float64, and GP_WIDTH 2
//         with GP_B_BY_LINES, else 1; GP_WARP_M, 16, 32 or 64; GP_WARPS_M, GP_WARPS_N; GP_STAGES;
//         GP_A_BY_LINES, GP_B_BY_LINES: 1 where the operand's rows are steps of k;
//         GP_IF_REPORTED, to do nothing unless *report is set; those of device/boxes.cl
// Launch: one dimension, any number of work-groups, or without roles one for each slice of each
//         tile; with several slices (split-K), their sums go to `partial`; with GP_JOINS of
//         split_k.cl, the last warp of a part of C adds them up
// Source: NVIDIA, "Parallel Thread Execution ISA", mma.sync; Thakkar et al., "CUTLASS", 2023,
//         kernels of specialised warps
// SPDX-License-Identifier: MIT
#define GP_VECTOR_STORES
#include "common/semiring.cl"
#if GP_SEMIRING != GP_PLUS_TIMES || GP_DTYPE != GP_DTYPE_FLOAT64 || GP_WIDTH != (GP_B_BY_LINES ? 2 : 1)
#error "GP_SEMIRING must be 0, GP_DTYPE 11, and GP_WIDTH 2 or 1"
#endif
#if !defined(GP_WARP_M) || !defined(GP_WARPS_M) || !defined(GP_WARPS_N) || !defined(GP_STAGES)
#error "GP_WARP_M, GP_WARPS_M, GP_WARPS_N and GP_STAGES must be defined"
#endif
#define GP_NUMBERS GP_DTYPE_FLOAT64
#define GP_FLOAT64_UNITS
#define GP_WARPS (GP_WARPS_M * GP_WARPS_N) // that multiply
#define GP_GROUP (32 * GP_WARPS)
#include "device/boxes.cl"
#include "device/fence.cl"
#include "device/ticket.cl"
#include "device/unit_blocks.cl"
#include "matmul/bands.cl"
#include "matmul/split_k.cl"
#define GP_C_ROWS (GP_WARP_M * GP_WARPS_M)
#define GP_C_COLUMNS (32 * GP_WARPS_N)
#define GP_PARTS 1
#define GP_A_BYTES (GP_C_ROWS * 128) // of a tile
#define GP_STAGE_BYTES (GP_A_BYTES + GP_C_COLUMNS * 128)
#include "matmul/work.cl"
#define GP_WIDE_IS_B (GP_B_BY_LINES && !GP_A_BY_LINES)
#if GP_WIDE_IS_B // blocks of a warp: of 16 lines of the wide operand, and of 8 lines of the narrow one
#define GP_WIDE_BLOCKS 2
#define GP_NARROW_BLOCKS (GP_WARP_M / 8)
#else
#define GP_WIDE_BLOCKS (GP_WARP_M / 16)
#define GP_NARROW_BLOCKS 4
#endif
#define GP_BLOCKS (GP_WIDE_BLOCKS * GP_NARROW_BLOCKS)
#if defined(GP_ROLES) && GP_WARP_M <= 32 // there are registers for two
#define GP_SETS 2
#else
#define GP_SETS 1
#endif

typedef double4 OfWide, Sum;
typedef double2 OfNarrow;

#if GP_WIDE_IS_B
#define GP_WIDE_BY_LINES 1
#define GP_NARROW_BY_LINES 0
#else
#define GP_WIDE_BY_LINES GP_A_BY_LINES
#define GP_NARROW_BY_LINES GP_B_BY_LINES
#endif
// Which line of 16 of the wide operand is a unit's number g, and g + 8 with `second`; which line of
// 8 of the narrow one its number g.
#if GP_WIDE_BY_LINES
#define GP_WIDE_LINE(g, second) (2 * (g) + (second))
#if GP_NARROW_BY_LINES
#define GP_NARROW_LINE(g) (g)
#else
#define GP_NARROW_LINE(g) ((g) % 2 * 4 + (g) / 2)
#endif
#else
#define GP_WIDE_LINE(g, second) (8 * (second) + GP_NARROW_LINE(g))
#define GP_NARROW_LINE(g) ((g) % 4 * 2 + (g) / 4)
#endif

// Number k of a line of a tile whose rows are lines; an even one begins a vector.
local const double *number_of(local const char *tile, uint line, uint k) {
    return (local const double *)(tile + line * 128 + (k / 2 ^ line % 8) * 16 + k % 2 * 8);
}

// Row k of the part of a tile that has this line, where rows are steps of k.
local const char *row_of(local const char *tile, uint line, uint k) {
    return tile + line / GP_DEEP * (GP_DEEP * 128) + k * 128;
}

// What a work-item holds of 16 lines from `line` on, and of 8 steps from k on: of the lines that
// are a unit's numbers g and g + 8 its step t, then its step t + 4.
OfWide of_wide(local const char *tile, uint line, uint k, uint g, uint t) {
#if GP_WIDE_BY_LINES
    local const char *const row = row_of(tile, line, k + 2 * t);
    return (OfWide)(*(local const double2 *)(row + (g ^ 2 * t) * 16),
                    *(local const double2 *)(row + 128 + (g ^ 2 * t + 1) * 16));
#else
    const uint first = line + GP_WIDE_LINE(g, 0), second = line + GP_WIDE_LINE(g, 1);
    return (OfWide)(*number_of(tile, first, k + t), *number_of(tile, second, k + t), *number_of(tile, first, k + t + 4),
                    *number_of(tile, second, k + t + 4));
#endif
}

// The same of 8 lines, of that which is a unit's number g.
OfNarrow of_narrow(local const char *tile, uint line, uint k, uint g, uint t) {
#if GP_NARROW_BY_LINES
    local const char *const row = row_of(tile, line, k + 2 * t) + g % 2 * 8;
    const uint vector = (line % GP_DEEP + g) / 2;
    return (OfNarrow)(*(local const double *)(row + (vector ^ 2 * t) * 16),
                      *(local const double *)(row + 128 + (vector ^ 2 * t + 1) * 16));
#elif GP_WIDE_BY_LINES
    return *(local const OfNarrow *)number_of(tile, line + GP_NARROW_LINE(g), k + 2 * t);
#else
    const uint one = line + GP_NARROW_LINE(g);
    return (OfNarrow)(*number_of(tile, one, k + t), *number_of(tile, one, k + t + 4));
#endif
}

// Brings one step of k of a tile to a stage: A, the first operand, lies before B.
void bring(local char *stage, local ulong *full, global const char *map, Work work, uint depth, uint plane,
           bool is_second) {
    const uint k0 = depth * GP_DEEP;
    if (is_second) {
#if GP_B_BY_LINES
#pragma unroll
        for (uint j = 0; j < GP_C_COLUMNS; j += GP_DEEP)
            gp_box(stage + GP_A_BYTES + j * 128, map, work.j0 + j, k0, plane, full);
#else
        gp_box(stage + GP_A_BYTES, map, k0, work.j0, plane, full);
#endif
    } else {
#if GP_A_BY_LINES
#pragma unroll
        for (uint i = 0; i < GP_C_ROWS; i += GP_DEEP) gp_box(stage + i * 128, map, work.i0 + i, k0, plane, full);
#else
        gp_box(stage, map, k0, work.i0, plane, full);
#endif
    }
}

// a, b: planes of numbers, `pitch` in a row; `planes` 1 where all products share one, else the
// number of products.
kernel void __attribute__((reqd_work_group_size(GP_BRINGING + GP_GROUP, 1, 1)))
matmul_box_units(global char *maps, ulong maps_offset, global const double *a, ulong a_offset, ulong a_pitch,
                 ulong a_plane, ulong a_planes, global const double *b, ulong b_offset, ulong b_pitch, ulong b_plane,
                 ulong b_planes, global Result *c, ulong c_offset, ulong c_row_stride, ulong c_batch_stride, ulong m,
                 ulong n, ulong k, ulong products, ulong slices, global V *partial, ulong partial_offset GP_ENDED,
#ifdef GP_IF_REPORTED
                 global const uint *report, ulong report_offset,
#endif
                 Value alpha, Value beta, uint reads_c GP_FINISH_PARAMETERS) {
    local char memory[GP_STAGES * GP_STAGE_BYTES + 2 * GP_MAP_BYTES + GP_ALIGNMENT]
        __attribute__((aligned(GP_ALIGNMENT)));
    local Barriers barriers;
#ifdef GP_JOINS
    local uint last_of[GP_WARPS];
#endif
#if GP_BLOCK_ROOM > 0
    local uint room[GP_BLOCK_ROOM];
#endif
#ifdef GP_IF_REPORTED
    if (report[report_offset] == 0) return;
#endif
    local char *const stages = GP_STAGES_IN(memory);
    local char *const of_maps = stages + GP_STAGES * GP_STAGE_BYTES;
    global char *const map = maps + maps_offset + get_group_id(0) * 2 * GP_MAP_BYTES;
    const Operand of_a =
        operand_of(map, (ulong)(a + a_offset), a_pitch, a_plane, a_planes, m, GP_C_ROWS, GP_A_BY_LINES);
    const Operand of_b = operand_of(map + GP_MAP_BYTES, (ulong)(b + b_offset), b_pitch, b_plane, b_planes, n,
                                    GP_C_COLUMNS, GP_B_BY_LINES);
    const uint works = works_of(m, n, products, slices);
    begin_stages(&barriers, GP_WARPS);
#ifdef GP_ROLES
    if (get_local_id(0) < GP_BRINGING) {
        gp_role_brings();
        bring_works(stages, &barriers, of_maps, of_a, of_b, works, m, n, k, slices);
        return;
    }
    gp_role_multiplies();
#else
    const uint number = (uint)get_group_id(0);
#endif
    uint stage = 0, phase = 0;
    const uint id = (uint)get_local_id(0) - GP_BRINGING, warp = id / 32, lane = id % 32, g = lane / 4, t = lane % 4;
    const uint y = warp / GP_WARPS_N * GP_WARP_M, x = warp % GP_WARPS_N * 32; // the warp's place
    const uint wide_line = GP_WIDE_IS_B ? x : y, narrow_line = GP_WIDE_IS_B ? y : x;
    const V va = (V)(alpha), vb = (V)(beta);
    const ulong pitch = (n + GP_WIDTH - 1) / GP_WIDTH; // of a row of sums, in vectors
    GP_EACH_WORK {
        const Work work = work_of(number, m, n, k, slices);
        Sum sum[GP_BLOCKS];
#pragma unroll
        for (uint e = 0; e < GP_BLOCKS; ++e) sum[e] = 0;
        OfWide wide[GP_SETS][GP_WIDE_BLOCKS];
        OfNarrow narrow[GP_SETS][GP_NARROW_BLOCKS];
        // Reads 8 steps of k of the stage.
#define GP_READ_STEP(set, step)                                                                                        \
    {                                                                                                                  \
        local const char *const tile_a = stages + stage * GP_STAGE_BYTES, *const tile_b = tile_a + GP_A_BYTES;         \
        local const char *const wide_tile = GP_WIDE_IS_B ? tile_b : tile_a;                                            \
        local const char *const narrow_tile = GP_WIDE_IS_B ? tile_a : tile_b;                                          \
        _Pragma("unroll") for (uint w = 0; w < GP_WIDE_BLOCKS; ++w) wide[set][w] =                                     \
            of_wide(wide_tile, wide_line + 16 * w, 8 * (step), g, t);                                                  \
        _Pragma("unroll") for (uint j = 0; j < GP_NARROW_BLOCKS; ++j) narrow[set][j] =                                 \
            of_narrow(narrow_tile, narrow_line + 8 * j, 8 * (step), g, t);                                             \
    }
        // All of the warp have read what they need of the stage.
#define GP_RELEASE                                                                                                     \
    gp_reads_end();                                                                                                    \
    gp_warp_barrier();                                                                                                 \
    if (lane == 0) gp_stage_arrive(&barriers.empty[stage]);
#define GP_MULTIPLY_STEP(set)                                                                                          \
    _Pragma("unroll") for (uint e = 0; e < GP_BLOCKS; ++e) sum[e] = gp_multiply_double_blocks(                         \
        wide[set][e / GP_NARROW_BLOCKS], narrow[set][e % GP_NARROW_BLOCKS], sum[e], GP_BLOCKS_OF(room));
#if GP_SETS == 2
        // The numbers of the next step are on their way to registers while one is multiplied.
        gp_stage_wait(&barriers.full[stage], phase);
        GP_READ_STEP(0, 0)
        for (uint depth = work.begin; depth < work.end; ++depth) {
            GP_READ_STEP(1, 1)
            GP_MULTIPLY_STEP(0)
            GP_RELEASE
            GP_NEXT_STAGE
            if (depth + 1 < work.end) {
                gp_stage_wait(&barriers.full[stage], phase);
                GP_READ_STEP(0, 0)
            }
            GP_MULTIPLY_STEP(1)
        }
#else
        for (uint depth = work.begin; depth < work.end; ++depth) {
#ifndef GP_ROLES
            bring_step(stages, &barriers, of_maps, of_a, of_b, work, k, depth);
#endif
            gp_stage_wait(&barriers.full[stage], phase);
            GP_READ_STEP(0, 0)
            GP_MULTIPLY_STEP(0)
            GP_READ_STEP(0, 1)
            GP_MULTIPLY_STEP(0)
            GP_RELEASE
#ifdef GP_ROLES
            GP_NEXT_STAGE
#else
            barrier(CLK_LOCAL_MEM_FENCE);
#endif
        }
#endif
        // Places are counted from the matrix' beginning: compilers would keep those within a tile
        // in registers.
        global Result *const to = c + c_offset + work.product * c_batch_stride;
        global V *const partial_of = partial + partial_offset + work.product * slices * m * pitch;
        const ulong slice = work.part - work.product * slices;
        // Result number e of a work-item: a vector of GP_WIDTH neighbours in a row of C.
#define GP_RESULTS (GP_BLOCKS * 4 / GP_WIDTH)
#define GP_PAIR_OF(e) ((e)*GP_WIDTH / 2)
#define GP_WIDE_OF(e) (GP_PAIR_OF(e) / (2 * GP_NARROW_BLOCKS))
#define GP_HALF_OF(e) (GP_PAIR_OF(e) / GP_NARROW_BLOCKS % 2)
#define GP_NARROW_OF(e) (GP_PAIR_OF(e) % GP_NARROW_BLOCKS)
#define GP_SUM_OF(e) sum[GP_WIDE_OF(e) * GP_NARROW_BLOCKS + GP_NARROW_OF(e)]
#if GP_WIDE_IS_B
#define GP_RESULT(e) (GP_HALF_OF(e) == 0 ? GP_SUM_OF(e).xz : GP_SUM_OF(e).yw)
#define GP_RESULT_ROW(e) (y + 8 * GP_NARROW_OF(e) + GP_NARROW_LINE(2 * t + GP_HALF_OF(e)))
#define GP_RESULT_COLUMN(e) (x + 16 * GP_WIDE_OF(e) + GP_WIDE_LINE(g, 0))
#else
#define GP_RESULT_ROW(e) (y + 16 * GP_WIDE_OF(e) + GP_WIDE_LINE(g, GP_HALF_OF(e)))
#if GP_WIDTH == 2
#define GP_RESULT(e) (GP_HALF_OF(e) == 0 ? GP_SUM_OF(e).xy : GP_SUM_OF(e).zw)
#define GP_RESULT_COLUMN(e) (x + 8 * GP_NARROW_OF(e) + GP_NARROW_LINE(2 * t))
#else
#define GP_RESULT(e)                                                                                                   \
    (GP_HALF_OF(e) == 0 ? ((e) % 2 == 0 ? GP_SUM_OF(e).x : GP_SUM_OF(e).y)                                             \
                        : ((e) % 2 == 0 ? GP_SUM_OF(e).z : GP_SUM_OF(e).w))
#define GP_RESULT_COLUMN(e) (x + 8 * GP_NARROW_OF(e) + GP_NARROW_LINE(2 * t + (e) % 2))
#endif
#endif
#define GP_I(e) (work.i0 + GP_RESULT_ROW(e))
#define GP_J(e) (work.j0 + GP_RESULT_COLUMN(e))
        if (slices > 1) {
#pragma unroll
            for (uint e = 0; e < GP_RESULTS; ++e) {
                const ulong i = GP_I(e), j = GP_J(e);
                if (i < m && j < n) write_sums(partial_of + (slice * m + i) * pitch + j / GP_WIDTH, GP_RESULT(e));
            }
        } else {
#pragma unroll
            for (uint e = 0; e < GP_RESULTS; ++e) {
                const ulong i = GP_I(e), j = GP_J(e);
                if (i < m && j < n) GP_FINISH_RESULT(i, j, GP_RESULT(e));
            }
        }
#ifdef GP_JOINS
        const bool is_last = is_last_slice(ended + ended_offset + (ulong)work.tile * GP_WARPS + warp, (uint)slices,
                                           last_of + warp, lane);
        if (is_last) GP_FINISH_JOINED
#endif
#ifdef GP_ROLES
        gp_warp_barrier(); // the units take whole warps
#endif
    }
}

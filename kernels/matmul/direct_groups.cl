// C = alpha * A * B + beta * C of float32 that may be rounded to tf32, through matrix units that
// four warps use together (device/warp_groups.cl), in one launch, from the matrices as they lie.
//
// The units take one operand, the first, from registers, in either order in memory, and the other
// from local memory, where its lines are rows. Of row-major matrices those are B and A: the units
// then compute the transpose of C.
//
// One warp group of a work-group brings tiles, stages ahead; GP_GROUPS others multiply them, 128
// lines of the first operand each. While the units multiply half a stage, the next half's numbers
// of the first operand come to registers. A work-group stays for several tiles of C, so that those
// of the next are on their way while one is written.
//
// Macros: those of semiring.cl, with GP_SEMIRING GP_PLUS_TIMES, GP_DTYPE float32, and GP_WIDTH 4
//         with GP_FIRST_IS_B, else 2; GP_FIRST_IS_B, 1 where B is the first operand, whose rows are
//         steps of k then; GP_GROUPS, GP_TILE_N: a tile of C has 128 * GP_GROUPS lines of the first
//         operand, GP_TILE_N of the second; GP_STAGES; those of device/warp_groups.cl, to which the
//         first operand is A
// Launch: one dimension, any number of work-groups, or without roles one for each slice of each
//         tile; with several slices (split-K), their sums go to `partial`; with GP_JOINS of
//         split_k.cl, the last warp of a part of C adds them up
// Source: NVIDIA, "Parallel Thread Execution ISA", wgmma; Thakkar et al., "CUTLASS", 2023, kernels
//         of specialised warps
// SPDX-License-Identifier: MIT
#define GP_VECTOR_STORES
#include "common/semiring.cl"
#if GP_SEMIRING != GP_PLUS_TIMES || GP_DTYPE != GP_DTYPE_FLOAT32 || GP_WIDTH != (GP_FIRST_IS_B ? 4 : 2)
#error "GP_SEMIRING must be 0, GP_DTYPE 10, and GP_WIDTH 4 or 2"
#endif
#if GP_FIRST_IS_B && !GP_A_BY_LINES
#error "where B is the first operand, its rows are steps of k"
#endif
#if !defined(GP_GROUPS) || !defined(GP_STAGES)
#error "GP_GROUPS and GP_STAGES must be defined"
#endif
#define GP_NUMBERS GP_DTYPE_FLOAT32
#define GP_B_BY_LINES 0
#include "device/fence.cl"
#include "device/ticket.cl"
#include "device/warp_groups.cl"
#include "matmul/bands.cl"
#include "matmul/split_k.cl"
#define GP_FIRST_LINES (128 * GP_GROUPS)
#if GP_FIRST_IS_B
#define GP_C_ROWS GP_TILE_N
#define GP_C_COLUMNS GP_FIRST_LINES
#else
#define GP_C_ROWS GP_FIRST_LINES
#define GP_C_COLUMNS GP_TILE_N
#endif
#define GP_PARTS 1
#define GP_FIRST_BYTES (GP_FIRST_LINES * 128) // of a tile
#define GP_STAGE_BYTES (GP_FIRST_BYTES + GP_TILE_N * 128)
#include "matmul/work.cl"
#if GP_FIRST_IS_B
#define GP_FIRST_LINE(work) (work).j0
#define GP_SECOND_LINE(work) (work).i0
#else
#define GP_FIRST_LINE(work) (work).i0
#define GP_SECOND_LINE(work) (work).j0
#endif

// Brings one step of k of a tile to a stage: the first operand lies before the second.
void bring(local char *stage, local ulong *full, global const char *map, Work work, uint depth, uint plane,
           bool is_second) {
    const uint k0 = depth * GP_DEEP;
    if (is_second) {
        gp_box(stage + GP_FIRST_BYTES, map, k0, GP_SECOND_LINE(work), plane, full);
    } else {
#if GP_A_BY_LINES
#pragma unroll
        for (uint i = 0; i < GP_FIRST_LINES; i += GP_DEEP)
            gp_box(stage + i * 128, map, GP_FIRST_LINE(work) + i, k0, plane, full);
#else
        gp_box(stage, map, k0, GP_FIRST_LINE(work), plane, full);
#endif
    }
}

// Result number e of a work-item: a vector of C, its place in the tile, and how many rows further
// the next one lies.
#if GP_FIRST_IS_B
#define GP_RESULTS (GP_SUMS / 2)
#define GP_SUM_OF(e) ((e) / 2 * 4 + (e) % 2)
#define GP_RESULT(e)                                                                                                   \
    (V)(sums[0][GP_SUM_OF(e)], sums[0][GP_SUM_OF(e) + 2], sums[1][GP_SUM_OF(e)], sums[1][GP_SUM_OF(e) + 2])
#define GP_RESULT_ROW(e) GP_SUM_COLUMN(item, GP_SUM_OF(e))
#define GP_RESULT_COLUMN(e) (group * 128 + GP_LINE(item, 0))
#define GP_NEXT_ROW(e) ((e) % 2 == 0 ? 1 : 7)
#else
#define GP_RESULTS GP_SUMS
#define GP_OF_ROW (GP_SUMS / 4)
#define GP_SUM_OF(e) ((e) % GP_OF_ROW * 4 + (e) / GP_OF_ROW % 2 * 2)
#define GP_RESULT(e) (V)(sums[(e) / GP_OF_ROW / 2][GP_SUM_OF(e)], sums[(e) / GP_OF_ROW / 2][GP_SUM_OF(e) + 1])
#define GP_RESULT_ROW(e) (group * 128 + GP_LINE(item, (e) / GP_OF_ROW))
#define GP_RESULT_COLUMN(e) GP_SUM_COLUMN(item, GP_SUM_OF(e))
#define GP_NEXT_ROW(e) (((e) + 1) % GP_OF_ROW == 0 ? GP_LINE(item, 1) - GP_LINE(item, 0) : 0)
#endif
#define GP_I(e) (work.i0 + GP_RESULT_ROW(e))
#define GP_J(e) (work.j0 + GP_RESULT_COLUMN(e))

// first, second: planes of numbers, `pitch` in a row; `planes` 1 where all products share one, else
// the number of products.
kernel void __attribute__((reqd_work_group_size(GP_BRINGING + 128 * GP_GROUPS, 1, 1)))
matmul_direct_groups(global char *maps, ulong maps_offset, global const float *first, ulong first_offset,
                     ulong first_pitch, ulong first_plane, ulong first_planes, global const float *second,
                     ulong second_offset, ulong second_pitch, ulong second_plane, ulong second_planes, global Result *c,
                     ulong c_offset, ulong c_row_stride, ulong c_batch_stride, ulong m, ulong n, ulong k,
                     ulong products, ulong slices, global V *partial, ulong partial_offset GP_ENDED, Value alpha,
                     Value beta, uint reads_c GP_FINISH_PARAMETERS) {
    local char memory[GP_STAGES * GP_STAGE_BYTES + 2 * GP_MAP_BYTES + GP_ALIGNMENT]
        __attribute__((aligned(GP_ALIGNMENT)));
    local Barriers barriers;
#ifdef GP_JOINS
    local uint last_of[4 * GP_GROUPS]; // of a warp
#endif
    local char *const stages = GP_STAGES_IN(memory);
    local char *const of_maps = stages + GP_STAGES * GP_STAGE_BYTES;
    global char *const map = maps + maps_offset + get_group_id(0) * 2 * GP_MAP_BYTES;
    const Operand of_first = operand_of(map, (ulong)(first + first_offset), first_pitch, first_plane, first_planes,
                                        GP_FIRST_IS_B ? n : m, GP_FIRST_LINES, GP_A_BY_LINES);
    const Operand of_second = operand_of(map + GP_MAP_BYTES, (ulong)(second + second_offset), second_pitch,
                                         second_plane, second_planes, GP_FIRST_IS_B ? m : n, GP_TILE_N, false);
    const uint works = works_of(m, n, products, slices);
    begin_stages(&barriers, GP_GROUPS);
    uint stage = 0, phase = 0;
#ifdef GP_ROLES
    if (get_local_id(0) < GP_BRINGING) {
        gp_role_brings();
        bring_works(stages, &barriers, of_maps, of_first, of_second, works, m, n, k, slices);
        return;
    }
    gp_role_multiplies();
#else
    const uint number = (uint)get_group_id(0);
#endif
    const uint id = (uint)get_local_id(0) - GP_BRINGING, group = id / 128, item = id % 128;
    const V va = (V)(alpha), vb = (V)(beta);
    const ulong pitch = (n + GP_WIDTH - 1) / GP_WIDTH; // of a row of sums, in vectors
    GP_EACH_WORK {
        const Work work = work_of(number, m, n, k, slices);
        Summed sums[2][GP_SUMS];
        OfA halves[2]; // of a stage
        for (uint depth = work.begin; depth < work.end; ++depth) {
#ifndef GP_ROLES
            bring_step(stages, &barriers, of_maps, of_first, of_second, work, k, depth);
#endif
            local const char *const tile = stages + stage * GP_STAGE_BYTES, *const of_group =
                                                                                tile + group * (128 * 128);
            const uint last = stage == 0 ? GP_STAGES - 1 : stage - 1, adds = depth > work.begin;
            gp_stage_wait(&barriers.full[stage], phase);
            read_lines(&halves[0], of_group, 0, item);
            GP_MULTIPLY_LINES(sums, halves[0], tile + GP_FIRST_BYTES, 0, adds, item);
            GP_MULTIPLIED_TILES(1);
            if (adds && item == 0) gp_stage_arrive(&barriers.empty[last]); // whose products are done
            read_lines(&halves[1], of_group, 1, item);
            GP_MULTIPLY_LINES(sums, halves[1], tile + GP_FIRST_BYTES, 1, 1, item);
            GP_MULTIPLIED_TILES(1); // the first half
#ifdef GP_ROLES
            GP_NEXT_STAGE
#else
            barrier(CLK_LOCAL_MEM_FENCE);
#endif
        }
        GP_MULTIPLIED(sums[0], 0);
        GP_MULTIPLIED(sums[1], 0);
        if (item == 0) gp_stage_arrive(&barriers.empty[stage == 0 ? GP_STAGES - 1 : stage - 1]);

        // Places are counted from the matrix' beginning: compilers would keep those within a tile
        // in registers, which the units need.
        global Result *const to = c + c_offset + work.product * c_batch_stride;
        global V *const partial_of = partial + partial_offset + work.product * slices * m * pitch;
        ulong i = GP_I(0);
        if (slices > 1) {
            global V *of_row = partial_of + ((work.part - work.product * slices) * m + i) * pitch;
#pragma unroll
            for (uint e = 0; e < GP_RESULTS; ++e) {
                const ulong j = GP_J(e);
                if (i < m && j < n) write_sums(of_row + j / GP_WIDTH, GP_RESULT(e));
                of_row += GP_NEXT_ROW(e) * pitch;
                i += GP_NEXT_ROW(e);
            }
        } else {
#pragma unroll
            for (uint e = 0; e < GP_RESULTS; ++e) {
                const ulong j = GP_J(e);
                if (i < m && j < n) GP_FINISH_RESULT(i, j, GP_RESULT(e));
                i += GP_NEXT_ROW(e);
            }
        }
#ifdef GP_JOINS
        if (is_last_slice(ended + ended_offset + (ulong)work.tile * (4 * GP_GROUPS) + id / 32, (uint)slices,
                          last_of + id / 32, id % 32))
            GP_FINISH_JOINED
#endif
#ifdef GP_ROLES
        gp_warp_barrier(); // the units take whole warps
#endif
    }
}

// C = alpha * A * B + beta * C of float64 through matrix units, in one launch, from the matrices as
// they lie, which come as boxes (device/boxes.cl).
//
// Four warps of a work-group bring tiles, stages ahead; the others multiply them, and no barrier of
// the work-group stands between. A warp computes GP_WARP_M x 32 elements of C. GP_WARPS_M x
// GP_WARPS_N warps stand side by side; GP_WARPS_K warps share the steps of k, and their sums are
// added at the end, always in the same order. A work-group stays for several tiles of C.
//
// A unit's 8 steps of k are the tile's in another order, alike of A and B, so that a work-item's
// two are neighbours. Lines of a tile whose rows are lines are in another order too: so a warp's
// reads meet no bank twice.
//
// Macros: those of semiring.cl, with GP_SEMIRING GP_PLUS_TIMES, GP_DTYPE float64, and GP_WIDTH 2
//         with GP_B_BY_LINES, else 1; GP_WARP_M, 32 or 64; GP_WARPS_M, GP_WARPS_N, powers of two;
//         GP_WARPS_K, 1 or 2; GP_STAGES; GP_A_BY_LINES, GP_B_BY_LINES: 1 where the operand's rows
//         are steps of k; those of device/boxes.cl
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
#if !defined(GP_WARP_M) || !defined(GP_WARPS_M) || !defined(GP_WARPS_N) || !defined(GP_WARPS_K) || !defined(GP_STAGES)
#error "GP_WARP_M, GP_WARPS_M, GP_WARPS_N, GP_WARPS_K and GP_STAGES must be defined"
#endif
#define GP_NUMBERS GP_DTYPE_FLOAT64
#define GP_FLOAT64_UNITS
#define GP_WARPS (GP_WARPS_M * GP_WARPS_N * GP_WARPS_K) // that multiply
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
#define GP_ROWS (GP_WARP_M / 16)  // rows of blocks of a warp
#define GP_STEPS (2 / GP_WARPS_K) // that a warp takes of a stage
#define GP_HANDED_BYTES (GP_WARPS_K > 1 ? GP_GROUP / 2 * GP_ROWS * 4 * 32 : 16)
#if defined(GP_ROLES) && GP_STEPS == 2 && GP_WARP_M == 32 // there are registers for two
#define GP_SETS 2
#else
#define GP_SETS 1
#endif

typedef double4 OfA, Sum;
typedef double2 OfB;

// Line g of 8 of a unit's block in a tile.
#define GP_LINE_BY_LINES(g) (g)
#define GP_LINE_ALONG_K(g) ((g) % 2 * 4 + (g) / 2)
#if GP_A_BY_LINES
#define GP_A_LINE GP_LINE_BY_LINES
#else
#define GP_A_LINE GP_LINE_ALONG_K
#endif
#if GP_B_BY_LINES
#define GP_B_LINE GP_LINE_BY_LINES
#else
#define GP_B_LINE GP_LINE_ALONG_K
#endif

// Numbers k and k + 1 of a line; k is even.
double2 two_of(local const char *tile, uint line, uint k, bool by_lines) {
    if (!by_lines) return *(local const double2 *)(tile + line * 128 + (k / 2 ^ line % 8) * 16);
    local const char *const row = tile + line / GP_DEEP * (GP_DEEP * 128) + k * 128 + line % 2 * 8;
    const uint vector = line % GP_DEEP / 2;
    return (double2)(*(local const double *)(row + (vector ^ k % 8) * 16),
                     *(local const double *)(row + 128 + (vector ^ k % 8 + 1) * 16));
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
                 Value alpha, Value beta, uint reads_c GP_FINISH_PARAMETERS) {
    local char memory[GP_STAGES * GP_STAGE_BYTES + GP_ALIGNMENT] __attribute__((aligned(GP_ALIGNMENT)));
    local ulong full[GP_STAGES], empty[GP_STAGES];
    local Sum handed[GP_HANDED_BYTES / 32 + 1]; // from the warps of the second half of k to the first
#ifdef GP_JOINS
    local uint last_of[GP_WARPS];
#endif
#if GP_BLOCK_ROOM > 0
    local uint room[GP_BLOCK_ROOM];
#endif
    local char *const stages = GP_STAGES_IN(memory);
    global char *const map_a = maps + maps_offset + get_group_id(0) * 2 * GP_MAP_BYTES;
    global char *const map_b = map_a + GP_MAP_BYTES;
    const ulong works = works_of(m, n, products, slices);
    if (get_local_id(0) == 0) {
        begin_stages(full, empty, GP_WARPS);
        describe(map_a, stages, (ulong)(a + a_offset), a_pitch, a_plane, a_planes, m, k, GP_A_BY_LINES, GP_C_ROWS);
    }
    if (get_local_id(0) == 32) { // in another warp, at the same time
        describe(map_b, stages + GP_MAP_BYTES, (ulong)(b + b_offset), b_pitch, b_plane, b_planes, n, k, GP_B_BY_LINES,
                 GP_C_COLUMNS);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    uint stage = 0, phase = 0;
#ifdef GP_ROLES
    if (get_local_id(0) < GP_BRINGING) {
        gp_role_brings();
        if (get_local_id(0) == 0)
            bring_works(stages, full, empty, map_a, a_planes, map_b, b_planes, works, m, n, k, slices);
        return;
    }
    gp_role_multiplies();
#else
    const ulong number = get_group_id(0);
#endif
    const uint id = (uint)get_local_id(0) - GP_BRINGING, warp = id / 32, lane = id % 32, g = lane / 4, t = lane % 4;
    const uint warp_k = warp / (GP_WARPS_M * GP_WARPS_N), first = warp_k * GP_STEPS;
    const uint y = warp / GP_WARPS_N % GP_WARPS_M * GP_WARP_M, x = warp % GP_WARPS_N * 32; // the warp's place
    const V va = (V)(alpha), vb = (V)(beta);
    const ulong pitch = (n + GP_WIDTH - 1) / GP_WIDTH; // of a row of sums, in vectors
    GP_EACH_WORK {
        const Work work = work_of(number, m, n, k, slices);
        Sum sum[GP_ROWS][4];
#pragma unroll
        for (uint r = 0; r < GP_ROWS; ++r)
#pragma unroll
            for (uint j = 0; j < 4; ++j) sum[r][j] = 0;
        OfA now_a[GP_SETS][GP_ROWS];
        OfB now_b[GP_SETS][4];
        // Reads 8 steps of k of the stage.
#define GP_READ_STEP(set, step)                                                                                        \
    {                                                                                                                  \
        local const char *const tile_a = stages + stage * GP_STAGE_BYTES, *const tile_b = tile_a + GP_A_BYTES;         \
        _Pragma("unroll") for (uint r = 0; r < GP_ROWS; ++r) {                                                         \
            const double2 upper = two_of(tile_a, y + 16 * r + GP_A_LINE(g), 8 * (step) + 2 * t, GP_A_BY_LINES);        \
            const double2 lower = two_of(tile_a, y + 16 * r + 8 + GP_A_LINE(g), 8 * (step) + 2 * t, GP_A_BY_LINES);    \
            now_a[set][r] = (double4)(upper.x, lower.x, upper.y, lower.y);                                             \
        }                                                                                                              \
        _Pragma("unroll") for (uint j = 0; j < 4; ++j) now_b[set][j] =                                                 \
            two_of(tile_b, x + 8 * j + GP_B_LINE(g), 8 * (step) + 2 * t, GP_B_BY_LINES);                               \
    }
        // All of the warp have read what they need of the stage.
#define GP_RELEASE                                                                                                     \
    gp_warp_barrier();                                                                                                 \
    if (lane == 0) gp_stage_arrive(&empty[stage]);                                                                     \
    GP_NEXT_STAGE
#define GP_MULTIPLY_STEP(set)                                                                                          \
    _Pragma("unroll") for (uint r = 0; r < GP_ROWS; ++r) _Pragma("unroll") for (uint j = 0; j < 4; ++j) sum[r][j] =    \
        gp_multiply_double_blocks(now_a[set][r], now_b[set][j], sum[r][j], GP_BLOCKS_OF(room));
#if GP_SETS == 2
        // The numbers of the next step are on their way to registers while one is multiplied.
        gp_stage_wait(&full[stage], phase);
        GP_READ_STEP(0, 0)
        for (uint depth = work.begin; depth < work.end; ++depth) {
            GP_READ_STEP(1, 1)
            GP_MULTIPLY_STEP(0)
            GP_RELEASE
            if (depth + 1 < work.end) {
                gp_stage_wait(&full[stage], phase);
                GP_READ_STEP(0, 0)
            }
            GP_MULTIPLY_STEP(1)
        }
#else
        for (uint depth = work.begin; depth < work.end; ++depth) {
#ifndef GP_ROLES
            bring_step(stages, &full[0], map_a, a_planes, map_b, b_planes, work, depth);
#endif
            gp_stage_wait(&full[stage], phase);
            GP_READ_STEP(0, first)
#if GP_STEPS == 2
            GP_MULTIPLY_STEP(0)
            GP_READ_STEP(0, first + 1)
#endif
            GP_RELEASE
            GP_MULTIPLY_STEP(0)
        }
#endif
#if GP_WARPS_K > 1
        if (warp_k == 1) {
#pragma unroll
            for (uint e = 0; e < 4 * GP_ROWS; ++e) handed[e * (GP_GROUP / 2) + id - GP_GROUP / 2] = sum[e / 4][e % 4];
        }
        gp_barrier_of(GP_GROUP);
        if (warp_k == 0) {
#pragma unroll
            for (uint e = 0; e < 4 * GP_ROWS; ++e) sum[e / 4][e % 4] += handed[e * (GP_GROUP / 2) + id];
        }
        gp_barrier_of(GP_GROUP);
#endif
        // Places are counted from the matrix' beginning: compilers would keep those within a tile
        // in registers.
        global Result *const to = c + c_offset + work.product * c_batch_stride;
        global V *const partial_of = partial + partial_offset + work.product * slices * m * pitch;
        const ulong slice = work.part - work.product * slices;
        // Result number e of a work-item.
#if GP_B_BY_LINES
#define GP_RESULTS (8 * GP_ROWS)
#define GP_RESULT(e) ((e) / 4 % 2 == 0 ? sum[(e) / 8][(e) % 4].xy : sum[(e) / 8][(e) % 4].zw)
#define GP_BLOCK_ROW(e) ((e) / 4)
#define GP_RESULT_COLUMN(e) (x + (e) % 4 * 8 + 2 * t)
#else
#define GP_RESULTS (16 * GP_ROWS)
#define GP_RESULT(e)                                                                                                   \
    ((e) / 8 % 2 == 0 ? ((e) % 2 == 0 ? sum[(e) / 16][(e) / 2 % 4].x : sum[(e) / 16][(e) / 2 % 4].y)                   \
                      : ((e) % 2 == 0 ? sum[(e) / 16][(e) / 2 % 4].z : sum[(e) / 16][(e) / 2 % 4].w))
#define GP_BLOCK_ROW(e) ((e) / 8)
#define GP_RESULT_COLUMN(e) (x + (e) / 2 % 4 * 8 + (e) % 2 * 4 + t)
#endif
#define GP_I(e) (work.i0 + y + GP_BLOCK_ROW(e) * 8 + GP_A_LINE(g))
#define GP_J(e) (work.j0 + GP_RESULT_COLUMN(e))
        if (slices > 1) {
#pragma unroll
            for (uint e = 0; e < GP_RESULTS; ++e) {
                const ulong i = GP_I(e), j = GP_J(e);
                if (warp_k == 0 && i < m && j < n)
                    write_sums(partial_of + (slice * m + i) * pitch + j / GP_WIDTH, GP_RESULT(e));
            }
        } else {
#pragma unroll
            for (uint e = 0; e < GP_RESULTS; ++e) {
                const ulong i = GP_I(e), j = GP_J(e);
                if (warp_k == 0 && i < m && j < n) GP_FINISH_RESULT(i, j, GP_RESULT(e));
            }
        }
#ifdef GP_JOINS
        // Warps of the second half of k have nothing to wait for, but come along where barriers of
        // warps are the work-group's.
        const bool is_last =
            is_last_slice(ended + ended_offset + work.tile * GP_WARPS + warp, (uint)slices, last_of + warp, lane);
        if (is_last && warp_k == 0) GP_FINISH_JOINED
#endif
#ifdef GP_ROLES
        gp_warp_barrier(); // the units take whole warps
#endif
    }
}

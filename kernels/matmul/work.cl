// What work-groups that stay for several tiles take one after the other: a tile of C, or what a
// slice of k adds to it; and how its operands, the first and the second, come to local memory.
//
// With roles, the first GP_BRINGING work-items of a work-group bring tiles, stages ahead. Without
// them a work-group takes one work, and brings each stage before it multiplies it.
//
// Macros: GP_C_ROWS, GP_C_COLUMNS, of a tile of C; GP_PARTS, planes of numbers of a matrix;
//         GP_STAGES, GP_STAGE_BYTES; those of boxes.cl, bands.cl and split_k.cl, which come before
//         this
// Needs: bring, which begins to copy a step of k of the first operand, or of the second, to a stage
// Gives: Work, work_of, works_of, GP_EACH_WORK; GP_BRINGING; GP_ALIGNMENT, of tiles, and
//        GP_STAGES_IN, where they begin; GP_NEXT_STAGE; Barriers, begin_stages; Operand,
//        operand_of; with GP_ROLES bring_works, else bring_step; with GP_JOINS is_last_slice; for
//        kernels whose results go from registers to C, GP_FINISH_RESULT and with GP_JOINS
//        GP_FINISH_JOINED
// SPDX-License-Identifier: MIT
#ifdef GP_ROLES
#define GP_BRINGING 128
#define GP_EACH_WORK for (uint number = (uint)get_group_id(0); number < works; number += (uint)get_num_groups(0))
#else
#define GP_BRINGING 0
#define GP_EACH_WORK // PoCL 3.1 miscompiles barriers in nested loops
#endif
#define GP_ALIGNMENT 1024
// In local memory that has GP_ALIGNMENT bytes more than the stages.
#define GP_STAGES_IN(memory) ((memory) + (GP_ALIGNMENT - (uint)(size_t)(memory) % GP_ALIGNMENT) % GP_ALIGNMENT)
// `phase` is the parity of how often all stages have been used.
#define GP_NEXT_STAGE                                                                                                  \
    if (++stage == GP_STAGES) {                                                                                        \
        stage = 0;                                                                                                     \
        phase ^= 1;                                                                                                    \
    }

// Works are counted in 32 bits, which divide faster.
typedef struct {
    uint part; // number of the product and slice
    uint product;
    uint tile;       // of all products
    uint i0, j0;     // its first element
    uint begin, end; // of k, in steps of GP_DEEP
} Work;

uint works_of(ulong m, ulong n, ulong products, ulong slices) {
    return (uint)((m + GP_C_ROWS - 1) / GP_C_ROWS * ((n + GP_C_COLUMNS - 1) / GP_C_COLUMNS) * products * slices);
}

Work work_of(uint number, ulong m, ulong n, ulong k, ulong slices) {
    const uint tile_rows = (uint)((m + GP_C_ROWS - 1) / GP_C_ROWS),
               tile_columns = (uint)((n + GP_C_COLUMNS - 1) / GP_C_COLUMNS);
    const uint tiles = tile_rows * tile_columns, depths = (uint)((k + GP_DEEP - 1) / GP_DEEP);
    const uint part = number / tiles, of_product = number - part * tiles;
    Work work;
    work.part = work.product = part;
    work.begin = 0;
    work.end = depths;
    if (slices > 1) {
        work.product = part / (uint)slices;
        const uint slice = part - work.product * (uint)slices;
        work.begin = (uint)slice_begin(slice, slices, depths, 1);
        work.end = (uint)slice_begin(slice + 1, slices, depths, 1);
    }
    work.tile = work.product * tiles + of_product;
    const ulong2 tile = tile_in_bands(of_product, tile_rows, tile_columns);
    work.i0 = (uint)tile.x * GP_C_ROWS;
    work.j0 = (uint)tile.y * GP_C_COLUMNS;
    return work;
}

// Barriers: `full`, the boxes of a stage are there; `empty`, its tiles have been read; `described`,
// an operand's map is there.
typedef struct {
    ulong full[GP_STAGES], empty[GP_STAGES], described[2];
} Barriers;

// Called by all of the work-group. A stage is free again when so many have arrived.
void begin_stages(local Barriers *barriers, uint arrivals) {
    if (get_local_id(0) == 0) {
        for (uint s = 0; s < GP_STAGES; ++s) {
            gp_stage_begin(&barriers->full[s], 2); // one for each operand
            gp_stage_begin(&barriers->empty[s], arrivals);
        }
        gp_stage_begin(&barriers->described[0], 1);
        gp_stage_begin(&barriers->described[1], 1);
        gp_stage_begun();
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// An operand, the first or the second: planes of so many lines of k numbers, `pitch` numbers from
// one row to the next. `planes`: 1 where all products share one, else GP_PARTS for each.
typedef struct {
    global char *map;
    ulong data, pitch, plane, planes, lines;
    uint tile_lines;
    bool by_lines; // a row is a step of k, not a line
} Operand;

Operand operand_of(global char *map, ulong data, ulong pitch, ulong plane, ulong planes, ulong lines, uint tile_lines,
                   bool by_lines) {
    Operand operand;
    operand.map = map;
    operand.data = data;
    operand.pitch = pitch;
    operand.plane = plane;
    operand.planes = planes;
    operand.lines = lines;
    operand.tile_lines = tile_lines;
    operand.by_lines = by_lines;
    return operand;
}

// How many lines of a tile boxes bring. Where rows are lines, and the matrix has fewer than a tile,
// they bring those of the matrix, up to a multiple of 8. Zeros for the others took time: products
// with 48 of 64 rows outside of the matrix took 1.7 times as long. The tile's other lines keep what
// was there, which no element of C depends on.
uint box_lines(Operand operand) {
    return operand.by_lines ? operand.tile_lines : (uint)min((ulong)operand.tile_lines, (operand.lines + 7) / 8 * 8);
}

// Makes the operand's map. Called by one work-item, with GP_MAP_BYTES of local memory. No box may
// come to that memory: boxes of the other operand may be on their way.
void describe(Operand operand, ulong k, local char *own) {
    const uint lines = (uint)operand.lines;
    gp_map(operand.map, own, operand.data, operand.by_lines ? lines : (uint)k, operand.by_lines ? (uint)k : lines,
           (uint)operand.planes, operand.pitch * GP_NUMBER_BYTES, operand.plane * GP_NUMBER_BYTES,
           operand.by_lines ? GP_DEEP : box_lines(operand));
    gp_reads_end(); // the one run without this, in which the describer acquired the map, did not end
}

// The work's first plane of an operand.
uint plane_of(Work work, Operand operand) { return operand.planes == GP_PARTS ? 0 : work.product * GP_PARTS; }

void bring(local char *stage, local ulong *full, global const char *map, Work work, uint depth, uint plane,
           bool is_second);

#ifdef GP_ROLES
// What the work-item does that brings an operand. Another one describes the operand meanwhile. Each
// operand has a work-item of its own: one for both takes longer for a step than the units do where
// tiles are small.
void bring_operand(local char *stages, local Barriers *barriers, Operand operand, bool is_second, uint works, ulong m,
                   ulong n, ulong k, ulong slices) {
    uint stage = 0, phase = 0, number = (uint)get_group_id(0);
    const uint bytes = GP_PARTS * 128 * box_lines(operand);
    Work work = work_of(number, m, n, k, slices);
    gp_stage_wait(&barriers->described[is_second], 0);
    gp_map_acquire(operand.map);
    for (;;) {
        const uint plane = plane_of(work, operand);
#pragma unroll 1
        for (uint depth = work.begin; depth < work.end; ++depth) {
            gp_stage_wait(&barriers->empty[stage], phase ^ 1);
            gp_stage_expect(&barriers->full[stage], bytes);
            bring(stages + stage * GP_STAGE_BYTES, &barriers->full[stage], operand.map, work, depth, plane, is_second);
            GP_NEXT_STAGE
        }
        number += (uint)get_num_groups(0);
        if (number >= works) return;
        work = work_of(number, m, n, k, slices);
    }
}

// What the four warps do that bring tiles: two describe the operands, two bring them.
void bring_works(local char *stages, local Barriers *barriers, local char *of_maps, Operand first, Operand second,
                 uint works, ulong m, ulong n, ulong k, ulong slices) {
    const uint id = (uint)get_local_id(0);
    if (id == 0) {
        describe(first, k, of_maps);
        gp_stage_arrive(&barriers->described[0]);
    } else if (id == 32) {
        describe(second, k, of_maps + GP_MAP_BYTES);
        gp_stage_arrive(&barriers->described[1]);
    } else if (id == 64) {
        bring_operand(stages, barriers, first, false, works, m, n, k, slices);
    } else if (id == 96) {
        bring_operand(stages, barriers, second, true, works, m, n, k, slices);
    }
}
#else
// Brings a step of k of both operands to the one stage. All of the work-group call it.
void bring_step(local char *stages, local Barriers *barriers, local char *of_maps, Operand first, Operand second,
                Work work, ulong k, uint depth) {
    if (get_local_id(0) == 0) {
        if (depth == work.begin) {
            describe(first, k, of_maps);
            describe(second, k, of_maps + GP_MAP_BYTES);
        }
        bring(stages, &barriers->full[0], first.map, work, depth, plane_of(work, first), false);
        bring(stages, &barriers->full[0], second.map, work, depth, plane_of(work, second), true);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

#ifdef GP_JOINS
// Has this warp written the last of `slices` slices of its part of C? All of it calls this, and
// then sees what the others wrote. *ended is 0 before the launch and after it. `last`: local memory
// of the warp's. As gp_is_last, but of warps, whose work-group does not come here as a whole.
bool is_last_slice(volatile global uint *ended, uint slices, local uint *last, uint lane) {
    gp_fence_device();
    gp_warp_barrier();
    if (lane == 0) {
        gp_fence_device(); // for all lanes, whose writes came before the barrier
        *last = gp_take_ticket(ended) + 1 == slices;
        if (*last) gp_publish_uint(ended, 0);
        gp_fence_device();
    }
    gp_warp_barrier();
    gp_fence_device();
    const bool is_last = *last != 0;
    gp_warp_barrier();
    return is_last;
}

// Finishes a work-item's GP_RESULTS vectors of C, of which GP_I(e) and GP_J(e) are the places, from
// the sums of all slices at those places of `partial_of`, `pitch` vectors in a row.
#define GP_FINISH_JOINED                                                                                               \
    for (uint first_e = 0; first_e < GP_RESULTS; first_e += GP_JOINED) {                                               \
        global const V *places[GP_JOINED];                                                                             \
        V joined[GP_JOINED];                                                                                           \
        _Pragma("unroll") for (uint q = 0; q < GP_JOINED; ++q) {                                                       \
            const ulong i = GP_I(first_e + q), j = GP_J(first_e + q);                                                  \
            places[q] = partial_of + (i < m && j < n ? i * pitch + j / GP_WIDTH : 0);                                  \
        }                                                                                                              \
        sums_of_slices(joined, places, slices, m *pitch);                                                              \
        _Pragma("unroll") for (uint q = 0; q < GP_JOINED; ++q) {                                                       \
            const ulong i = GP_I(first_e + q), j = GP_J(first_e + q);                                                  \
            if (i < m && j < n) GP_FINISH_RESULT(i, j, joined[q]);                                                     \
        }                                                                                                              \
    }
#endif

// Finishes a vector of C, whose product's first element `to` points to.
#define GP_FINISH_RESULT(i, j, result)                                                                                 \
    finish(to + (i)*c_row_stride, j, (uint)min((ulong)GP_WIDTH, n - (j)), result, va, vb,                              \
           reads_c GP_FINISH_AT(work.product, i, j))

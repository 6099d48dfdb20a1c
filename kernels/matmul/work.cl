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
//        GP_STAGES_IN, where they begin; GP_NEXT_STAGE; begin_stages, describe, plane_of; with
//        GP_ROLES bring_works, else bring_step; with GP_JOINS is_last_slice; for kernels whose
//        results go from registers to C, GP_FINISH_RESULT and with GP_JOINS GP_FINISH_JOINED
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

typedef struct {
    ulong part; // number of the product and slice
    ulong product;
    ulong tile;      // of all products
    uint i0, j0;     // its first element
    uint begin, end; // of k, in steps of GP_DEEP
} Work;

uint works_of(ulong m, ulong n, ulong products, ulong slices) {
    return (uint)((m + GP_C_ROWS - 1) / GP_C_ROWS * ((n + GP_C_COLUMNS - 1) / GP_C_COLUMNS) * products * slices);
}

// Works are counted in 32 bits, which divide faster.
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
        const uint slice = part - (uint)work.product * (uint)slices;
        work.begin = (uint)slice_begin(slice, slices, depths, 1);
        work.end = (uint)slice_begin(slice + 1, slices, depths, 1);
    }
    work.tile = work.product * tiles + of_product;
    const ulong2 tile = tile_in_bands(of_product, tile_rows, tile_columns);
    work.i0 = (uint)tile.x * GP_C_ROWS;
    work.j0 = (uint)tile.y * GP_C_COLUMNS;
    return work;
}

// Called by one work-item; a stage is free again when so many have arrived.
void begin_stages(local ulong *full, local ulong *empty, uint arrivals) {
    for (uint s = 0; s < GP_STAGES; ++s) {
        gp_stage_begin(&full[s], 1);
        gp_stage_begin(&empty[s], arrivals);
    }
}

// Describes an operand of so many lines of k numbers, `pitch` numbers from one row to the next, for
// boxes of `box_lines` lines where rows are lines. Called by one work-item, with 128 bytes of local
// memory of its own.
void describe(global char *map, local char *own, ulong data, ulong pitch, ulong plane, ulong planes, ulong lines,
              ulong k, bool by_lines, uint box_lines) {
    gp_map(map, own, data, (uint)(by_lines ? lines : k), (uint)(by_lines ? k : lines), (uint)planes,
           pitch * GP_NUMBER_BYTES, plane * GP_NUMBER_BYTES, by_lines ? GP_DEEP : box_lines);
    gp_stage_begun();
}

// The work's first plane of so many of all products, or of one that these share.
uint plane_of(Work work, ulong planes) { return planes == GP_PARTS ? 0 : (uint)work.product * GP_PARTS; }

void bring(local char *stage, local ulong *full, global const char *map, Work work, uint depth, uint plane,
           bool is_second);

#ifdef GP_ROLES
// What the one work-item does that brings tiles: it has described the first operand's map, another
// one the second's.
void bring_works(local char *stages, local ulong *full, local ulong *empty, global const char *map_first,
                 ulong first_planes, global const char *map_second, ulong second_planes, uint works, ulong m, ulong n,
                 ulong k, ulong slices) {
    uint stage = 0, phase = 0;
    gp_map_acquire(map_second);
    for (uint number = (uint)get_group_id(0); number < works; number += (uint)get_num_groups(0)) {
        const Work work = work_of(number, m, n, k, slices);
        for (uint depth = work.begin; depth < work.end; ++depth) {
            gp_stage_wait(&empty[stage], phase ^ 1);
            gp_stage_expect(&full[stage], GP_STAGE_BYTES);
            bring(stages + stage * GP_STAGE_BYTES, &full[stage], map_first, work, depth, plane_of(work, first_planes),
                  false);
            bring(stages + stage * GP_STAGE_BYTES, &full[stage], map_second, work, depth, plane_of(work, second_planes),
                  true);
            GP_NEXT_STAGE
        }
    }
}
#else
// Brings a step of k of both operands to the one stage. All of the work-group call it.
void bring_step(local char *stages, local ulong *full, global const char *map_first, ulong first_planes,
                global const char *map_second, ulong second_planes, Work work, uint depth) {
    if (get_local_id(0) == 0) {
        bring(stages, full, map_first, work, depth, plane_of(work, first_planes), false);
        bring(stages, full, map_second, work, depth, plane_of(work, second_planes), true);
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

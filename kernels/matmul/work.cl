// What work-groups that stay for several tiles take one after the other: a tile of C, or what a
// slice of k adds to it.
//
// Macros: GP_C_ROWS, GP_C_COLUMNS, of a tile of C; GP_PARTS, planes of numbers of a matrix;
//         GP_STAGES, GP_STAGE_BYTES; those of boxes.cl, bands.cl and split_k.cl, which come before
//         this
// Needs: bring, which begins to copy a step of k of the first operand, or of the second, to a stage
// Gives: Work, work_of, plane_of; with GP_ROLES bring_works, with GP_JOINS is_last_slice
// SPDX-License-Identifier: MIT
typedef struct {
    ulong part; // number of the product and slice
    ulong product;
    ulong tile;      // of all products
    uint i0, j0;     // its first element
    uint begin, end; // of k, in steps of GP_DEEP
} Work;

Work work_of(ulong number, ulong m, ulong n, ulong k, ulong slices) {
    const uint tile_rows = (uint)((m + GP_C_ROWS - 1) / GP_C_ROWS),
               tile_columns = (uint)((n + GP_C_COLUMNS - 1) / GP_C_COLUMNS);
    const ulong tiles = (ulong)tile_rows * tile_columns, depths = (k + GP_DEEP - 1) / GP_DEEP;
    Work work;
    work.part = number / tiles;
    work.product = work.part / slices;
    work.tile = work.product * tiles + (number - work.part * tiles);
    const ulong2 tile = tile_in_bands((uint)(number - work.part * tiles), tile_rows, tile_columns);
    work.i0 = (uint)tile.x * GP_C_ROWS;
    work.j0 = (uint)tile.y * GP_C_COLUMNS;
    const ulong slice = work.part - work.product * slices;
    work.begin = (uint)slice_begin(slice, slices, depths, 1);
    work.end = (uint)slice_begin(slice + 1, slices, depths, 1);
    return work;
}

// The work's first plane of so many of all products, or of one that these share.
uint plane_of(Work work, ulong planes) { return planes == GP_PARTS ? 0 : (uint)work.product * GP_PARTS; }

void bring(local char *stage, local ulong *full, global const char *map, Work work, uint depth, uint plane,
           bool is_second);

#ifdef GP_ROLES
// What the one work-item does that brings tiles: it has described the first operand's map, another
// one the second's.
void bring_works(local char *stages, local ulong *full, local ulong *empty, global const char *map_first,
                 ulong first_planes, global const char *map_second, ulong second_planes, ulong works, ulong m, ulong n,
                 ulong k, ulong slices) {
    uint stage = 0, phase = 0;
    gp_map_acquire(map_second);
    for (ulong number = get_group_id(0); number < works; number += get_num_groups(0)) {
        const Work work = work_of(number, m, n, k, slices);
        for (uint depth = work.begin; depth < work.end; ++depth) {
            gp_stage_wait(&empty[stage], phase ^ 1);
            gp_stage_expect(&full[stage], GP_STAGE_BYTES);
            bring(stages + stage * GP_STAGE_BYTES, &full[stage], map_first, work, depth, plane_of(work, first_planes),
                  false);
            bring(stages + stage * GP_STAGE_BYTES, &full[stage], map_second, work, depth, plane_of(work, second_planes),
                  true);
            if (++stage == GP_STAGES) {
                stage = 0;
                phase ^= 1;
            }
        }
    }
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
#endif

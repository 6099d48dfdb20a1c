// Sums of a product that was cut along k: slice after slice, in that order, so that results are the
// same bits every time. For small C and large k, where one work-item for each element, or one
// work-group for each tile, would not fill a device.
//
// Where a product is short, the launch that computes the slices adds them up (GP_JOINS). Whoever
// wrote the last slice of a tile does so, and need not wait for anybody. Else matmul_add_split_k
// does, by all of the device.
//
// Macros: those of semiring.cl; GP_JOINS, where the kernel that includes this adds up slices;
//         GP_UNLESS_REPORTED, to do nothing where *report is set
// Gives: slice_begin; GP_ENDED, parameters of the kernel that adds up slices: a word for each part
//        of C that is added up by itself, 0 before the launch and after it; or GP_ENDED_MEMORY, and
//        GP_OF_ENDED of the numbers that it is given (given.cl); write_sums; with GP_JOINS
//        sums_of_slices, GP_JOINED; the kernel matmul_add_split_k
// Launch: matmul_add_split_k: one dimension, at least batch * m * pitch / width work-items
// Source: Osama et al., "Stream-K: Work-Centric Parallel Decomposition for Dense Matrix-Matrix
//         Multiplication on the GPU", 2023, the sums of tiles that several work-groups share
// SPDX-License-Identifier: MIT
#include "device/fence.cl"

// Where slice `slice` of `slices` begins in k, at a multiple of `step`. None is empty where k has
// as many steps.
ulong slice_begin(ulong slice, ulong slices, ulong k, uint step) {
    return min(k, (k + step - 1) / step * slice / slices * step);
}

#ifdef GP_JOINS
#define GP_ENDED , volatile global uint *ended, ulong ended_offset
#define GP_ENDED_MEMORY , volatile global uint *ended
#define GP_OF_ENDED(X) X(ulong, ended_offset)
#else
#define GP_ENDED
#define GP_ENDED_MEMORY
#define GP_OF_ENDED(X)
#endif
#define GP_JOINED 4 // results of a work-item that are finished together

// Sums of a slice, which with GP_JOINS are on their way to another work-group of the same launch.
// In NVIDIA's form the fences of last_group.cl order plain loads and stores; by OpenCL's rules
// atomic functions alone go between work-groups.
void write_sums(global V *to, V sums) {
#if defined(GP_JOINS) && !defined(GP_PTX)
    for (uint w = 0; w < sizeof(V) / 4; ++w) gp_publish_uint((volatile global uint *)to + w, ((const uint *)&sums)[w]);
#else
    *to = sums;
#endif
}

#ifdef GP_JOINS
V read_sums(global const V *from) {
#ifdef GP_PTX
    return *from;
#else
    V sums;
    for (uint w = 0; w < sizeof(V) / 4; ++w) ((uint *)&sums)[w] = gp_look_uint((volatile global const uint *)from + w);
    return sums;
#endif
}

// The sums of all slices' vectors at GP_JOINED places of the first slice; `next`: vectors from one
// slice to the next.
void sums_of_slices(V *sums, global const V *const *places, ulong slices, ulong next) {
#pragma unroll
    for (uint q = 0; q < GP_JOINED; ++q) sums[q] = read_sums(places[q]);
#pragma unroll 2
    for (ulong s = 1; s < slices; ++s) {
#pragma unroll
        for (uint q = 0; q < GP_JOINED; ++q) sums[q] = plus(sums[q], read_sums(places[q] + s * next));
    }
}
#endif

#ifdef GP_UNLESS_REPORTED
#define GP_REPORT , global const uint *report
#define GP_OF_REPORT(X) X(ulong, report_offset)
#else
#define GP_REPORT
#define GP_OF_REPORT(X)
#endif
#define GP_GIVEN_TO_ADD(X)                                                                                             \
    X(ulong, partial_offset)                                                                                           \
    X(ulong, slices)                                                                                                   \
    X(ulong, pitch)                                                                                                    \
    X(ulong, width)                                                                                                    \
    X(ulong, c_offset)                                                                                                 \
    X(ulong, c_row_stride)                                                                                             \
    X(ulong, c_batch_stride)                                                                                           \
    X(ulong, m)                                                                                                        \
    X(ulong, n)                                                                                                        \
    X(ulong, batch)                                                                                                    \
    GP_OF_REPORT(X)                                                                                                    \
    GP_OF_FINISH(X)
GP_STRUCT(GivenToAdd, GP_GIVEN_TO_ADD);

// partial: batch x slices x m x pitch. `width` neighbours a work-item: 1, or GP_WIDTH, of which
// pitch is a multiple then.
kernel void matmul_add_split_k(global const Value *partial, global Result *c GP_REPORT GP_BIAS_MEMORY,
                               GivenToAdd given) {
    GP_TAKE(GP_GIVEN_TO_ADD)
#ifdef GP_UNLESS_REPORTED
    if (report[report_offset] != 0) return;
#endif
    // A remainder beside a quotient makes compilers "freeze" operands, which Oclgrind does not
    // know.
    const ulong in_row = pitch / width, row = get_global_id(0) / in_row;
    const ulong column = (get_global_id(0) - row * in_row) * width, g = row / m;
    if (g >= batch || column >= n) return;
    partial += partial_offset + (g * (slices - 1) * m + row) * pitch + column;
    V sum;
    if (width == 1) {
        sum = (V)(partial[0]);
#pragma unroll 4
        for (ulong s = 1; s < slices; ++s) sum = plus(sum, (V)(partial[s * m * pitch]));
    } else {
        sum = *(global const V *)partial;
#pragma unroll 4
        for (ulong s = 1; s < slices; ++s) sum = plus(sum, *(global const V *)(partial + s * m * pitch));
    }
    finish(c, c_offset + g * c_batch_stride + (row - g * m) * c_row_stride + column, (uint)min(width, n - column), sum,
           (V)(GP_FACTOR(Value, alpha)), (V)(GP_FACTOR(Value, beta)), reads_c GP_FINISH_AT(g, row - g * m, column));
}

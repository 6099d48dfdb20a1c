// c = alpha * X * y + beta * c in a semiring, where neighbouring lines of X lie side by side: a
// vector times a matrix on GPUs, in one launch.
//
// `across` work-items side by side, a power of two, take GP_LINES lines each: the elements of a
// vector, or every `across`-th line where steps of k begin anywhere in a vector. GP_GROUP / across
// below each other share k, or a part of it. The last work-group to end of the same lines adds up
// the parts, in their order.
//
// Macros: those of vector_state.cl; GP_LINES, which is GP_ELEMENTS unless that is 1
// Launch: work-groups of GP_GROUP; along the first dimension one for every across * GP_LINES
//         lines, and the elements of a vector before the first one, for each product; along the
//         second one for every `share` of k. With several parts, `sums` holds one of each part and
//         line, and `ended` one number for each work-group of the first dimension, which is zero,
//         and zero again in the end
// Source: Bell and Garland, "Implementing Sparse Matrix-Vector Multiplication on
//         Throughput-Oriented Processors", 2009
// SPDX-License-Identifier: MIT
#include "matmul/vector_state.cl"

#include "common/last_group.cl"
#ifndef GP_LINES
#error "GP_LINES must be defined"
#endif

#define GP_AHEAD (GP_LINES < 8 ? 4 : 2) // parts whose sums are read at a time
#if GP_ELEMENTS > 1
#define GP_LINE_AT(j) (line + (j))
#else
#define GP_LINE_AT(j) (line + (j)*across)
#endif

// Adds up what the work-items below each other have; those on top have it then.
GP_INLINE void join_columns(Value *sum, uint across, local State *room) {
    const uint id = (uint)get_local_id(0);
    for (uint step = GP_GROUP / 2; step >= across; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id >= step && id < 2 * step) {
#pragma unroll
            for (uint j = 0; j < GP_LINES; ++j) room[j * (GP_GROUP / 2) + id - step] = sum[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < step) {
#pragma unroll
            for (uint j = 0; j < GP_LINES; ++j) sum[j] = plus(sum[j], room[j * (GP_GROUP / 2) + id]);
        }
    }
}

#define GP_GIVEN(X) GP_OF_VECTORS(X, k_stride, across)
GP_STRUCT(Given, GP_GIVEN);

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void matmul_vector_columns(GP_VECTORS,
                                                                                                     Given given) {
    GP_TAKE(GP_GIVEN)
    local State room[GP_LINES * (GP_GROUP / 2 + 1)];
    local uint last;
    const uint id = (uint)get_local_id(0), place = id / across, deep = GP_GROUP / across;
    const uint part = (uint)get_group_id(1), parts = (uint)get_num_groups(1);
    const uint g = (uint)get_group_id(0) / (uint)groups, group = (uint)get_group_id(0) - g * (uint)groups;
    x += x_offset + g * x_batch_stride;
    y += y_offset + g * y_batch_stride;
    const uint head = GP_HEAD(x);
    // The first line, where those before 0 are counted as from 2^64 down.
    const ulong line = (ulong)group * across * GP_LINES + (id & (across - 1)) * GP_ELEMENTS - head;
    const bool whole = GP_ELEMENTS == 1 || (line < lines && lines - line >= GP_LINES);
    const bool none = line >= lines && line + (GP_LINES - 1) >= lines; // lines before 0 may be followed by some
    const ulong begin = min(part * share, k), end = min(begin + share, k);
    Value sum[GP_LINES];
#pragma unroll
    for (uint j = 0; j < GP_LINES; ++j) sum[j] = GP_ZERO;
    if (whole) {
        for (ulong first = begin; first < end; first += deep * GP_LOADS) {
            Value ys[GP_LOADS], xs[GP_LOADS * GP_LINES];
#pragma unroll
            for (uint l = 0; l < GP_LOADS; ++l) {
                const ulong p = min(first + l * deep + place, end - 1);
                ys[l] = load(y, p * y_stride);
#if GP_ELEMENTS > 1
                read_elements(x + p * k_stride + line, xs + l * GP_LINES);
#else // the last line stands in for those behind it
#pragma unroll
                for (uint j = 0; j < GP_LINES; ++j)
                    xs[l * GP_LINES + j] = load(x, p * k_stride + min(GP_LINE_AT(j), lines - 1));
#endif
            }
#pragma unroll
            for (uint l = 0; l < GP_LOADS; ++l) {
                const bool valid = first + l * deep + place < end;
#pragma unroll
                for (uint j = 0; j < GP_LINES; ++j) {
                    const Value with = accumulate(sum[j], xs[l * GP_LINES + j], ys[l]);
                    sum[j] = valid ? with : sum[j];
                }
            }
        }
    } else if (!none) {
#pragma unroll 4
        for (ulong p = begin + place; p < end; p += deep) {
            const Value factor = load(y, p * y_stride);
#pragma unroll
            for (uint j = 0; j < GP_LINES; ++j)
                if (GP_LINE_AT(j) < lines) sum[j] = accumulate(sum[j], load(x, p * k_stride + GP_LINE_AT(j)), factor);
        }
    }
    join_columns(sum, across, room);
    if (parts > 1) {
        sums += sums_offset + g * lines * parts;
        if (place == 0) {
#pragma unroll
            for (uint j = 0; j < GP_LINES; ++j)
                if (GP_LINE_AT(j) < lines) GP_PUBLISH(sums + part * lines + GP_LINE_AT(j), sum[j]);
        }
        if (!gp_is_last(ended + ended_offset + get_group_id(0), parts, &last)) return;
#pragma unroll
        for (uint j = 0; j < GP_LINES; ++j) sum[j] = GP_ZERO;
        for (uint s = place; s < parts; s += deep * GP_AHEAD) {
            Value ahead[GP_AHEAD * GP_LINES]; // on their way together
#pragma unroll
            for (uint i = 0; i < GP_AHEAD * GP_LINES; ++i) {
                const uint number = s + i / GP_LINES * deep, j = i % GP_LINES;
                ahead[i] = GP_ZERO;
                if (number < parts && GP_LINE_AT(j) < lines) ahead[i] = GP_LOOK(sums + number * lines + GP_LINE_AT(j));
            }
#pragma unroll
            for (uint i = 0; i < GP_AHEAD * GP_LINES; ++i) sum[i % GP_LINES] = plus(sum[i % GP_LINES], ahead[i]);
        }
        join_columns(sum, across, room);
    }
    if (place > 0) return;
#pragma unroll
    for (uint j = 0; j < GP_LINES; ++j)
        if (GP_LINE_AT(j) < lines)
            finish(c, c_offset + g * c_batch_stride + GP_LINE_AT(j) * c_stride, 1, sum[j], (V)(GP_FACTOR(Value, alpha)),
                   (V)(GP_FACTOR(Value, beta)),
                   reads_c GP_FINISH_AT(g, GP_C_ROW(GP_LINE_AT(j)), GP_C_COLUMN(GP_LINE_AT(j))));
}

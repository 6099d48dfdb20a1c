// c = alpha * X * y + beta * c in a semiring, where X lies along k: a matrix times a vector on
// GPUs, in one launch.
//
// Lanes, a power of two of work-items, share GP_LINES lines, or a part of them, and read y once for
// all of these. Elements before the first whole vector of a line, and behind the last one, come
// alone. The last work-group to end of the same lines adds up the parts, in their order.
//
// Where lines begin anywhere in a vector, each vector of a line is taken from the two aligned ones
// that have its bytes, so that it meets the vector of y at the same k. Bytes that it does not need
// are of a neighbouring line. The first vector of the first group's lines and the last one of the
// last group's come element by element, as no line lies beyond.
//
// Macros: those of vector_state.cl; GP_LINES; GP_ELEMENTS is 1, or GP_ANYWHERE defined, unless all
//         lines begin at the same place in a vector
// Launch: work-groups of GP_GROUP; along the first dimension one for every GP_GROUP / lanes *
//         GP_LINES lines, for each product; along the second one for every `share` vectors. With
//         several parts, `sums` holds one of each line and part, and `ended` one number for each
//         work-group of the first dimension, which is zero, and zero again in the end
// Source: Bell and Garland, "Implementing Sparse Matrix-Vector Multiplication on
//         Throughput-Oriented Processors", 2009
// SPDX-License-Identifier: MIT
#include "matmul/vector_state.cl"

#include "common/last_group.cl"
#ifndef GP_LINES
#error "GP_LINES must be defined: lines that lanes share"
#endif
#ifdef GP_ANYWHERE
#define GP_READ read_anywhere
#else
#define GP_READ read_elements
#endif

#define GP_GIVEN(X) GP_OF_VECTORS(X, line_stride, lanes)
GP_STRUCT(Given, GP_GIVEN);

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) GP_SUB_GROUP kernel void matmul_vector_rows(GP_VECTORS,
                                                                                                  Given given) {
    GP_TAKE(GP_GIVEN)
    local State room[GP_LINES * GP_GROUP];
    local uint last;
    const uint id = (uint)get_local_id(0), lane = id & (lanes - 1);
    const uint part = (uint)get_group_id(1), parts = (uint)get_num_groups(1);
    const ulong g = get_group_id(0) / groups, group = get_group_id(0) - g * groups;
    const ulong line = (group * (GP_GROUP / lanes) + id / lanes) * GP_LINES;
    x += x_offset + g * x_batch_stride;
    y += y_offset + g * y_batch_stride;
#ifdef GP_ANYWHERE
    const ulong skipped = group == 0 ? GP_ELEMENTS : 0;
    const ulong vectors = k / GP_ELEMENTS - (group == 0) - (group == groups - 1);
    const bool aligned = y_stride == 1 && GP_HEAD(y) == 0;
#else
    const uint head = GP_HEAD(x);
    const ulong skipped = head != 0 ? min((ulong)(GP_ELEMENTS - head), k) : 0; // before the first whole vector
    const ulong vectors = (k - skipped) / GP_ELEMENTS;
    const bool aligned = GP_ELEMENTS > 1 && y_stride == 1 && GP_HEAD(y + skipped) == 0;
#endif
    const ulong begin = min(part * share, vectors), end = min(begin + share, vectors);
    global const Stored *row[GP_LINES];
    Value sum[GP_LINES];
#pragma unroll
    for (uint r = 0; r < GP_LINES; ++r) {
        row[r] = x + min(line + r, lines - 1) * line_stride;
        sum[r] = GP_ZERO;
    }
    global const Stored *factors = y + skipped * y_stride;
    for (ulong first = begin; first < end; first += lanes * GP_LOADS) {
        Value ys[GP_LOADS * GP_ELEMENTS], xs[GP_LINES * GP_LOADS * GP_ELEMENTS];
        const bool whole = first + lanes * GP_LOADS <= end;
#pragma unroll
        for (uint l = 0; l < GP_LOADS; ++l) {
            const ulong at = min(first + l * lanes + lane, end - 1) * GP_ELEMENTS;
            if (aligned) {
                read_elements(factors + at, ys + l * GP_ELEMENTS);
            } else {
#pragma unroll
                for (uint j = 0; j < GP_ELEMENTS; ++j) ys[l * GP_ELEMENTS + j] = load(factors, (at + j) * y_stride);
            }
#pragma unroll
            for (uint r = 0; r < GP_LINES; ++r) GP_READ(row[r] + skipped + at, xs + (r * GP_LOADS + l) * GP_ELEMENTS);
        }
#pragma unroll
        for (uint l = 0; l < GP_LOADS; ++l) {
            const bool valid = whole || first + l * lanes + lane < end;
#pragma unroll
            for (uint r = 0; r < GP_LINES; ++r) {
                Value with = sum[r];
#pragma unroll
                for (uint j = 0; j < GP_ELEMENTS; ++j)
                    with = accumulate(with, xs[(r * GP_LOADS + l) * GP_ELEMENTS + j], ys[l * GP_ELEMENTS + j]);
                sum[r] = valid ? with : sum[r];
            }
        }
    }
    if (part == 0) {
        const ulong rest = k - vectors * GP_ELEMENTS;
        for (ulong i = lane; i < rest; i += lanes) {
            const ulong p = i < skipped ? i : i + vectors * GP_ELEMENTS;
            const Value factor = load(y, p * y_stride);
#pragma unroll
            for (uint r = 0; r < GP_LINES; ++r) sum[r] = accumulate(sum[r], load(row[r], p), factor);
        }
    }
#pragma unroll
    for (uint r = 0; r < GP_LINES; ++r) sum[r] = gp_join_lanes(sum[r], lanes, room + r * GP_GROUP);
    if (parts > 1) {
        sums += sums_offset + (g * lines + line) * parts;
#pragma unroll
        for (uint r = 0; r < GP_LINES; ++r)
            if (lane == 0 && line + r < lines) GP_PUBLISH(sums + r * parts + part, sum[r]);
        if (!gp_is_last(ended + ended_offset + get_group_id(0), parts, &last)) return;
#pragma unroll
        for (uint r = 0; r < GP_LINES; ++r) {
            sum[r] = GP_ZERO;
            if (line + r < lines)
                for (uint s = lane; s < parts; s += lanes) sum[r] = plus(sum[r], GP_LOOK(sums + r * parts + s));
            sum[r] = gp_join_lanes(sum[r], lanes, room + r * GP_GROUP);
        }
    }
#pragma unroll
    for (uint r = 0; r < GP_LINES; ++r)
        if (lane == 0 && line + r < lines)
            finish(c, c_offset + g * c_batch_stride + (line + r) * c_stride, 1, sum[r], (V)(GP_FACTOR(Value, alpha)),
                   (V)(GP_FACTOR(Value, beta)), reads_c GP_FINISH_AT(g, GP_C_ROW(line + r), GP_C_COLUMN(line + r)));
}

// c = alpha * X * y + beta * c in a semiring: a matrix times a vector, at the speed of memory.
//
// A work-group takes GP_GROUP / lanes blocks of lines of X; `lanes` work-items share each block
// along k and add up in local memory. Neighbours read neighbours: where X lies along k a block is
// one line, of which the work-items take GP_VECTORS vectors each in turns; where X lies along its
// lines, a block is GP_VECTORS vectors of lines.
//
// Macros: those of semiring.cl; GP_GROUP, work-items of a work-group; GP_VECTORS; GP_ALONG_K, where
//         X lies along k; GP_C_IS_ROW, where C has one row instead of one column
// Launch: one dimension, work-groups of GP_GROUP: batch * slices * ceil(blocks / (GP_GROUP / lanes
//         * turns))
// Source: Bell and Garland, "Implementing Sparse Matrix-Vector Multiplication on
//         Throughput-Oriented Processors", 2009
// SPDX-License-Identifier: MIT
#include "common/semiring.cl"
#if !defined(GP_GROUP) || !defined(GP_VECTORS)
#error "GP_GROUP and GP_VECTORS must be defined"
#endif
#include "matmul/c_of_line.cl"
#include "matmul/split_k.cl"

// Elements `at`, at + stride ... as a vector: `count` of them, `fill` behind.
V load_some(global const Stored *from, ulong at, ulong stride, ulong count, Value fill) {
    if (stride == 1 && count >= GP_WIDTH) return load_vector(from, at);
    Value x[GP_WIDTH];
    for (uint i = 0; i < GP_WIDTH; ++i) x[i] = i < count ? load(from, at + i * stride) : fill;
    return GP_READ(0, x);
}

// The sum of a vector's elements as the first of the result.
V add_elements(V sum) {
    Value x[2 * GP_WIDTH];
    GP_WRITE(GP_ZERO, 1, x);
    for (uint half_width = GP_WIDTH / 2; half_width > 0; half_width /= 2) {
        GP_WRITE(sum, 0, x);
        sum = plus(sum, GP_READ(0, x + half_width));
    }
    return sum;
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
matmul_vector(global const Stored *x, ulong x_offset, ulong line_stride, ulong k_stride, ulong x_batch_stride,
              global const Stored *y, ulong y_offset, ulong y_stride, ulong y_batch_stride, global Result *c,
              ulong c_offset, ulong c_stride, ulong c_batch_stride, global Value *partial, ulong partial_offset,
              ulong lines, ulong k, ulong slices, ulong lanes, ulong turns, Value alpha, Value beta,
              uint reads_c GP_FINISH_PARAMETERS) {
#if GP_GROUP > 1
    local V sums[GP_GROUP * GP_VECTORS];
#endif
#ifdef GP_ALONG_K
    const uint of_block = 1;
    const ulong lane = get_local_id(0) % lanes, place = get_local_id(0) / lanes;
#else
    const uint of_block = GP_VECTORS * GP_WIDTH;
    const ulong lane = get_local_id(0) / (GP_GROUP / lanes), place = get_local_id(0) % (GP_GROUP / lanes);
#endif
    const ulong across = GP_GROUP / lanes * turns; // blocks of a work-group
    const ulong groups = (lines + across * of_block - 1) / (across * of_block);
    // A remainder beside a quotient makes compilers "freeze" operands, which Oclgrind does not
    // know.
    const ulong part = get_group_id(0) / groups, g = part / slices, slice = part - g * slices;
    const ulong begin = slice_begin(slice, slices, k, GP_VECTORS * GP_WIDTH);
    const ulong end = slice_begin(slice + 1, slices, k, GP_VECTORS * GP_WIDTH);
    x += x_offset + g * x_batch_stride;
    y += y_offset + g * y_batch_stride;
    for (ulong turn = 0; turn < turns; ++turn) {
        const ulong block = (get_group_id(0) - part * groups) * across + turn * (GP_GROUP / lanes) + place;
        const ulong line = block * of_block;
        V sum[GP_VECTORS];
        for (uint v = 0; v < GP_VECTORS; ++v) sum[v] = GP_ZERO;
        if (line < lines) {
#ifdef GP_ALONG_K
            for (ulong p = begin; p < end; p += lanes * (GP_VECTORS * GP_WIDTH)) {
                if (y_stride == 1 && p + lanes * (GP_VECTORS * GP_WIDTH) <= end) {
#pragma unroll
                    for (uint v = 0; v < GP_VECTORS; ++v) {
                        const ulong at = p + (v * lanes + lane) * GP_WIDTH;
                        sum[v] = accumulate(sum[v], load_vector(x, line * line_stride + at), load_vector(y, at));
                    }
                    continue;
                }
                for (uint v = 0; v < GP_VECTORS; ++v) {
                    const ulong at = p + (v * lanes + lane) * GP_WIDTH;
                    if (at >= end) break;
                    // What is behind the end adds nothing: zero times anything.
                    Value zero[GP_WIDTH];
                    GP_WRITE(GP_ZERO, 0, zero);
                    sum[v] = accumulate_some(sum[v], load_some(x, line * line_stride + at, 1, end - at, zero[0]),
                                             load_some(y, at * y_stride, y_stride, end - at, (Value)0), end - at);
                }
            }
            for (uint v = 1; v < GP_VECTORS; ++v) sum[0] = plus(sum[0], sum[v]);
#else
            if (line_stride == 1 && line + of_block <= lines) {
#pragma unroll 4
                for (ulong p = begin + lane; p < end; p += lanes) {
                    const V factor = (V)(load(y, p * y_stride));
#pragma unroll
                    for (uint v = 0; v < GP_VECTORS; ++v)
                        sum[v] = accumulate(sum[v], load_vector(x, line + v * GP_WIDTH + p * k_stride), factor);
                }
            } else {
                for (ulong p = begin + lane; p < end; p += lanes)
                    for (uint v = 0; v < GP_VECTORS && line + v * GP_WIDTH < lines; ++v)
                        sum[v] = accumulate(sum[v],
                                            load_some(x, (line + v * GP_WIDTH) * line_stride + p * k_stride,
                                                      line_stride, lines - line - v * GP_WIDTH, (Value)0),
                                            (V)(load(y, p * y_stride)));
            }
#endif
        }
#ifdef GP_ALONG_K
        const uint used = 1;
#else
        const uint used = GP_VECTORS;
#endif
#if GP_GROUP > 1
        for (ulong half_lanes = lanes / 2; half_lanes > 0; half_lanes /= 2) {
            for (uint v = 0; v < used; ++v) sums[get_local_id(0) * GP_VECTORS + v] = sum[v];
            barrier(CLK_LOCAL_MEM_FENCE);
#ifdef GP_ALONG_K
            const ulong other = get_local_id(0) + half_lanes;
#else
            const ulong other = get_local_id(0) + half_lanes * (GP_GROUP / lanes);
#endif
            if (lane < half_lanes)
                for (uint v = 0; v < used; ++v) sum[v] = plus(sum[v], sums[other * GP_VECTORS + v]);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
#endif
        if (lane > 0 || line >= lines) continue;
#ifdef GP_ALONG_K
        sum[0] = add_elements(sum[0]);
#endif
        Value results[(GP_VECTORS + 1) * GP_WIDTH]; // read a vector at a time, from any element on
        for (uint v = 0; v < used; ++v) GP_WRITE(sum[v], v, results);
        const uint count = (uint)min((ulong)of_block, lines - line);
        for (uint i = 0; i < count; ++i) {
            if (slices > 1)
                partial[partial_offset + part * lines + line + i] = results[i];
            else
                finish(c, c_offset + g * c_batch_stride + (line + i) * c_stride, 1, GP_READ(0, results + i),
                       GP_FACTOR(V, (V)(alpha)), GP_FACTOR(V, (V)(beta)),
                       reads_c GP_FINISH_AT(g, GP_C_ROW(line + i), GP_C_COLUMN(line + i)));
        }
    }
}

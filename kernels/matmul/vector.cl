// c = alpha * X * y + beta * c in a semiring: a matrix times a vector, at the speed of memory.
//
// A work-group takes GROUP / lanes blocks of lines of X; `lanes` work-items share each block along k and add up in local
// memory. Neighbours read neighbours: where X lies along k a block is one line, of which the work-items take VECTORS vectors
// each in turns; where X lies along its lines, a block is VECTORS vectors of lines.
//
// Macros: those of semiring.cl; GROUP, work-items of a work-group; VECTORS; ALONG_K, where X lies along k
// Launch: one dimension, work-groups of GROUP: batch * slices * ceil(blocks / (GROUP / lanes * turns))
// Source: Bell and Garland, "Implementing Sparse Matrix-Vector Multiplication on Throughput-Oriented Processors", 2009
// SPDX-License-Identifier: MIT
#include "common/semiring.cl"
#if !defined(GROUP) || !defined(VECTORS)
#error "GROUP and VECTORS must be defined"
#endif
#include "matmul/split_k.cl"

// Elements `at`, at + stride ... as a vector: `count` of them, `fill` behind.
V load_some(global const STORED *from, ulong at, ulong stride, ulong count, VALUE fill) {
    if (stride == 1 && count >= WIDTH) return load_vector(from, at);
    VALUE x[WIDTH];
    for (uint i = 0; i < WIDTH; ++i) x[i] = i < count ? load(from, at + i * stride) : fill;
    return READ(0, x);
}

// The sum of a vector's elements as the first of the result.
V add_elements(V sum) {
    VALUE x[2 * WIDTH];
    WRITE(ZERO, 1, x);
    for (uint half_width = WIDTH / 2; half_width > 0; half_width /= 2) {
        WRITE(sum, 0, x);
        sum = plus(sum, READ(0, x + half_width));
    }
    return sum;
}

__attribute__((reqd_work_group_size(GROUP, 1, 1))) kernel void
matmul_vector(global const STORED *x, ulong x_offset, ulong line_stride, ulong k_stride, ulong x_batch_stride,
              global const STORED *y, ulong y_offset, ulong y_stride, ulong y_batch_stride, global STORED *c,
              ulong c_offset, ulong c_stride, ulong c_batch_stride, global VALUE *partial, ulong partial_offset,
              ulong lines, ulong k, ulong slices, ulong lanes, ulong turns, VALUE alpha, VALUE beta, uint reads_c) {
#if GROUP > 1
    local V sums[GROUP * VECTORS];
#endif
#ifdef ALONG_K
    const uint of_block = 1;
    const ulong lane = get_local_id(0) % lanes, place = get_local_id(0) / lanes;
#else
    const uint of_block = VECTORS * WIDTH;
    const ulong lane = get_local_id(0) / (GROUP / lanes), place = get_local_id(0) % (GROUP / lanes);
#endif
    const ulong across = GROUP / lanes * turns; // blocks of a work-group
    const ulong groups = (lines + across * of_block - 1) / (across * of_block);
    // No remainder beside a quotient: compilers "freeze" its operands, which Oclgrind does not know.
    const ulong part = get_group_id(0) / groups, g = part / slices, slice = part - g * slices;
    const ulong begin = slice_begin(slice, slices, k, VECTORS * WIDTH);
    const ulong end = slice_begin(slice + 1, slices, k, VECTORS * WIDTH);
    x += x_offset + g * x_batch_stride;
    y += y_offset + g * y_batch_stride;
    for (ulong turn = 0; turn < turns; ++turn) {
        const ulong block = (get_group_id(0) - part * groups) * across + turn * (GROUP / lanes) + place;
        const ulong line = block * of_block;
        V sum[VECTORS];
        for (uint v = 0; v < VECTORS; ++v) sum[v] = ZERO;
        if (line < lines) {
#ifdef ALONG_K
            for (ulong p = begin; p < end; p += lanes * (VECTORS * WIDTH)) {
                if (y_stride == 1 && p + lanes * (VECTORS * WIDTH) <= end) {
#pragma unroll
                    for (uint v = 0; v < VECTORS; ++v) {
                        const ulong at = p + (v * lanes + lane) * WIDTH;
                        sum[v] = accumulate(sum[v], load_vector(x, line * line_stride + at), load_vector(y, at));
                    }
                    continue;
                }
                for (uint v = 0; v < VECTORS; ++v) {
                    const ulong at = p + (v * lanes + lane) * WIDTH;
                    if (at >= end) break;
                    // What is behind the end adds nothing: zero times anything.
                    VALUE zero[WIDTH];
                    WRITE(ZERO, 0, zero);
                    sum[v] = accumulate(sum[v], load_some(x, line * line_stride + at, 1, end - at, zero[0]),
                                        load_some(y, at * y_stride, y_stride, end - at, (VALUE)0));
                }
            }
            for (uint v = 1; v < VECTORS; ++v) sum[0] = plus(sum[0], sum[v]);
#else
            if (line_stride == 1 && line + of_block <= lines) {
#pragma unroll 4
                for (ulong p = begin + lane; p < end; p += lanes) {
                    const V factor = (V)(load(y, p * y_stride));
#pragma unroll
                    for (uint v = 0; v < VECTORS; ++v)
                        sum[v] = accumulate(sum[v], load_vector(x, line + v * WIDTH + p * k_stride), factor);
                }
            } else {
                for (ulong p = begin + lane; p < end; p += lanes)
                    for (uint v = 0; v < VECTORS && line + v * WIDTH < lines; ++v)
                        sum[v] = accumulate(sum[v],
                                            load_some(x, (line + v * WIDTH) * line_stride + p * k_stride, line_stride,
                                                      lines - line - v * WIDTH, (VALUE)0),
                                            (V)(load(y, p * y_stride)));
            }
#endif
        }
#ifdef ALONG_K
        const uint used = 1;
#else
        const uint used = VECTORS;
#endif
#if GROUP > 1
        for (ulong half_lanes = lanes / 2; half_lanes > 0; half_lanes /= 2) {
            for (uint v = 0; v < used; ++v) sums[get_local_id(0) * VECTORS + v] = sum[v];
            barrier(CLK_LOCAL_MEM_FENCE);
#ifdef ALONG_K
            const ulong other = get_local_id(0) + half_lanes;
#else
            const ulong other = get_local_id(0) + half_lanes * (GROUP / lanes);
#endif
            if (lane < half_lanes)
                for (uint v = 0; v < used; ++v) sum[v] = plus(sum[v], sums[other * VECTORS + v]);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
#endif
        if (lane > 0 || line >= lines) continue;
#ifdef ALONG_K
        sum[0] = add_elements(sum[0]);
#endif
        VALUE results[(VECTORS + 1) * WIDTH]; // read a vector at a time, from any element on
        for (uint v = 0; v < used; ++v) WRITE(sum[v], v, results);
        const uint count = (uint)min((ulong)of_block, lines - line);
        for (uint i = 0; i < count; ++i) {
            if (slices > 1)
                partial[partial_offset + part * lines + line + i] = results[i];
            else
                finish(c, c_offset + g * c_batch_stride + (line + i) * c_stride, 1, READ(0, results + i),
                       FACTOR(V, (V)(alpha)), FACTOR(V, (V)(beta)), reads_c);
        }
    }
}

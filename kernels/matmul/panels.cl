// C = alpha * A * B + beta * C in a semiring, for CPUs: A and B are packed into panels, then each work-item computes a
// block of C tile by tile, the sums of a tile in vector registers.
//
// Macros: those of semiring.cl; MR and NV: a tile is MR rows of NV vectors of WIDTH columns
// Launch: one dimension, work-groups of 1. pack_a, pack_b: matrices * panels * parts of k; matmul_panels: matrices *
//         blocks down * blocks across
// Source: Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008; tiles as in BLIS
// SPDX-License-Identifier: MIT
#include "common/semiring.cl"

#ifndef MR
#error "MR is not defined"
#endif
#ifndef NV
#error "NV is not defined"
#endif

#define NR (NV * WIDTH)
#define COLUMNS 16 // packed at a time: a cache line of each row

// Packs `part` columns of one panel of `size` rows. Element (i, p) of the matrix is x[i * row_stride + p * column_stride];
// it becomes panel[p * size + i % size]. Rows past the last become 0.
void pack(global const STORED *x, ulong row_stride, ulong column_stride, ulong batch_stride, ulong rows, ulong k,
          ulong part, global VALUE *packed, const uint size) {
    const ulong parts = (k + part - 1) / part;
    const ulong panels = (rows + size - 1) / size;
    // No remainder beside a quotient: compilers "freeze" its operands, which Oclgrind does not know.
    const ulong panel = get_global_id(0) / parts; // of all matrices
    const ulong matrix = panel / panels;
    const ulong first = (panel - matrix * panels) * size;
    const uint here = (uint)min((ulong)size, rows - first);
    const ulong begin = (get_global_id(0) - panel * parts) * part;
    const ulong end = min(k, begin + part);
    x += matrix * batch_stride + first * row_stride;
    packed += panel * size * k;
    ulong p = begin;
    if (here < size) {
        for (; p < end; ++p)
            for (uint i = 0; i < size; ++i)
                packed[p * size + i] = i < here ? load(x, i * row_stride + p * column_stride) : (VALUE)0;
    } else if (row_stride == 1) {
        for (; p < end; ++p)
            for (uint i = 0; i < size; ++i) packed[p * size + i] = load(x, p * column_stride + i);
    } else {
        for (; p + COLUMNS <= end; p += COLUMNS)
            for (uint i = 0; i < size; ++i)
                for (uint q = 0; q < COLUMNS; ++q)
                    packed[(p + q) * size + i] = load(x, i * row_stride + (p + q) * column_stride);
        for (; p < end; ++p)
            for (uint i = 0; i < size; ++i) packed[p * size + i] = load(x, i * row_stride + p * column_stride);
    }
}

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void pack_a(global const STORED *x, ulong x_offset,
                                                                  ulong row_stride, ulong column_stride,
                                                                  ulong batch_stride, ulong rows, ulong k, ulong part,
                                                                  global VALUE *packed, ulong packed_offset) {
    pack(x + x_offset, row_stride, column_stride, batch_stride, rows, k, part, packed + packed_offset, MR);
}

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void pack_b(global const STORED *x, ulong x_offset,
                                                                  ulong row_stride, ulong column_stride,
                                                                  ulong batch_stride, ulong rows, ulong k, ulong part,
                                                                  global VALUE *packed, ulong packed_offset) {
    pack(x + x_offset, row_stride, column_stride, batch_stride, rows, k, part, packed + packed_offset, NR);
}

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
matmul_panels(global const VALUE *a, ulong a_offset, ulong a_batch_stride, global const VALUE *b, ulong b_offset,
              ulong b_batch_stride, global STORED *c, ulong c_offset, ulong c_row_stride, ulong c_batch_stride, ulong m,
              ulong n, ulong k, ulong block_rows, ulong block_columns, VALUE alpha, VALUE beta, uint reads_c) {
    block_rows *= MR; // from tiles to elements
    block_columns *= NR;
    const ulong down = (m + block_rows - 1) / block_rows;
    const ulong across = (n + block_columns - 1) / block_columns;
    const ulong block_row = get_global_id(0) / across; // of all matrices
    const ulong g = block_row / down;
    const ulong row_begin = (block_row - g * down) * block_rows;
    const ulong row_end = min(m, row_begin + block_rows);
    const ulong column_begin = (get_global_id(0) - block_row * across) * block_columns;
    const ulong column_end = min(n, column_begin + block_columns);
    a += a_offset + g * a_batch_stride;
    b += b_offset + g * b_batch_stride;
    c += c_offset + g * c_batch_stride;
    const V va = FACTOR(V, (V)(alpha));
    const V vb = FACTOR(V, (V)(beta));
    for (ulong j = column_begin; j < column_end; j += NR) {
        for (ulong i = row_begin; i < row_end; i += MR) {
            V sum[MR][NV];
#pragma unroll
            for (uint r = 0; r < MR; ++r)
#pragma unroll
                for (uint v = 0; v < NV; ++v) sum[r][v] = ZERO;
            global const VALUE *x = a + i * k;
            global const VALUE *y = b + j * k;
            for (ulong p = 0; p < k; ++p) {
                V row[NV];
#pragma unroll
                for (uint v = 0; v < NV; ++v) row[v] = READ(v, y);
#pragma unroll
                for (uint r = 0; r < MR; ++r) {
                    const V column = (V)(x[r]);
#pragma unroll
                    for (uint v = 0; v < NV; ++v) sum[r][v] = accumulate(sum[r][v], column, row[v]);
                }
                x += MR;
                y += NR;
            }
            // Through memory, so that there is but one copy of the code that finishes an element.
            VALUE tile[MR * NR];
#pragma unroll
            for (uint r = 0; r < MR; ++r)
#pragma unroll
                for (uint v = 0; v < NV; ++v) WRITE(sum[r][v], r * NV + v, tile);
            const uint rows = (uint)min((ulong)MR, m - i);
            const uint columns = (uint)min((ulong)NR, n - j);
            for (uint r = 0; r < rows; ++r)
                for (uint q = 0; q < columns; q += WIDTH)
                    finish(c, (i + r) * c_row_stride + j + q, columns - q, READ(0, tile + r * NR + q), va, vb, reads_c);
        }
    }
}

// C = alpha * A * B + beta * C in a semiring, for CPUs: A and B are packed into panels, then each
// work-item computes a block of C tile by tile, the sums of a tile in vector registers.
//
// Macros: those of semiring.cl; GP_MR and GP_NV: a tile is GP_MR rows of GP_NV vectors of GP_WIDTH
//         columns
// Launch: one dimension, work-groups of 1. pack_a, pack_b: matrices * panels * parts of k;
//         matmul_panels: matrices * blocks down * blocks across
// Source: Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008; tiles
//         as in BLIS
// SPDX-License-Identifier: MIT
#include "common/semiring.cl"

#ifndef GP_MR
#error "GP_MR is not defined"
#endif
#ifndef GP_NV
#error "GP_NV is not defined"
#endif

#define GP_NR (GP_NV * GP_WIDTH)
#define GP_COLUMNS 16 // packed at a time: a cache line of each row

// Packs `part` columns of one panel of `size` rows; `part` divides `depth`. Element (i, p) of the
// matrix is x[i * row_stride + p * column_stride]. Each `depth` columns of all panels stand
// together, panel after panel, and an element at p * size + i % size in the panel's share. Rows
// past the last become 0.
void pack(global const Stored *x, ulong row_stride, ulong column_stride, ulong batch_stride, ulong rows, ulong k,
          ulong depth, ulong part, global Value *packed, const uint size) {
    const ulong parts = (k + part - 1) / part;
    const ulong panels = (rows + size - 1) / size;
    // Neighbours take neighbouring panels of the same columns. No remainder beside a quotient:
    // compilers "freeze" its operands, which Oclgrind does not know.
    const ulong all = get_global_id(0) / panels;
    const ulong panel = get_global_id(0) - all * panels;
    const ulong matrix = all / parts;
    const ulong begin = (all - matrix * parts) * part;
    const ulong end = min(k, begin + part);
    const ulong deep = begin / depth * depth;
    const ulong first = panel * size;
    const uint here = (uint)min((ulong)size, rows - first);
    x += matrix * batch_stride + first * row_stride;
    packed += matrix * panels * size * k + deep * panels * size + first * min(depth, k - deep) - deep * size;
    ulong p = begin;
    if (here < size) {
        for (; p < end; ++p)
            for (uint i = 0; i < size; ++i)
                packed[p * size + i] = i < here ? load(x, i * row_stride + p * column_stride) : (Value)0;
    } else if (row_stride == 1) {
        for (; p < end; ++p)
            for (uint i = 0; i < size; ++i) packed[p * size + i] = load(x, p * column_stride + i);
    } else {
        for (; p + GP_COLUMNS <= end; p += GP_COLUMNS)
            for (uint i = 0; i < size; ++i)
                for (uint q = 0; q < GP_COLUMNS; ++q)
                    packed[(p + q) * size + i] = load(x, i * row_stride + (p + q) * column_stride);
        for (; p < end; ++p)
            for (uint i = 0; i < size; ++i) packed[p * size + i] = load(x, i * row_stride + p * column_stride);
    }
}

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
pack_a(global const Stored *x, ulong x_offset, ulong row_stride, ulong column_stride, ulong batch_stride, ulong rows,
       ulong k, ulong depth, ulong part, global Value *packed, ulong packed_offset) {
    pack(x + x_offset, row_stride, column_stride, batch_stride, rows, k, depth, part, packed + packed_offset, GP_MR);
}

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
pack_b(global const Stored *x, ulong x_offset, ulong row_stride, ulong column_stride, ulong batch_stride, ulong rows,
       ulong k, ulong depth, ulong part, global Value *packed, ulong packed_offset) {
    pack(x + x_offset, row_stride, column_stride, batch_stride, rows, k, depth, part, packed + packed_offset, GP_NR);
}

// Adds to a tile of sums, whose rows are `line` apart, what a panel of A and one of B give over
// `depth` > 0 of k.
#if GP_SEMIRING == GP_SEMIRING_TEXT
// The caller's text takes an element at a time. Compilers make vectors of a loop over columns, but
// hardly of elements of vectors.
#define GP_TERM_OF(p) s = gp_plus_text(s, GP_TIMES_TEXT(x[(p)*GP_MR + r], y[(p)*GP_NR + q]))
#ifdef GP_REVERSED
#define GP_TIMES_TEXT(a, b) gp_times_text(b, a)
#else
#define GP_TIMES_TEXT(a, b) gp_times_text(a, b)
#endif
void multiply(local Value *restrict sums, const uint line, global const Value *restrict x,
              global const Value *restrict y, ulong depth) {
    for (; depth >= 4; depth -= 4, x += 4 * GP_MR, y += 4 * GP_NR) {
        for (uint r = 0; r < GP_MR; ++r) {
            local Value *restrict to = sums + r * line;
            for (uint q = 0; q < GP_NR; ++q) {
                Value s = to[q];
                GP_TERM_OF(0);
                GP_TERM_OF(1);
                GP_TERM_OF(2);
                GP_TERM_OF(3);
                to[q] = s;
            }
        }
    }
    for (; depth > 0; --depth, x += GP_MR, y += GP_NR) {
        for (uint r = 0; r < GP_MR; ++r) {
            local Value *restrict to = sums + r * line;
            for (uint q = 0; q < GP_NR; ++q) {
                Value s = to[q];
                GP_TERM_OF(0);
                to[q] = s;
            }
        }
    }
}
#else
void multiply(local Value *sums, const uint line, global const Value *x, global const Value *y, ulong depth) {
    V sum[GP_MR][GP_NV];
#pragma unroll
    for (uint r = 0; r < GP_MR; ++r)
#pragma unroll
        for (uint v = 0; v < GP_NV; ++v) sum[r][v] = GP_READ(v, sums + r * line);
    do {
        V row[GP_NV];
#pragma unroll
        for (uint v = 0; v < GP_NV; ++v) row[v] = GP_READ(v, y);
#pragma unroll
        for (uint r = 0; r < GP_MR; ++r) {
            const V column = (V)(x[r]);
#pragma unroll
            for (uint v = 0; v < GP_NV; ++v) sum[r][v] = accumulate(sum[r][v], column, row[v]);
        }
        x += GP_MR;
        y += GP_NR;
    } while (--depth > 0);
#pragma unroll
    for (uint r = 0; r < GP_MR; ++r)
#pragma unroll
        for (uint v = 0; v < GP_NV; ++v) GP_WRITE(sum[r][v], v, sums + r * line);
}
#endif

// `depth` of k at a time, so that the part of a panel of B stays in the first cache while the
// block's panels of A, which stay in the second, go by.
__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
matmul_panels(global const Value *a, ulong a_offset, ulong a_batch_stride, global const Value *b, ulong b_offset,
              ulong b_batch_stride, global Result *c, ulong c_offset, ulong c_row_stride, ulong c_batch_stride, ulong m,
              ulong n, ulong k, ulong depth, ulong block_rows, ulong block_columns, Value alpha, Value beta,
              uint reads_c GP_FINISH_PARAMETERS, local Value *sums) {
    block_rows *= GP_MR; // from tiles to elements
    block_columns *= GP_NR;
    const ulong down = (m + block_rows - 1) / block_rows;
    const ulong across = (n + block_columns - 1) / block_columns;
    const ulong block_row = get_global_id(0) / across; // of all matrices
    const ulong g = block_row / down;
    const ulong i0 = (block_row - g * down) * block_rows;
    const ulong j0 = (get_global_id(0) - block_row * across) * block_columns;
    const uint rows = (uint)min(m - i0, block_rows);
    const uint columns = (uint)min(n - j0, block_columns);
    const uint line = (uint)block_columns;
    const ulong all_rows = (m + GP_MR - 1) / GP_MR * GP_MR, all_columns = (n + GP_NR - 1) / GP_NR * GP_NR;
    a += a_offset + g * a_batch_stride;
    b += b_offset + g * b_batch_stride;
    c += c_offset + g * c_batch_stride + i0 * c_row_stride + j0;
    for (uint i = 0; i < rows; i += GP_MR)
        for (uint j = 0; j < columns; j += GP_NR)
            for (uint r = 0; r < GP_MR; ++r)
#pragma unroll
                for (uint v = 0; v < GP_NV; ++v) GP_WRITE(GP_ZERO, v, sums + (i + r) * line + j);
    for (ulong p = 0; p < k; p += depth) {
        const ulong now = min(depth, k - p);
        global const Value *x = a + p * all_rows + i0 * now, *y = b + p * all_columns + j0 * now;
        for (uint j = 0; j < columns; j += GP_NR)
            for (uint i = 0; i < rows; i += GP_MR) multiply(sums + i * line + j, line, x + i * now, y + j * now, now);
    }
    const V va = GP_FACTOR(V, (V)(alpha));
    const V vb = GP_FACTOR(V, (V)(beta));
    for (uint i = 0; i < rows; ++i)
        for (uint j = 0; j < columns; j += GP_WIDTH)
            finish(c, i * c_row_stride + j, columns - j, GP_READ(0, sums + i * line + j), va, vb,
                   reads_c GP_FINISH_AT(g, i0 + i, j0 + j));
}

// The matrices of a product as they lie, for kernels that take them so.
//
// Macros: those of semiring.cl, which comes before this
// Gives: GP_MATRICES, the first parameters of a kernel; GP_OF_MATRICES, the first of the numbers
//        that it is given: element (i, j) of a matrix of product g is x[x_offset + g *
//        x_batch_stride + i * x_row_stride + j * x_column_stride]; C is row-major
// SPDX-License-Identifier: MIT
#define GP_MATRICES global const Stored *a, global const Stored *b, global Result *c
#define GP_OF_MATRICES(X)                                                                                              \
    X(ulong, a_offset)                                                                                                 \
    X(ulong, a_row_stride)                                                                                             \
    X(ulong, a_column_stride)                                                                                          \
    X(ulong, a_batch_stride)                                                                                           \
    X(ulong, b_offset)                                                                                                 \
    X(ulong, b_row_stride)                                                                                             \
    X(ulong, b_column_stride)                                                                                          \
    X(ulong, b_batch_stride)                                                                                           \
    X(ulong, c_offset)                                                                                                 \
    X(ulong, c_row_stride)                                                                                             \
    X(ulong, c_batch_stride)                                                                                           \
    X(ulong, m)                                                                                                        \
    X(ulong, n)                                                                                                        \
    X(ulong, k)

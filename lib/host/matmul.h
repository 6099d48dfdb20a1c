// Matrix product on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include <gpcl/gpcl.h>

namespace gpcl::host {

// What an element x of C becomes before it is stored: activation(x + bias).
struct MatmulFinish {
    gp_activation activation;
    const void *bias; // elements of C's type; NULL: none
    bool bias_by_row; // else by column
    size_t bias_stride;
    const void *low, *high; // of GP_CLAMP, one element each of the type that is computed in
};

// C = alpha * op(A) * op(B) + beta * C, `batch` times. Element (i, j) of op(A) is a[i *
// a_row_stride + j * a_column_stride], likewise B; element (i, j) of C is c[i * ldc + j].
struct MatmulProblem {
    gp_dtype dtype;   // of A and B
    gp_dtype c_dtype; // of C and the bias
    gp_semiring semiring;
    size_t m, n, k;
    const void *a;
    size_t a_row_stride, a_column_stride;
    const void *b;
    size_t b_row_stride, b_column_stride;
    void *c;
    size_t ldc;
    const void *alpha,
        *beta; // one element each of the type that is computed in (float for float16 and bfloat16, int32 for int8 and uint8), never NULL
    bool beta_is_zero; // then C is not read
    size_t batch, stride_a, stride_b, stride_c;
    const MatmulFinish *finish = nullptr; // NULL: none
};

// By tiles in registers.
void matmul(const MatmulProblem &problem);

// By three nested loops.
void matmul_loop(const MatmulProblem &problem);

// Finishes the elements of C where they are; of types that are computed in as they are stored.
void finish_product(const MatmulProblem &problem);

} // namespace gpcl::host

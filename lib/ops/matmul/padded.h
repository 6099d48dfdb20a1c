// What the algorithms on padded matrices share: they compute on row-major copies whose sizes are
// multiples of a block's.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/size.h"
#include "ops/matmul/matmul.h"

#include <functional>

namespace gpcl::matmul {

// The side of the largest square work-group here, a power of two and at most `wanted`.
size_t square_group(const cl::Context &context, size_t wanted);

// Nothing if the request is a float32 product in that semiring, else why not.
Refusal refuses_but_float32(const Request &request, gp_semiring semiring);

// One product on padded copies: A is m x k, B is k x n, C is m x n, all row-major without gaps. C
// is to be written whole.
struct Padded {
    uint64_t m, n, k;
    cl::Operand a, b, c;
};

// Pads A and B with zeros to multiples of `down`, `across` and `deep`, calls `product`, and puts C
// back with alpha and beta; for each product of a batch.
void run_padded(cl::Task &task, const Request &request, size_t down, size_t across, size_t deep,
                const std::function<void(const Padded &)> &product);

// Memory for a float32 matrix without gaps, until the end of the task.
cl::Operand padded_matrix(cl::Task &task, uint64_t rows, uint64_t columns);

// Copies matrix number g of a batch, rows x columns, to `to`: padded_rows x padded_columns without
// gaps, `fill` around it.
void pad(cl::Task &task, const Request &request, const Matrix &from, uint64_t g, uint64_t rows, uint64_t columns,
         const cl::Operand &to, uint64_t padded_rows, uint64_t padded_columns, float fill);

} // namespace gpcl::matmul

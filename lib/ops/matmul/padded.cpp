// Padded copies of a product's matrices. Host side of kernels/matmul/pad.cl.
// SPDX-License-Identifier: MIT
#include "ops/matmul/padded.h"

namespace gpcl::matmul {
namespace {

// A range over columns and rows that covers both sizes.
cl::Range plane(const cl::Context &context, uint64_t rows, uint64_t columns) {
    const size_t side = square_group(context, 16);
    return cl::Range::groups({ceil_div<size_t>(columns, side), ceil_div<size_t>(rows, side), 1}, {side, side, 1});
}

// A range that is the sizes themselves, which the kernel takes its pitch from.
cl::Range exactly(uint64_t rows, uint64_t columns) { return {{columns, rows, 0}, {}, 2}; }

} // namespace

size_t square_group(const cl::Context &context, size_t wanted) {
    size_t side = wanted;
    while (side * side > context.info().work_group_size) side /= 2;
    return std::max(side, size_t{1});
}

Refusal refuses_but_float32(const Request &request, gp_semiring semiring) {
    if (request.dtype != GP_FLOAT32) return {"it computes float32 alone, not ", dtype(request.dtype).name};
    if (request.semiring != semiring)
        return {"it computes the ", semiring == GP_MIN_PLUS ? "min-plus" : "plus-times", " product alone"};
    return {};
}

cl::Operand padded_matrix(cl::Task &task, uint64_t rows, uint64_t columns) {
    return task.work_space(multiply(multiply(rows, columns, "a padded matrix"), sizeof(float), "a padded matrix"));
}

void pad(cl::Task &task, const Request &request, const Matrix &from, uint64_t g, uint64_t rows, uint64_t columns,
         const cl::Operand &to, uint64_t padded_rows, uint64_t padded_columns, float fill) {
    const auto program = task.program({"matmul/pad.cl", semiring_options(request, 1), request.preamble});
    task.launch(*program, "matmul_pad", exactly(padded_rows, padded_columns), from.data + g * from.batch_stride,
                from.row_stride, from.column_stride, rows, columns, fill, to);
}

void run_padded(cl::Task &task, const Request &request, size_t down, size_t across, size_t deep,
                const std::function<void(const Padded &)> &product) {
    Padded padded{};
    padded.m = round_up<uint64_t>(request.m, down);
    padded.n = round_up<uint64_t>(request.n, across);
    padded.k = std::max<uint64_t>(round_up<uint64_t>(request.k, deep), deep);
    padded.a = padded_matrix(task, padded.m, padded.k);
    padded.b = padded_matrix(task, padded.k, padded.n);
    padded.c = padded_matrix(task, padded.m, padded.n);
    const auto program = task.program({"matmul/pad.cl", semiring_options(request, 1), request.preamble});
    const Matrix &c = request.c;
    for (uint64_t g = 0; g < request.batch; ++g) {
        pad(task, request, request.a, g, request.m, request.k, padded.a, padded.m, padded.k, 0);
        pad(task, request, request.b, g, request.k, request.n, padded.b, padded.k, padded.n, 0);
        product(padded);
        request.with_scalars([&](auto alpha, auto beta) {
            task.launch(*program, "matmul_unpad", plane(task.context(), request.m, request.n), padded.c, padded.n,
                        c.data + g * c.batch_stride, c.row_stride, request.m, request.n, alpha, beta,
                        uint32_t{request.reads_c}, request.finish_arguments(alpha, g));
        });
    }
}

} // namespace gpcl::matmul

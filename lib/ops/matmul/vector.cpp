// Matrix times vector, and vector times matrix. Host side of kernels/matmul/vector.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/matmul/matmul.h"
#include "ops/matmul/split_k.h"

#include <bit>

namespace gpcl::matmul {
namespace {

// On a CPU a core works alone.
uint64_t group_of(const cl::Context &context) {
    return context.is_cpu() ? 1 : std::clamp<uint64_t>(std::bit_floor(context.info().work_group_size), 1, 256);
}

void run(cl::Task &task, const Request &request) {
    auto &context = task.context();
    // X is A where C is a column, else the transpose of B.
    const bool column = request.n == 1;
    const Matrix &x = column ? request.a : request.b, &y = column ? request.b : request.a, &c = request.c;
    const uint64_t lines = column ? request.m : request.n;
    const uint64_t line_stride = column ? x.row_stride : x.column_stride;
    const uint64_t k_stride = column ? x.column_stride : x.row_stride;
    const uint64_t y_stride = column ? y.row_stride : y.column_stride;
    const uint64_t c_stride = column ? c.row_stride : 1;
    const bool along_k = line_stride != 1 && k_stride == 1;

    // A core works alone, with vectors on whole cache lines; a GPU's work-items take an element
    // each, 8 on their way at a time.
    const bool cpu = context.is_cpu();
    const uint64_t group = group_of(context);
    const uint64_t width = cpu ? std::clamp<uint64_t>(std::bit_floor(context.info().vector_float), 4, 8) : 1;
    const uint64_t vectors = !along_k ? (cpu ? 8 : 1) : cpu && request.k < 128 ? 1 : 8;
    const uint64_t step = width * vectors;
    const uint64_t blocks = along_k ? lines : ceil_div(lines, step);

    // Along k, a line is shared by as many work-items as it has steps; across, a few warps share a
    // block.
    const uint64_t lanes =
        std::bit_floor(std::clamp<uint64_t>(along_k ? request.k / (4 * step) : group / 32, 1, group));
    constexpr uint64_t kElements = 1 << 14; // that are worth a work-item on a CPU
    const uint64_t turns =
        cpu ? std::clamp<uint64_t>(kElements / std::max<uint64_t>(request.k * (along_k ? 1 : step), 1), 1,
                                   std::max<uint64_t>(blocks / (uint64_t{8} * context.info().compute_units), 1))
            : 1;
    const uint64_t groups = ceil_div(blocks, group / lanes * turns);
    const Slices slices(task, request,
                        slices_of(context, multiply(groups, request.batch, "vector"), request.k, 4 * vectors * lanes),
                        1);

    std::string options =
        semiring_options(request, width, !column) + text(" -DGP_GROUP=", group, " -DGP_VECTORS=", vectors);
    if (along_k) options += " -DGP_ALONG_K";
    if (!column && request.finish) options += " -DGP_C_IS_ROW";
    const auto program = task.program({"matmul/vector.cl", options, request.preamble});
    request.with_scalars([&](auto alpha, auto beta) {
        task.launch(*program, "matmul_vector",
                    cl::Range::groups(multiply(groups * slices.count, request.batch, "vector"), group), x.data,
                    line_stride, k_stride, x.batch_stride, y.data, y_stride, y.batch_stride, c.data, c_stride,
                    c.batch_stride, slices.sums, lines, request.k, slices.count, lanes, turns, alpha, beta,
                    uint32_t{request.reads_c}, request.finish_arguments(alpha));
    });
    if (slices.count > 1) add_slices(task, *program, request, slices);
}

Refusal refuses(const cl::Context &, const Request &request) {
    return request.m == 1 || request.n == 1 ? Refusal{} : "neither matrix is a vector";
}

} // namespace

const Algorithm kVector = {{"vector", "a matrix times a vector, at the speed of memory",
                            "Bell and Garland, Implementing Sparse Matrix-Vector Multiplication, 2009", false,
                            Suits::kCpu},
                           refuses,
                           run};

} // namespace gpcl::matmul

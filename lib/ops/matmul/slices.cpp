// Products cut along k. Host side of kernels/matmul/slices.cl.
// SPDX-License-Identifier: MIT
#include "ops/matmul/slices.h"

#include "core/size.h"

namespace gpcl::matmul {

uint64_t slices_of(const cl::Context &context, uint64_t groups, uint64_t k, uint64_t least) {
    constexpr uint64_t kGroupsPerUnit = 4;
    constexpr uint64_t kMost = 256;
    const uint64_t wanted = context.info().compute_units * kGroupsPerUnit / std::max<uint64_t>(groups, 1);
    return std::clamp<uint64_t>(std::min(wanted, k / least), 1, kMost);
}

cl::Operand partial_sums(cl::Task &task, const Request &request, uint64_t slices) {
    const size_t size = value_size(request.dtype);
    if (slices <= 1) return task.work_space(size);
    const size_t sums = multiply(multiply(request.m, request.n, "sums"), request.batch, "sums");
    return task.work_space(multiply(multiply(sums, slices, "sums"), size, "sums"));
}

void add_slices(cl::Task &task, cl::Program &program, const Request &request, const cl::Operand &partial,
                uint64_t slices) {
    const size_t group = std::min<size_t>(task.context().info().work_group_size, 64);
    const Matrix &c = request.c;
    request.with_scalars([&](auto alpha, auto beta) {
        task.launch(program, "matmul_slices",
                    cl::Range::groups(ceil_div<size_t>(request.m * request.n * request.batch, group), group), partial,
                    slices, c.data, c.row_stride, c.batch_stride, request.m, request.n, request.batch, alpha, beta,
                    uint32_t{request.reads_c});
    });
}

} // namespace gpcl::matmul

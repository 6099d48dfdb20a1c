// Matrix product, one work-item an element. Host side of kernels/matmul/simple.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/matmul/matmul.h"

namespace gpcl::matmul {
namespace {

void run(cl::Task &task, const Request &request) {
    const Matrix &a = request.a, &b = request.b, &c = request.c;
    const auto program = task.context().program("matmul/simple.cl", semiring_options(request, 1));
    const uint64_t elements = multiply(multiply(request.m, request.n, "m * n"), request.batch, "m * n * batch");
    const size_t group = std::min<size_t>(task.context().info().work_group_size, 64);
    request.with_scalars([&](auto alpha, auto beta) {
        task.launch(*program, "matmul_simple", cl::Range::groups(ceil_div(elements, group), group), a.data,
                    a.row_stride, a.column_stride, a.batch_stride, b.data, b.row_stride, b.column_stride,
                    b.batch_stride, c.data, c.row_stride, c.batch_stride, request.m, request.n, request.k,
                    request.batch, alpha, beta, uint32_t{request.reads_c});
    });
}

std::string refuses(cl::Task &, const Request &) { return {}; }

} // namespace

const Algorithm kSimple = {
    {"simple", "one work-item an element of C; runs anywhere, slowly", "the definition", false}, refuses, run};

} // namespace gpcl::matmul

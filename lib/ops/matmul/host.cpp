// Matrix product on "host".
// SPDX-License-Identifier: MIT
#include "host/matmul.h"
#include "ops/matmul/matmul.h"

namespace gpcl::matmul {
namespace {

void run(cl::Task &task, const Request &request) {
    const Matrix &a = request.a, &b = request.b, &c = request.c;
    task.on_host(GP_KERNEL, "host matmul", [&] {
        request.with_scalars([&](auto alpha, auto beta) {
            host::MatmulProblem problem;
            problem.dtype = request.dtype;
            problem.semiring = request.semiring;
            problem.m = request.m;
            problem.n = request.n;
            problem.k = request.k;
            problem.a = a.data.host;
            problem.a_row_stride = a.row_stride;
            problem.a_column_stride = a.column_stride;
            problem.b = b.data.host;
            problem.b_row_stride = b.row_stride;
            problem.b_column_stride = b.column_stride;
            problem.c = c.data.host;
            problem.ldc = c.row_stride;
            problem.alpha = &alpha;
            problem.beta = &beta;
            problem.beta_is_zero = !request.reads_c;
            problem.batch = request.batch;
            problem.stride_a = a.batch_stride;
            problem.stride_b = b.batch_stride;
            problem.stride_c = c.batch_stride;
            host::matmul(problem);
        });
    });
}

std::string refuses(cl::Task &, const Request &) { return {}; }

} // namespace

const Algorithm kHost = {
    {"host", "CPU libraries and threads, without OpenCL", "CBLAS; loops over semirings", true}, refuses, run};

} // namespace gpcl::matmul

// Matrix product, one work-item an element, in a range of two dimensions or of one. Host side of
// kernels/matmul/naive.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/matmul/padded.h"

namespace gpcl::matmul {
namespace {

void launch(cl::Task &task, const Request &request, const char *kernel, const cl::Range &range) {
    const auto program = task.program({"matmul/naive.cl", semiring_options(request, 1), request.preamble});
    launch_on_matrices(task, *program, kernel, range, request, request.batch);
}

void run(cl::Task &task, const Request &request) {
    const size_t side = square_group(task.context(), 16);
    launch(task, request, "matmul_naive",
           cl::Range::groups({ceil_div<size_t>(request.n, side), ceil_div<size_t>(request.m, side), request.batch},
                             {side, side, 1}));
}

void run_1d(cl::Task &task, const Request &request) {
    const size_t elements = multiply(multiply(request.m, request.n, "m * n"), request.batch, "m * n * batch");
    const size_t group = std::min<size_t>(task.context().info().work_group_size, 64);
    launch(task, request, "matmul_naive_1d", cl::Range::groups(ceil_div(elements, group), group));
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kNaive = {{"naive", "one work-item an element of C, in a two-dimensional range",
                           "Gruber, GPGPU Computing with OpenCL, 2013, 3.2", false, Suits::kByName},
                          refuses,
                          run};

const Algorithm kNaive1d = {{"naive-1d",
                             "one work-item an element of C, in a one-dimensional range; runs anywhere, slowly",
                             "Gruber, GPGPU Computing with OpenCL, 2013, 3.6", false},
                            refuses,
                            run_1d};

} // namespace gpcl::matmul

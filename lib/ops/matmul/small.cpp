// Products of small matrices, one or many. Host side of kernels/matmul/small.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/matmul/matmul.h"

namespace gpcl::matmul {
namespace {

constexpr size_t kRows = 4, kWidth = 4; // of a work-item

// Beyond, tiles that are shared pay. Measured through PoCL, min-plus in batches, against panels:
// 5.7 times as fast at n = 4, 2.1 at 8, 1.25 at 16 and 24, 0.87 at 32. On an H200, in us, this and
// tiles by one warp each: 20000 products of float32 of 16 x 16 44.5, 50.7; 10000 of 24 x 24 57.7,
// 35.6; of float64 61.0, 59.9; 97.3, 47.3.
size_t most_side(const cl::Context &context, gp_dtype type) {
    return context.features().all(Feature::kMatrixUnits) && is_float(type) ? 16 : 24;
}

const Parameter kSide = {
    GP_MATMUL, "small", "most", "rows and columns up to which it is chosen", {8, 12, 16, 24, 32, 48, 64}, most_side};
constexpr std::array kParameters = {&kSide};

void run(cl::Task &task, const Request &request) {
    const auto program = task.program({"matmul/small.cl", semiring_options(request, kWidth), request.preamble});
    const size_t blocks =
        multiply(ceil_div<size_t>(request.m, kRows) * ceil_div<size_t>(request.n, kWidth), request.batch, "blocks");
    const size_t group = std::min<size_t>(task.context().info().work_group_size, 64);
    launch_on_matrices_with_struct(task, *program, "matmul_small", cl::Range::groups(ceil_div(blocks, group), group),
                                   request, request.batch);
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

bool fits(const cl::Context &context, const Request &request) {
    const size_t side = tuned(context, request.dtype, kSide);
    return request.m <= side && request.n <= side && request.k <= 64;
}

} // namespace

const Algorithm kSmall = {{"small", "a work-item a block of 4 x 4 elements of C; for small matrices and many of them",
                           "Gruber, GPGPU Computing with OpenCL, 2013, 3.4", false},
                          refuses,
                          run,
                          fits,
                          kParameters};

} // namespace gpcl::matmul

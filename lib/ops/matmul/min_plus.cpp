// Min-plus product by blocks in registers over padded copies. Host side of
// kernels/matmul/min_plus.cl.
// SPDX-License-Identifier: MIT
#include "ops/matmul/padded.h"

#include <limits>
#include <utility>

namespace gpcl::matmul {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

void launch(cl::Task &task, const Request &request, size_t group, size_t results) {
    const size_t block = group * results;
    const auto program = task.program(
        {"matmul/min_plus.cl",
         text(semiring_options(request, 1), " -DGP_GROUP=", group, " -DGP_RESULTS=", results, " -DGP_BLOCK=", block),
         request.preamble});
    const uint64_t m = round_up<uint64_t>(request.m, block), n = round_up<uint64_t>(request.n, block);
    const uint64_t lines = std::max<uint64_t>(request.k, 1);
    const cl::Operand a = padded_matrix(task, lines, m), b = padded_matrix(task, lines, n);
    const Matrix &c = request.c;
    for (uint64_t g = 0; g < request.batch; ++g) {
        if (request.k > 0) {
            Matrix columns_of_a = request.a;
            std::swap(columns_of_a.row_stride, columns_of_a.column_stride);
            pad(task, request, columns_of_a, g, request.k, request.m, a, request.k, m, kInfinity);
            pad(task, request, request.b, g, request.k, request.n, b, request.k, n, kInfinity);
        }
        request.with_scalars([&](auto alpha, auto beta) {
            task.launch(*program, "min_plus_blocks", cl::Range::groups({m / block, n / block, 1}, {group, group, 1}), a,
                        m, b, n, c.data + g * c.batch_stride, c.row_stride, request.m, request.n, request.k, alpha,
                        beta, uint32_t{request.reads_c}, request.finish_arguments(alpha, g));
        });
    }
}

void run(cl::Task &task, const Request &request) { launch(task, request, 8, 8); }
void run_small(cl::Task &task, const Request &request) { launch(task, request, 4, 5); }

template <size_t kGroup> Refusal refuses(const cl::Context &context, const Request &request) {
    const size_t limit = context.info().work_group_size;
    if (limit < kGroup * kGroup) return {"it needs work-groups of ", kGroup * kGroup, "; the device has ", limit};
    return refuses_but_float32(request, GP_MIN_PLUS);
}

} // namespace

const Algorithm kMinPlus = {{"min-plus", "64 x 64 elements a work-group, 8 x 8 a work-item, from padded copies",
                             "Suomela, Programming Parallel Computers, chapter 4", false, Suits::kByName},
                            refuses<8>,
                            run};

const Algorithm kMinPlusSmall = {{"min-plus-small", "20 x 20 elements a work-group, 5 x 5 a work-item, for small GPUs",
                                  "Suomela, Programming Parallel Computers, chapter 4", false, Suits::kByName},
                                 refuses<4>,
                                 run_small};

} // namespace gpcl::matmul

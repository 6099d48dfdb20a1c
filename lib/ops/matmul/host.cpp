// Matrix product on "host".
// SPDX-License-Identifier: MIT
#include "host/blas.h"
#include "host/matmul.h"
#include "ops/matmul/matmul.h"

namespace gpcl::matmul {
namespace {

void compute(cl::Task &task, const Request &all, const char *name, void (*product)(const host::MatmulProblem &)) {
    task.on_host(GP_KERNEL, name, all, [product](const Request &request, const auto &at) {
        const Matrix &a = request.a, &b = request.b, &c = request.c;
        request.with_scalars([&](auto alpha, auto beta) {
            host::MatmulProblem problem;
            problem.dtype = request.dtype;
            problem.c_dtype = request.of_c();
            problem.semiring = request.semiring;
            problem.m = request.m;
            problem.n = request.n;
            problem.k = request.k;
            problem.a = at(a.data);
            problem.a_row_stride = a.row_stride;
            problem.a_column_stride = a.column_stride;
            problem.b = at(b.data);
            problem.b_row_stride = b.row_stride;
            problem.b_column_stride = b.column_stride;
            problem.c = at(c.data);
            problem.ldc = c.row_stride;
            problem.alpha = &alpha;
            problem.beta = &beta;
            problem.beta_is_zero = !request.reads_c;
            problem.batch = request.batch;
            problem.stride_a = a.batch_stride;
            problem.stride_b = b.batch_stride;
            problem.stride_c = c.batch_stride;
            host::MatmulFinish finish{};
            if (request.finish) {
                const Finish &of_request = *request.finish;
                finish.activation = of_request.activation;
                finish.bias = at(of_request.bias);
                finish.bias_by_row = of_request.bias_by == Finish::Bias::kByRow;
                finish.bias_stride = of_request.bias_stride;
                finish.low = &std::get<decltype(alpha)>(of_request.low);
                finish.high = &std::get<decltype(alpha)>(of_request.high);
                problem.finish = &finish;
            }
            product(problem);
        });
    });
}

void run(cl::Task &task, const Request &request) { compute(task, request, "host matmul", host::matmul); }

void run_loop(cl::Task &task, const Request &request) { compute(task, request, "host loop", host::matmul_loop); }

void run_blas(cl::Task &task, const Request &request) {
    compute(task, request, "host blas", [](const host::MatmulProblem &problem) {
        if (host::matmul_blas(problem))
            host::finish_product(problem);
        else
            host::matmul(problem); // alpha = 0 or k = 0, which BLAS gets wrong
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

Refusal refuses_blas(const cl::Context &, const Request &request) {
    if (request.semiring != GP_PLUS_TIMES) return "BLAS has the plus-times product alone";
    if (request.dtype != GP_FLOAT32 && request.dtype != GP_FLOAT64)
        return {"BLAS has float32 and float64, not ", dtype(request.dtype).name};
    if (const char *trouble = host::no_blas()) return trouble;
    return {};
}

} // namespace

const Algorithm kHost =
    natively<Request>({{"host", "tiles in registers, without OpenCL",
                        "Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008", true},
                       refuses,
                       run});

const Algorithm kHostBlas = {{"host-blas", "the system's BLAS, which is loaded then",
                              "Lawson et al., Basic Linear Algebra Subprograms, 1979", true, Suits::kByName},
                             refuses_blas,
                             run_blas};

const Algorithm kHostLoop = {{"host-loop", "three nested loops in one thread",
                              "Gruber, GPGPU Computing with OpenCL, 2013, 3.1", true, Suits::kByName},
                             refuses,
                             run_loop};

} // namespace gpcl::matmul

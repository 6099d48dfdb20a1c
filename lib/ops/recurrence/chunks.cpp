// Recurrence for CPUs: one work-item a row, or a chunk of a long one. Host side of
// kernels/recurrence/chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/chunks.h"
#include "core/dtype.h"
#include "ops/recurrence/responses.h"

namespace gpcl::recurrence {
namespace {

const ChunkParameters kChunking(GP_RECURRENCE, "chunks");
constexpr std::array kParameters = {&kChunking.least, &kChunking.per_unit};

// Chunks of a row: one where there are rows enough, since cutting them takes a second pass.
Chunks divide_row(const cl::Context &context, const Request &request) {
    if (request.batch >= context.info().compute_units) return {request.n, 1, 1};
    return divide(context, kChunking, request.dtype, request.n);
}

void run(cl::Task &task, const Request &request) {
    const auto program = task.program({"recurrence/chunks.cl", options(request)});
    const Chunks chunks = divide_row(task.context(), request);
    const size_t chunk = chunks.chunk, count = chunks.count;
    Table carry;
    if (count > 1) carry = power(step(coefficients(request)), chunk);
    const Constants constants = make_constants(task, request, carry);
    if (count <= 1 || !tame(carry, request.dtype)) return run_rows(task, *program, request, constants, 1);

    const size_t all = request.batch * count;
    const auto ends = task.work_space(all * request.order * dtype(request.dtype).size);
    task.launch(*program, "recurrence_ends", cl::Range::groups(all, 1), constants.in, ends, constants.tables,
                constants.initial, uint64_t{request.n}, uint64_t{request.stride_in}, uint64_t{chunk}, uint64_t{count},
                constants.has_in, constants.has_initial);
    task.launch(*program, "recurrence_carries", cl::Range::groups(request.batch, 1), ends,
                constants.tables + request.order, uint64_t{request.batch}, uint64_t{count});
    task.launch(*program, "recurrence_outputs", cl::Range::groups(all, 1), constants.in, request.out, ends,
                constants.tables, constants.initial, uint64_t{request.n}, uint64_t{request.stride_in},
                uint64_t{request.stride_out}, uint64_t{chunk}, uint64_t{count}, constants.has_in,
                constants.has_initial);
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kChunks = {{"chunks", "one work-item a row, or a chunk of a long row; for CPUs",
                            "Blelloch, Prefix Sums and Their Applications, 1990", false, Suits::kCpu},
                           refuses,
                           run,
                           nullptr,
                           kParameters};

} // namespace gpcl::recurrence

// Recurrence as one would write it down. Host side of kernels/recurrence/serial.cl.
// SPDX-License-Identifier: MIT
#include "core/dtype.h"
#include "ops/recurrence/recurrence.h"

namespace gpcl::recurrence {
namespace {

constexpr size_t kPiece = 1024;

void run(cl::Task &task, const Request &request) {
    const auto program = task.program({"recurrence/serial.cl", options(request) + text(" -DGP_PIECE=", kPiece)});
    const Constants constants = make_constants(task, request, {});
    task.launch(*program, "recurrence_serial", cl::Range::groups(request.batch, 1), constants.in, request.out,
                constants.tables, constants.initial, uint64_t{request.n}, uint64_t{request.stride_in},
                uint64_t{request.stride_out}, constants.has_in, constants.has_initial);
}

Refusal refuses(const cl::Context &context, const Request &request) {
    if (request.reverse) return "it runs forwards only";
    const size_t wanted = kPiece * dtype(request.dtype).size;
    const uint64_t there = context.info().local_bytes;
    return there >= wanted ? Refusal{} : Refusal{"it needs ", wanted, " bytes of local memory; the device has ", there};
}

} // namespace

const Algorithm kSerial = {
    {"serial", "one work-item a row, results written a piece at a time", "the definition", false, Suits::kByName},
    refuses,
    run};

} // namespace gpcl::recurrence

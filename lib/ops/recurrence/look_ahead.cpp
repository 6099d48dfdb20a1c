// Recurrence by look-ahead, a work-group a row. Host side of kernels/recurrence/look_ahead.cl.
// SPDX-License-Identifier: MIT
#include "core/dtype.h"
#include "ops/recurrence/responses.h"

namespace gpcl::recurrence {
namespace {

constexpr size_t kPiece = 1024;

// The kernel's tables.
Table tables_of(const Request &request, size_t width) {
    Table result = responses(coefficients(request), width);
    result.push_back(1); // the impulse itself; what follows it is what a state of 1, 0, 0 ... makes
    for (size_t i = 0; i + 1 < width; ++i) result.push_back(result[i * request.order]);
    return result;
}

template <size_t width> void run(cl::Task &task, const Request &request) {
    const auto program = task.program(
        {"recurrence/look_ahead.cl", options(request) + text(" -DGP_GROUP=", width, " -DGP_PIECE=", kPiece)});
    const Constants constants = make_constants(task, request, tables_of(request, width), false);
    task.launch(*program, "recurrence_look_ahead", cl::Range::groups(request.batch, width), constants.in, request.out,
                constants.tables, constants.initial, uint64_t{request.n}, uint64_t{request.stride_in},
                uint64_t{request.stride_out}, constants.has_in, constants.has_initial);
}

template <size_t width> Refusal refuses(const cl::Context &context, const Request &request) {
    if (request.reverse) return "it runs forwards only";
    const auto &info = context.info();
    const size_t wanted = (2 * kPiece + width + request.order) * dtype(request.dtype).size;
    if (info.work_group_size < width || info.local_bytes < wanted)
        return {"it needs work-groups of ", width,   " and ",         wanted, " bytes of local memory; the device has ",
                info.work_group_size,       " and ", info.local_bytes};
    if (!tame(tables_of(request, width), request.dtype))
        return {"what these coefficients make of a 1 in ", width, " steps is too large for the type"};
    return {};
}

constexpr const char *kSource =
    "Kogge and Stone, A Parallel Algorithm for ... a General Class of Recurrence Equations, 1973";

template <size_t width> constexpr Algorithm look_ahead(const char *name, const char *summary) {
    return {{name, summary, kSource, false, Suits::kByName}, refuses<width>, run<width>};
}

} // namespace

const Algorithm kLookAhead8 = look_ahead<8>("look-ahead-8", "8 work-items a row compute 8 results at once");
const Algorithm kLookAhead16 = look_ahead<16>("look-ahead-16", "16 work-items a row compute 16 results at once");
const Algorithm kLookAhead32 = look_ahead<32>("look-ahead-32", "32 work-items a row compute 32 results at once");
const Algorithm kLookAhead64 = look_ahead<64>("look-ahead-64", "64 work-items a row compute 64 results at once");

} // namespace gpcl::recurrence

// Recurrence on "host".
// SPDX-License-Identifier: MIT
#include "host/recurrence.h"
#include "ops/recurrence/recurrence.h"

namespace gpcl::recurrence {
namespace {

template <auto solve> void run(cl::Task &task, const Request &request) {
    task.on_host(GP_KERNEL, "host recurrence", [&] {
        const host::Rows rows{request.n,         request.order,        request.batch,
                              request.stride_in, request.stride_out,   request.has_in ? request.in.host : nullptr,
                              request.out.host,  request.coefficients, request.initial,
                              request.reverse};
        solve(request.dtype, rows);
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost = {
    {"host", "CPU threads, one row each, without OpenCL", "the definition", true}, refuses, run<host::recurrence>};
const Algorithm kHostLoop = {{"host-loop", "one plain loop, without OpenCL", "the definition", true, Suits::kByName},
                             refuses,
                             run<host::recurrence_loop>};

} // namespace gpcl::recurrence

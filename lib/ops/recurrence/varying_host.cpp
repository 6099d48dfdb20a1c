// Recurrence with coefficients that vary, on "host".
// SPDX-License-Identifier: MIT
#include "host/recurrence.h"
#include "ops/recurrence/recurrence.h"

namespace gpcl::recurrence {
namespace {

void run(cl::Task &task, const Request &request) {
    task.on_host(GP_KERNEL, "host recurrence", [&] {
        host::recurrence_varying(request.dtype,
                                 {request.n, request.order, request.batch, request.stride_in, request.stride_out,
                                  request.has_in ? request.in.host : nullptr, request.out.host, request.varying.host,
                                  request.initial, request.reverse, request.stride_varying});
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kVaryingHost = {
    {"host", "CPU threads, one row each, without OpenCL", "the definition", true}, refuses, run};

} // namespace gpcl::recurrence

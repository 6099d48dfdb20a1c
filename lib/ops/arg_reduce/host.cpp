// Arg-reduction on "host".
// SPDX-License-Identifier: MIT
#include "host/arg_reduce.h"
#include "ops/arg_reduce/arg_reduce.h"

namespace gpcl::arg_reduce {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host arg_reduce", r, [](const Request &r, const auto &at) {
        host::arg_reduce(r.dtype, r.largest, r.rows, at(r.in), r.index, r.stride_out, at(r.positions),
                         r.has_values ? at(r.values) : nullptr);
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost =
    natively<Request>({{"host", "CPU threads, without OpenCL", "one chunk a thread", true}, refuses, run});

} // namespace gpcl::arg_reduce

// Arg-reduction on "host".
// SPDX-License-Identifier: MIT
#include "host/arg_reduce.h"
#include "ops/arg_reduce/arg_reduce.h"

namespace gpcl::arg_reduce {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host arg_reduce", [&] {
        host::arg_reduce(r.dtype, r.largest, r.rows, r.in.host, r.index, r.stride_out, r.positions.host,
                         r.has_values ? r.values.host : nullptr);
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost = {{"host", "CPU threads, without OpenCL", "one chunk a thread", true}, refuses, run};

} // namespace gpcl::arg_reduce

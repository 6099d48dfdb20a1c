// Reduction on "host".
// SPDX-License-Identifier: MIT
#include "host/reduce.h"
#include "ops/reduce/reduce.h"

namespace gpcl::reduce {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host reduce", r, [](const Request &r, const auto &at) {
        host::reduce(r.dtype, r.combine.op, r.from, r.rows, at(r.in), r.stride_out, at(r.out), r.accumulate);
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost =
    natively<Request>({{"host", "CPU threads, without OpenCL", "one chunk a thread", true}, refuses, run});

} // namespace gpcl::reduce

// Differences of neighbouring elements, on "host".
// SPDX-License-Identifier: MIT
#include "host/difference.h"
#include "ops/difference/difference.h"

namespace gpcl::difference {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host difference", r, [](const Request &r, const auto &at) {
        host::difference(r.dtype, r.kept, r.rows_in, at(r.in), r.rows_out, at(r.out));
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost =
    natively<Request>({{"host", "CPU threads, without OpenCL", "one chunk a thread", true}, refuses, run});

} // namespace gpcl::difference

// Differences of neighbouring elements, on "host".
// SPDX-License-Identifier: MIT
#include "host/difference.h"
#include "ops/difference/difference.h"

namespace gpcl::difference {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host difference",
                 [&] { host::difference(r.dtype, r.kept, r.rows_in, r.in.host, r.rows_out, r.out.host); });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost = {{"host", "CPU threads, without OpenCL", "one chunk a thread", true}, refuses, run};

} // namespace gpcl::difference

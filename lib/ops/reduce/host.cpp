// Reduction on "host".
// SPDX-License-Identifier: MIT
#include "host/reduce.h"
#include "ops/reduce/reduce.h"

namespace gpcl::reduce {
namespace {

void run(cl::Task &task, const Request &request) {
    task.on_host(GP_KERNEL, "host reduce", [&] {
        host::reduce(request.dtype, request.combine.op, request.n, request.in.host, request.out.host);
    });
}

std::string refuses(cl::Task &, const Request &) { return {}; }

} // namespace

const Algorithm kHost = {{"host", "CPU threads, without OpenCL", "one chunk a thread", true}, refuses, run};

} // namespace gpcl::reduce

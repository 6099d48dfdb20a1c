// Scan on "host".
// SPDX-License-Identifier: MIT
#include "host/scan.h"
#include "ops/scan/scan.h"

namespace gpcl::scan {
namespace {

void run(cl::Task &task, const Request &request) {
    task.on_host(GP_KERNEL, "host scan", [&] {
        host::scan(request.dtype, request.combine.op, request.n, request.in.host, request.out.host, request.exclusive,
                   request.reverse);
    });
}

void run_loop(cl::Task &task, const Request &request) {
    task.on_host(GP_KERNEL, "host loop", [&] {
        host::scan_loop(request.dtype, request.combine.op, request.n, request.in.host, request.out.host,
                        request.exclusive, request.reverse);
    });
}

std::string refuses(cl::Task &, const Request &) { return {}; }

} // namespace

const Algorithm kHost = {{"host", "CPU threads, without OpenCL", "reduce-then-scan over chunks", true}, refuses, run};

const Algorithm kHostLoop = {
    {"host-loop", "one loop in one thread", "Gruber, GPGPU Computing with OpenCL, 2013, 4.1", true, Suits::kByName},
    refuses,
    run_loop};

} // namespace gpcl::scan

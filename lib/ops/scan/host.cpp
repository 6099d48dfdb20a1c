// Scan on "host".
// SPDX-License-Identifier: MIT
#include "host/scan.h"
#include "ops/scan/scan.h"

namespace gpcl::scan {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host scan", [&] {
        if (!refuses_all_but_plain(r))
            host::scan(r.dtype, r.combine.op, r.n, r.in.host, r.out.host, r.exclusive, r.reverse);
        else
            host::scan_rows(r.dtype, r.combine.op, r.from, r.rows_in, r.in.host, r.rows_out, r.out.host,
                            r.segmented ? static_cast<const uint8_t *>(r.heads.host) : nullptr, r.exclusive, r.reverse);
    });
}

void run_loop(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host loop",
                 [&] { host::scan_loop(r.dtype, r.combine.op, r.n, r.in.host, r.out.host, r.exclusive, r.reverse); });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }
Refusal refuses_loop(const cl::Context &, const Request &request) { return refuses_all_but_plain(request); }

} // namespace

const Algorithm kHost = {{"host", "CPU threads, without OpenCL", "reduce-then-scan over chunks", true}, refuses, run};

const Algorithm kHostLoop = {
    {"host-loop", "one loop in one thread", "Gruber, GPGPU Computing with OpenCL, 2013, 4.1", true, Suits::kByName},
    refuses_loop,
    run_loop};

} // namespace gpcl::scan

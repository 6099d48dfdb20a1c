// Scan on "host".
// SPDX-License-Identifier: MIT
#include "host/scan.h"
#include "ops/scan/scan.h"

namespace gpcl::scan {
namespace {

host::Carries carries_of(const Request &r, const cl::Pointers &at) {
    return {r.has_initial ? at(r.initial) : nullptr, r.has_final ? at(r.last) : nullptr};
}

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host scan", r, [](const Request &r, const auto &at) {
        const auto carries = carries_of(r, at);
        if (r.n > 0 && !refuses_all_but_plain(r))
            host::scan(r.dtype, r.combine.op, r.n, at(r.in), at(r.out), r.exclusive, r.reverse, carries);
        else if (r.n > 0 && !refuses_rows(r) && host::scan_widens(r.from, r.dtype))
            host::scan_wider(r.dtype, r.combine.op, r.from, r.n, at(r.in), at(r.out), r.exclusive, r.reverse, carries);
        else
            host::scan_rows(r.dtype, r.combine.op, r.from, r.rows_in, at(r.in), r.rows_out, at(r.out),
                            r.segmented ? static_cast<const uint8_t *>(at(r.heads)) : nullptr, r.exclusive, r.reverse,
                            carries);
    });
}

void run_loop(cl::Task &task, const Request &r) {
    if (r.n == 0) return run(task, r);
    task.on_host(GP_KERNEL, "host loop", r, [](const Request &r, const auto &at) {
        host::scan_loop(r.dtype, r.combine.op, r.n, at(r.in), at(r.out), r.exclusive, r.reverse, carries_of(r, at));
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }
Refusal refuses_loop(const cl::Context &, const Request &request) { return refuses_all_but_plain(request); }

} // namespace

const Algorithm kHost =
    natively<Request>({{"host", "CPU threads, without OpenCL", "reduce-then-scan over chunks", true}, refuses, run});

const Algorithm kHostLoop = {
    {"host-loop", "one loop in one thread", "Gruber, GPGPU Computing with OpenCL, 2013, 4.1", true, Suits::kByName},
    refuses_loop,
    run_loop};

} // namespace gpcl::scan

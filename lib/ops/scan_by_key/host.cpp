// Scans by key on "host".
// SPDX-License-Identifier: MIT
#include "host/runs.h"
#include "ops/scan_by_key/scan_by_key.h"

namespace gpcl::scan_by_key {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host scan_by_key", r, [](const Request &r, const auto &at) {
        host::Runs runs;
        runs.key = r.key;
        runs.n = r.has_bound ? std::min<uint64_t>(r.n, *static_cast<const uint64_t *>(at(r.bound))) : r.n;
        runs.keys = at(r.keys);
        host::scan_by_key(runs, r.dtype, r.combine.op, r.from, at(r.values), at(r.out), r.exclusive,
                          r.has_initial ? at(r.initial) : nullptr);
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost = natively<Request>({{"host", "CPU threads, without OpenCL: blocks, from one run to the next",
                                            "Blelloch, Prefix Sums and Their Applications, 1990", true},
                                           refuses,
                                           run});

} // namespace gpcl::scan_by_key

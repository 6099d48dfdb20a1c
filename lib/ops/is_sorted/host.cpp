// Whether rows are sorted, on "host".
// SPDX-License-Identifier: MIT
#include "host/is_sorted.h"
#include "ops/is_sorted/is_sorted.h"

namespace gpcl::is_sorted {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host is_sorted", r, [](const Request &r, const auto &at) {
        host::is_sorted(r.dtype, r.descending, r.strict, r.rows, at(r.in), r.stride_out,
                        static_cast<uint64_t *>(at(r.positions)));
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost =
    natively<Request>({{"host", "CPU threads, without OpenCL", "one chunk a thread", true}, refuses, run});

} // namespace gpcl::is_sorted

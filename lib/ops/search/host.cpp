// Search on "host".
// SPDX-License-Identifier: MIT
#include "host/search.h"
#include "ops/search/search.h"

namespace gpcl::search {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host search", r, [](const Request &r, const auto &at) {
        host::search(r.dtype, r.right, r.descending, r.n, at(r.sorted), r.m, at(r.values), r.index, at(r.positions));
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost =
    natively<Request>({{"host", "CPU threads, without OpenCL: several values side by side",
                        "Khuong and Morin, Array Layouts for Comparison-Based Searching, 2017", true},
                       refuses,
                       run});

} // namespace gpcl::search

// Distinct elements on "host".
// SPDX-License-Identifier: MIT
#include "host/unique.h"
#include "ops/unique/unique.h"

namespace gpcl::unique {
namespace {

void run(cl::Task &task, const Request &request) {
    task.on_host(GP_KERNEL, "host unique", [&] {
        const runs::Request &r = request.runs;
        host::Unique unique;
        unique.runs = runs::on_host(r, cl::Pointers());
        unique.index = r.dtype;
        unique.sorted = request.sorted;
        if (request.has_inverse) unique.inverse = request.inverse.host;
        *static_cast<uint64_t *>(r.count.host) = host::unique(unique);
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost = {{"host",
                          "CPU threads, without OpenCL: counts integers that lie close to each other, and sorts others",
                          "textbook: counting sort, and the runs of a sorted array", true},
                         refuses,
                         run};

} // namespace gpcl::unique

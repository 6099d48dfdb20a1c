// Transposes on "host".
// SPDX-License-Identifier: MIT
#include "host/transpose.h"

#include "ops/transpose/transpose.h"

namespace gpcl::transpose {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host transpose", [&] {
        host::transpose({r.size, r.rows, r.columns, r.batch, r.in.array.host, r.in.ld, r.in.stride, r.out.array.host,
                         r.out.ld, r.out.stride});
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost = {{"host", "CPU threads, without OpenCL: by blocks of lines, as squares of vectors",
                          "Lam, Rothberg and Wolf, The Cache Performance and Optimizations of Blocked Algorithms, "
                          "1991",
                          true},
                         refuses,
                         run};

} // namespace gpcl::transpose

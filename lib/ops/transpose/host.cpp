// Transposes on "host".
// SPDX-License-Identifier: MIT
#include "host/transpose.h"

#include "ops/transpose/transpose.h"

namespace gpcl::transpose {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host transpose", r, [](const Request &r, const auto &at) {
        host::transpose({r.size, r.rows, r.columns, r.batch, at(r.in.array), r.in.ld, r.in.stride, at(r.out.array),
                         r.out.ld, r.out.stride});
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost =
    natively<Request>({{"host", "CPU threads, without OpenCL: by blocks of lines, as squares of vectors",
                        "Lam, Rothberg and Wolf, The Cache Performance and Optimizations of Blocked Algorithms, "
                        "1991",
                        true},
                       refuses,
                       run});

} // namespace gpcl::transpose

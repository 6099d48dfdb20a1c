// Histograms of weights and of pairs on "host".
// SPDX-License-Identifier: MIT
#include "host/histogram_weighted.h"
#include "ops/histogram_weighted/histogram_weighted.h"

namespace gpcl::histogram_weighted {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host histogram_weighted", [&] {
        host::histogram_weighted({r.dtype, r.n, r.x.host, r.bins_x.get(), r.has_y() ? r.y.host : nullptr,
                                  r.bins_y.get(), r.weight_dtype, r.weights.host, r.sums_dtype, r.sums.host});
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost = {
    {"host", "CPU threads, without OpenCL", "Kulisch, Computer Arithmetic and Validity, 2013 (exact sums)", true},
    refuses,
    run};

} // namespace gpcl::histogram_weighted

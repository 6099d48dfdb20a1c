// Histograms of weights and of pairs on "host".
// SPDX-License-Identifier: MIT
#include "host/histogram_weighted.h"
#include "ops/histogram_weighted/histogram_weighted.h"

namespace gpcl::histogram_weighted {
namespace {

void run(cl::Task &task, const Request &r) {
    task.on_host(GP_KERNEL, "host histogram_weighted", r, [](const Request &r, const auto &at) {
        host::histogram_weighted({r.dtype, r.n, at(r.x), r.bins_x.get(), r.has_y() ? at(r.y) : nullptr, r.bins_y.get(),
                                  r.weight_dtype, at(r.weights), r.sums_dtype, at(r.sums)});
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost = natively<Request>(
    {{"host", "CPU threads, without OpenCL", "Kulisch, Computer Arithmetic and Validity, 2013 (exact sums)", true},
     refuses,
     run});

} // namespace gpcl::histogram_weighted

// Histogram on "host".
// SPDX-License-Identifier: MIT
#include "host/histogram.h"
#include "ops/histogram/histogram.h"

namespace gpcl::histogram {
namespace {

template <auto count> void run(cl::Task &task, const Request &all) {
    task.on_host(GP_KERNEL, "host histogram", all, [](const Request &request, const auto &at) {
        count(request.dtype, request.n, at(request.in), *request.bins, static_cast<uint64_t *>(at(request.counts)));
    });
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kHost = natively<Request>(
    {{"host", "CPU threads, without OpenCL", "four sub-histograms a chunk", true}, refuses, run<host::histogram>});
const Algorithm kHostLoop = {{"host-loop", "one plain loop, without OpenCL", "the definition", true, Suits::kByName},
                             refuses,
                             run<host::histogram_loop>};

} // namespace gpcl::histogram

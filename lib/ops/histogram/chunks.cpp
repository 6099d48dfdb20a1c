// Histogram for CPUs: one work-item a chunk. Host side of kernels/histogram/chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/chunks.h"
#include "ops/histogram/histogram.h"

namespace gpcl::histogram {
namespace {

const ChunkParameters kChunking(GP_HISTOGRAM, "chunks");
const FewBytes kFew("chunks");
constexpr std::array<const Parameter *, 3> kParameters = {&kChunking.least, &kChunking.per_unit, &kFew};

void run(cl::Task &task, const Request &request) {
    const auto program = task.program({"histogram/chunks.cl", merge_options(1) + request.counted.option()});
    const size_t chunk = std::min(divide(task.context(), kChunking, request.dtype, request.n).chunk, kLargestPart);
    const size_t parts = ceil_div(request.n, chunk);
    const auto partial = task.work_space(parts * kBins * sizeof(uint32_t));
    task.launch(*program, "count_chunks", cl::Range::groups(parts, 1), request.in, partial, uint64_t{request.n},
                uint64_t{chunk}, request.counted.argument());
    merge(task, *program, 1, partial, parts, request);
}

Refusal refuses(const cl::Context &, const Request &request) { return refuses_all_but_bytes(request); }
bool fits(const cl::Context &context, const Request &request) { return kFew.are_exceeded(context, request); }

} // namespace

const Algorithm kChunks = {{"chunks", "one work-item counts one contiguous chunk, in four sub-histograms; for CPUs",
                            "Blelloch, Prefix Sums and Their Applications, 1990", false, Suits::kCpu},
                           refuses,
                           run,
                           fits,
                           kParameters,
                           kTakesCounted};

} // namespace gpcl::histogram

// Histogram of any type and bins for CPUs: one work-item a chunk. Host side of
// kernels/histogram/chunk_bins.cl.
// SPDX-License-Identifier: MIT
#include "ops/chunks.h"
#include "ops/histogram/bins.h"

namespace gpcl::histogram {
namespace {

const ChunkParameters kChunking(GP_HISTOGRAM, "chunk-bins");
constexpr std::array kParameters = {&kChunking.least, &kChunking.per_unit};

void run(cl::Task &task, const Request &r) {
    const auto &context = task.context();
    const auto program = task.program({"histogram/chunk_bins.cl", bin_options(context, r)});
    // As many elements as counters, or more: those have to be cleared and added up.
    const size_t wanted = divide(context, kChunking, r.dtype, r.n).chunk;
    const size_t chunk = std::min(std::max(wanted, r.bins->count), kLargestPart);
    const size_t parts = ceil_div(r.n, chunk);
    const auto table = table_of(task, r);
    const auto partial =
        parts == 1 ? r.in : task.work_space(multiply(parts, r.bins->count * sizeof(uint32_t), "counters"));
    with_guess(context, r, [&](uint32_t reach, auto lower, auto scale) {
        task.launch(*program, "histogram_chunk_bins", cl::Range::groups(parts, 1), r.in, table, partial, r.counts,
                    uint64_t{r.n}, uint64_t{chunk}, r.bins->first, r.bins->last, reach,
                    static_cast<uint32_t>(r.bins->count), lower, scale, r.counted.argument());
    });
    if (parts > 1) add_parts(task, *program, r, partial, parts);
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kChunkBins = {{"chunk-bins", "any type and bins, one work-item counts one contiguous chunk; for CPUs",
                               "Blelloch, Prefix Sums and Their Applications, 1990", false, Suits::kCpu},
                              refuses,
                              run,
                              nullptr,
                              kParameters,
                              kTakesCounted};

} // namespace gpcl::histogram

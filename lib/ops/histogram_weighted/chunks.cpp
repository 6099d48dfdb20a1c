// Histograms of weights and of pairs in chunks. Host side of kernels/histogram_weighted/chunks.cl.
// SPDX-License-Identifier: MIT
#include "ops/chunks.h"
#include "core/size.h"
#include "ops/histogram_weighted/histogram_weighted.h"

namespace gpcl::histogram_weighted {
namespace {

const ChunkParameters kChunking(GP_HISTOGRAM_WEIGHTED, "chunks");
constexpr std::array kParameters = {&kChunking.least, &kChunking.per_unit};

void run(cl::Task &task, const Request &r) {
    const auto &context = task.context();
    const auto program = task.program({"histogram_weighted/chunks.cl", options(context, r)});
    // As many elements as words, or more: those have to be cleared and added up.
    const size_t words_of_all = r.cells() * words_of_cell(r);
    const size_t chunk = std::max(divide(context, kChunking, r.dtype, r.n).chunk, words_of_all);
    const size_t parts = ceil_div(r.n, chunk);
    const auto words = task.work_space(multiply(parts, words_of_all * sizeof(uint32_t), "sums"));
    const auto cells = static_cast<uint32_t>(r.cells());
    with_axes(task, r, [&](const auto &...axes) {
        task.launch(*program, "histogram_weighted_chunks", cl::Range::groups(parts, 1), axes..., words, uint64_t{r.n},
                    uint64_t{chunk}, cells, r.counted.argument());
    });
    const size_t group = std::min<size_t>(context.info().work_group_size, 64);
    task.launch(*program, "histogram_weighted_results", cl::Range::groups(ceil_div(r.cells(), group), group), words,
                r.sums, cells, static_cast<uint32_t>(parts));
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kChunks = {{"chunks", "one work-item sums one contiguous chunk; for CPUs",
                            "Kulisch, Computer Arithmetic and Validity, 2013 (exact sums)", false, Suits::kCpu},
                           refuses,
                           run,
                           nullptr,
                           kParameters,
                           kTakesCounted};

} // namespace gpcl::histogram_weighted

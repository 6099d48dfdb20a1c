// Histograms of weights and of pairs with the sums in global memory. Host side of
// kernels/histogram_weighted/global.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/chunks.h"
#include "ops/histogram_weighted/histogram_weighted.h"

#include <bit>

namespace gpcl::histogram_weighted {
namespace {

constexpr size_t kGroup = 256;

const ChunkParameters kChunking(GP_HISTOGRAM_WEIGHTED, "chunks");
constexpr std::array kChunkParameters = {&kChunking.least, &kChunking.per_unit};

const Parameter kGroupsPerUnit = {GP_HISTOGRAM_WEIGHTED, "global", "groups", "work-groups for each compute unit",
                                  {1, 2, 4, 8, 16, 32},  always<8>};
constexpr std::array kGlobalParameters = {&kGroupsPerUnit};

void make_results(cl::Task &task, cl::Program &program, const Request &r, const cl::Operand &words, size_t parts) {
    const size_t group = std::min<size_t>(task.context().info().work_group_size, 64);
    task.launch(program, "histogram_weighted_results", cl::Range::groups(ceil_div(r.cells(), group), group), words,
                r.sums, static_cast<uint32_t>(r.cells()), static_cast<uint32_t>(parts));
}

size_t words_of(const Request &r) { return r.cells() * words_of_cell(r, false); }

void run_chunks(cl::Task &task, const Request &r) {
    const auto &context = task.context();
    const auto program = task.program({"histogram_weighted/global.cl", options(context, r) + " -DGP_ALONE"});
    // As many elements as words, or more: those have to be cleared and added up.
    const size_t chunk = std::max(divide(context, kChunking, r.dtype, r.n).chunk, words_of(r));
    const size_t parts = ceil_div(r.n, chunk);
    const auto words = task.work_space(multiply(parts, words_of(r) * sizeof(uint32_t), "sums"));
    with_axes(task, r, [&](const auto &...axes) {
        task.launch(*program, "histogram_weighted_global", cl::Range::groups(parts, 1), axes..., words, uint64_t{r.n},
                    uint64_t{chunk}, static_cast<uint32_t>(r.cells()));
    });
    make_results(task, *program, r, words, parts);
}

void run_global(cl::Task &task, const Request &r) {
    const auto &context = task.context();
    const auto program = task.program({"histogram_weighted/global.cl", options(context, r)});
    const size_t group = std::bit_floor(std::min(kGroup, context.info().work_group_size));
    const size_t most = tuned(context, r.dtype, kGroupsPerUnit) * context.info().compute_units;
    const size_t bytes = words_of(r) * sizeof(uint32_t);
    const auto words = task.work_space(bytes);
    const uint32_t bias = r.weight_dtype == 0 ? 0 : uint32_t{1} << 31;
    task.fill(words.memory, 0, bytes, &bias, sizeof bias);
    with_axes(task, r, [&](const auto &...axes) {
        task.launch(*program, "histogram_weighted_global",
                    cl::Range::groups(std::min(ceil_div(r.n, group), most), group), axes..., words, uint64_t{r.n},
                    uint64_t{0}, static_cast<uint32_t>(r.cells()));
    });
    make_results(task, *program, r, words, 1);
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

constexpr const char *kSource = "Kulisch, Computer Arithmetic and Validity, 2013 (exact sums)";

} // namespace

const Algorithm kChunks = {{"chunks", "one work-item sums one contiguous chunk; for CPUs", kSource, false, Suits::kCpu},
                           refuses,
                           run_chunks,
                           nullptr,
                           kChunkParameters};
const Algorithm kGlobal = {
    {"global", "any number of bins, with the sums in global memory; for GPUs", kSource, false, Suits::kGpu},
    refuses,
    run_global,
    nullptr,
    kGlobalParameters};

} // namespace gpcl::histogram_weighted

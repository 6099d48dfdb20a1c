// Histogram for GPUs: local atomics. Host side of kernels/histogram/local.cl.
// SPDX-License-Identifier: MIT
#include "ops/histogram/histogram.h"
#include "ops/tiles.h"

namespace gpcl::histogram {
namespace {

constexpr size_t kCopies = 16; // 16 KiB of local memory
constexpr size_t kLeast = 64;  // elements that are worth a work-item of their own
constexpr size_t kMerge = 16;

void run(cl::Task &task, const Request &request) {
    const size_t group = tile_group(task.context());
    const auto program = task.program(
        {"histogram/local.cl", text("-DGP_GROUP=", group, " -DGP_COPIES=", kCopies) + merge_options(kMerge)});
    const size_t parts = groups_for(task.context(), request.n, group, kLeast);
    const auto partial = task.work_space(parts * kBins * sizeof(uint32_t));
    task.launch(*program, "count_groups", cl::Range::groups(parts, group), request.in, partial, uint64_t{request.n});
    merge(task, *program, kMerge, partial, parts, request);
}

Refusal refuses(const cl::Context &context, const Request &request) {
    return counts_bytes(request) ? refuses_tiles(context) : refuses_all_but_bytes(request);
}

} // namespace

const Algorithm kLocal = {{"local", "a work-group counts with atomics in 16 local sub-histograms; for GPUs",
                           "Podlozhnyuk, Histogram Calculation in CUDA, 2007", false, Suits::kGpu},
                          refuses,
                          run,
                          has_many_bytes};

} // namespace gpcl::histogram

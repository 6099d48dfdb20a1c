// Histogram for GPUs: local atomics. Host side of kernels/histogram/local.cl.
// SPDX-License-Identifier: MIT
#include "ops/histogram/histogram.h"
#include "ops/tiles.h"

namespace gpcl::histogram {
namespace {

constexpr size_t kLeast = 64; // elements that are worth a work-item of their own
constexpr size_t kMerge = 16;

const TileParameters kTiles(GP_HISTOGRAM, "local");
const Parameter kCopies = {GP_HISTOGRAM,     "local",   "copies", "sub-histograms, of a KiB each",
                           {1, 2, 4, 8, 16}, always<16>};
const FewBytes kFew("local");
constexpr std::array<const Parameter *, 4> kParameters = {&kTiles.group, &kTiles.per_unit, &kCopies, &kFew};

void run(cl::Task &task, const Request &request) {
    const auto &context = task.context();
    const size_t group = std::min(tuned(context, request.dtype, kTiles.group), most_tile_group(context)),
                 copies = tuned(context, request.dtype, kCopies);
    const auto program = task.program({"histogram/local.cl", text("-DGP_GROUP=", group, " -DGP_COPIES=", copies) +
                                                                 merge_options(kMerge) + request.counted.option()});
    const size_t per_unit = tuned(context, request.dtype, kTiles.per_unit);
    const size_t parts = groups_for(context, request.n, group, kLeast, per_unit);
    const auto partial = task.work_space(parts * kBins * sizeof(uint32_t));
    task.launch(*program, "count_groups", cl::Range::groups(parts, group), request.in, partial, uint64_t{request.n},
                request.counted.argument());
    merge(task, *program, kMerge, partial, parts, request);
}

Refusal refuses(const cl::Context &context, const Request &request) {
    return counts_bytes(request) ? refuses_tiles(context, kTiles, request.dtype) : refuses_all_but_bytes(request);
}

bool fits(const cl::Context &context, const Request &request) { return kFew.are_exceeded(context, request); }

} // namespace

const Algorithm kLocal = {{"local", "a work-group counts with atomics in 16 local sub-histograms; for GPUs",
                           "Podlozhnyuk, Histogram Calculation in CUDA, 2007", false, Suits::kGpu},
                          refuses,
                          run,
                          fits,
                          kParameters,
                          kTakesCounted};

} // namespace gpcl::histogram

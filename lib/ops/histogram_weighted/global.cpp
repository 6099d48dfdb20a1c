// Histograms of weights and of pairs with the sums in global memory. Host side of
// kernels/histogram_weighted/global.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/histogram_weighted/histogram_weighted.h"

#include <bit>

namespace gpcl::histogram_weighted {
namespace {

constexpr size_t kGroup = 256;

const Parameter kGroupsPerUnit = {GP_HISTOGRAM_WEIGHTED, "global", "groups", "work-groups for each compute unit",
                                  {1, 2, 4, 8, 16, 32},  always<8>};
constexpr std::array kParameters = {&kGroupsPerUnit};

// So many weights of 32 bits in a total leave it in 64 bits.
constexpr size_t kMostInWindow = size_t{1} << 31;

void run(cl::Task &task, const Request &r) {
    const auto &context = task.context();
    const bool counts = r.weight_dtype == 0, small = counts && r.n <= UINT32_MAX;
    const Window window = window_of(r);
    const auto program =
        task.program({"histogram_weighted/global.cl",
                      text(options(context, r), " -DGP_TOTALS=", window.totals, small ? " -DGP_SMALL" : "")});
    const size_t group = std::bit_floor(std::min(kGroup, context.info().work_group_size));
    const size_t most = tuned(context, r.dtype, kGroupsPerUnit) * context.info().compute_units;
    const auto cells = static_cast<uint32_t>(r.cells());
    const uint32_t limit = r.n < kMostInWindow ? window.limit : 0;
    const auto state = task.cleared_space(small ? r.cells() * sizeof(uint32_t) : state_bytes(r, window.totals));
    with_axes(task, r, [&](const auto &...axes) {
        task.launch(*program, "histogram_weighted_global",
                    cl::Range::groups(std::min(ceil_div(r.n, group), most), group), axes..., state, uint64_t{r.n},
                    cells, window.target, limit, r.counted.argument());
    });
    task.launch(*program, "histogram_weighted_results", cl::Range::groups(ceil_div(r.cells(), group), group), state,
                r.sums, cells);
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kGlobal = {{"global", "any number of bins, with the sums in global memory; for GPUs",
                            "Kulisch, Computer Arithmetic and Validity, 2013 (exact sums)", false, Suits::kGpu},
                           refuses,
                           run,
                           nullptr,
                           kParameters,
                           kTakesCounted};

} // namespace gpcl::histogram_weighted

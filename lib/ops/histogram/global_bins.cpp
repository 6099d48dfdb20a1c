// Histogram of any type and as many bins as there are. Host side of
// kernels/histogram/global_bins.cl.
// SPDX-License-Identifier: MIT
#include "ops/histogram/bins.h"

#include <bit>

namespace gpcl::histogram {
namespace {

constexpr size_t kGroup = 256;

const Parameter kAtOnce = {GP_HISTOGRAM,   "global-bins",
                           "at-once",      "elements that a work-item takes one after the other",
                           {4, 8, 16, 32}, always<16>};
const Parameter kGroupsPerUnit = {GP_HISTOGRAM,         "global-bins", "groups", "work-groups for each compute unit",
                                  {1, 2, 4, 8, 16, 32}, always<8>};
constexpr std::array kParameters = {&kAtOnce, &kGroupsPerUnit};

void run(cl::Task &task, const Request &r) {
    const auto &context = task.context();
    const size_t at_once = tuned(context, r.dtype, kAtOnce);
    const size_t most_groups = tuned(context, r.dtype, kGroupsPerUnit) * context.info().compute_units;
    const auto program =
        task.program({"histogram/global_bins.cl", text(bin_options(context, r), " -DGP_AT_ONCE=", at_once)});
    const size_t group = std::bit_floor(std::min(kGroup, context.info().work_group_size));
    const size_t parts = ceil_div(r.n, kLargestPart);
    const auto table = table_of(task, r);
    const auto partial = zero_parts(task, r, parts);
    for (size_t part = 0; part < parts; ++part) {
        const size_t first = part * kLargestPart, n = std::min(kLargestPart, r.n - first);
        const size_t groups = std::min(ceil_div(n, group * at_once), most_groups);
        with_guess(context, r, [&](uint32_t reach, auto lower, auto scale) {
            task.launch(*program, "histogram_global_bins", cl::Range::groups(groups, group), r.in + first, table,
                        partial, uint64_t{n}, r.bins->first, r.bins->last, reach, static_cast<uint32_t>(r.bins->count),
                        static_cast<uint32_t>(part), lower, scale, r.counted.argument());
        });
    }
    add_parts(task, *program, r, partial, parts);
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kGlobalBins = {{"global-bins", "any type and number of bins, with one counter a bin in global memory",
                                "the definition", false, Suits::kGpu},
                               refuses,
                               run,
                               nullptr,
                               kParameters,
                               kTakesCounted};

} // namespace gpcl::histogram

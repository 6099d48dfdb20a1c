// Histogram of any type for GPUs: local atomics. Host side of kernels/histogram/local_bins.cl.
// SPDX-License-Identifier: MIT
#include "ops/histogram/bins.h"

#include <bit>

namespace gpcl::histogram {
namespace {

constexpr size_t kRoom = 8192; // words of local memory
constexpr size_t kMostCopies = 32;

// On CPUs, where work-items run one after another, large work-groups only cost.
size_t group_of(const cl::Context &context, gp_dtype) {
    const size_t wanted = context.is_cpu() ? 32 : 512;
    return std::bit_floor(std::clamp(context.info().work_group_size, size_t{1}, wanted));
}

const Parameter kGroup = {
    GP_HISTOGRAM, "local-bins", "group", "work-items of a work-group", {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024},
    group_of};
const Parameter kAtOnce = {GP_HISTOGRAM,  "local-bins", "at-once", "elements that a work-item loads together",
                           {2, 4, 8, 16}, always<8>};
const Parameter kGroupsPerUnit = {GP_HISTOGRAM,           "local-bins", "groups", "work-groups for each compute unit",
                                  {1, 2, 3, 4, 6, 8, 16}, always<4>};
constexpr std::array kParameters = {&kGroup, &kAtOnce, &kGroupsPerUnit};

size_t table_words(const Request &r) { return ceil_div(r.bins->lows.size() * dtype(r.dtype).size, sizeof(uint32_t)); }

void run(cl::Task &task, const Request &r) {
    const auto &context = task.context();
    const size_t group = tuned(context, r.dtype, kGroup), at_once = tuned(context, r.dtype, kAtOnce);
    const auto program =
        task.program({"histogram/local_bins.cl", text(bin_options(context, r), " -DGP_GROUP=", group,
                                                      " -DGP_ROOM=", kRoom, " -DGP_AT_ONCE=", at_once)});
    const size_t copies = std::bit_floor(std::min((kRoom - table_words(r)) / r.bins->count, kMostCopies));
    const auto table = table_of(task, r);
    const auto groups_of = [&](size_t n) {
        const size_t wanted = tuned(context, r.dtype, kGroupsPerUnit) * context.info().compute_units;
        return std::min(ceil_div(n, group * at_once), wanted);
    };
    const bool direct = r.n <= kFewBytes; // a single work-group, and nothing to add up
    const size_t parts = ceil_div(r.n, kLargestPart);
    const auto partial = direct ? r.in : zero_parts(task, r, parts);
    for (size_t part = 0; part < parts; ++part) {
        const size_t first = part * kLargestPart, n = std::min(kLargestPart, r.n - first);
        with_guess(context, r, [&](uint32_t reach, auto lower, auto scale) {
            task.launch(*program, "histogram_local_bins", cl::Range::groups(direct ? 1 : groups_of(n), group),
                        r.in + first, table, partial, r.counts, uint64_t{n}, r.bins->first, r.bins->last, reach,
                        static_cast<uint32_t>(r.bins->count), static_cast<uint32_t>(copies),
                        direct ? ~uint32_t{0} : static_cast<uint32_t>(part), lower, scale, r.counted.argument());
        });
    }
    if (!direct) add_parts(task, *program, r, partial, parts);
}

Refusal refuses(const cl::Context &context, const Request &r) {
    if (context.info().local_bytes < kRoom * sizeof(uint32_t))
        return {"it needs ", kRoom * sizeof(uint32_t), " bytes of local memory"};
    const size_t group = tuned(context, r.dtype, kGroup);
    if (context.info().work_group_size < group) return {"it needs work-groups of ", group};
    if (table_words(r) + r.bins->count > kRoom) return "local memory does not hold so many bins";
    return {};
}

} // namespace

const Algorithm kLocalBins = {{"local-bins", "any type and bins, with local atomics; for GPUs",
                               "Podlozhnyuk, Histogram Calculation in CUDA, 2007", false, Suits::kGpu},
                              refuses,
                              run,
                              nullptr,
                              kParameters,
                              kTakesCounted};

} // namespace gpcl::histogram

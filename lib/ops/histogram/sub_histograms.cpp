// Histogram without atomics: one sub-histogram a work-item, in two layouts. Host side of
// kernels/histogram/sub_histograms.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/histogram/histogram.h"

#include <bit>

namespace gpcl::histogram {
namespace {

constexpr size_t kRound = 255; // elements that a work-item counts before a byte could overflow
constexpr size_t kLeastGroup = 16;

size_t group_of(const cl::Context &context) {
    constexpr size_t kWanted = 64; // 16 KiB of counters
    return std::min(kWanted, std::bit_floor(context.info().work_group_size));
}

template <bool own_bank> void run(cl::Task &task, const Request &request) {
    const size_t group = group_of(task.context());
    const auto program =
        task.program({"histogram/sub_histograms.cl",
                      text("-DGP_GROUP=", group, " -DGP_OWN_BANK=", own_bank ? 1 : 0) + merge_options(kLeastGroup)});
    const size_t parts = groups_for(task.context(), request.n, group, kRound);
    const auto partial = task.work_space(parts * kBins * sizeof(uint32_t));
    task.launch(*program, "count_groups", cl::Range::groups(parts, group), request.in, partial, uint64_t{request.n});
    merge(task, *program, kLeastGroup, partial, parts, request);
}

Refusal refuses(const cl::Context &context, const Request &request) {
    if (!counts_bytes(request)) return refuses_all_but_bytes(request);
    const auto &info = context.info();
    const size_t group = group_of(context);
    if (group >= kLeastGroup && info.local_bytes >= group * kBins) return {};
    return {"it needs work-groups of ",
            kLeastGroup,
            " and 256 bytes of local memory a work-item; the device has ",
            info.work_group_size,
            " and ",
            info.local_bytes,
            " bytes"};
}

constexpr const char *kSource = "Podlozhnyuk, Histogram Calculation in CUDA, 2007 (64-bin histogram)";

} // namespace

const Algorithm kSubHistograms = {{"sub-histograms",
                                   "one local sub-histogram a work-item, item after item: bank conflicts at every step",
                                   kSource, false, Suits::kByName},
                                  refuses,
                                  run<false>};
const Algorithm kSubHistogramsNoConflicts = {{"sub-histograms-no-conflicts",
                                              "one local sub-histogram a work-item, each in a bank of its own", kSource,
                                              false, Suits::kByName},
                                             refuses,
                                             run<true>};

} // namespace gpcl::histogram

// Histograms of weights and of pairs with the sums in local memory. Host side of
// kernels/histogram_weighted/local.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/histogram/rooms.h"
#include "ops/histogram_weighted/histogram_weighted.h"

#include <bit>

namespace gpcl::histogram_weighted {
namespace {

using histogram::kRoomWords;

// Measured on an H200 in GB/s, n = 2^26, 256 and 4096 bins of float32 with weights of float32, by
// group, groups: 512, 2: 1250, 639; 1024, 1: 1342, 851; 256, 4: 1198, 396. On CPUs, where
// work-items run one after another, large work-groups only cost.
size_t group_of(const cl::Context &context, gp_dtype) {
    const size_t wanted = context.is_cpu() ? 32 : 1024;
    return std::max(std::bit_floor(std::min(wanted, context.info().work_group_size)), size_t{32});
}

const Parameter kGroup = {GP_HISTOGRAM_WEIGHTED,         "local", "group", "work-items of a work-group",
                          {32, 64, 128, 256, 512, 1024}, group_of};
const Parameter kAtOnce = {GP_HISTOGRAM_WEIGHTED, "local",  "at-once", "elements that a work-item loads together",
                           {1, 2, 4, 8},          always<4>};
const Parameter kGroupsPerUnit = {GP_HISTOGRAM_WEIGHTED, "local",  "groups", "work-groups for each compute unit",
                                  {1, 2, 3, 4},          always<1>};
const Parameter kCopies = {GP_HISTOGRAM_WEIGHTED, "local",  "copies", "of the sums in local memory, at most",
                           {1, 2, 4, 8, 16, 32},  always<8>};
constexpr std::array kParameters = {&kGroup, &kAtOnce, &kGroupsPerUnit, &kCopies};

// Words of local memory that the tables take, and one beside them; and one copy of the sums.
size_t table_words(const cl::Context &context, const Request &r) {
    if (has_places(context, r)) return 1;
    const size_t lows = r.bins_x->lows.size() + (r.has_y() ? r.bins_y->lows.size() : 0);
    return ceil_div(lows * dtype(r.dtype).size, sizeof(uint32_t)) + 1;
}
// The words of one copy are one more than the totals of the window.
size_t words_of(const Request &r) { return r.cells() * (r.weight_dtype == 0 ? 1 : window_of(r).totals + 1); }

struct Division {
    size_t group, at_once, per_unit, room, copies, groups;
};

Division divide(const cl::Context &context, const Request &r) {
    Division d{};
    d.group = tuned(context, r.dtype, kGroup);
    d.at_once = tuned(context, r.dtype, kAtOnce);
    d.per_unit = tuned(context, r.dtype, kGroupsPerUnit);
    while (d.per_unit > 1 && d.group * d.per_unit > 2048) --d.per_unit;
    const size_t table = table_words(context, r), words = words_of(r), most_copies = tuned(context, r.dtype, kCopies);
    // The smallest room with as many copies as wanted, else the largest of as many work-groups,
    // else of fewer.
    for (;; --d.per_unit) {
        const size_t most = histogram::words_for(context, d.per_unit);
        d.room = kRoomWords.front();
        for (const size_t room : kRoomWords)
            if (room <= most && d.room < table + words * most_copies) d.room = room;
        if (d.room >= table + words || d.per_unit == 1) break;
    }
    d.copies = std::bit_floor(std::clamp((d.room - table) / words, size_t{1}, most_copies));
    const size_t useful = ceil_div(r.n, d.group * d.at_once);
    d.groups =
        std::max(std::min(useful, d.per_unit * context.info().compute_units), ceil_div(r.n, histogram::kLargestPart));
    return d;
}

void run(cl::Task &task, const Request &r) {
    const auto &context = task.context();
    const Division d = divide(context, r);
    const Window window = window_of(r);
    const auto program = task.program({"histogram_weighted/local.cl",
                                       text(options(context, r), " -DGP_GROUP=", d.group, " -DGP_ROOM=", d.room,
                                            " -DGP_AT_ONCE=", d.at_once, " -DGP_TOTALS=", window.totals),
                                       {},
                                       d.per_unit});
    const auto state = task.cleared_space(state_bytes(r, window.totals));
    with_axes(task, r, [&](const auto &...axes) {
        task.launch(*program, "histogram_weighted_local", cl::Range::groups(d.groups, d.group), axes..., state, r.sums,
                    uint64_t{r.n}, static_cast<uint32_t>(r.cells()), static_cast<uint32_t>(d.copies), window.target,
                    window.limit, r.counted.argument());
    });
}

Refusal refuses(const cl::Context &context, const Request &r) {
    const size_t bytes = kRoomWords.front() * sizeof(uint32_t), group = tuned(context, r.dtype, kGroup);
    if (context.features().local_bytes < bytes) return {"it needs ", bytes, " bytes of local memory"};
    if (context.info().work_group_size < group) return {"it needs work-groups of ", group};
    if (table_words(context, r) + words_of(r) > histogram::most_words(context))
        return "local memory does not hold so many bins";
    return {};
}

} // namespace

const Algorithm kLocal = {{"local", "sums in local memory, several copies of them; for GPUs",
                           "Kulisch, Computer Arithmetic and Validity, 2013 (exact sums)", false, Suits::kGpu},
                          refuses,
                          run,
                          nullptr,
                          kParameters,
                          kTakesCounted};

} // namespace gpcl::histogram_weighted

// Selection of the first k elements from those that a sample does not exclude. Host side of
// kernels/top_k/filter.cl.
// SPDX-License-Identifier: MIT
#include "ops/shape.h"
#include "ops/top_k/select.h"

#include <bit>
#include <cmath>

namespace gpcl::top_k {
namespace {

size_t from_of(const cl::Context &context, gp_dtype) {
    return size_t{1} << (context.features().all(kForwardProgress) ? 22 : 18);
}
const Parameter kFrom = {GP_TOP_K,
                         "filter",
                         "from",
                         "elements of a row from which on it pays",
                         {1 << 14, 1 << 16, 1 << 17, 1 << 18, 1 << 20, 1 << 21, 1 << 22, 1 << 23, 1 << 24},
                         from_of};
size_t group_of(const cl::Context &context, gp_dtype) {
    return context.is_cpu() ? 1 : std::min(size_t{256}, std::bit_floor(context.info().work_group_size));
}
const Parameter kGroup = {
    GP_TOP_K, "filter", "group", "work-items of a work-group; on CPUs one", {1, 2, 4, 8, 16, 32, 64, 128, 256, 512},
    group_of};
const Parameter kLoads = {GP_TOP_K,     "filter", "loads", "vectors of 16 bytes that a work-item reads at a time",
                          {1, 2, 4, 8}, always<4>};
const Parameter kGroups = {GP_TOP_K,         "filter",
                           "groups",         "work-groups for each compute unit, where there are enough tiles",
                           {1, 2, 4, 8, 16}, always<8>};
size_t samples_of(const cl::Context &context, gp_dtype type) {
    return context.is_cpu() ? 1024 : 128 / std::max(dtype(type).size, size_t{4});
}
const Parameter kSamples = {GP_TOP_K,
                            "filter",
                            "samples",
                            "elements of the sample for each work-item of a work-group",
                            {1, 2, 4, 8, 16, 32, 64, 1024, 4096},
                            samples_of};
constexpr std::array kParameters = {&kFrom, &kGroup, &kLoads, &kGroups, &kSamples};

constexpr size_t kKeep = 512; // elements that a work-group keeps in local memory
constexpr size_t kBinBytes = 8 << 10;

// The sample, and what it tells.
struct Sample {
    size_t group, each; // work-items, and elements of each
    size_t number;      // of the element that is the threshold; 0: there is none such
    size_t room;        // elements that may pass

    // Of a sample of s elements, about m = s k / n are among the first k, by a binomial law. The
    // threshold is the element that comes so many after the m-th that fewer than k elements pass
    // once in millions of calls; how many pass follows a gamma law, with a deviation of the root of
    // `number` parts of the row.
    Sample(const cl::Context &context, const Request &r) {
        constexpr double kSafe = 5;
        constexpr size_t kLargest = 1024, kMost = size_t{1} << 16;
        group = context.is_cpu() ? tuned(context, r.dtype, kGroup)
                                 : std::min(kLargest, std::bit_floor(context.info().work_group_size));
        const size_t most_each = std::bit_floor(std::max(r.n() / (8 * group), size_t{1}));
        each = std::min({tuned(context, r.dtype, kSamples), most_each, kMost / group});
        const auto size = static_cast<double>(group * each), n = static_cast<double>(r.n());
        const double expected = size * static_cast<double>(r.k) / n;
        const double wanted = std::ceil(expected + kSafe * std::sqrt(expected) + kSafe);
        const double most = wanted + std::floor(wanted / 8); // gp_more of kernels/top_k/filter.cl
        const double passing = (most + 8 * std::sqrt(most) + 8) * n / size;
        number = wanted < size ? static_cast<size_t>(wanted) : 0;
        room = static_cast<size_t>(std::min(passing, n));
    }
};

void run(cl::Task &task, const Request &r) {
    const auto &context = task.context();
    const Sample sample(context, r);
    const size_t size = dtype(r.dtype).size;
    const size_t group = context.is_cpu() ? 1 : tuned(context, r.dtype, kGroup),
                 loads = tuned(context, r.dtype, kLoads);
    const std::string common = text(r.options(), context.features().options());
    const auto sampling =
        task.program({"top_k/filter.cl", text(common, " -DGP_GROUP=", sample.group, " -DGP_SAMPLES=", sample.each)});
    const auto filtering = task.program(
        {"top_k/filter.cl", text(common, " -DGP_GROUP=", group, " -DGP_LOADS=", loads, " -DGP_KEEP=", kKeep)});
    const size_t tiles = ceil_div(r.n(), group * loads * (16 / size));
    const size_t groups = std::min(tiles, context.info().compute_units * tuned(context, r.dtype, kGroups));
    const Selection selection(task, r, sample.room);
    const auto samples = task.work_space(sample.group * sample.each * size);
    const bool in_rounds = context.features().all(kForwardProgress) && !refuses_rounds(context, r) &&
                           is_trusted(context, algorithms(), kRounds.info, r);
    const auto ended = task.cleared_space(sizeof(uint32_t));
    for (size_t number = 0; number < r.batch(); ++number) {
        const Request row = r.row(number);
        launch(task, *sampling, "top_k_sample", cl::Range::groups(sample.each, sample.group), row, selection.state,
               selection.tally, static_cast<uint32_t>(sample.number), samples, ended);
        launch(task, *filtering, "top_k_filter", cl::Range::groups(groups, group), row, selection.state,
               selection.tally, selection.room, selection.list_ranks, selection.list_places);
        if (in_rounds) {
            select_in_rounds(task, row, selection);
        } else {
            finish_list(task, row, selection);
            end_digits(task, row, selection);
        }
    }
}

Refusal refuses(const cl::Context &context, const Request &r) {
    if (auto refusal = refuses_digits(context, r)) return refusal;
    if (dtype(r.dtype).size < 4) return "it takes elements of 4 or 8 bytes";
    const Sample sample(context, r);
    if (r.n() < 8 * sample.group * sample.each) return {"a sample is of no use where n is ", r.n()};
    if (sample.number == 0 || r.k > r.n() / 16) return {"most elements would pass where k is ", r.k, " and n ", r.n()};
    const size_t group = tuned(context, r.dtype, kGroup);
    return refuses_shape(context, std::max(group, sample.group), kBinBytes + sample.group * sizeof(uint32_t) + 64);
}

bool fits(const cl::Context &context, const Request &r) { return r.n() >= tuned(context, r.dtype, kFrom); }

} // namespace

const Algorithm kFilter = {
    {"filter", "a sample of a long row tells which elements can be among the first k; one pass keeps those",
     "Floyd and Rivest, \"Expected Time Bounds for Selection\", 1975", false},
    refuses,
    run,
    fits,
    kParameters};

} // namespace gpcl::top_k

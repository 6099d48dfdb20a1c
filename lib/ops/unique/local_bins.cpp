// Distinct elements of some thousand in one launch. Host side of kernels/unique/local_bins.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/bins.h"
#include "ops/unique/unique.h"

namespace gpcl::unique {
namespace {

constexpr size_t kMostItems = 8; // of a work-item

const Parameter kMost = {GP_UNIQUE,
                         "local-bins",
                         "most",
                         "elements that it takes, if local memory has room; for more, several work-groups pay",
                         {1024, 2048, 4096, 8192},
                         always<4096>};
constexpr std::array kParameters = {&kMost};

// What it sorts.
sort::Request sorting(const Request &request) {
    const runs::Request &r = request.runs;
    sort::Request result = sort::whole_array(r.key, r.n);
    if (r.has_firsts || request.has_inverse) result.index = GP_UINT32;
    return result;
}

Refusal refuses(const cl::Context &context, const Request &request) {
    if (request.sorted) return "the input is sorted"; // or what it has are runs as they lie
    if (request.runs.key == GP_FLOAT16) return "it does not sort float16";
    const sort::Request sort = sorting(request);
    if (const Refusal why = sort::refuses_local_bins(context, sort, tuned(context, request.runs.key, kMost)))
        return why;
    const size_t items = sort::local_bins_shape(context, sort).items;
    return items <= kMostItems ? Refusal{}
                               : Refusal{"a work-item would take ", items, " elements, of at most ", kMostItems};
}

void run(cl::Task &task, const Request &request) {
    const runs::Request &r = request.runs;
    const sort::Request sort = sorting(request);
    const sort::BinsShape shape = sort::local_bins_shape(task.context(), sort);
    const auto program =
        task.program({"unique/local_bins.cl", text(sort::bins_options_alone(task.context(), sort, shape),
                                                   " -DGP_RESULT=", dtype(r.dtype).opencl)});
    const uint32_t wanted = r.wanted() | uint32_t{request.has_inverse} << 3;
    task.launch(*program, "unique_local_bins", cl::Range::groups(1, shape.group), static_cast<uint32_t>(r.n),
                sort::flipped_bits(sort), r.keys, r.bound, uint32_t{r.has_bound}, wanted,
                static_cast<uint32_t>(r.capacity), r.out_keys, r.results, r.firsts,
                request.has_inverse ? request.inverse : r.count, r.count);
}

} // namespace

const Algorithm kLocalBins = {{"local-bins", "one launch: a sort in one work-group's local memory, and its runs",
                               "Stehle and Jacobsen, \"A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs\", 2017",
                               false, Suits::kGpu, 0, kShuffle},
                              refuses,
                              run,
                              nullptr,
                              kParameters};

} // namespace gpcl::unique

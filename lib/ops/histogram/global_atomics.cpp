// Histogram with one counter a bin in global memory. Host side of
// kernels/histogram/global_atomics.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/histogram/histogram.h"

#include <bit>

namespace gpcl::histogram {
namespace {

void run(cl::Task &task, const Request &request) {
    constexpr size_t kWanted = 64;
    constexpr size_t kLeast = 64; // elements that are worth a work-item of their own
    const size_t group = std::min(kWanted, std::bit_floor(task.context().info().work_group_size));
    const auto program = task.program({"histogram/global_atomics.cl", merge_options(1)});
    const size_t slices = ceil_div(request.n, kLargestPart);
    const size_t bytes = slices * kBins * sizeof(uint32_t);
    const auto partial = task.work_space(bytes);
    const uint32_t zero = 0;
    task.fill(partial.memory, 0, bytes, &zero, sizeof zero);
    for (size_t slice = 0; slice < slices; ++slice) {
        const size_t first = slice * kLargestPart;
        const size_t size = std::min(kLargestPart, request.n - first);
        const size_t groups = groups_for(task.context(), size, group, kLeast);
        task.launch(*program, "count_slice", cl::Range::groups(groups, group), request.in + first, partial + slice,
                    uint64_t{size}, uint64_t{slices});
    }
    merge(task, *program, 1, partial, slices, request);
}

Refusal refuses(const cl::Context &, const Request &request) { return refuses_all_but_bytes(request); }

} // namespace

const Algorithm kGlobalAtomics = {{"global-atomics", "all work-items share one counter a bin in global memory",
                                   "the definition", false, Suits::kByName},
                                  refuses,
                                  run};

} // namespace gpcl::histogram

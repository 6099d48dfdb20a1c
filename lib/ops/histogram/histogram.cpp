// gp_histogram: checks, choice of algorithm, and what the algorithms for OpenCL share.
// SPDX-License-Identifier: MIT
#include "ops/histogram/histogram.h"

#include "core/dtype.h"
#include "core/options.h"
#include "core/size.h"

namespace gpcl::histogram {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kChunks,        kLanesOfCounters, kLocal, kSubHistogramsNoConflicts,
                                    kSubHistograms, kGlobalAtomics,   kHost,  kHostLoop};
    return list;
}

size_t groups_for(const cl::Context &context, size_t n, size_t group, size_t least) {
    constexpr size_t kGroupsPerUnit = 8;
    const size_t wanted = std::min(ceil_div(n, group * least), size_t{context.info().compute_units} * kGroupsPerUnit);
    return std::max(wanted, ceil_div(n, kLargestPart));
}

std::string merge_options(size_t group) { return text(" -DGP_MERGE=", group); }

void merge(cl::Task &task, cl::Program &program, size_t group, const cl::Operand &partial, size_t parts,
           const Request &request) {
    task.launch(program, "merge_histograms", cl::Range::groups(kBins, group), partial, request.counts, uint64_t{parts});
}

namespace {

constexpr size_t kCountsBytes = kBins * sizeof(uint64_t);

void require_call(gp_dtype dtype, size_t bins) {
    require_dtype(dtype, "dtype", std::array{GP_UINT8});
    require(bins == kBins, GP_ERROR_OPTION, "bins is ", bins, "; expected ", kBins, ", one for each value of uint8");
}

void require_apart(bool overlapping) {
    require(!overlapping, GP_ERROR_OVERLAP, "counts overlaps in; expected memory of its own");
}

void run(cl::Task &task, const Request &request, const char *algorithm) {
    const Algorithm &chosen = choose(algorithms(), algorithm, task, request);
    if (request.n > 0 || chosen.info.on_host) return chosen.run(task, request);
    const uint64_t zero = 0;
    task.fill(request.counts.memory, request.counts.offset * sizeof zero, kCountsBytes, &zero, sizeof zero);
}

} // namespace
} // namespace gpcl::histogram

using namespace gpcl;

gp_status gp_histogram(gp_context *context, gp_dtype dtype, size_t n, const void *in, size_t bins, uint64_t *counts,
                       const gp_histogram_options *options) {
    return guard("gp_histogram", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto given = read_options(options, "options");
        histogram::require_call(dtype, bins);
        if (n > 0) require_pointer(in, "in");
        require_pointer(counts, "counts");
        require_aligned(counts, sizeof(uint64_t), "counts");
        histogram::require_apart(overlap(in, n, counts, histogram::kCountsBytes));
        cl::Task task(device, given.event);
        const histogram::Request request{n, task.input(in, n), task.output(counts, histogram::kCountsBytes)};
        histogram::run(task, request, given.algorithm);
        task.end();
    });
}

gp_status gp_enqueue_histogram(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                               size_t bins, gp_buffer *counts, size_t counts_offset,
                               const gp_histogram_options *options, size_t wait_count, gp_event *const *wait,
                               gp_event **event) {
    return guard("gp_enqueue_histogram", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto given = read_options(options, "options");
        histogram::require_call(dtype, bins);
        cl::Task task(device, cl::Waits{wait_count, wait, event});
        constexpr size_t kSize = sizeof(uint64_t);
        const histogram::Request request{n, task.operand(in, in_offset, n, 1, "in"),
                                         task.operand(counts, counts_offset, bins, kSize, "counts")};
        histogram::require_apart(in == counts && overlap(in_offset, n, counts_offset * kSize, histogram::kCountsBytes));
        histogram::run(task, request, given.algorithm);
        task.end();
    });
}

// All operations in one list: what gp_algorithms and gp_warmup know. A new operation is one line here.
// SPDX-License-Identifier: MIT
#include "core/dtype.h"
#include "core/operation.h"
#include "core/options.h"
#include "ops/defaults.h"
#include "ops/histogram/histogram.h"
#include "ops/matmul/matmul.h"
#include "ops/recurrence/recurrence.h"
#include "ops/reduce/reduce.h"
#include "ops/scan/scan.h"
#include "ops/sort/sort.h"

#include <vector>

namespace gpcl {
namespace {

template <class Algorithm> std::vector<AlgorithmInfo> infos(std::span<const Algorithm> algorithms) {
    std::vector<AlgorithmInfo> result;
    for (const auto &one : algorithms) result.push_back(one.info);
    return result;
}

std::vector<AlgorithmInfo> list(gp_operation operation) {
    require_operation(operation);
    switch (operation) {
    case GP_MATMUL: return infos(matmul::algorithms());
    case GP_SCAN: return infos(scan::algorithms());
    case GP_SORT: return infos(sort::algorithms());
    case GP_REDUCE: return infos(reduce::algorithms());
    case GP_HISTOGRAM: return infos(histogram::algorithms());
    case GP_RECURRENCE: return infos(recurrence::algorithms());
    default: return infos(recurrence::varying_algorithms());
    }
}

// Few elements and many may take different programs.
gp_status small_histograms(gp_context *context, gp_dtype dtype) {
    const std::vector<uint64_t> in(histogram::kFewBytes + 1);
    uint64_t counts[histogram::kBins];
    gp_histogram_options options = GP_HISTOGRAM_OPTIONS_INIT;
    options.upper = is_float(dtype) ? 1 : 0;
    const gp_status status = gp_histogram(context, dtype, 1, in.data(), histogram::kBins, counts, &options);
    if (status != GP_SUCCESS) return status;
    return gp_histogram(context, dtype, in.size(), in.data(), histogram::kBins, counts, &options);
}

gp_status small_recurrences(gp_context *context, gp_dtype dtype) {
    std::vector<uint64_t> row(recurrence::kLongRow);
    const uint64_t none = 0; // as coefficient
    const gp_status status = gp_recurrence(context, dtype, 1, row.data(), row.data(), 1, &none, nullptr);
    if (status != GP_SUCCESS) return status;
    return gp_recurrence(context, dtype, row.size(), row.data(), row.data(), 1, &none, nullptr);
}

// A matrix times a vector, a small product and one of several tiles: each takes another algorithm.
gp_status smallest_products(gp_context *context, gp_dtype dtype) {
    constexpr size_t kLargest = 65;
    std::vector<uint64_t> zeros(kLargest * kLargest), c(kLargest * kLargest);
    gp_status status = GP_SUCCESS;
    for (const size_t n : {size_t{1}, size_t{2}, kLargest})
        if (status == GP_SUCCESS)
            status = gp_matmul(context, dtype, n, n, n, zeros.data(), n, zeros.data(), n, c.data(), n, nullptr);
    return status;
}

// Few keys are sorted by a program of their own, and many on CPUs.
gp_status sorts_of_every_size(gp_context *context, gp_dtype dtype) {
    constexpr size_t kMore = 4097; // than one work-group sorts
    std::vector<uint64_t> keys(kMore);
    gp_status status = gp_sort(context, dtype, 2, keys.data(), nullptr);
    if (status == GP_SUCCESS) status = gp_sort(context, dtype, kMore, keys.data(), nullptr);
    if (status != GP_SUCCESS || gpcl::dtype(dtype).size < 4 || !cl::contexts().get(context, "context")->is_cpu())
        return status;
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.algorithm = sort::kRadixBuckets.info.name;
    return gp_sort(context, dtype, kMore, keys.data(), &options);
}

// The smallest calls of an operation with default options. They tell what it refuses; and some drivers compile a kernel, or
// load it, when it is first launched.
gp_status smallest_call(gp_context *context, gp_operation operation, gp_dtype dtype) {
    uint64_t in[2] = {0, 0}; // holds one element of any type
    uint64_t out[1] = {};
    switch (operation) {
    case GP_MATMUL: return smallest_products(context, dtype);
    case GP_SCAN: return gp_scan(context, dtype, 1, in, out, nullptr);
    case GP_SORT: return sorts_of_every_size(context, dtype);
    case GP_HISTOGRAM: return small_histograms(context, dtype);
    case GP_RECURRENCE: return small_recurrences(context, dtype);
    case GP_RECURRENCE_VARYING: return gp_recurrence_varying(context, dtype, 1, in, in, out, nullptr);
    default: return gp_reduce(context, dtype, 1, in, out, nullptr);
    }
}

} // namespace

std::vector<cl::ProgramKey> default_programs(const cl::Context &context, gp_operation operation, gp_dtype dtype) {
    Needed needed(context);
    if (context.is_host()) return {};
    switch (operation) {
    case GP_MATMUL: matmul::add_defaults(needed, dtype); break;
    case GP_SCAN: scan::add_defaults(needed, dtype); break;
    case GP_SORT: sort::add_defaults(needed, dtype); break;
    case GP_REDUCE: reduce::add_defaults(needed, dtype); break;
    case GP_HISTOGRAM: histogram::add_defaults(needed, dtype); break;
    case GP_RECURRENCE: recurrence::add_defaults(needed, dtype); break;
    default: recurrence::add_varying_defaults(needed, dtype); break;
    }
    return needed.programs();
}

} // namespace gpcl

using namespace gpcl;

gp_status gp_algorithms(gp_operation operation, size_t *count) {
    return guard("gp_algorithms", [&] {
        require_pointer(count, "count");
        *count = list(operation).size();
    });
}

gp_status gp_algorithm_describe(gp_operation operation, size_t index, gp_algorithm_info *info) {
    return guard("gp_algorithm_describe", [&] {
        const auto algorithms = list(operation);
        require_pointer(info, "info");
        require(index < algorithms.size(), GP_ERROR_INDEX, "index is ", index, "; expected less than ",
                algorithms.size());
        const AlgorithmInfo &one = algorithms[index];
        write_info(info,
                   gp_algorithm_info{0, one.name, one.summary, one.source, one.on_host ? 1 : 0,
                                     one.suits == Suits::kByName ? 1 : 0},
                   "info");
    });
}

gp_status gp_warmup(gp_context *context, gp_operation operation, gp_dtype dtype) {
    return guard("gp_warmup", [&] {
        require_operation(operation);
        const gp_status status = smallest_call(context, operation, dtype);
        if (status != GP_SUCCESS) throw Error(status, gp_error_message(), gp_error_opencl(), gp_error_build_log());
        const auto device = cl::contexts().get(context, "context");
        device->build(default_programs(*device, operation, dtype));
    });
}

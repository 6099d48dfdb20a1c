// All operations in one list: what gp_algorithms, gp_parameters and gp_warmup know. A new operation
// is one line here.
// SPDX-License-Identifier: MIT
#include "cl/members.h"
#include "core/options.h"
#include "ops/arg_reduce/arg_reduce.h"
#include "ops/difference/difference.h"
#include "ops/gather/gather.h"
#include "ops/histogram/histogram.h"
#include "ops/histogram_weighted/histogram_weighted.h"
#include "ops/is_sorted/is_sorted.h"
#include "ops/matmul/matmul.h"
#include "ops/merge/merge.h"
#include "ops/merge_runs/merge_runs.h"
#include "ops/operation.h"
#include "ops/paths/paths.h"
#include "ops/recurrence/recurrence.h"
#include "ops/reduce/reduce.h"
#include "ops/repeat/repeat.h"
#include "ops/runs/runs.h"
#include "ops/scan/scan.h"
#include "ops/scan_by_key/scan_by_key.h"
#include "ops/search/search.h"
#include "ops/select/select.h"
#include "ops/sort/sort.h"
#include "ops/top_k/top_k.h"
#include "ops/transform/transform.h"
#include "ops/transpose/transpose.h"
#include "ops/unique/unique.h"
#include "place/sample.h"

#include <array>

namespace gpcl {

std::span<const Operation *const> operations() {
    static constexpr std::array list = {
        // by their codes
        &matmul::kOperation,
        &scan::kOperation,
        &sort::kOperation,
        &reduce::kOperation,
        &histogram::kOperation,
        &recurrence::kOperation,
        &recurrence::kVaryingOperation,
        &arg_reduce::kOperation,
        &top_k::kOperation,
        &search::kOperation,
        &is_sorted::kOperation,
        &merge::kOperation,
        &histogram_weighted::kOperation,
        &merge_runs::kOperation,
        &paths::kOperation,
        &transform::kOperation,
        &difference::kOperation,
        &select::kOperation,
        &gather::kOperation,
        &transpose::kOperation,
        &runs::kLengthsOperation,
        &runs::kByKeyOperation,
        &unique::kOperation,
        &scan_by_key::kOperation,
        &repeat::kOperation,
    };
    return list;
}

const Operation &operation(gp_operation code) {
    const auto all = operations();
    if (code >= 1 && static_cast<size_t>(code) <= all.size()) return *all[static_cast<size_t>(code - 1)];
    std::string names;
    for (const Operation *one : all) names += text(names.empty() ? "" : ", ", one->name);
    fail(GP_ERROR_OPERATION, "operation is ", code, "; expected a gp_operation: 1 to ", all.size(), ", ", names);
}

std::vector<cl::ProgramKey> default_programs(const cl::Context &context, const Operation &operation, gp_dtype dtype) {
    if (context.is_host()) return {};
    Needed needed(context);
    operation.add_defaults(needed, dtype);
    return needed.programs();
}

} // namespace gpcl

using namespace gpcl;

const char *gp_operation_name(gp_operation operation) {
    for (const Operation *one : operations())
        if (one->code == operation) return one->name;
    return "unknown";
}

gp_status gp_algorithms(gp_operation operation, size_t *count) {
    return guard("gp_algorithms", [&] {
        require_pointer(count, "count");
        *count = gpcl::operation(operation).algorithms().size();
    });
}

gp_status gp_algorithm_describe(gp_operation operation, size_t index, gp_algorithm_info *info) {
    return guard("gp_algorithm_describe", [&] {
        const Operation &of = gpcl::operation(operation);
        const auto algorithms = of.algorithms();
        require_pointer(info, "info");
        require(index < algorithms.size(), GP_ERROR_INDEX, "index is ", index, "; expected less than ",
                algorithms.size());
        const AlgorithmInfo &one = algorithms[index];
        write_info(info,
                   gp_algorithm_info{0, one.name, one.summary, one.source, one.on_host ? 1 : 0,
                                     one.suits == Suits::kByName ? 1 : 0,
                                     one.is_beyond_portable() && of.prove != nullptr ? 1 : 0, 0},
                   "info");
    });
}

gp_status gp_warmup(gp_context *context, gp_operation operation, gp_dtype dtype) {
    return guard("gp_warmup", [&] {
        const Operation &one = gpcl::operation(operation);
        const place::Trial on_device(place::Side::kDevice);
        const auto made = [](gp_status status) {
            if (status != GP_SUCCESS) throw Error(status, gp_error_message(), gp_error_opencl(), gp_error_build_log());
        };
        const auto warm = [&](gp_context *handle) {
            made(one.smallest_calls(handle, dtype));
            const auto device = cl::contexts().get(handle, "context");
            if (device->is_host()) return;
            Needed needed(*device);
            one.add_defaults(needed, dtype);
            device->build(needed.programs());
            for (const Needed::Call &call : needed.calls()) made(call(handle));
        };
        const auto members = cl::members_of(context);
        if (!members) return warm(context);
        for (gp_context *device : members->devices)
            if (!cl::contexts().find(device)->state()->is_lost()) warm(device);
    });
}

// gp_scan: checks, choice of algorithm.
// SPDX-License-Identifier: MIT
#include "ops/scan/scan.h"

#include "core/options.h"
#include "core/size.h"

namespace gpcl::scan {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kWaves,
                                    kChunks,
                                    kReduceThenScan,
                                    kHost,
                                    kNaive,
                                    kWorkEfficient,
                                    kRecursive,
                                    kRecursiveConflictFree,
                                    kRecursiveVectors,
                                    kHostLoop};
    return list;
}

namespace {

Request read_request(const cl::Context &context, gp_dtype dtype, size_t n, const gp_scan_options &options) {
    Request request;
    request.dtype = dtype;
    request.n = n;
    request.combine =
        read_combine(options.op, options.operator_source, options.operator_identity, options.operator_helpers);
    require_choice(options.kind, GP_EXCLUSIVE, "options->kind");
    require_choice(options.direction, GP_REVERSE, "options->direction");
    request.exclusive = options.kind == GP_EXCLUSIVE;
    request.reverse = options.direction == GP_REVERSE;
    require_combine_dtype(context, dtype, request.combine);
    return request;
}

void run(cl::Task &task, const Request &request, const char *algorithm) {
    const Algorithm &chosen = choose(algorithms(), algorithm, task, request);
    if (request.n > 0) chosen.run(task, request);
}

} // namespace
} // namespace gpcl::scan

using namespace gpcl;

gp_status gp_scan(gp_context *context, gp_dtype dtype, size_t n, const void *in, void *out,
                  const gp_scan_options *options) {
    return guard("gp_scan", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto given = read_options(options, "options");
        scan::Request request = scan::read_request(*device, dtype, n, given);
        const size_t size = gpcl::dtype(dtype).size;
        const size_t bytes = multiply(n, size, "n elements");
        if (n > 0) {
            require_pointer(in, "in");
            require_pointer(out, "out");
        }
        require_aligned(in, size, "in");
        require_aligned(out, size, "out");
        require(in == out || !overlap(in, bytes, out, bytes), GP_ERROR_OVERLAP,
                "in and out overlap; expected the same array or arrays apart");
        cl::Task task(device, given.event);
        if (in == out) {
            request.in = request.out = task.in_out(out, bytes);
        } else {
            request.in = task.input(in, bytes);
            request.out = task.output(out, bytes);
        }
        scan::run(task, request, given.algorithm);
        task.end();
    });
}

gp_status gp_enqueue_scan(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                          gp_buffer *out, size_t out_offset, const gp_scan_options *options, size_t wait_count,
                          gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_scan", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto given = read_options(options, "options");
        scan::Request request = scan::read_request(*device, dtype, n, given);
        const size_t size = gpcl::dtype(dtype).size;
        cl::Task task(device, cl::Waits{wait_count, wait, event});
        request.in = task.operand(in, in_offset, n, size, "in");
        request.out = task.operand(out, out_offset, n, size, "out");
        require(in != out || in_offset == out_offset || !overlap(in_offset, n, out_offset, n), GP_ERROR_OVERLAP,
                "in and out overlap in the same buffer; expected the same elements or elements apart");
        scan::run(task, request, given.algorithm);
        task.end();
    });
}

// gp_reduce: checks, choice of algorithm.
// SPDX-License-Identifier: MIT
#include "ops/reduce/reduce.h"

#include "core/options.h"
#include "core/size.h"

namespace gpcl::reduce {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kChunks, kTree, kHost};
    return list;
}

namespace {

Request read_request(const cl::Context &context, gp_dtype dtype, size_t n, const gp_reduce_options &options) {
    Request request;
    request.dtype = dtype;
    request.n = n;
    request.combine =
        read_combine(options.op, options.operator_source, options.operator_identity, options.operator_helpers);
    require_combine_dtype(context, dtype, request.combine);
    return request;
}

} // namespace
} // namespace gpcl::reduce

using namespace gpcl;

gp_status gp_reduce(gp_context *context, gp_dtype dtype, size_t n, const void *in, void *out,
                    const gp_reduce_options *options) {
    return guard("gp_reduce", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto given = read_options(options, "options");
        reduce::Request request = reduce::read_request(*device, dtype, n, given);
        const size_t size = gpcl::dtype(dtype).size;
        const size_t bytes = multiply(n, size, "n elements");
        if (n > 0) require_pointer(in, "in");
        require_pointer(out, "out");
        require_aligned(in, size, "in");
        require_aligned(out, size, "out");
        require(!overlap(in, bytes, out, size), GP_ERROR_OVERLAP, "out lies within in; expected them apart");
        cl::Task task(device, given.event);
        request.in = task.input(in, bytes);
        request.out = task.output(out, size);
        choose(reduce::algorithms(), given.algorithm, task, request).run(task, request);
        task.end();
    });
}

gp_status gp_enqueue_reduce(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                            gp_buffer *out, size_t out_offset, const gp_reduce_options *options, size_t wait_count,
                            gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_reduce", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto given = read_options(options, "options");
        reduce::Request request = reduce::read_request(*device, dtype, n, given);
        const size_t size = gpcl::dtype(dtype).size;
        cl::Task task(device, cl::Waits{wait_count, wait, event});
        request.in = task.operand(in, in_offset, n, size, "in");
        request.out = task.operand(out, out_offset, 1, size, "out");
        require(in != out || !overlap(in_offset, n, out_offset, 1), GP_ERROR_OVERLAP,
                "out lies within in, in the same buffer; expected them apart");
        choose(reduce::algorithms(), given.algorithm, task, request).run(task, request);
        task.end();
    });
}

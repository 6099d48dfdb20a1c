// gp_reduce: checks, choice of algorithm.
// SPDX-License-Identifier: MIT
#include "ops/reduce/reduce.h"

#include "core/options.h"
#include "core/size.h"
#include "ops/apart.h"
#include "ops/place.h"

#include <cstddef>

namespace gpcl::reduce {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kColumnTiles, kColumns, kChunks, kStaged, kRows, kTree, kHost};
    return list;
}

void accumulate(cl::Task &task, const Request &r, const cl::Operand &results) {
    const auto program =
        task.program({"reduce/accumulate.cl", r.combine.options(r.dtype) + r.counted.option(), r.combine.preamble()});
    const size_t group = std::min<size_t>(task.context().info().work_group_size, 64);
    task.launch(*program, "accumulate_results", cl::Range::groups(ceil_div(r.batch(), group), group), results, r.out,
                uint64_t{r.batch()}, uint64_t{r.stride_out}, r.counted.argument());
}

namespace {

// What both forms of the call check and fill in alike.
struct Call {
    gp_reduce_options options;
    Request request; // without its operands
    Rows out;        // of one element
    size_t size_in, size_out;
};

Call read_call(const cl::Context &context, gp_dtype dtype, size_t n, const gp_reduce_options *given) {
    Call call{read_options(given, "options"), {}, {}, 0, 0};
    const auto &options = call.options;
    Request &request = call.request;
    request.n = n;
    request.combine =
        read_combine(options.op, options.operator_source, options.operator_identity, options.operator_helpers);
    request.from = dtype;
    request.dtype = read_sum_dtype(context, dtype, options.accumulator, request.combine);
    call.size_in = gpcl::dtype(request.from).size;
    call.size_out = gpcl::dtype(request.dtype).size;
    request.rows = read_rows(n, options.batch, options.stride_in, options.step_in, "n elements of in");
    call.out = read_rows(1, options.batch, options.stride_out, 1, "batch elements of out");
    request.stride_out = call.out.stride;
    require_choice(options.accumulate, 1, "options->accumulate");
    request.accumulate = options.accumulate != 0;
    request.counted = read_counted(options, request.batch() == 1 && request.rows.step == 1);
    return call;
}

void run(cl::Task &task, const Call &call) {
    const Request &request = call.request;
    const Algorithm &chosen = choose(algorithms(), call.options.algorithm, task.context(), request);
    if (!request.accumulate || chosen.info.on_host) return chosen.run(task, request);
    if (request.n == 0) return;
    Request apart = request;
    apart.out = task.work_space(multiply(request.batch(), call.size_out, "work space"));
    apart.stride_out = 1;
    chosen.run(task, apart);
    accumulate(task, request, apart.out);
}

// Host memory between whose results the device must not write: it works on memory of its own.
void run_apart(cl::Task &task, Call &call, void *out) {
    const size_t bytes = call.out.span() * call.size_out;
    call.request.out = task.work_space(bytes);
    if (call.request.accumulate) task.write(call.request.out.memory, 0, bytes, out, true);
    run(task, call);
    read_apart(task, call.request.out, call.out, call.size_out, out);
}

void add_defaults(Needed &needed, gp_dtype dtype) {
    needed.for_each_size(gpcl::dtype(dtype).size, 2, [&](size_t n) {
        Request request = read_call(needed.context(), dtype, n, nullptr).request;
        request.in = request.out = cl::Operand::stand_in();
        const size_t size = gpcl::dtype(dtype).size;
        needed.add(algorithms(), request, n * size, [=](gp_context *context) {
            uint64_t sum = 0;
            return gp_reduce(context, dtype, n, zeros(n, size).data(), &sum, nullptr);
        });
    });
}

gp_status smallest_call(gp_context *context, gp_dtype dtype) {
    const uint64_t in[1] = {}; // holds one element of any type
    uint64_t out[1] = {};
    return gp_reduce(context, dtype, 1, in, out, nullptr);
}

} // namespace

const Operation kOperation = {
    GP_REDUCE,     "reduce",        kSumTypes, infos<algorithms>, parameters<algorithms>, add_defaults,
    smallest_call, one_kind<kKind>, prove,     list<algorithms>};

} // namespace gpcl::reduce

using namespace gpcl;

gp_status gp_reduce(gp_context *context, gp_dtype dtype, size_t n, const void *in, void *out,
                    const gp_reduce_options *options) {
    return guard("gp_reduce", [&] {
        const auto device = placed(context, reduce::kOperation, reduce::kKind, dtype,
                                   {real(n), {array_of(in, dtype, n)}, {array_of(out, dtype, 1)}}, options);
        reduce::Call call = reduce::read_call(*device, dtype, n, options);
        reduce::Request &request = call.request;
        require_uncounted(request.counted);
        const size_t in_bytes = multiply(request.rows.span(), call.size_in, "n elements");
        const size_t out_bytes = multiply(call.out.span(), call.size_out, "batch elements");
        if (n > 0) require_pointer(in, "in");
        require_pointer(out, "out");
        require_aligned(in, call.size_in, "in");
        require_aligned(out, call.size_out, "out");
        require(!overlap(in, in_bytes, out, out_bytes), GP_ERROR_OVERLAP, "out lies within in; expected them apart");
        if (reduce::deal(context, request, call.options, in, out)) return;
        cl::Task task(device, call.options.event);
        if (reduce::run_pieces(task, *device, request, call.options.algorithm, in, out)) return task.end();
        request.in = task.input(in, in_bytes);
        if (call.out.has_gaps() && !device->works_in_place(out_bytes)) {
            reduce::run_apart(task, call, out);
        } else {
            request.out = request.accumulate ? task.in_out(out, out_bytes) : task.output(out, out_bytes);
            reduce::run(task, call);
        }
        task.end();
    });
}

gp_status gp_enqueue_reduce(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                            gp_buffer *out, size_t out_offset, const gp_reduce_options *options, size_t wait_count,
                            gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_reduce", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const cl::Signature signature(*device, "gp_enqueue_reduce", options,
                                      {{in, in_offset}, {out, out_offset}, {known.n_buffer, known.n_offset}}, dtype, n);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        reduce::Call call = reduce::read_call(*device, dtype, n, options);
        reduce::Request &request = call.request;
        const size_t in_span = request.rows.span(), out_span = call.out.span();
        cl::Task task(device, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        request.in = task.operand(in, in_offset, in_span, call.size_in, "in");
        request.out = task.operand(out, out_offset, out_span, call.size_out, "out");
        require(!overlap(request.in, request.out), GP_ERROR_OVERLAP,
                "out lies within in, in the same memory; expected them apart");
        request.n = take_counted(task, call.options, n, request.counted, {{request.out, "out"}});
        request.rows.n = request.n;
        reduce::run(task, call);
        task.end();
    });
}

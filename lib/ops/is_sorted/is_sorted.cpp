// gp_is_sorted: checks, choice of algorithm.
// SPDX-License-Identifier: MIT
#include "ops/is_sorted/is_sorted.h"

#include "core/options.h"
#include "core/size.h"
#include "ops/apart.h"
#include "ops/columns.h"
#include "ops/place.h"
#include "ops/room.h"

namespace gpcl::is_sorted {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kColumns, kChunks, kRows, kHost};
    return list;
}

cl::Operand parts_of(cl::Task &task, const Request &request, size_t parts) {
    return task.work_space(multiply(multiply(request.batch(), parts, "work space"), sizeof(uint64_t), "work space"));
}

void combine(cl::Task &task, cl::Program &program, const Request &r, const cl::Operand &firsts, size_t parts,
             size_t part_stride, size_t row_stride) {
    task.launch(program, "is_sorted_results", Columns::rows(task.context(), r.batch()), firsts, uint64_t{parts},
                uint64_t{part_stride}, uint64_t{row_stride}, uint64_t{r.rows.n}, uint64_t{r.batch()}, r.positions,
                uint64_t{r.stride_out}, r.counted.argument());
}

namespace {

// What both forms of the call check and fill in alike.
struct Call {
    gp_is_sorted_options options;
    Request request; // without its operands
    Rows out;        // of one element
    size_t size;
};

Call read_call(gp_dtype dtype, size_t n, const gp_is_sorted_options *given) {
    Call call{read_options(given, "options"), {}, {}, 0};
    const auto &options = call.options;
    Request &request = call.request;
    require_dtype(dtype, "dtype", kAllTypes);
    require_choice(options.order, GP_DESCENDING, "options->order");
    require_choice(options.strict, 1, "options->strict");
    request.dtype = dtype;
    request.descending = options.order == GP_DESCENDING;
    request.strict = options.strict != 0;
    request.rows = read_rows(n, options.batch, options.stride_in, options.step_in, "n elements of in");
    call.out = read_rows(1, options.batch, options.stride_out, 1, "batch elements of positions");
    request.stride_out = call.out.stride;
    request.counted = read_counted(options, request.batch() == 1 && request.rows.step == 1);
    call.size = gpcl::dtype(dtype).size;
    return call;
}

void run(cl::Task &task, Call &call) {
    Request &request = call.request;
    if (request.rows.n == 0) request.in = request.positions;
    choose(algorithms(), call.options.algorithm, task.context(), request).run(task, request);
}

void require_apart(bool overlapping) {
    require(!overlapping, GP_ERROR_OVERLAP, "positions overlap in; expected them apart");
}

// Host memory between whose results the device must not write: it works on memory of its own.
void run_apart(cl::Task &task, Call &call, uint64_t *positions) {
    Request &request = call.request;
    request.positions = task.work_space(call.out.span() * sizeof *positions);
    run(task, call);
    read_apart(task, request.positions, call.out, sizeof *positions, positions);
}

bool is_held(const cl::Context &context, const Call &call, const Rows &rows) {
    Request r = call.request;
    r.rows = rows;
    r.in = r.positions = cl::Operand::stand_in();
    return device_holds(context, {rows.span() * call.size, call.out.span() * sizeof(uint64_t)},
                        [&](cl::Task &task) { choose(algorithms(), call.options.algorithm, context, r).run(task, r); });
}

// One row that the device can't hold: parts that each begin with the last element of the one
// before, until one is not sorted.
void run_parts(cl::Task &task, Call &call, const void *in, uint64_t *position) {
    Request &r = call.request;
    const Rows whole = r.rows;
    const auto rows_of = [&](size_t n) { return Rows{n, 1, n * whole.step, whole.step}; };
    const size_t held = most_held(task.context(), whole.n,
                                  [&](size_t n) { return n == 1 || is_held(task.context(), call, rows_of(n)); });
    if (held == 1) fail_to_hold(task.context());
    for (size_t begin = 0; begin + 1 < whole.n; begin += held - 1) {
        cl::Task::Pass pass(task);
        r.rows = rows_of(std::min(held, whole.n - begin));
        r.in =
            task.input(static_cast<const std::byte *>(in) + begin * whole.step * call.size, r.rows.span() * call.size);
        r.positions = task.output(position, sizeof *position);
        run(task, call);
        pass.end();
        const bool is_whole = *position == r.rows.n;
        *position += begin;
        if (!is_whole) return;
    }
}

void add_defaults(Needed &needed, gp_dtype dtype) {
    needed.for_each_size(gpcl::dtype(dtype).size, 2, [&](size_t n) {
        Request request = read_call(dtype, n, nullptr).request;
        request.in = request.positions = cl::Operand::stand_in();
        const size_t size = gpcl::dtype(dtype).size;
        needed.add(algorithms(), request, n * size, [=](gp_context *context) {
            uint64_t position = 0;
            return gp_is_sorted(context, dtype, n, zeros(n, size).data(), &position, nullptr);
        });
    });
}

gp_status smallest_calls(gp_context *context, gp_dtype dtype) {
    const uint64_t in[1] = {}; // holds one element of any type
    uint64_t position[1] = {};
    return gp_is_sorted(context, dtype, 1, in, position, nullptr);
}

} // namespace

const Operation kOperation = {GP_IS_SORTED,           "is-sorted",  kAllTypes,      infos<algorithms>,
                              parameters<algorithms>, add_defaults, smallest_calls, one_kind<kKind>};

} // namespace gpcl::is_sorted

using namespace gpcl;

gp_status gp_is_sorted(gp_context *context, gp_dtype dtype, size_t n, const void *in, uint64_t *positions,
                       const gp_is_sorted_options *options) {
    return guard("gp_is_sorted", [&] {
        const auto first = placed(context, is_sorted::kOperation, is_sorted::kKind, dtype,
                                  {real(n), {array_of(in, dtype, n)}, {array_of(positions, GP_UINT64, 1)}}, options);
        where_it_fits(first, is_sorted::kOperation, options, [&](const auto &device) {
            is_sorted::Call call = is_sorted::read_call(dtype, n, options);
            is_sorted::Request &request = call.request;
            require_uncounted(request.counted);
            const size_t in_bytes = multiply(request.rows.span(), call.size, "n elements");
            const size_t position_bytes = multiply(call.out.span(), sizeof *positions, "batch elements");
            if (n > 0) require_pointer(in, "in");
            require_pointer(positions, "positions");
            require_aligned(in, call.size, "in");
            require_aligned(positions, sizeof *positions, "positions");
            is_sorted::require_apart(overlap(in, in_bytes, positions, position_bytes));
            if (is_sorted::deal(context, request, call.options, in, positions)) return;
            cl::Task task(device, call.options.event);
            if (n > 0 && request.batch() == 1 && !is_sorted::is_held(*device, call, request.rows)) {
                is_sorted::run_parts(task, call, in, positions);
                return task.end();
            }
            if (n > 0) request.in = task.input(in, in_bytes);
            if (call.out.has_gaps() && !device->works_in_place(position_bytes)) {
                is_sorted::run_apart(task, call, positions);
            } else {
                request.positions = task.output(positions, position_bytes);
                is_sorted::run(task, call);
            }
            task.end();
        });
    });
}

gp_status gp_enqueue_is_sorted(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                               gp_buffer *positions, size_t positions_offset, const gp_is_sorted_options *options,
                               size_t wait_count, gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_is_sorted", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const cl::Signature signature(
            *device, "gp_enqueue_is_sorted", options,
            {{in, in_offset}, {positions, positions_offset}, {known.n_buffer, known.n_offset}}, dtype, n);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        is_sorted::Call call = is_sorted::read_call(dtype, n, options);
        is_sorted::Request &request = call.request;
        cl::Task task(device, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        request.in = task.operand(in, in_offset, request.rows.span(), call.size, "in");
        request.positions = task.operand(positions, positions_offset, call.out.span(), sizeof(uint64_t), "positions");
        is_sorted::require_apart(overlap(request.in, request.positions));
        request.rows.n = take_counted(task, call.options, n, request.counted, {{request.positions, "positions"}});
        is_sorted::run(task, call);
        task.end();
    });
}

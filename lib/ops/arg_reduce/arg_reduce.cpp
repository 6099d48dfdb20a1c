// gp_arg_reduce: checks, choice of algorithm.
// SPDX-License-Identifier: MIT
#include "ops/arg_reduce/arg_reduce.h"

#include "core/options.h"
#include "core/size.h"
#include "ops/apart.h"
#include "ops/place.h"
#include "ops/room.h"

#include <bit>
#include <limits>

namespace gpcl::arg_reduce {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kColumnTiles, kColumns, kChunks, kRows, kTree, kHost};
    return list;
}

std::string Request::options(size_t group, bool steps) const {
    return text(key_order_options(dtype), " -DGP_GROUP=", group, steps && rows.step != 1 ? " -DGP_STEPS" : "",
                counted.option());
}

uint64_t Request::flip() const { return flipped_bits(dtype, largest); }

Parts::Parts(cl::Task &task, const Request &request, size_t parts) : count(parts) {
    const size_t all = multiply(request.batch(), parts, "work space");
    ranks = task.work_space(multiply(all, dtype(request.dtype).size, "work space"));
    positions = task.work_space(multiply(all, sizeof(uint64_t), "work space"));
}

LaneParts::LaneParts(cl::Task &task, const Request &request, size_t parts, size_t last) {
    ranks = places = ended = request.positions; // which nobody touches where there is one part
    if (parts == 1) return;
    const size_t all = multiply(request.batch(), parts, "work space");
    ranks = task.work_space(multiply(all, std::max(dtype(request.dtype).size, sizeof(uint32_t)), "work space"));
    places = task.work_space(multiply(all, sizeof(uint32_t), "work space"));
    ended = task.cleared_space(last * sizeof(uint32_t));
}

void combine(cl::Task &task, cl::Program &program, const Request &r, size_t group, const Parts &parts,
             size_t part_stride, size_t row_stride) {
    const size_t lanes = std::min(group, std::bit_ceil(parts.count));
    launch_last(task, program, "arg_reduce_results", cl::Range::groups(ceil_div(r.batch(), group / lanes), group), r,
                static_cast<uint32_t>(lanes), uint64_t{parts.count}, uint64_t{part_stride}, uint64_t{row_stride},
                parts.ranks, parts.positions);
}

namespace {

// What both forms of the call check and fill in alike.
struct Call {
    gp_arg_reduce_options options;
    Request request; // without its operands
    Rows out;        // of one element
    size_t size, index_size;
};

Call read_call(gp_operator op, gp_dtype dtype, size_t n, gp_dtype index, bool has_values,
               const gp_arg_reduce_options *given) {
    Call call{read_options(given, "options"), {}, {}, 0, 0};
    const auto &options = call.options;
    Request &request = call.request;
    require(op == GP_MINIMUM || op == GP_MAXIMUM, GP_ERROR_OPERATOR, "op is ", op,
            "; expected GP_MINIMUM or GP_MAXIMUM");
    require_dtype(dtype, "dtype", kAllTypes);
    require_dtype(index, "index", kIndexTypes);
    require(n > 0, GP_ERROR_EMPTY, "n is 0; expected at least one element in each row");
    require(index != GP_UINT32 || n - 1 <= std::numeric_limits<uint32_t>::max(), GP_ERROR_TOO_LARGE, "n is ", n,
            "; positions of type uint32 reach 2^32");
    request.dtype = dtype;
    request.index = index;
    request.largest = op == GP_MAXIMUM;
    request.rows = read_rows(n, options.batch, options.stride_in, options.step_in, "n elements of in");
    call.out = read_rows(1, options.batch, options.stride_out, 1, "batch elements of positions");
    request.stride_out = call.out.stride;
    request.has_values = has_values;
    request.counted = read_counted(options, request.batch() == 1 && request.rows.step == 1);
    call.size = gpcl::dtype(dtype).size;
    call.index_size = gpcl::dtype(index).size;
    return call;
}

void run(cl::Task &task, Call &call) {
    Request &request = call.request;
    if (!request.has_values) request.values = request.positions;
    choose(algorithms(), call.options.algorithm, task.context(), request).run(task, request);
}

// Host memory between whose results the device must not write: it works on memory of its own.
void run_apart(cl::Task &task, Call &call, void *positions, void *values) {
    Request &request = call.request;
    const size_t count = call.out.span();
    request.positions = task.work_space(count * call.index_size);
    if (request.has_values) request.values = task.work_space(count * call.size);
    run(task, call);
    read_apart(task, request.positions, call.out, call.index_size, positions);
    if (request.has_values) read_apart(task, request.values, call.out, call.size, values);
}

bool is_held(const cl::Context &context, const Call &call, const Rows &rows) {
    Request r = call.request;
    r.rows = rows;
    r.in = r.positions = r.values = cl::Operand::stand_in();
    const size_t results = call.out.span();
    const Footprint arrays{rows.span() * call.size, results * call.index_size, results * call.size};
    return device_holds(context, arrays,
                        [&](cl::Task &task) { choose(algorithms(), call.options.algorithm, context, r).run(task, r); });
}

// One row that the device can't hold: the best of each part, then the best of these.
void run_parts(cl::Task &task, Call call, const Rows &whole, const std::byte *in, std::byte *position,
               std::byte *value) {
    Request &r = call.request;
    const auto rows_of = [&](size_t n) { return Rows{n, 1, n * whole.step, whole.step}; };
    const size_t held =
        most_held(task.context(), whole.n, [&](size_t n) { return is_held(task.context(), call, rows_of(n)); });
    if (held == 1 && whole.n > 1) fail_to_hold(task.context());
    const size_t parts = ceil_div(whole.n, held);
    cl::Kept<std::byte> bests(parts * call.size), positions(parts * call.index_size);
    r.has_values = true;
    for (size_t part = 0; part < parts; ++part) {
        cl::Task::Pass pass(task);
        r.rows = rows_of(std::min(held, whole.n - part * held));
        r.in = task.input(in + part * held * whole.step * call.size, r.rows.span() * call.size);
        r.positions = task.output(positions.data() + part * call.index_size, call.index_size);
        r.values = task.output(bests.data() + part * call.size, call.size);
        run(task, call);
        pass.end();
    }
    uint64_t best = 0; // which of the parts, in the type of the indices
    if (parts > 1)
        run_parts(task, call, Rows{parts, 1, parts, 1}, bests.data(), reinterpret_cast<std::byte *>(&best), nullptr);
    with_type(call.request.index, [&](auto zero) {
        using Index = decltype(zero);
        Index part = 0, within = 0;
        std::memcpy(&part, &best, sizeof part);
        std::memcpy(&within, positions.data() + static_cast<size_t>(part) * sizeof within, sizeof within);
        const auto found = static_cast<Index>(static_cast<size_t>(part) * held + static_cast<size_t>(within));
        std::memcpy(position, &found, sizeof found);
        if (value != nullptr) std::memcpy(value, bests.data() + static_cast<size_t>(part) * call.size, call.size);
    });
}

void add_defaults(Needed &needed, gp_dtype dtype) {
    needed.for_each_size(gpcl::dtype(dtype).size, 2, [&](size_t n) {
        Request request = read_call(GP_MINIMUM, dtype, n, GP_UINT64, false, nullptr).request;
        request.in = request.positions = request.values = cl::Operand::stand_in();
        const size_t size = gpcl::dtype(dtype).size;
        needed.add(algorithms(), request, n * size, [=](gp_context *context) {
            uint64_t position = 0;
            return gp_arg_reduce(context, GP_MINIMUM, dtype, n, zeros(n, size).data(), GP_UINT64, &position, nullptr,
                                 nullptr);
        });
    });
}

gp_status smallest_calls(gp_context *context, gp_dtype dtype) {
    const uint64_t in[1] = {}; // holds one element of any type
    uint64_t position[1] = {};
    return gp_arg_reduce(context, GP_MINIMUM, dtype, 1, in, GP_UINT64, position, nullptr, nullptr);
}

} // namespace

const Operation kOperation = {GP_ARG_REDUCE,          "arg-reduce", kAllTypes,      infos<algorithms>,
                              parameters<algorithms>, add_defaults, smallest_calls, one_kind<kKind>};

} // namespace gpcl::arg_reduce

using namespace gpcl;

gp_status gp_arg_reduce(gp_context *context, gp_operator op, gp_dtype dtype, size_t n, const void *in, gp_dtype index,
                        void *positions, void *values, const gp_arg_reduce_options *options) {
    return guard("gp_arg_reduce", [&] {
        const auto first = placed(
            context, arg_reduce::kOperation, arg_reduce::kKind, dtype,
            {real(n), {array_of(in, dtype, n)}, {array_of(positions, index, 1), array_of(values, dtype, 1)}}, options);
        where_it_fits(first, arg_reduce::kOperation, options, [&](const auto &device) {
            arg_reduce::Call call = arg_reduce::read_call(op, dtype, n, index, values != nullptr, options);
            arg_reduce::Request &request = call.request;
            require_uncounted(request.counted);
            const size_t count = call.out.span();
            const size_t in_bytes = multiply(request.rows.span(), call.size, "n elements");
            const size_t position_bytes = multiply(count, call.index_size, "batch elements");
            const size_t value_bytes = values != nullptr ? multiply(count, call.size, "batch elements") : 0;
            require_pointer(in, "in");
            require_pointer(positions, "positions");
            require_aligned(in, call.size, "in");
            require_aligned(positions, call.index_size, "positions");
            require_aligned(values, call.size, "values");
            require_apart(overlap(in, in_bytes, positions, position_bytes), "positions", "in");
            require_apart(overlap(in, in_bytes, values, value_bytes), "values", "in");
            require_apart(overlap(positions, position_bytes, values, value_bytes), "values", "positions");
            if (arg_reduce::deal(context, request, call.options, in, positions, values)) return;
            cl::Task task(device, call.options.event);
            if (request.batch() == 1 && !arg_reduce::is_held(*device, call, request.rows)) {
                arg_reduce::run_parts(task, call, request.rows, static_cast<const std::byte *>(in),
                                      static_cast<std::byte *>(positions), static_cast<std::byte *>(values));
                return task.end();
            }
            request.in = task.input(in, in_bytes);
            if (call.out.has_gaps() && !device->works_in_place(position_bytes)) {
                arg_reduce::run_apart(task, call, positions, values);
            } else {
                request.positions = task.output(positions, position_bytes);
                if (request.has_values) request.values = task.output(values, value_bytes);
                arg_reduce::run(task, call);
            }
            task.end();
        });
    });
}

gp_status gp_enqueue_arg_reduce(gp_context *context, gp_operator op, gp_dtype dtype, size_t n, gp_buffer *in,
                                size_t in_offset, gp_dtype index, gp_buffer *positions, size_t positions_offset,
                                gp_buffer *values, size_t values_offset, const gp_arg_reduce_options *options,
                                size_t wait_count, gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_arg_reduce", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const cl::Signature signature(
            *device, "gp_enqueue_arg_reduce", options,
            {{in, in_offset}, {positions, positions_offset}, {values, values_offset}, {known.n_buffer, known.n_offset}},
            op, dtype, n, index);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        arg_reduce::Call call = arg_reduce::read_call(op, dtype, n, index, values != nullptr, options);
        arg_reduce::Request &request = call.request;
        const size_t count = call.out.span();
        cl::Task task(device, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        request.in = task.operand(in, in_offset, request.rows.span(), call.size, "in");
        request.positions = task.operand(positions, positions_offset, count, call.index_size, "positions");
        require_apart(overlap(request.in, request.positions), "positions", "in");
        if (request.has_values) {
            request.values = task.operand(values, values_offset, count, call.size, "values");
            require_apart(overlap(request.in, request.values), "values", "in");
            require_apart(overlap(request.positions, request.values), "values", "positions");
        }
        request.rows.n = take_counted(task, call.options, n, request.counted,
                                      {{request.positions, "positions"}, {request.values, "values"}});
        if (request.rows.n > 0) arg_reduce::run(task, call);
        task.end();
    });
}

// gp_top_k: checks, choice of algorithm.
// SPDX-License-Identifier: MIT
#include "ops/top_k/top_k.h"

#include "core/options.h"
#include "core/size.h"
#include "ops/apart.h"
#include "ops/place.h"
#include "ops/room.h"

#include <limits>

namespace gpcl::top_k {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kWarps, kSortedRows, kGroups, kFilter, kRounds, kDigits, kHost};
    return list;
}

Request Request::row(size_t number) const {
    Request one = *this;
    one.rows.batch = 1;
    one.in = in + number * rows.stride;
    one.positions = positions + number * stride_out;
    one.values = values + number * stride_out;
    return one;
}

namespace {

// What both forms of the call check and fill in alike.
struct Call {
    gp_top_k_options options;
    Request request; // without its operands
    Rows out;
    size_t size, index_size;
};

Call read_call(gp_order order, gp_dtype dtype, size_t n, size_t k, gp_dtype index, bool has_positions, bool has_values,
               const gp_top_k_options *given) {
    Call call{read_options(given, "options"), {}, {}, 0, 0};
    const auto &options = call.options;
    Request &request = call.request;
    require_choice(order, GP_DESCENDING, "order");
    require_dtype(dtype, "dtype", kAllTypes);
    require_dtype(index, "index", kIndexTypes);
    require(k <= n, GP_ERROR_OPTION, "k is ", Shown{k}, "; expected at most n, which is ", n);
    require(index != GP_UINT32 || n == 0 || n - 1 <= std::numeric_limits<uint32_t>::max(), GP_ERROR_TOO_LARGE, "n is ",
            n, "; positions of type uint32 reach 2^32");
    require_choice(options.unsorted, 1, "options->unsorted");
    request.dtype = dtype;
    request.index = index;
    request.descending = order == GP_DESCENDING;
    request.sorted = options.unsorted == 0;
    request.rows = read_rows(n, options.batch, options.stride_in, options.step_in, "n elements of in");
    request.counted = read_counted(options, request.batch() == 1 && request.rows.step == 1);
    request.k = k;
    call.out = read_rows(k, options.batch, options.stride_out, 1, "k elements of positions");
    require(call.out.are_apart(), GP_ERROR_BATCH_STRIDE, "options->stride_out is ", options.stride_out,
            ", so results of rows overlap; expected at least k, which is ", k);
    request.stride_out = call.out.stride;
    request.has_positions = has_positions;
    request.has_values = has_values;
    require(k == 0 || has_positions || has_values, GP_ERROR_NULL_POINTER,
            "positions and values are NULL; expected at least one of them");
    call.size = gpcl::dtype(dtype).size;
    call.index_size = gpcl::dtype(index).size;
    return call;
}

void run(cl::Task &task, Call &call) {
    Request &request = call.request;
    if (!request.has_values) request.values = request.positions;
    if (!request.has_positions) request.positions = request.values;
    choose(algorithms(), call.options.algorithm, task.context(), request).run(task, request);
}

// Host memory between whose results the device must not write: it works on memory of its own.
void run_apart(cl::Task &task, Call &call, void *positions, void *values) {
    Request &request = call.request;
    const size_t count = call.out.span();
    if (request.has_positions) request.positions = task.work_space(count * call.index_size);
    if (request.has_values) request.values = task.work_space(count * call.size);
    run(task, call);
    if (request.has_positions) read_apart(task, request.positions, call.out, call.index_size, positions);
    if (request.has_values) read_apart(task, request.values, call.out, call.size, values);
}

bool is_held(const cl::Context &context, const Call &call, const Rows &rows, size_t k) {
    Request r = call.request;
    r.rows = rows;
    r.k = k;
    r.in = r.positions = r.values = cl::Operand::stand_in();
    const size_t results = rows.batch == 1 ? k : call.out.span();
    const Footprint arrays{rows.span() * call.size, results * call.index_size, results * call.size};
    return device_holds(context, arrays,
                        [&](cl::Task &task) { choose(algorithms(), call.options.algorithm, context, r).run(task, r); });
}

// One row that the device can't hold: the first k of each part, in order, and of these those of
// all.
void run_parts(cl::Task &task, Call call, const Rows &whole, const std::byte *in, std::byte *positions,
               std::byte *values) {
    Request &r = call.request;
    const size_t k = r.k;
    const auto rows_of = [&](size_t n) { return Rows{n, 1, n * whole.step, whole.step}; };
    const auto holds = [&](size_t n) { return is_held(task.context(), call, rows_of(n), std::min(k, n)); };
    r.has_positions = r.has_values = true;
    const size_t held = most_held(task.context(), whole.n, holds);
    const bool is_last = held == whole.n;
    require(is_last || k <= held / 2, GP_ERROR_TOO_LARGE, "k is ", k, "; expected at most ", held / 2,
            ", which is half of what the memory of ", task.context().info().name, " has room for; sort instead");
    if (!is_last) r.sorted = true; // equal elements in the order of their positions
    const size_t parts = ceil_div(whole.n, held);
    size_t count = 0; // elements that are left
    cl::Kept<std::byte> places(parts * k * call.index_size), elements(parts * k * call.size);
    std::vector<size_t> begins; // of each one's part
    for (size_t part = 0; part < parts; ++part) {
        cl::Task::Pass pass(task);
        r.rows = rows_of(std::min(held, whole.n - part * held));
        r.k = std::min(k, r.rows.n);
        r.in = task.input(in + part * held * whole.step * call.size, r.rows.span() * call.size);
        r.positions = task.output(places.data() + count * call.index_size, r.k * call.index_size);
        r.values = task.output(elements.data() + count * call.size, r.k * call.size);
        run(task, call);
        pass.end();
        count += r.k;
        begins.resize(count, part * held);
    }
    cl::Kept<std::byte> chosen; // which of these
    if (!is_last) {
        chosen.resize(k * call.index_size);
        r.k = k;
        r.sorted = call.options.unsorted == 0;
        run_parts(task, call, Rows{count, 1, count, 1}, elements.data(), chosen.data(), values);
    } else if (values != nullptr) {
        std::memcpy(values, elements.data(), k * call.size);
    }
    if (positions == nullptr) return;
    with_type(r.index, [&](auto zero) {
        using Index = decltype(zero);
        const auto *from = reinterpret_cast<const Index *>(places.data());
        const auto *of = reinterpret_cast<const Index *>(chosen.data());
        for (size_t i = 0; i < k; ++i) {
            const size_t one = is_last ? i : static_cast<size_t>(of[i]);
            reinterpret_cast<Index *>(positions)[i] = static_cast<Index>(static_cast<size_t>(from[one]) + begins[one]);
        }
    });
}

// What the sizes of n and k that programs change with have between them.
void add_defaults(Needed &needed, gp_dtype dtype) {
    const auto add = [&](size_t n, size_t k) {
        if (n > std::numeric_limits<uint32_t>::max()) return; // OpenCL devices count in 32 bits
        Request request = read_call(GP_ASCENDING, dtype, n, k, GP_UINT64, true, true, nullptr).request;
        request.in = request.positions = request.values = cl::Operand::stand_in();
        const size_t size = gpcl::dtype(dtype).size;
        needed.add(algorithms(), request, n * size + k * (size + sizeof(uint64_t)), [=](gp_context *context) {
            auto positions = zeros(k, sizeof(uint64_t)), values = zeros(k, size);
            return gp_top_k(context, GP_ASCENDING, dtype, n, zeros(n, size).data(), k, GP_UINT64, positions.data(),
                            values.data(), nullptr);
        });
    };
    needed.for_each_size(gpcl::dtype(dtype).size, 1, [&](size_t n) {
        for (size_t k = 1; k < n; k *= 4) add(n, k);
        add(n, n);
    });
    // What sorts k elements, few of many among them.
    constexpr size_t kMany = size_t{1} << 22;
    needed.for_each_size(sizeof(uint64_t), 8, [&](size_t k) {
        add(k, k);
        if (k < kMany) add(kMany, k);
    });
}

gp_status smallest_calls(gp_context *context, gp_dtype dtype) {
    const uint64_t in[1] = {}; // holds one element of any type
    uint64_t position[1] = {};
    return gp_top_k(context, GP_ASCENDING, dtype, 1, in, 1, GP_UINT64, position, nullptr, nullptr);
}

} // namespace

const Operation kOperation = {
    GP_TOP_K,       "top-k", kAllTypes, infos<algorithms>, parameters<algorithms>, add_defaults,
    smallest_calls, kKinds,  prove,     list<algorithms>};

} // namespace gpcl::top_k

using namespace gpcl;

gp_status gp_top_k(gp_context *context, gp_order order, gp_dtype dtype, size_t n, const void *in, size_t k,
                   gp_dtype index, void *positions, void *values, const gp_top_k_options *options) {
    return guard("gp_top_k", [&] {
        const auto first = placed(
            context, top_k::kOperation, top_k::kind_of(k), dtype,
            {real(n), {array_of(in, dtype, n)}, {array_of(positions, index, k), array_of(values, dtype, k)}}, options);
        where_it_fits(first, top_k::kOperation, options, [&](const auto &device) {
            top_k::Call call =
                top_k::read_call(order, dtype, n, k, index, positions != nullptr, values != nullptr, options);
            top_k::Request &request = call.request;
            require_uncounted(request.counted);
            const size_t count = call.out.span();
            const size_t in_bytes = multiply(request.rows.span(), call.size, "n elements");
            const size_t position_bytes = positions != nullptr ? multiply(count, call.index_size, "k elements") : 0;
            const size_t value_bytes = values != nullptr ? multiply(count, call.size, "k elements") : 0;
            if (n > 0) require_pointer(in, "in");
            require_aligned(in, call.size, "in");
            require_aligned(positions, call.index_size, "positions");
            require_aligned(values, call.size, "values");
            require_apart(overlap(in, in_bytes, positions, position_bytes), "positions", "in");
            require_apart(overlap(in, in_bytes, values, value_bytes), "values", "in");
            require_apart(overlap(positions, position_bytes, values, value_bytes), "values", "positions");
            if (top_k::deal(context, request, call.options, in, positions, values)) return;
            cl::Task task(device, call.options.event);
            if (k > 0 && request.rows.batch == 1 && !top_k::is_held(*device, call, request.rows, k)) {
                top_k::run_parts(task, call, request.rows, static_cast<const std::byte *>(in),
                                 static_cast<std::byte *>(positions), static_cast<std::byte *>(values));
            } else if (k > 0) {
                request.in = task.input(in, in_bytes);
                if (call.out.has_gaps() && !device->works_in_place(position_bytes + value_bytes)) {
                    top_k::run_apart(task, call, positions, values);
                } else {
                    if (request.has_positions) request.positions = task.output(positions, position_bytes);
                    if (request.has_values) request.values = task.output(values, value_bytes);
                    top_k::run(task, call);
                }
            }
            task.end();
        });
    });
}

gp_status gp_enqueue_top_k(gp_context *context, gp_order order, gp_dtype dtype, size_t n, gp_buffer *in,
                           size_t in_offset, size_t k, gp_dtype index, gp_buffer *positions, size_t positions_offset,
                           gp_buffer *values, size_t values_offset, const gp_top_k_options *options, size_t wait_count,
                           gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_top_k", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto given = cl::known_options(options);
        const cl::Signature signature(
            *device, "gp_enqueue_top_k", options,
            {{in, in_offset}, {positions, positions_offset}, {values, values_offset}, {given.n_buffer, given.n_offset}},
            order, dtype, n, k, index);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        top_k::Call call =
            top_k::read_call(order, dtype, n, k, index, positions != nullptr, values != nullptr, options);
        top_k::Request &request = call.request;
        const size_t count = call.out.span();
        cl::Task task(device, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        request.in = task.operand(in, in_offset, request.rows.span(), call.size, "in");
        if (request.has_positions) {
            request.positions = task.operand(positions, positions_offset, count, call.index_size, "positions");
            require_apart(overlap(request.in, request.positions), "positions", "in");
        }
        if (request.has_values) {
            request.values = task.operand(values, values_offset, count, call.size, "values");
            require_apart(overlap(request.in, request.values), "values", "in");
        }
        if (request.has_positions && request.has_values)
            require_apart(overlap(request.positions, request.values), "values", "positions");
        request.rows.n = take_counted(task, call.options, n, request.counted,
                                      {{request.positions, "positions"}, {request.values, "values"}});
        request.k = std::min(k, request.rows.n);
        if (request.k > 0) top_k::run(task, call);
        task.end();
    });
}

// gp_recurrence and gp_recurrence_varying: checks, choice of algorithm, and what the algorithms for
// OpenCL share.
// SPDX-License-Identifier: MIT
#include "ops/recurrence/recurrence.h"

#include "core/dtype.h"
#include "core/options.h"
#include "core/size.h"
#include "ops/place.h"

#include <cstddef>

namespace gpcl::recurrence {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kChunks,      kStagedLookBack, kLookBack,    kChunkedLookAhead,       kLookAhead8,
                                    kLookAhead16, kLookAhead32,    kLookAhead64, kStagedLookBackFallback, kSerial,
                                    kHost,        kHostLoop};
    return list;
}

std::span<const Algorithm> varying_algorithms() {
    static const std::array list = {kVaryingChunks, kVaryingLookBack, kVaryingTiles, kVaryingLookBackFallback,
                                    kVaryingHost};
    return list;
}

std::string options(const Request &request) {
    return text("-DT=", dtype(request.dtype).opencl, request.dtype == GP_FLOAT64 ? " -DGP_FLOAT64" : "",
                " -DGP_ORDER=", request.order, request.reverse ? " -DGP_REVERSE" : "");
}

Constants make_constants(cl::Task &task, const Request &request, const std::vector<long double> &tables,
                         bool coefficients) {
    return with_type(request.dtype, [&](auto type) {
        using T = decltype(type);
        std::vector<T> values;
        const auto append = [&](const void *from, size_t count) {
            const auto *first = static_cast<const T *>(from);
            values.insert(values.end(), first, first + count);
        };
        if (coefficients) append(request.coefficients, request.order);
        for (const long double x : tables) values.push_back(static_cast<T>(x));
        const cl::Operand all = task.constants(values.data(), values.size() * sizeof(T));
        return Constants{all, make_states(task, request, all), request.has_in ? request.in : request.out,
                         request.has_in, request.has_initial()};
    });
}

cl::Operand make_states(cl::Task &task, const Request &request, const cl::Operand &else_) {
    if (request.has_states) return request.states;
    if (request.initial == nullptr) return else_;
    return task.constants(request.initial, request.batch * request.order * dtype(request.dtype).size);
}

void hand_on(cl::Task &task, const Request &request, const cl::Operand &last) {
    const auto program = task.program({"recurrence/final_states.cl", options(request)});
    const size_t group = std::min<size_t>(task.context().info().work_group_size, 64);
    const bool reads_states = request.n < request.order && request.has_initial();
    const cl::Operand states = reads_states ? make_states(task, request, last) : last;
    task.launch(*program, "final_states", cl::Range::groups(ceil_div(request.batch, group), group),
                request.n > 0 ? request.out : last, states, last, uint64_t{request.n}, uint64_t{request.batch},
                uint64_t{request.stride_out}, uint32_t{reads_states});
}

void run_rows(cl::Task &task, cl::Program &program, const Request &request, const Constants &constants, size_t group) {
    task.launch(program, "recurrence_rows", cl::Range::groups(ceil_div(request.batch, group), group), constants.in,
                request.out, constants.tables, constants.initial, uint64_t{request.n}, uint64_t{request.batch},
                uint64_t{request.stride_in}, uint64_t{request.stride_out}, constants.has_in, constants.has_initial);
}

namespace {

constexpr std::array<gp_dtype, 2> kTypes = {GP_FLOAT32, GP_FLOAT64};

// What all forms of the calls check and fill in alike.
struct Call {
    gp_recurrence_options options;
    size_t size;              // bytes of an element
    size_t in_span, out_span; // elements from the first to the last one, with the gaps between rows
    size_t varying_span = 0;  // likewise of coefficients that vary
    std::span<const Algorithm> algorithms;
    Request request; // without its operands

    bool has_gaps() const { return out_span != request.batch * request.n; }
    bool same_rows() const { return request.batch == 1 || request.stride_in == request.stride_out; }
};

size_t span_of(const Request &request, size_t stride, const char *name) {
    return request.n == 0 ? 0 : add(multiply(request.batch - 1, stride, name), request.n, name);
}

Call read_call(gp_dtype dtype, size_t n, bool has_in, size_t order, const gp_recurrence_options *given) {
    Call call{read_options(given, "options"), 0, 0, 0, 0, algorithms(), {}};
    const auto &options = call.options;
    require_dtype(dtype, "dtype", kTypes);
    require(order >= 1 && order <= kLargestOrder, GP_ERROR_OPTION, "order is ", Shown{order}, "; expected 1 to ",
            kLargestOrder);
    call.size = gpcl::dtype(dtype).size;
    require_aligned(options.initial, call.size, "options->initial");
    require_aligned(options.final_state, call.size, "options->final_state");
    require(options.initial_buffer != nullptr || options.initial_offset == 0, GP_ERROR_OPTION,
            "options->initial_offset is ", options.initial_offset, "; expected 0 without initial_buffer");
    require(options.final_buffer != nullptr || options.final_offset == 0, GP_ERROR_OPTION, "options->final_offset is ",
            options.final_offset, "; expected 0 without final_buffer");
    require(options.initial == nullptr || options.initial_buffer == nullptr, GP_ERROR_OPTION,
            "options->initial and options->initial_buffer are both set; expected one of them");
    require_choice(options.direction, GP_REVERSE, "options->direction");
    require_choice(options.share_coefficients, 1, "options->share_coefficients");
    Request &request = call.request;
    request.dtype = dtype;
    request.n = n;
    request.order = order;
    request.batch = options.batch == 0 ? 1 : options.batch;
    request.stride_in = options.stride_in == 0 ? n : options.stride_in;
    request.stride_out = options.stride_out == 0 ? n : options.stride_out;
    request.initial = options.initial;
    request.has_in = has_in;
    request.reverse = options.direction == GP_REVERSE;
    require(request.batch == 1 || request.stride_out >= n, GP_ERROR_BATCH_STRIDE, "stride_out is ", request.stride_out,
            " with a batch of ", request.batch, "; expected at least ", n, ", so that the rows do not overlap");
    call.in_span = has_in ? span_of(request, request.stride_in, "n elements of in") : 0;
    call.out_span = span_of(request, request.stride_out, "n elements of out");
    multiply(multiply(request.batch, order, "batch"), call.size, "batch");
    return call;
}

// The coefficients of gp_recurrence.
Call read_constant_call(gp_dtype dtype, size_t n, bool has_in, size_t order, const void *coefficients,
                        const gp_recurrence_options *given) {
    Call call = read_call(dtype, n, has_in, order, given);
    require_pointer(coefficients, "coefficients");
    require_aligned(coefficients, call.size, "coefficients");
    require(call.options.share_coefficients == 0 && call.options.stride_coefficients == 0, GP_ERROR_OPTION,
            "options->share_coefficients or stride_coefficients is set; expected 0, since all rows have the same ones");
    call.request.coefficients = coefficients;
    return call;
}

// Those of gp_recurrence_varying, but for the memory in which they lie.
Call read_varying_call(gp_dtype dtype, size_t n, bool has_in, const gp_recurrence_options *given) {
    Call call = read_call(dtype, n, has_in, 1, given);
    const auto &options = call.options;
    require(options.share_coefficients == 0 || options.stride_coefficients == 0, GP_ERROR_OPTION,
            "options->stride_coefficients is ", options.stride_coefficients,
            "; expected 0 with share_coefficients, which leaves one row of them");
    Request &request = call.request;
    request.stride_varying = options.share_coefficients != 0    ? 0
                             : options.stride_coefficients == 0 ? n
                                                                : options.stride_coefficients;
    call.varying_span = span_of(request, request.stride_varying, "n elements of coefficients");
    call.algorithms = varying_algorithms();
    return call;
}

void require_device(const cl::Context &context, gp_dtype dtype) {
    require(dtype != GP_FLOAT64 || context.is_host() || context.info().has_float64 != 0, GP_ERROR_UNSUPPORTED_TYPE,
            "dtype is float64, which ", context.info().name, " can't compute (it lacks cl_khr_fp64)");
}

void require_apart(bool in_overlaps_out, bool varying_overlaps_out) {
    require(!in_overlaps_out, GP_ERROR_OVERLAP, "in and out overlap; expected the same rows or memory apart");
    require(!varying_overlaps_out, GP_ERROR_OVERLAP, "coefficients and out overlap; expected memory apart");
}

// The last values of every row, from `out` in host memory.
void write_final_state(const Call &call, const void *out, void *final_state) {
    const Request &request = call.request;
    std::vector<std::byte> states(request.batch * request.order * call.size); // may replace the initial ones
    for (size_t row = 0; row < request.batch; ++row) {
        for (size_t j = 0; j < request.order; ++j) {
            const size_t t = request.reverse ? j : request.n - 1 - j;
            const void *from = j < request.n ? out : request.initial;
            const size_t index = j < request.n ? row * request.stride_out + t : row * request.order + j - request.n;
            if (from == nullptr) continue;
            std::memcpy(states.data() + (row * request.order + j) * call.size,
                        static_cast<const std::byte *>(from) + index * call.size, call.size);
        }
    }
    std::memcpy(final_state, states.data(), states.size());
}

void run(cl::Task &task, const Call &call) {
    const Algorithm &chosen = choose(call.algorithms, call.options.algorithm, task.context(), call.request);
    if (call.request.n > 0) chosen.run(task, call.request);
}

// Host memory whose gaps between the rows are not ours to write: the device works on rows without
// gaps.
void run_gathered(cl::Task &task, Call &call, void *out) {
    Request &request = call.request;
    const size_t row = request.n * call.size, pitch = request.stride_out * call.size;
    request.out = task.work_space(request.batch * row);
    request.stride_out = request.n;
    run(task, call);
    std::vector<std::byte> rows(request.batch * row);
    task.read(request.out.memory, 0, rows.size(), rows.data(), true);
    for (size_t i = 0; i < request.batch; ++i)
        std::memcpy(static_cast<std::byte *>(out) + i * pitch, rows.data() + i * row, row);
    request.stride_out = pitch / call.size;
}

// The call on host pointers; `varying` is NULL for gp_recurrence.
void run_on_pointers(const std::shared_ptr<cl::Context> &device, Call &call, const void *varying, const void *in,
                     void *out) {
    Request &request = call.request;
    const auto bytes_of = [&](size_t span) { return multiply(span, call.size, "n elements"); };
    const size_t in_bytes = bytes_of(call.in_span), out_bytes = bytes_of(call.out_span);
    const size_t varying_bytes = bytes_of(call.varying_span);
    if (request.n > 0) require_pointer(out, "out");
    require_aligned(varying, call.size, "coefficients");
    require_aligned(in, call.size, "in");
    require_aligned(out, call.size, "out");
    const bool in_place = in == out && call.same_rows();
    require_apart(!in_place && overlap(in, in_bytes, out, out_bytes), overlap(varying, varying_bytes, out, out_bytes));
    require(call.options.initial_buffer == nullptr && call.options.final_buffer == nullptr, GP_ERROR_OPTION,
            "options->initial_buffer or final_buffer is set, which are for the calls on buffers; expected "
            "options->initial and final_state");
    void *final_state = call.options.final_state;
    const size_t state_bytes = final_state == nullptr ? 0 : request.batch * request.order * call.size;
    require(!overlap(final_state, state_bytes, out, out_bytes) && !overlap(final_state, state_bytes, in, in_bytes) &&
                !overlap(final_state, state_bytes, varying, varying_bytes),
            GP_ERROR_OVERLAP, "options->final_state overlaps in, out or coefficients; expected memory of its own");
    require_device(*device, request.dtype);
    cl::Task task(device, call.options.event);
    if (run_pieces(task, *device, request, call.algorithms, call.options.algorithm, {varying, in, out})) {
        task.end();
        if (final_state != nullptr) write_final_state(call, out, final_state);
        return;
    }
    const bool gathers = call.has_gaps() && !device->works_in_place(out_bytes);
    if (varying != nullptr) request.varying = task.input(varying, varying_bytes);
    if (request.has_in && (!in_place || gathers)) request.in = task.input(in, in_bytes);
    if (gathers) {
        run_gathered(task, call, out);
    } else {
        request.out = request.has_in && in_place ? task.in_out(out, out_bytes) : task.output(out, out_bytes);
        if (request.has_in && in_place) request.in = request.out;
        run(task, call);
    }
    task.end();
    if (final_state != nullptr) write_final_state(call, out, final_state);
}

// The values in the host's memory that a call is told by too.
void add_coefficients(cl::Signature &signature, gp_dtype dtype, size_t order, const void *coefficients) {
    if (coefficients != nullptr && find_dtype(dtype) != nullptr && order <= kLargestOrder)
        signature.bytes(coefficients, order * gpcl::dtype(dtype).size);
}

void run_on_buffers(const std::shared_ptr<cl::Context> &device, Call &call, const cl::Place &varying,
                    const cl::Place &in, const cl::Place &out, const cl::Waits &waits) {
    Request &request = call.request;
    require(call.options.final_state == nullptr, GP_ERROR_OPTION,
            "options->final_state is for the calls on host pointers; expected options->final_buffer");
    cl::Task task(device, waits);
    const auto operand = [&](const cl::Place &place, size_t span, const char *name) {
        return task.operand(place.buffer, place.offset, span, call.size, name);
    };
    if (request.coefficients == nullptr) request.varying = operand(varying, call.varying_span, "coefficients");
    if (request.has_in) request.in = operand(in, call.in_span, "in");
    request.out = operand(out, call.out_span, "out");
    const bool in_place = request.in == request.out && call.same_rows();
    require_apart(!in_place && overlap(request.in, request.out), overlap(request.varying, request.out));
    const auto state = [&](gp_buffer *buffer, size_t offset, const char *name) {
        return buffer == nullptr ? cl::Operand{} : operand({buffer, offset}, request.batch * request.order, name);
    };
    const cl::Operand first =
        state(call.options.initial_buffer, call.options.initial_offset, "options->initial_buffer");
    const cl::Operand last = state(call.options.final_buffer, call.options.final_offset, "options->final_buffer");
    require(!overlap(first, request.out), GP_ERROR_OVERLAP,
            "options->initial_buffer and out overlap in the same memory; expected them apart");
    require(!overlap(last, request.in) && !overlap(last, request.out) && !overlap(last, request.varying),
            GP_ERROR_OVERLAP, "options->final_buffer overlaps in, out or coefficients; expected elements of its own");
    require(first == last || !overlap(first, last), GP_ERROR_OVERLAP,
            "options->initial_buffer and final_buffer overlap; expected the same elements, or elements apart");
    require_device(*device, request.dtype);
    if (call.options.initial_buffer != nullptr && device->is_host()) request.initial = first.host;
    if (call.options.initial_buffer != nullptr && !device->is_host()) {
        request.has_states = true;
        request.states = first;
    }
    run(task, call);
    if (call.options.final_buffer != nullptr) {
        if (device->is_host())
            task.on_host(GP_COPY, "final states", [&] { write_final_state(call, request.out.host, last.host); });
        else
            hand_on(task, request, last);
    }
    task.end();
}

void add_defaults(Needed &needed, gp_dtype dtype) {
    const uint64_t none = 0; // as coefficient
    needed.for_each_size(gpcl::dtype(dtype).size, 2, [&](size_t n) {
        Request request = read_constant_call(dtype, n, true, 1, &none, nullptr).request;
        request.in = request.out = cl::Operand::stand_in();
        const size_t size = gpcl::dtype(dtype).size;
        needed.add(algorithms(), request, n * size, [=](gp_context *context) {
            auto row = zeros(n, size);
            return gp_recurrence(context, dtype, n, row.data(), row.data(), 1, &none, nullptr);
        });
    });
}

void add_varying_defaults(Needed &needed, gp_dtype dtype) {
    needed.for_each_size(gpcl::dtype(dtype).size, 2, [&](size_t n) {
        Request request = read_varying_call(dtype, n, true, nullptr).request;
        request.in = request.out = request.varying = cl::Operand::stand_in();
        const size_t size = gpcl::dtype(dtype).size;
        needed.add(varying_algorithms(), request, n * size, [=](gp_context *context) {
            auto row = zeros(n, size);
            const auto coefficients = zeros(n, size);
            return gp_recurrence_varying(context, dtype, n, coefficients.data(), row.data(), row.data(), nullptr);
        });
    });
}

gp_status smallest_calls(gp_context *context, gp_dtype dtype) {
    std::vector<uint64_t> row(kLongRow);
    const uint64_t none = 0; // as coefficient
    const gp_status status = gp_recurrence(context, dtype, 1, row.data(), row.data(), 1, &none, nullptr);
    if (status != GP_SUCCESS) return status;
    return gp_recurrence(context, dtype, row.size(), row.data(), row.data(), 1, &none, nullptr);
}

gp_status smallest_varying_call(gp_context *context, gp_dtype dtype) {
    const uint64_t in[1] = {}; // holds one element of any type
    uint64_t out[1] = {};
    return gp_recurrence_varying(context, dtype, 1, in, in, out, nullptr);
}

} // namespace

const Operation kOperation = {
    GP_RECURRENCE,  "recurrence", kTypes, infos<algorithms>, parameters<algorithms>, add_defaults,
    smallest_calls, kKinds,       prove,  list<algorithms>};

const Operation kVaryingOperation = {GP_RECURRENCE_VARYING,
                                     "recurrence-varying",
                                     kTypes,
                                     infos<varying_algorithms>,
                                     parameters<varying_algorithms>,
                                     add_varying_defaults,
                                     smallest_varying_call,
                                     one_kind<kVarying>,
                                     prove_varying,
                                     list<varying_algorithms>};

} // namespace gpcl::recurrence

using namespace gpcl;

gp_status gp_recurrence(gp_context *context, gp_dtype dtype, size_t n, const void *in, void *out, size_t order,
                        const void *coefficients, const gp_recurrence_options *options) {
    return guard("gp_recurrence", [&] {
        const auto device = placed(context, recurrence::kOperation, recurrence::kind_of(order), dtype,
                                   {real(n), {array_of(in, dtype, n)}, {array_of(out, dtype, n)}}, options);
        auto call = recurrence::read_constant_call(dtype, n, in != nullptr, order, coefficients, options);
        recurrence::run_on_pointers(device, call, nullptr, in, out);
    });
}

gp_status gp_recurrence_varying(gp_context *context, gp_dtype dtype, size_t n, const void *coefficients, const void *in,
                                void *out, const gp_recurrence_options *options) {
    return guard("gp_recurrence_varying", [&] {
        const auto device = placed(
            context, recurrence::kVaryingOperation, recurrence::kVarying, dtype,
            {real(n), {array_of(in, dtype, n), array_of(coefficients, dtype, n)}, {array_of(out, dtype, n)}}, options);
        auto call = recurrence::read_varying_call(dtype, n, in != nullptr, options);
        if (n > 0) require_pointer(coefficients, "coefficients");
        recurrence::run_on_pointers(device, call, coefficients, in, out);
    });
}

gp_status gp_enqueue_recurrence(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                                gp_buffer *out, size_t out_offset, size_t order, const void *coefficients,
                                const gp_recurrence_options *options, size_t wait_count, gp_event *const *wait,
                                gp_event **event) {
    return guard("gp_enqueue_recurrence", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        cl::Signature signature(*device, "gp_enqueue_recurrence", options,
                                {{in, in_offset},
                                 {out, out_offset},
                                 {known.initial_buffer, known.initial_offset},
                                 {known.final_buffer, known.final_offset}},
                                dtype, n, order);
        recurrence::add_coefficients(signature, dtype, order, coefficients);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        auto call = recurrence::read_constant_call(dtype, n, in != nullptr, order, coefficients, options);
        recurrence::run_on_buffers(device, call, {nullptr, 0}, {in, in_offset}, {out, out_offset},
                                   {wait_count, wait, event, call.options.event, &signature});
    });
}

gp_status gp_enqueue_recurrence_varying(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *coefficients,
                                        size_t coefficients_offset, gp_buffer *in, size_t in_offset, gp_buffer *out,
                                        size_t out_offset, const gp_recurrence_options *options, size_t wait_count,
                                        gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_recurrence_varying", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const cl::Signature signature(*device, "gp_enqueue_recurrence_varying", options,
                                      {{coefficients, coefficients_offset},
                                       {in, in_offset},
                                       {out, out_offset},
                                       {known.initial_buffer, known.initial_offset},
                                       {known.final_buffer, known.final_offset}},
                                      dtype, n);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        auto call = recurrence::read_varying_call(dtype, n, in != nullptr, options);
        recurrence::run_on_buffers(device, call, {coefficients, coefficients_offset}, {in, in_offset},
                                   {out, out_offset}, {wait_count, wait, event, call.options.event, &signature});
    });
}

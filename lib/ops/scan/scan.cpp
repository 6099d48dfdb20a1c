// gp_scan: checks, choice of algorithm.
// SPDX-License-Identifier: MIT
#include "ops/scan/scan.h"

#include "core/options.h"
#include "core/size.h"
#include "ops/apart.h"
#include "ops/place.h"

#include <cstddef>

namespace gpcl::scan {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kStagedLookBack,
                                    kLookBack,
                                    kStagedRows,
                                    kStagedSegments,
                                    kColumns,
                                    kLookBackSegments,
                                    kChunks,
                                    kReduceThenScan,
                                    kSegments,
                                    kHost,
                                    kNaive,
                                    kWorkEfficient,
                                    kRecursive,
                                    kRecursiveConflictFree,
                                    kRecursiveVectors,
                                    kHostLoop,
                                    kLookBackFallback,
                                    kStagedLookBackFallback,
                                    kStagedSegmentsFallback,
                                    kLookBackSegmentsFallback};
    return list;
}

Refusal refuses_rows(const Request &request) {
    return request.batch() > 1 || request.has_steps() || request.segmented
               ? "it scans one row, without steps and segments"
               : Refusal{};
}

Refusal refuses_all_but_plain(const Request &request) {
    return request.from != request.dtype ? "it has no accumulator of another type" : refuses_rows(request);
}

Refusal refuses_carries(const Request &request) {
    return request.has_carries() ? "it takes no initial value, and gives no final one" : refuses_all_but_plain(request);
}

void pass_carries(cl::Task &task, const Request &request) {
    const auto program = task.program({"scan/carry.cl", request.options(), request.combine.preamble()});
    const size_t group = std::min<size_t>(task.context().info().work_group_size, 64);
    request.launch(task, *program, "pass_carries", cl::Range::groups(ceil_div(request.batch(), group), group),
                   uint64_t{request.batch()});
}

namespace {

// What both forms of the call check and fill in alike.
struct Call {
    gp_scan_options options;
    Request request; // without its operands
    size_t size_in, size_out;
    size_t carry_bytes; // of all rows

    // The rows of in and out may be the same memory.
    bool same_rows() const { return request.rows_in == request.rows_out && request.from == request.dtype; }
};

Call read_call(const cl::Context &context, gp_dtype dtype, size_t n, const gp_scan_options *given) {
    Call call{read_options(given, "options"), {}, 0, 0, 0};
    const auto &options = call.options;
    Request &request = call.request;
    request.n = n;
    request.combine =
        read_combine(options.op, options.operator_source, options.operator_identity, options.operator_helpers);
    require_choice(options.kind, GP_EXCLUSIVE, "options->kind");
    require_choice(options.direction, GP_REVERSE, "options->direction");
    request.exclusive = options.kind == GP_EXCLUSIVE;
    request.reverse = options.direction == GP_REVERSE;
    require(options.heads_buffer != nullptr || options.heads_offset == 0, GP_ERROR_OPTION, "options->heads_offset is ",
            options.heads_offset, "; expected 0 without heads_buffer");
    request.segmented = options.heads != nullptr || options.heads_buffer != nullptr;
    request.from = dtype;
    request.dtype = read_sum_dtype(context, dtype, options.accumulator, request.combine);
    call.size_in = gpcl::dtype(request.from).size;
    call.size_out = gpcl::dtype(request.dtype).size;
    request.rows_in = read_rows(n, options.batch, options.stride_in, options.step_in, "n elements of in");
    request.rows_out = read_rows(n, options.batch, options.stride_out, options.step_out, "n elements of out");
    require(request.rows_out.are_apart(), GP_ERROR_BATCH_STRIDE, "stride_out is ", request.rows_out.stride,
            " and step_out ", request.rows_out.step, " with a batch of ", request.batch(), " rows of ", n,
            "; expected rows that share no element");
    require(options.initial_buffer != nullptr || options.initial_offset == 0, GP_ERROR_OPTION,
            "options->initial_offset is ", options.initial_offset, "; expected 0 without initial_buffer");
    require(options.final_buffer != nullptr || options.final_offset == 0, GP_ERROR_OPTION, "options->final_offset is ",
            options.final_offset, "; expected 0 without final_buffer");
    require(options.initial == nullptr || options.initial_buffer == nullptr, GP_ERROR_OPTION,
            "options->initial and options->initial_buffer are both set; expected one of them");
    require_aligned(options.initial, call.size_out, "options->initial");
    require_aligned(options.final_value, call.size_out, "options->final_value");
    call.carry_bytes = multiply(request.batch(), call.size_out, "batch");
    request.has_initial = options.initial != nullptr || options.initial_buffer != nullptr;
    request.has_final = options.final_value != nullptr || options.final_buffer != nullptr;
    request.counted = read_counted(options, !request.segmented && request.batch() == 1 && !request.has_steps());
    return call;
}

// Initial values in host memory.
cl::Operand read_initial(cl::Task &task, const Call &call) {
    const void *initial = call.options.initial;
    if (task.context().is_host()) return {nullptr, 0, const_cast<void *>(initial)};
    return task.constants(initial, call.carry_bytes);
}

// The carries of the call on buffers.
void take_carries(cl::Task &task, Call &call) {
    Request &request = call.request;
    const auto &options = call.options;
    require(options.final_value == nullptr, GP_ERROR_OPTION,
            "options->final_value is for gp_scan; expected options->final_buffer");
    const auto operand = [&](gp_buffer *buffer, size_t offset, const char *name) {
        return task.operand(buffer, offset, request.batch(), call.size_out, name);
    };
    if (options.initial_buffer != nullptr) {
        request.initial = operand(options.initial_buffer, options.initial_offset, "options->initial_buffer");
        require(!overlap(request.initial, request.out), GP_ERROR_OVERLAP,
                "options->initial_buffer and out overlap in the same memory; expected them apart");
    }
    if (options.final_buffer != nullptr) {
        request.last = operand(options.final_buffer, options.final_offset, "options->final_buffer");
        require(!overlap(request.last, request.in) && !overlap(request.last, request.out) &&
                    !overlap(request.last, request.heads),
                GP_ERROR_OVERLAP, "options->final_buffer overlaps in, out or heads; expected elements of its own");
    }
    const bool same = request.initial == request.last;
    require(same || !overlap(request.initial, request.last), GP_ERROR_OVERLAP,
            "options->initial_buffer and final_buffer overlap; expected the same elements, or elements apart");
}

// Work-groups read initial values at any time: those that final ones replace are copied.
void settle_carries(cl::Task &task, Call &call) {
    Request &request = call.request;
    if (call.options.initial != nullptr) {
        request.initial = read_initial(task, call);
    } else if (request.has_initial && request.has_final && request.initial == request.last &&
               !task.context().is_host()) {
        request.initial = task.work_space(call.carry_bytes);
        task.copy(request.last, request.initial, request.batch(), call.size_out);
    }
}

void run(cl::Task &task, const Call &call) {
    const Algorithm &chosen = choose(algorithms(), call.options.algorithm, task.context(), call.request);
    const Request &request = call.request;
    const bool runs = request.n > 0 || (request.has_final && chosen.info.on_host);
    // Where the count is 0, algorithms write nothing.
    if (request.has_final && (!runs || request.counted.is_there)) pass_carries(task, request);
    if (runs) chosen.run(task, request);
}

// Host memory between whose rows the device must not write: it works on memory of its own.
void run_apart(cl::Task &task, Call &call, void *out) {
    const Rows &rows = call.request.rows_out;
    call.request.out = task.work_space(rows.span() * call.size_out);
    run(task, call);
    read_apart(task, call.request.out, rows, call.size_out, out);
}

void add_defaults(Needed &needed, gp_dtype dtype) {
    needed.for_each_size(gpcl::dtype(dtype).size, 2, [&](size_t n) {
        Request request = read_call(needed.context(), dtype, n, nullptr).request;
        request.in = request.out = cl::Operand::stand_in();
        const size_t size = gpcl::dtype(dtype).size;
        needed.add(algorithms(), request, n * size, [=](gp_context *context) {
            auto row = zeros(n, size);
            return gp_scan(context, dtype, n, row.data(), row.data(), nullptr);
        });
    });
}

gp_status smallest_call(gp_context *context, gp_dtype dtype) {
    const uint64_t in[1] = {}; // holds one element of any type
    uint64_t out[1] = {};
    return gp_scan(context, dtype, 1, in, out, nullptr);
}

} // namespace

const Operation kOperation = {
    GP_SCAN,       "scan",          kSumTypes, infos<algorithms>, parameters<algorithms>, add_defaults,
    smallest_call, one_kind<kKind>, prove,     list<algorithms>};

} // namespace gpcl::scan

using namespace gpcl;

gp_status gp_scan(gp_context *context, gp_dtype dtype, size_t n, const void *in, void *out,
                  const gp_scan_options *options) {
    return guard("gp_scan", [&] {
        const auto device = placed(context, scan::kOperation, scan::kKind, dtype,
                                   {real(n), {array_of(in, dtype, n)}, {array_of(out, dtype, n)}}, options);
        scan::Call call = scan::read_call(*device, dtype, n, options);
        scan::Request &request = call.request;
        require_uncounted(request.counted);
        const auto *heads = call.options.heads;
        const size_t in_bytes = multiply(request.rows_in.span(), call.size_in, "n elements");
        const size_t out_bytes = multiply(request.rows_out.span(), call.size_out, "n elements");
        if (n > 0) {
            require_pointer(in, "in");
            require_pointer(out, "out");
        }
        require_aligned(in, call.size_in, "in");
        require_aligned(out, call.size_out, "out");
        require(call.options.heads_buffer == nullptr, GP_ERROR_OPTION,
                "options->heads_buffer is for gp_enqueue_scan; expected options->heads");
        const bool in_place = in == out && call.same_rows();
        require(in_place || !overlap(in, in_bytes, out, out_bytes), GP_ERROR_OVERLAP,
                "in and out overlap; expected the same rows of the same type, or memory apart");
        require(heads == nullptr || !overlap(heads, request.rows_in.span(), out, out_bytes), GP_ERROR_OVERLAP,
                "options->heads and out overlap; expected them apart");
        require(call.options.initial_buffer == nullptr && call.options.final_buffer == nullptr, GP_ERROR_OPTION,
                "options->initial_buffer or final_buffer is set, which are for gp_enqueue_scan; expected "
                "options->initial and final_value");
        const void *initial = call.options.initial;
        void *last = call.options.final_value;
        const size_t initial_bytes = initial != nullptr ? call.carry_bytes : 0;
        const size_t last_bytes = last != nullptr ? call.carry_bytes : 0;
        require(!overlap(initial, initial_bytes, out, out_bytes), GP_ERROR_OVERLAP,
                "options->initial and out overlap; expected them apart");
        require(!overlap(last, last_bytes, in, in_bytes) && !overlap(last, last_bytes, out, out_bytes) &&
                    !overlap(last, last_bytes, heads, heads != nullptr ? request.rows_in.span() : 0),
                GP_ERROR_OVERLAP, "options->final_value overlaps in, out or heads; expected memory of its own");
        require(initial == last || !overlap(initial, initial_bytes, last, last_bytes), GP_ERROR_OVERLAP,
                "options->initial and final_value overlap; expected the same memory, or memory apart");
        const scan::HostArrays host{in, out, heads, initial, last};
        if (scan::deal(context, request, call.options, host)) return;
        cl::Task task(device, call.options.event);
        if (scan::run_pieces(task, *device, request, call.options.algorithm, host)) return task.end();
        scan::settle_carries(task, call);
        if (last != nullptr) request.last = task.output(last, last_bytes);
        if (heads != nullptr) request.heads = task.input(heads, request.rows_in.span());
        if (request.rows_out.has_gaps() && !device->works_in_place(out_bytes)) {
            request.in = task.input(in, in_bytes);
            scan::run_apart(task, call, out);
        } else {
            request.out = in_place ? task.in_out(out, out_bytes) : task.output(out, out_bytes);
            request.in = in_place ? request.out : task.input(in, in_bytes);
            scan::run(task, call);
        }
        task.end();
    });
}

gp_status gp_enqueue_scan(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                          gp_buffer *out, size_t out_offset, const gp_scan_options *options, size_t wait_count,
                          gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_scan", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const cl::Signature signature(*device, "gp_enqueue_scan", options,
                                      {{in, in_offset},
                                       {out, out_offset},
                                       {known.heads_buffer, known.heads_offset},
                                       {known.initial_buffer, known.initial_offset},
                                       {known.final_buffer, known.final_offset},
                                       {known.n_buffer, known.n_offset}},
                                      dtype, n);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        scan::Call call = scan::read_call(*device, dtype, n, options);
        scan::Request &request = call.request;
        auto *heads = call.options.heads_buffer;
        const size_t in_span = request.rows_in.span();
        cl::Task task(device, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        request.in = task.operand(in, in_offset, in_span, call.size_in, "in");
        request.out = task.operand(out, out_offset, request.rows_out.span(), call.size_out, "out");
        require(call.options.heads == nullptr, GP_ERROR_OPTION,
                "options->heads is for gp_scan; expected options->heads_buffer");
        const bool in_place = request.in == request.out && call.same_rows();
        require(in_place || !overlap(request.in, request.out), GP_ERROR_OVERLAP,
                "in and out overlap in the same memory; expected the same rows of the same type, or elements apart");
        if (heads != nullptr) {
            request.heads = task.operand(heads, call.options.heads_offset, in_span, 1, "options->heads_buffer");
            require(!overlap(request.heads, request.out), GP_ERROR_OVERLAP,
                    "options->heads_buffer and out overlap in the same memory; expected them apart");
        }
        scan::take_carries(task, call);
        request.n = take_counted(task, call.options, n, request.counted,
                                 {{request.out, "out"}, {request.last, "options->final_buffer"}});
        request.rows_in.n = request.rows_out.n = request.n;
        scan::settle_carries(task, call);
        scan::run(task, call);
        task.end();
    });
}

// gp_scan: checks, choice of algorithm.
// SPDX-License-Identifier: MIT
#include "ops/scan/scan.h"

#include "core/options.h"
#include "core/size.h"

#include <cstddef>
#include <vector>

namespace gpcl::scan {

std::span<const Algorithm> algorithms() {
    static const std::array list = {
        kStagedWaves, kWaves,       kColumns,          kChunks,    kReduceThenScan,        kSegments,
        kHost,        kNaive,       kWorkEfficient,    kRecursive, kRecursiveConflictFree, kRecursiveVectors,
        kHostLoop,    kWavesNoWait, kStagedWavesNoWait};
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

namespace {

// What both forms of the call check and fill in alike.
struct Call {
    gp_scan_options options;
    Request request; // without its operands
    size_t size_in, size_out;

    // The rows of in and out may be the same memory.
    bool same_rows() const { return request.rows_in == request.rows_out && request.from == request.dtype; }
};

Call read_call(const cl::Context &context, gp_dtype dtype, size_t n, const gp_scan_options *given) {
    Call call{read_options(given, "options"), {}, 0, 0};
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
    return call;
}

void run(cl::Task &task, const Call &call) {
    const Algorithm &chosen = choose(algorithms(), call.options.algorithm, task.context(), call.request);
    if (call.request.n > 0) chosen.run(task, call.request);
}

// Host memory between whose rows the device must not write: it works on memory of its own.
void run_apart(cl::Task &task, Call &call, void *out) {
    const Rows &rows = call.request.rows_out;
    const size_t bytes = rows.span() * call.size_out;
    call.request.out = task.work_space(bytes);
    run(task, call);
    std::vector<std::byte> all(bytes);
    task.read(call.request.out.memory, 0, bytes, all.data(), true);
    copy_rows(rows, call.size_out, all.data(), static_cast<std::byte *>(out));
}

void add_defaults(Needed &needed, gp_dtype dtype) {
    needed.for_each_size(gpcl::dtype(dtype).size, 2, [&](size_t n) {
        Request request = read_call(needed.context(), dtype, n, nullptr).request;
        request.in = request.out = cl::Operand::stand_in();
        needed.add(algorithms(), request);
    });
}

gp_status smallest_call(gp_context *context, gp_dtype dtype) {
    const uint64_t in[1] = {}; // holds one element of any type
    uint64_t out[1] = {};
    return gp_scan(context, dtype, 1, in, out, nullptr);
}

} // namespace

const Operation kOperation = {GP_SCAN,      "scan",       kSumTypes, infos<algorithms>, parameters<algorithms>,
                              add_defaults, smallest_call};

} // namespace gpcl::scan

using namespace gpcl;

gp_status gp_scan(gp_context *context, gp_dtype dtype, size_t n, const void *in, void *out,
                  const gp_scan_options *options) {
    return guard("gp_scan", [&] {
        const auto device = cl::contexts().get(context, "context");
        scan::Call call = scan::read_call(*device, dtype, n, options);
        scan::Request &request = call.request;
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
        cl::Task task(device, call.options.event);
        if (heads != nullptr) request.heads = task.input(heads, request.rows_in.span());
        if (request.rows_out.has_gaps() && !device->is_host() && !device->shares_memory()) {
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
        scan::Call call = scan::read_call(*device, dtype, n, options);
        scan::Request &request = call.request;
        auto *heads = call.options.heads_buffer;
        const size_t in_span = request.rows_in.span();
        cl::Task task(device, cl::Waits{wait_count, wait, event, call.options.event});
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
        scan::run(task, call);
        task.end();
    });
}

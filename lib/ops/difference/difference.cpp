// gp_difference: checks, choice of algorithm.
// SPDX-License-Identifier: MIT
#include "ops/difference/difference.h"

#include "core/options.h"
#include "core/size.h"
#include "ops/apart.h"
#include "ops/place.h"
#include "ops/room.h"

#include <array>
#include <bit>

namespace gpcl::difference {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kColumns, kChunks, kVectors, kHost};
    return list;
}

namespace {

const char *computed(gp_dtype type) { return gpcl::dtype(type == GP_FLOAT16 ? GP_FLOAT32 : type).opencl; }

bool is_blank(const char *text) {
    return std::string_view(text).find_first_not_of(" \t\r\n") == std::string_view::npos;
}

} // namespace

// An empty line ends a comment of the text that a backslash lets go on.
std::string Request::preamble() const {
    if (source.empty()) return {};
    return text(dtype == GP_FLOAT64 ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "", "typedef ",
                computed(dtype), " T;\n", helpers, "\nT gp_difference_text(T a, T b) { return (\n", source,
                "\n\n); }\n");
}

std::string Request::options() const {
    const bool is_text = !source.empty();
    constexpr std::array kBits = {"uchar", "ushort", "uint", "ulong"}; // integers of one size differ alike
    const char *const bits = kBits.at(static_cast<size_t>(std::countr_zero(gpcl::dtype(dtype).size)));
    const bool has_bits = !is_text && !is_float(dtype);
    return text(" -DGP_STORED=", has_bits ? bits : gpcl::dtype(dtype).opencl, " -DGP_KEPT=", kept ? 1 : 0,
                dtype == GP_FLOAT16 ? " -DGP_HALF" : "", dtype == GP_FLOAT64 ? " -DGP_FLOAT64" : "",
                is_text ? " -DGP_OPERATOR_TEXT" : text(" -DT=", has_bits ? bits : computed(dtype)), counted.option());
}

namespace {

// What both forms of the call check and fill in alike.
struct Call {
    gp_difference_options options;
    Request request; // without its operands
    size_t size = 0;

    bool is_empty() const { return request.n() == 0; }
};

Call read_call(const cl::Context &context, gp_dtype dtype, size_t n, const gp_difference_options *given) {
    Call call{read_options(given, "options"), {}};
    const auto &options = call.options;
    Request &request = call.request;
    require_dtype(dtype, "dtype", kAllTypes);
    require(dtype != GP_FLOAT64 || context.info().has_float64 != 0, GP_ERROR_UNSUPPORTED_TYPE,
            "dtype is float64, which ", context.info().name, " can't compute (it lacks cl_khr_fp64)");
    require_choice(options.first, GP_FIRST_LEFT_OUT, "options->first");
    const char *const source = options.operator_source, *const helpers = options.operator_helpers;
    require(source == nullptr || !is_blank(source), GP_ERROR_OPERATOR,
            "options->operator_source is blank; expected an OpenCL C expression");
    require(source != nullptr || helpers == nullptr || *helpers == '\0', GP_ERROR_OPTION,
            "options->operator_helpers is set without options->operator_source; expected both, or NULL");
    require(source == nullptr || !context.is_host(), GP_ERROR_UNSUPPORTED_DEVICE,
            "options->operator_source is OpenCL C, which \"host\" can't run; open an OpenCL device");
    request.dtype = dtype;
    request.kept = options.first == GP_FIRST_KEPT;
    if (source != nullptr) request.source = source;
    if (source != nullptr && helpers != nullptr) request.helpers = helpers;
    call.size = gpcl::dtype(dtype).size;
    const size_t results = request.results_of(n);
    request.rows_in = read_rows(n, options.batch, options.stride_in, options.step_in, "n elements of in");
    request.rows_out = read_rows(results, options.batch, options.stride_out, options.step_out, "n elements of out");
    require(request.rows_out.are_apart(), GP_ERROR_BATCH_STRIDE, "options->stride_out is ", request.rows_out.stride,
            " and step_out ", request.rows_out.step, ", so that rows of ", results,
            " results share elements; expected rows apart");
    multiply(request.rows_in.span(), call.size, "n elements of in");
    multiply(request.rows_out.span(), call.size, "n elements of out");
    request.counted =
        read_counted(options, request.batch() == 1 && request.rows_in.step == 1 && request.rows_out.step == 1);
    return call;
}

void run(cl::Task &task, const Call &call) {
    const Algorithm &chosen = choose(algorithms(), call.options.algorithm, task.context(), call.request);
    if (!call.is_empty()) chosen.run(task, call.request);
}

// Host memory between whose results the device must not write: it works on memory of its own.
void run_apart(cl::Task &task, Call &call, void *out) {
    call.request.out = task.work_space(call.request.rows_out.span() * call.size);
    run(task, call);
    read_apart(task, call.request.out, call.request.rows_out, call.size, out);
}

bool is_held(const cl::Context &context, const Call &call) {
    Request r = call.request;
    r.in = r.out = cl::Operand::stand_in();
    return device_holds(context, {r.rows_in.span() * call.size, r.rows_out.span() * call.size},
                        [&](cl::Task &task) { choose(algorithms(), call.options.algorithm, context, r).run(task, r); });
}

// Some elements of a row alone, of which the first is kept or not.
Call part_of(const Call &whole, size_t n, bool kept) {
    Call part = whole;
    Request &r = part.request;
    r.kept = kept;
    r.rows_in.n = n;
    r.rows_out.n = r.results_of(n);
    return part;
}

// One row that the device can't hold: parts, of which all but the first begin with the last element
// of the one before.
void run_parts(cl::Task &task, const Call &call, const std::byte *in, std::byte *out) {
    const Request &whole = call.request;
    const size_t n = whole.rows_in.n;
    const size_t held =
        most_held(task.context(), n, [&](size_t count) { return is_held(task.context(), part_of(call, count, true)); });
    size_t done = 0; // results
    for (size_t end = 0; end < n;) {
        const size_t begin = end == 0 ? 0 : end - 1, count = std::min(held, n - begin);
        if (count < 2 && n > 1) fail_to_hold(task.context());
        Call part = part_of(call, count, begin == 0 && whole.kept);
        Request &r = part.request;
        cl::Task::Pass pass(task);
        r.in = task.input(in + begin * whole.rows_in.step * call.size, r.rows_in.span() * call.size);
        std::byte *const to = out + done * whole.rows_out.step * call.size;
        if (r.rows_out.has_gaps() && !task.context().works_in_place(r.rows_out.span() * call.size)) {
            run_apart(task, part, to);
        } else {
            r.out = task.output(to, r.rows_out.span() * call.size);
            run(task, part);
        }
        pass.end();
        done += r.rows_out.n;
        end = begin + count;
    }
}

void add_defaults(Needed &needed, gp_dtype dtype) {
    const size_t size = gpcl::dtype(dtype).size;
    needed.for_each_size(size, 1, [&](size_t n) {
        Request request = read_call(needed.context(), dtype, n, nullptr).request;
        request.in = request.out = cl::Operand::stand_in();
        needed.add(algorithms(), request, n * size, [=](gp_context *context) {
            auto out = zeros(n, size);
            return gp_difference(context, dtype, n, zeros(n, size).data(), out.data(), nullptr);
        });
    });
}

gp_status smallest_call(gp_context *context, gp_dtype dtype) {
    const uint64_t in[1] = {}; // holds one element of any type
    uint64_t out[1] = {};
    return gp_difference(context, dtype, 1, in, out, nullptr);
}

} // namespace

const Operation kOperation = {GP_DIFFERENCE,          "difference", kAllTypes,     infos<algorithms>,
                              parameters<algorithms>, add_defaults, smallest_call, one_kind<kKind>};

} // namespace gpcl::difference

using namespace gpcl;

gp_status gp_difference(gp_context *context, gp_dtype dtype, size_t n, const void *in, void *out,
                        const gp_difference_options *options) {
    return guard("gp_difference", [&] {
        const auto first = placed(context, difference::kOperation, difference::kKind, dtype,
                                  {real(n), {array_of(in, dtype, n)}, {array_of(out, dtype, n)}}, options);
        where_it_fits(first, difference::kOperation, options, [&](const auto &device) {
            difference::Call call = difference::read_call(*device, dtype, n, options);
            difference::Request &request = call.request;
            require_uncounted(request.counted);
            const size_t in_bytes = request.rows_in.span() * call.size, out_bytes = request.rows_out.span() * call.size;
            require_array(in, in_bytes, call.size, "in");
            require_array(out, out_bytes, call.size, "out");
            require_apart(overlap(in, in_bytes, out, out_bytes), "out", "in");
            if (difference::deal(context, request, call.options, in, out)) return;
            cl::Task task(device, call.options.event);
            if (call.is_empty()) {
                difference::run(task, call);
                return task.end();
            }
            if (request.batch() == 1 && !difference::is_held(*device, call)) {
                difference::run_parts(task, call, static_cast<const std::byte *>(in), static_cast<std::byte *>(out));
                return task.end();
            }
            request.in = task.input(in, in_bytes);
            if (request.rows_out.has_gaps() && !device->works_in_place(out_bytes)) {
                difference::run_apart(task, call, out);
            } else {
                request.out = task.output(out, out_bytes);
                difference::run(task, call);
            }
            task.end();
        });
    });
}

gp_status gp_enqueue_difference(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                                gp_buffer *out, size_t out_offset, const gp_difference_options *options,
                                size_t wait_count, gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_difference", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const cl::Signature signature(*device, "gp_enqueue_difference", options,
                                      {{in, in_offset}, {out, out_offset}, {known.n_buffer, known.n_offset}}, dtype, n);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        difference::Call call = difference::read_call(*device, dtype, n, options);
        difference::Request &request = call.request;
        cl::Task task(device, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        request.in = task.operand(in, in_offset, request.rows_in.span(), call.size, "in");
        request.out = task.operand(out, out_offset, request.rows_out.span(), call.size, "out");
        require_apart(overlap(request.in, request.out), "out", "in");
        request.rows_in.n = take_counted(task, call.options, n, request.counted, {{request.out, "out"}});
        request.rows_out.n = request.results_of(request.rows_in.n);
        difference::run(task, call);
        task.end();
    });
}

// gp_transform: checks, program text, choice of algorithm.
// SPDX-License-Identifier: MIT
#include "ops/transform/transform.h"

#include "core/options.h"
#include "core/size.h"
#include "ops/place.h"
#include "ops/room.h"

#include <algorithm>

namespace gpcl::transform {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kChunks, kVectors};
    return list;
}

bool Request::has_type(gp_dtype type) const {
    const auto end = types.begin() + static_cast<std::ptrdiff_t>(count);
    return dtype == type || std::find(types.begin(), end, type) != end;
}

size_t Request::largest() const {
    size_t result = gpcl::dtype(dtype).size;
    for (size_t k = 0; k < count; ++k)
        if (!is_one(k)) result = std::max(result, gpcl::dtype(types[k]).size);
    return result;
}

size_t Request::bytes_in() const {
    size_t result = 0;
    for (size_t k = 0; k < count; ++k)
        if (!is_one(k)) result += gpcl::dtype(types[k]).size;
    return result;
}

// An empty line ends a comment of the text that a backslash lets go on.
std::string Request::preamble() const {
    const auto computed = [](gp_dtype type) { return gpcl::dtype(type == GP_FLOAT16 ? GP_FLOAT32 : type).opencl; };
    std::string parameters, inputs;
    for (size_t k = 0; k < count; ++k) {
        append(parameters, text(computed(types[k]), " x", k, ", "));
        const bool is_half = types[k] == GP_FLOAT16;
        append(inputs, text(" F##", is_half ? "_HALF" : "", is_one(k) ? "_ONE(" : "_ARRAY(", k, ", ",
                            gpcl::dtype(types[k]).opencl, ")"));
    }
    return text(has_type(GP_FLOAT64) ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "", "typedef ",
                computed(dtype), " T;\n", helpers, "\nT gp_transform_text(", parameters, "ulong i) { return (\n",
                source, "\n\n); }\n#define GP_INPUTS(F)", inputs);
}

std::string Request::options(size_t width) const {
    return text(" -DGP_OUT=", gpcl::dtype(dtype).opencl, " -DGP_WIDTH=", width,
                dtype == GP_FLOAT16 ? " -DGP_OUT_HALF" : "", counted ? " -DGP_COUNTED" : "");
}

namespace {

bool is_blank(const char *text) {
    return std::string_view(text).find_first_not_of(" \t\r\n") == std::string_view::npos;
}

std::string name_of(size_t k) { return text("in[", k, "]"); }

void require_computed(const cl::Context &context, gp_dtype type, const char *argument) {
    require_dtype(type, argument, kAllTypes);
    require(type != GP_FLOAT64 || context.info().has_float64 != 0, GP_ERROR_UNSUPPORTED_TYPE, argument,
            " is float64, which ", context.info().name, " can't compute (it lacks cl_khr_fp64)");
}

// What both forms of the call check and fill in alike.
struct Call {
    gp_transform_options options;
    Request request; // without its operands
    size_t size_out = 0;

    size_t size(size_t k) const { return gpcl::dtype(request.types.at(k)).size; }
    // Elements of an array.
    size_t length(size_t k) const { return request.n == 0 ? 0 : request.is_one(k) ? 1 : request.n; }
    // May out be this array?
    bool may_be_out(size_t k) const { return !request.is_one(k) && size(k) == size_out; }
};

Call read_call(const cl::Context &context, size_t n, size_t count, const gp_dtype *dtypes, const void *in,
               gp_dtype dtype, const char *source, const gp_transform_options *given) {
    Call call{read_options(given, "options"), {}};
    const auto &options = call.options;
    Request &request = call.request;
    require(count <= kMostInputs, GP_ERROR_OPTION, "count is ", Shown{count}, "; expected at most ", kMostInputs,
            " arrays");
    if (count > 0) {
        require_pointer(dtypes, "dtypes");
        require_pointer(in, "in");
    }
    require_pointer(source, "source");
    require(!is_blank(source), GP_ERROR_OPTION, "source is blank; expected an OpenCL C expression");
    require(options.broadcast >> count == 0, GP_ERROR_OPTION, "options->broadcast is ", options.broadcast,
            ", which names an array behind the ", count, " that there are");
    require(options.n_buffer != nullptr || options.n_offset == 0, GP_ERROR_OPTION, "options->n_offset is ",
            options.n_offset, "; expected 0 without n_buffer");
    request.n = n;
    request.count = count;
    for (size_t k = 0; k < count; ++k) {
        require_computed(context, dtypes[k], text("dtypes[", k, "]").c_str());
        request.types.at(k) = dtypes[k];
    }
    require_computed(context, dtype, "dtype");
    require(!context.is_host(), GP_ERROR_UNSUPPORTED_DEVICE,
            "source is OpenCL C, which \"host\" can't run; open an OpenCL device");
    request.dtype = dtype;
    request.broadcast = options.broadcast;
    request.source = source;
    request.helpers = options.helpers != nullptr ? options.helpers : "";
    call.size_out = gpcl::dtype(dtype).size;
    multiply(n, call.size_out, "n elements of out");
    for (size_t k = 0; k < count; ++k) multiply(n, call.size(k), "n elements of in");
    return call;
}

void run(cl::Task &task, const Call &call) {
    const Algorithm &chosen = choose(algorithms(), call.options.algorithm, task.context(), call.request);
    if (call.request.n > 0) chosen.run(task, call.request);
}

// As many elements as the device holds at a time; all where it does.
size_t elements_held(const cl::Context &context, const Call &call) {
    Request r = call.request;
    r.out = cl::Operand::stand_in();
    r.in.fill(r.out);
    const size_t sum = call.size_out + r.bytes_in();
    return most_held(context, r.n, [&](size_t count) {
        r.n = count;
        return cl::device_holds(context, count * sum, count * r.largest(), planned(context, [&](cl::Task &task) {
                                    choose(algorithms(), call.options.algorithm, context, r).run(task, r);
                                }));
    });
}

// The programs are the callers' own.
void add_defaults(Needed &, gp_dtype) {}

gp_status smallest_call(gp_context *context, gp_dtype dtype) {
    return gp_transform(context, 0, 0, nullptr, nullptr, dtype, nullptr, "0", nullptr);
}

} // namespace

const Operation kOperation = {GP_TRANSFORM,           "transform",  kAllTypes,    infos<algorithms>,
                              parameters<algorithms>, add_defaults, smallest_call};

const place::Kind kKind = {"transform", "elements", nullptr};

} // namespace gpcl::transform

using namespace gpcl;

gp_status gp_transform(gp_context *context, size_t n, size_t count, const gp_dtype *dtypes, const void *const *in,
                       gp_dtype dtype, void *out, const char *source, const gp_transform_options *options) {
    return guard("gp_transform", [&] {
        const auto device = placed_on_device(context, transform::kKind, n);
        transform::Call call = transform::read_call(*device, n, count, dtypes, in, dtype, source, options);
        transform::Request &request = call.request;
        require(call.options.n_buffer == nullptr, GP_ERROR_OPTION,
                "options->n_buffer is set, which is for gp_enqueue_transform; expected NULL");
        require_array(out, n, call.size_out, "out");
        const size_t out_bytes = n * call.size_out;
        bool in_place = false;
        for (size_t k = 0; k < count; ++k) {
            const size_t bytes = call.length(k) * call.size(k);
            require_array(in[k], bytes, call.size(k), transform::name_of(k).c_str());
            const bool same = n > 0 && in[k] == out && call.may_be_out(k);
            require(same || !overlap(in[k], bytes, out, out_bytes), GP_ERROR_OVERLAP, transform::name_of(k),
                    " and out overlap; expected the same memory with elements of the same size, or memory apart");
            in_place |= same;
        }
        if (transform::deal(context, request, call.options, in, out)) return;
        cl::Task task(device, call.options.event);
        if (n == 0) transform::run(task, call);
        const size_t held = n > 0 ? transform::elements_held(*device, call) : 1;
        for (size_t &first = request.first; first < n; first += held) {
            cl::Task::Pass pass(task);
            request.n = std::min(held, n - first);
            const auto from = [&](const void *array, size_t size) {
                return static_cast<std::byte *>(const_cast<void *>(array)) + first * size;
            };
            void *const to = from(out, call.size_out);
            const size_t bytes = request.n * call.size_out;
            request.out = in_place ? task.in_out(to, bytes) : task.output(to, bytes);
            for (size_t k = 0; k < count; ++k) {
                const void *const array = request.is_one(k) ? in[k] : from(in[k], call.size(k));
                request.in.at(k) = in[k] == out ? request.out : task.input(array, call.length(k) * call.size(k));
            }
            transform::run(task, call);
            pass.end();
        }
        task.end();
    });
}

gp_status gp_enqueue_transform(gp_context *context, size_t n, size_t count, const gp_dtype *dtypes,
                               gp_buffer *const *in, const size_t *in_offsets, gp_dtype dtype, gp_buffer *out,
                               size_t out_offset, const char *source, const gp_transform_options *options,
                               size_t wait_count, gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_transform", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const bool is_read = count <= transform::kMostInputs && dtypes != nullptr && in != nullptr;
        const auto place = [&](size_t k) {
            if (!is_read || k >= count) return cl::Place{nullptr, 0};
            return cl::Place{in[k], in_offsets != nullptr ? in_offsets[k] : 0};
        };
        cl::Signature signature(*device, "gp_enqueue_transform", options,
                                {place(0), place(1), place(2), place(3), place(4), place(5), place(6), place(7),
                                 cl::Place{out, out_offset}, cl::Place{known.n_buffer, known.n_offset}},
                                n, count, dtype);
        signature.text(source);
        if (is_read) signature.bytes(dtypes, count * sizeof *dtypes);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        transform::Call call = transform::read_call(*device, n, count, dtypes, in, dtype, source, options);
        transform::Request &request = call.request;
        cl::Task task(device, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        request.out = task.operand(out, out_offset, n, call.size_out, "out");
        for (size_t k = 0; k < count; ++k) {
            const std::string name = transform::name_of(k);
            request.in.at(k) = task.operand(in[k], place(k).offset, call.length(k), call.size(k), name.c_str());
            const bool same = request.in.at(k) == request.out && call.may_be_out(k);
            require(same || !overlap(request.in.at(k), request.out), GP_ERROR_OVERLAP, name,
                    " and out overlap in the same memory; expected the same elements of the same size, or elements "
                    "apart");
        }
        if (call.options.n_buffer != nullptr) {
            request.counted =
                task.operand(call.options.n_buffer, call.options.n_offset, 1, sizeof(uint64_t), "options->n_buffer");
            require(!overlap(*request.counted, request.out), GP_ERROR_OVERLAP,
                    "options->n_buffer and out overlap in the same memory; expected them apart");
        }
        transform::run(task, call);
        task.end();
    });
}

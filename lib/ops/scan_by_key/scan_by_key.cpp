// gp_scan_by_key: checks, choice of algorithm.
// SPDX-License-Identifier: MIT
#include "ops/scan_by_key/scan_by_key.h"

#include "core/options.h"
#include "core/size.h"
#include "ops/place.h"

namespace gpcl::scan_by_key {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kStagedLookBack,         kLookBack,        kChunks, kHost,
                                    kStagedLookBackFallback, kLookBackFallback};
    return list;
}

namespace {

// What both forms of the call check and fill in alike.
struct Call {
    gp_scan_by_key_options options;
    Request request; // without its operands
    size_t key_size, value_size, result_size;
};

Call read_call(const cl::Context &context, gp_dtype key_dtype, size_t n, gp_dtype dtype,
               const gp_scan_by_key_options *given) {
    Call call{read_options(given, "options"), {}, 0, 0, 0};
    const auto &options = call.options;
    Request &r = call.request;
    require_dtype(key_dtype, "key_dtype", kAllTypes);
    r.combine = read_combine(options.op, options.operator_source, options.operator_identity, options.operator_helpers);
    require_choice(options.kind, GP_EXCLUSIVE, "options->kind");
    r.exclusive = options.kind == GP_EXCLUSIVE;
    r.key = key_dtype;
    r.from = dtype;
    r.dtype = read_sum_dtype(context, dtype, options.accumulator, r.combine);
    r.n = n;
    require(options.n_buffer != nullptr || options.n_offset == 0, GP_ERROR_OPTION, "options->n_offset is ",
            options.n_offset, "; expected 0 without n_buffer");
    call.key_size = gpcl::dtype(key_dtype).size;
    call.value_size = gpcl::dtype(r.from).size;
    call.result_size = gpcl::dtype(r.dtype).size;
    multiply(n, call.key_size, "n keys");
    multiply(n, call.value_size, "n values");
    multiply(n, call.result_size, "n results");
    require_aligned(options.initial, call.result_size, "options->initial");
    r.has_initial = options.initial != nullptr;
    r.has_bound = options.n_buffer != nullptr;
    return call;
}

// With all arrays there.
void run(cl::Task &task, Call &call) {
    Request &r = call.request;
    const void *const initial = call.options.initial;
    if (r.has_initial)
        r.initial = task.context().is_host() ? cl::Operand{nullptr, 0, const_cast<void *>(initial)}
                                             : task.constants(initial, call.result_size);
    const Algorithm &algorithm = choose(algorithms(), call.options.algorithm, task.context(), r);
    if (r.n > 0) algorithm.run(task, r);
}

constexpr gp_dtype kWarmKeys = GP_INT32;

void add_defaults(Needed &needed, gp_dtype dtype) {
    const size_t size = gpcl::dtype(dtype).size;
    needed.for_each_size(std::max(size, sizeof(int32_t)), 2, [&](size_t n) {
        Request r = read_call(needed.context(), kWarmKeys, n, dtype, nullptr).request;
        r.keys = r.values = r.out = r.bound = r.initial = cl::Operand::stand_in();
        needed.add(algorithms(), r, n * (size + sizeof(int32_t)), [=](gp_context *context) {
            auto values = zeros(n, size);
            return gp_scan_by_key(context, kWarmKeys, n, zeros(n, sizeof(int32_t)).data(), dtype, values.data(),
                                  values.data(), nullptr);
        });
    });
}

gp_status smallest_call(gp_context *context, gp_dtype dtype) {
    const uint64_t keys[1] = {}, values[1] = {}; // hold one element of any type
    uint64_t out[1];
    return gp_scan_by_key(context, kWarmKeys, 1, keys, dtype, values, out, nullptr);
}

} // namespace

const Operation kOperation = {
    GP_SCAN_BY_KEY, "scan-by-key",   kSumTypes, infos<algorithms>, parameters<algorithms>, add_defaults,
    smallest_call,  one_kind<kKind>, prove,     list<algorithms>};

} // namespace gpcl::scan_by_key

using namespace gpcl;

gp_status gp_scan_by_key(gp_context *context, gp_dtype key_dtype, size_t n, const void *keys, gp_dtype dtype,
                         const void *values, void *out, const gp_scan_by_key_options *options) {
    return guard("gp_scan_by_key", [&] {
        const auto first = placed(
            context, scan_by_key::kOperation, scan_by_key::kKind, key_dtype,
            {real(n), {array_of(keys, key_dtype, n), array_of(values, dtype, n)}, {array_of(out, dtype, n)}}, options);
        where_it_fits(first, scan_by_key::kOperation, options, values == out, [&](const auto &device) {
            scan_by_key::Call call = scan_by_key::read_call(*device, key_dtype, n, dtype, options);
            scan_by_key::Request &r = call.request;
            require(call.options.n_buffer == nullptr, GP_ERROR_OPTION,
                    "options->n_buffer is set; gp_scan_by_key takes host pointers, expected NULL");
            require_array(keys, n, call.key_size, "keys");
            require_array(values, n, call.value_size, "values");
            require_array(out, n, call.result_size, "out");
            const size_t value_bytes = n * call.value_size, out_bytes = n * call.result_size;
            const bool in_place = values == out && r.from == r.dtype;
            require(in_place || !overlap(values, value_bytes, out, out_bytes), GP_ERROR_OVERLAP,
                    "values and out overlap; expected the same elements of the same type, or memory apart");
            require_apart(overlap(keys, n * call.key_size, out, out_bytes), "keys", "out");
            require_apart(overlap(call.options.initial, r.has_initial ? call.result_size : 0, out, out_bytes),
                          "options->initial", "out");
            cl::Task task(device, call.options.event);
            if (n > 0) {
                r.keys = task.input(keys, n * call.key_size);
                r.out = in_place ? task.in_out(out, out_bytes) : task.output(out, out_bytes);
                r.values = in_place ? r.out : task.input(values, value_bytes);
            }
            scan_by_key::run(task, call);
            task.end();
        });
    });
}

gp_status gp_enqueue_scan_by_key(gp_context *context, gp_dtype key_dtype, size_t n, gp_buffer *keys, size_t keys_offset,
                                 gp_dtype dtype, gp_buffer *values, size_t values_offset, gp_buffer *out,
                                 size_t out_offset, const gp_scan_by_key_options *options, size_t wait_count,
                                 gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_scan_by_key", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const cl::Signature signature(
            *device, "gp_enqueue_scan_by_key", options,
            {{keys, keys_offset}, {values, values_offset}, {out, out_offset}, {known.n_buffer, known.n_offset}},
            key_dtype, n, dtype);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        scan_by_key::Call call = scan_by_key::read_call(*device, key_dtype, n, dtype, options);
        scan_by_key::Request &r = call.request;
        cl::Task task(device, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        r.keys = task.operand(keys, keys_offset, n, call.key_size, "keys");
        r.values = task.operand(values, values_offset, n, call.value_size, "values");
        r.out = task.operand(out, out_offset, n, call.result_size, "out");
        if (r.has_bound)
            r.bound =
                task.operand(call.options.n_buffer, call.options.n_offset, 1, sizeof(uint64_t), "options->n_buffer");
        require((r.values == r.out && r.from == r.dtype) || !overlap(r.values, r.out), GP_ERROR_OVERLAP,
                "values and out overlap in the same memory; expected the same elements of the same type, or elements "
                "apart");
        require_apart(overlap(r.keys, r.out), "keys", "out");
        if (r.has_bound) require_apart(overlap(r.bound, r.out), "options->n_buffer", "out");
        scan_by_key::run(task, call);
        task.end();
    });
}

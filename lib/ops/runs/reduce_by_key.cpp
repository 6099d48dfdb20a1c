// gp_reduce_by_key: checks, choice of algorithm; keys in any order are sorted first.
// SPDX-License-Identifier: MIT
#include "core/options.h"
#include "core/size.h"
#include "ops/place.h"
#include "ops/runs/runs.h"
#include "ops/sort/sort.h"

namespace gpcl::runs {

std::span<const Algorithm> by_key_algorithms() {
    static const std::array list = {kByKeyLookBack, kChunks.by_key, kHost.by_key, kByKeyLookBackFallback};
    return list;
}

namespace {

constexpr std::array<gp_dtype, 10> kSortedTypes = {GP_INT8,   GP_INT16,  GP_INT32,  GP_INT64,   GP_UINT8,
                                                   GP_UINT16, GP_UINT32, GP_UINT64, GP_FLOAT32, GP_FLOAT64};

// What both forms of the call check and fill in alike.
struct ByKeyCall {
    gp_reduce_by_key_options options;
    Request request; // without its operands
    size_t key_size, value_size, result_size;
};

ByKeyCall read_by_key(const cl::Context &context, gp_dtype key_dtype, size_t n, gp_dtype dtype,
                      const gp_reduce_by_key_options *given) {
    ByKeyCall call{read_options(given, "options"), {}, 0, 0, 0};
    const auto &options = call.options;
    Request &r = call.request;
    require_choice(options.any_order, 1, "options->any_order");
    if (options.any_order != 0)
        require_dtype(key_dtype, "key_dtype", kSortedTypes, " with options->any_order");
    else
        require_dtype(key_dtype, "key_dtype", kAllTypes);
    r.combine = read_combine(options.op, options.operator_source, options.operator_identity, options.operator_helpers);
    r.reduces = true;
    r.from = dtype;
    r.dtype = read_sum_dtype(context, dtype, options.accumulator, r.combine);
    require(options.n_buffer != nullptr || options.n_offset == 0, GP_ERROR_OPTION, "options->n_offset is ",
            options.n_offset, "; expected 0 without n_buffer");
    r.key = key_dtype;
    r.n = n;
    r.capacity = options.capacity == 0 ? n : std::min(options.capacity, n);
    r.any_order = options.any_order != 0;
    r.has_results = true;
    call.key_size = gpcl::dtype(key_dtype).size;
    call.value_size = gpcl::dtype(r.from).size;
    call.result_size = gpcl::dtype(r.dtype).size;
    multiply(n, call.key_size, "n keys");
    multiply(n, call.value_size, "n values");
    multiply(n, call.result_size, "n results");
    return call;
}

// Sorts copies of keys and values, which the request then has.
void sort_pairs(cl::Task &task, Request &r) {
    const size_t key_size = dtype(r.key).size, value_size = dtype(r.from).size;
    const cl::Operand keys = task.work_space(r.n * key_size), values = task.work_space(r.n * value_size);
    task.copy(r.keys, keys, r.n, key_size);
    task.copy(r.values, values, r.n, value_size);
    sort::Request sort = sort::whole_array(r.key, r.n);
    sort.keys = r.keys = keys;
    sort.counted = {r.has_bound, r.bound};
    sort.value_size = sort.value_alignment = value_size;
    sort.values = r.values = values;
    sort::choose_for(task.context(), nullptr, sort).run(task, sort);
}

void run_by_key(cl::Task &task, ByKeyCall &call) {
    Request &r = call.request;
    if (r.n == 0) r.keys = r.values = r.count;
    const Algorithm &algorithm = choose(by_key_algorithms(), call.options.algorithm, task.context(), r);
    if (r.any_order && r.n > 1 && !algorithm.info.on_host) sort_pairs(task, r);
    algorithm.run(task, r);
}

constexpr gp_dtype kWarmKeys = GP_INT32;

void add_by_key_defaults(Needed &needed, gp_dtype dtype) {
    const size_t size = gpcl::dtype(dtype).size;
    needed.for_each_size(std::max(size, sizeof(int32_t)), 1, [&](size_t n) {
        Request r = read_by_key(needed.context(), kWarmKeys, n, dtype, nullptr).request;
        r.has_keys = true;
        r.keys = r.values = r.bound = r.out_keys = r.results = r.firsts = r.count = cl::Operand::stand_in();
        needed.add(by_key_algorithms(), r, n * (size + sizeof(int32_t)), [=](gp_context *context) {
            uint64_t key[1], result[1], count = 0;
            gp_reduce_by_key_options options = GP_REDUCE_BY_KEY_OPTIONS_INIT;
            options.capacity = 1;
            return gp_reduce_by_key(context, kWarmKeys, n, zeros(n, sizeof(int32_t)).data(), dtype,
                                    zeros(n, size).data(), key, result, &count, &options);
        });
    });
}

gp_status smallest_by_key(gp_context *context, gp_dtype dtype) {
    const uint64_t keys[1] = {}, values[1] = {}; // hold one element of any type
    uint64_t key[1], result[1], count = 0;
    return gp_reduce_by_key(context, kWarmKeys, 1, keys, dtype, values, key, result, &count, nullptr);
}

} // namespace

const Operation kByKeyOperation = {GP_REDUCE_BY_KEY,
                                   "reduce-by-key",
                                   kSumTypes,
                                   infos<by_key_algorithms>,
                                   parameters<by_key_algorithms>,
                                   add_by_key_defaults,
                                   smallest_by_key,
                                   one_kind<kByKey>,
                                   prove_by_key,
                                   list<by_key_algorithms>};

} // namespace gpcl::runs

using namespace gpcl;

gp_status gp_reduce_by_key(gp_context *context, gp_dtype key_dtype, size_t n, const void *keys, gp_dtype dtype,
                           const void *values, void *out_keys, void *out_values, uint64_t *count,
                           const gp_reduce_by_key_options *options) {
    return guard("gp_reduce_by_key", [&] {
        const auto first = placed(context, runs::kByKeyOperation, runs::kByKey, key_dtype,
                                  {real(n),
                                   {array_of(keys, key_dtype, n), array_of(values, dtype, n)},
                                   {array_of(out_keys, key_dtype, n), array_of(out_values, dtype, n)}},
                                  options);
        where_it_fits(first, runs::kByKeyOperation, options, [&](const auto &device) {
            runs::ByKeyCall call = runs::read_by_key(*device, key_dtype, n, dtype, options);
            runs::Request &r = call.request;
            require(call.options.n_buffer == nullptr, GP_ERROR_OPTION,
                    "options->n_buffer is set; gp_reduce_by_key takes host pointers, expected NULL");
            require_array(keys, n, call.key_size, "keys");
            require_array(values, n, call.value_size, "values");
            require_aligned(out_keys, call.key_size, "out_keys");
            require_array(out_values, n, call.result_size, "out_values");
            require_pointer(count, "count");
            require_aligned(count, sizeof *count, "count");
            const auto of = [&](const void *pointer, size_t bytes) { return extent(pointer, pointer ? bytes : 0); };
            runs::require_apart({{of(keys, n * call.key_size), "keys", false},
                                 {of(values, n * call.value_size), "values", false},
                                 {of(out_keys, r.capacity * call.key_size), "out_keys", true},
                                 {of(out_values, r.capacity * call.result_size), "out_values", true},
                                 {of(count, sizeof *count), "count", true}});
            cl::Task task(device, call.options.event);
            uint64_t runs = 0;
            runs::Outputs outputs(task, r);
            if (n > 0) {
                r.keys = task.input(keys, n * call.key_size);
                r.values = task.input(values, n * call.value_size);
            }
            r.bound = r.firsts = r.count = outputs.add_count(&runs);
            r.has_keys = out_keys != nullptr;
            r.out_keys = outputs.add({out_keys, call.key_size}, r.count);
            r.results = outputs.add({out_values, call.result_size}, r.count);
            runs::run_by_key(task, call);
            outputs.fetch();
            task.end();
            *count = runs;
        });
    });
}

gp_status gp_enqueue_reduce_by_key(gp_context *context, gp_dtype key_dtype, size_t n, gp_buffer *keys,
                                   size_t keys_offset, gp_dtype dtype, gp_buffer *values, size_t values_offset,
                                   gp_buffer *out_keys, size_t out_keys_offset, gp_buffer *out_values,
                                   size_t out_values_offset, gp_buffer *count, size_t count_offset,
                                   const gp_reduce_by_key_options *options, size_t wait_count, gp_event *const *wait,
                                   gp_event **event) {
    return guard("gp_enqueue_reduce_by_key", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const cl::Signature signature(*device, "gp_enqueue_reduce_by_key", options,
                                      {{keys, keys_offset},
                                       {values, values_offset},
                                       {out_keys, out_keys_offset},
                                       {out_values, out_values_offset},
                                       {count, count_offset},
                                       {known.n_buffer, known.n_offset}},
                                      key_dtype, n, dtype);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        runs::ByKeyCall call = runs::read_by_key(*device, key_dtype, n, dtype, options);
        runs::Request &r = call.request;
        cl::Task task(device, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        r.bound = r.out_keys = r.firsts = r.count = task.operand(count, count_offset, 1, sizeof(uint64_t), "count");
        r.keys = task.operand(keys, keys_offset, n, call.key_size, "keys");
        r.values = task.operand(values, values_offset, n, call.value_size, "values");
        r.results = task.operand(out_values, out_values_offset, r.capacity, call.result_size, "out_values");
        r.has_keys = out_keys != nullptr;
        if (r.has_keys) r.out_keys = task.operand(out_keys, out_keys_offset, r.capacity, call.key_size, "out_keys");
        r.has_bound = call.options.n_buffer != nullptr;
        if (r.has_bound)
            r.bound =
                task.operand(call.options.n_buffer, call.options.n_offset, 1, sizeof(uint64_t), "options->n_buffer");
        runs::require_apart({{r.keys.extent, "keys", false},
                             {r.values.extent, "values", false},
                             {r.has_bound ? r.bound.extent : Extent{}, "options->n_buffer", false},
                             {r.has_keys ? r.out_keys.extent : Extent{}, "out_keys", true},
                             {r.results.extent, "out_values", true},
                             {r.count.extent, "count", true}});
        runs::run_by_key(task, call);
        task.end();
    });
}

// gp_merge_runs, gp_merge_runs_pairs and their enqueue forms: arguments, and the choice of an
// algorithm.
// SPDX-License-Identifier: MIT
#include "ops/merge_runs/merge_runs.h"

#include "core/options.h"
#include "core/segments.h"
#include "ops/place.h"

#include <cstring>

namespace gpcl::merge_runs {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kTiles, kChunks, kSort, kHost, kHostSort};
    return list;
}

namespace {

const char *offset_name(gp_dtype type) {
    switch (type) {
    case GP_INT32: return "int";
    case GP_UINT32: return "uint";
    case GP_INT64: return "long";
    default: return "ulong";
    }
}

// What all forms of the call check and fill in alike.
struct RunsCall {
    std::shared_ptr<cl::Context> context;
    gp_merge_runs_options options;
    Request request; // without its operands
    size_t size;     // of a key
};

constexpr std::array<gp_dtype, 4> kOffsetTypes = {GP_INT32, GP_UINT32, GP_INT64, GP_UINT64};

RunsCall read_call(std::shared_ptr<cl::Context> context, gp_dtype dtype, size_t n, size_t runs,
                   const gp_merge_runs_options *given) {
    RunsCall call{std::move(context), read_options(given, "options"), {}, 0};
    const gp_merge_runs_options &options = call.options;
    require_dtype(dtype, "dtype", kAllTypes);
    require_choice(options.order, GP_DESCENDING, "options->order");
    if (options.offset_type != 0) require_dtype(options.offset_type, "options->offset_type", kOffsetTypes);
    require(options.work != nullptr || (options.work_offset == 0 && options.work_bytes == 0), GP_ERROR_OPTION,
            "options->work_offset is ", options.work_offset, " and work_bytes ", options.work_bytes,
            "; expected 0 without work");
    require(runs > 0 || n == 0, GP_ERROR_OPTION, "runs is 0; expected 1 or more for ", n, " keys");
    Request &r = call.request;
    r.dtype = dtype;
    r.descending = options.order == GP_DESCENDING;
    r.n = n;
    r.runs = runs;
    r.offset_type = options.offset_type != 0 ? options.offset_type : GP_UINT64;
    call.size = gpcl::dtype(dtype).size;
    multiply(n, call.size, "n");
    multiply(add(runs, 1, "runs"), sizeof(uint64_t), "runs");
    return call;
}

void read_values(RunsCall &call, size_t value_size) {
    require_value_size(value_size, "value_size");
    call.request.value_size = value_size;
    multiply(call.request.n, value_size, "n");
}

struct Named {
    Extent extent;
    const char *argument;
};

void require_apart(const Named &output, std::initializer_list<Named> others) {
    for (const Named &other : others)
        gpcl::require_apart(overlap(output.extent, other.extent), output.argument, other.argument);
}

// How much a caller has to lend.
size_t work_bytes(const cl::Context &context, const Algorithm &algorithm, Request r) {
    for (cl::Operand *array : {&r.in.keys, &r.in.values, &r.out.keys, &r.out.values, &r.offsets})
        *array = cl::Operand::stand_in();
    return r.n > 0 ? plan(context, algorithm, r).lendable_bytes : 0;
}

// Work space from the caller's buffer, just as much as it takes, apart from the arrays.
void lend(cl::Task &task, const Algorithm &algorithm, const RunsCall &call) {
    const gp_merge_runs_options &options = call.options;
    const Request &r = call.request;
    const size_t bytes = work_bytes(task.context(), algorithm, r);
    const cl::Operand work = task.operand(options.work, options.work_offset, bytes, 1, "options->work");
    require(bytes <= options.work_bytes || options.work_bytes == 0, GP_ERROR_OUT_OF_BOUNDS, "options->work_bytes is ",
            options.work_bytes, "; expected ", bytes, ", as gp_merge_runs_work_bytes says");
    require_apart({work.extent, "options->work"}, {{r.in.keys.extent, "keys"},
                                                   {r.in.values.extent, "values"},
                                                   {r.out.keys.extent, "out"},
                                                   {r.out.values.extent, "out_values"},
                                                   {r.offsets.extent, "offsets"}});
    task.lend(work, bytes);
}

void run(cl::Task &task, const RunsCall &call) {
    const Request &r = call.request;
    const Algorithm &algorithm = choose(algorithms(), call.options.algorithm, *call.context, r);
    if (call.options.work != nullptr) lend(task, algorithm, call);
    if (r.n > 0) algorithm.run(task, r);
    task.end();
}

// Checks the offsets of a call on host pointers, and leaves out empty runs.
std::vector<uint64_t> read_offsets(RunsCall &call, const void *offsets) {
    Request &r = call.request;
    const size_t size = dtype(r.offset_type).size;
    if (r.runs > 0 || offsets != nullptr) require_array(offsets, r.runs + 1, size, "offsets");
    const Segments runs{r.runs, r.offset_type, offsets, nullptr, ""};
    runs.require_order(r.n);
    if (offsets != nullptr)
        require(runs.begin(0) == 0, GP_ERROR_OPTION, "offsets[0] is ", static_cast<int64_t>(runs.begin(0)),
                "; expected 0");
    if (r.runs == 0) return {};
    require(runs.end(r.runs - 1) == r.n, GP_ERROR_OPTION, "offsets[", r.runs, "] is ", runs.end(r.runs - 1),
            "; expected n, ", r.n);
    std::vector<uint64_t> result = {0};
    result.reserve(r.runs + 1);
    for (size_t run = 0; run < r.runs; ++run)
        if (runs.end(run) > result.back()) result.push_back(runs.end(run));
    r.runs = result.size() - 1;
    r.offset_type = GP_UINT64;
    return result;
}

// The forms on host pointers; value_size 0: without values.
void merge_pointers(RunsCall &call, const void *keys, const void *offsets, void *out, const void *values,
                    void *out_values) {
    Request &r = call.request;
    const size_t bytes = r.n * call.size, value_bytes = r.n * r.value_size;
    require_array(keys, r.n, call.size, "keys");
    require_array(out, r.n, call.size, "out");
    const Named of_keys{extent(keys, bytes), "keys"}, of_out{extent(out, bytes), "out"};
    require_apart(of_out, {of_keys});
    if (r.value_size != 0) {
        require_array(values, r.n, 1, "values");
        require_array(out_values, r.n, 1, "out_values");
        const Named of_values{extent(values, value_bytes), "values"};
        require_apart(of_out, {of_values});
        require_apart({extent(out_values, value_bytes), "out_values"}, {of_keys, of_out, of_values});
    }
    const cl::Kept<uint64_t> begins(read_offsets(call, offsets));
    cl::Task task(call.context, call.options.event);
    r.offsets = task.input(begins.data(), begins.size() * sizeof(uint64_t));
    r.in.keys = task.input(keys, bytes);
    r.out.keys = task.output(out, bytes);
    if (r.value_size != 0) {
        r.value_alignment = alignment_of(r.value_size);
        for (const void *array : {values, static_cast<const void *>(out_values)})
            if (call.context->shares_memory())
                r.value_alignment = std::min(r.value_alignment, alignment_of(reinterpret_cast<uintptr_t>(array)));
        r.in.values = task.input(values, value_bytes);
        r.out.values = task.output(out_values, value_bytes);
    }
    run(task, call);
}

void take_buffers(cl::Task &task, RunsCall &call, const cl::Place &keys, const cl::Place &offsets,
                  const cl::Place &out) {
    Request &r = call.request;
    r.in.keys = task.operand(keys.buffer, keys.offset, r.n, call.size, "keys");
    const size_t count = r.runs > 0 || offsets.buffer != nullptr ? r.runs + 1 : 0;
    r.offsets = task.operand(offsets.buffer, offsets.offset, count, dtype(r.offset_type).size, "offsets");
    r.out.keys = task.operand(out.buffer, out.offset, r.n, call.size, "out");
    require_apart({r.out.keys.extent, "out"}, {{r.in.keys.extent, "keys"}, {r.offsets.extent, "offsets"}});
}

void add_defaults(Needed &needed, gp_dtype dtype) {
    const size_t size = gpcl::dtype(dtype).size;
    needed.for_each_size(size, 2, [&](size_t n) {
        for (const size_t most : {size_t{2}, size_t{1} << 30}) {
            const size_t runs = std::min(most, n);
            Request r;
            r.dtype = dtype;
            r.n = n;
            r.runs = runs;
            r.offsets = r.in.keys = r.out.keys = cl::Operand::stand_in();
            needed.add(algorithms(), r, n * 2 * size + runs * sizeof(uint64_t), [=](gp_context *context) {
                std::vector<uint64_t> offsets(runs + 1);
                for (size_t run = 0; run <= runs; ++run) offsets[run] = n / runs * run + std::min(run, n % runs);
                auto out = zeros(n, size);
                return gp_merge_runs(context, dtype, n, zeros(n, size).data(), runs, offsets.data(), out.data(),
                                     nullptr);
            });
        }
    });
}

gp_status smallest_calls(gp_context *context, gp_dtype dtype) {
    const uint64_t keys[2] = {}; // hold two keys of any type
    uint64_t out[2] = {};
    const uint64_t offsets[3] = {0, 1, 2};
    return gp_merge_runs(context, dtype, 2, keys, 2, offsets, out, nullptr);
}

} // namespace

std::string Request::options(const cl::Context &context) const {
    return text(merge::key_options(context, dtype, word()), " -DGP_OFFSET=", offset_name(offset_type));
}

void copy(cl::Task &task, const Request &r) {
    const auto copy = [&](const cl::Operand &from, const cl::Operand &to, size_t size) {
        if (!task.context().is_host()) return task.copy(from, to, r.n, size);
        task.on_host(GP_KERNEL, "host copy", [&] { std::memcpy(to.host, from.host, r.n * size); });
    };
    copy(r.in.keys, r.out.keys, dtype(r.dtype).size);
    if (r.value_size != 0) copy(r.in.values, r.out.values, r.value_size);
}

const Operation kOperation = {GP_MERGE_RUNS,          "merge-runs", kAllTypes,      infos<algorithms>,
                              parameters<algorithms>, add_defaults, smallest_calls, one_kind<kKind>};

} // namespace gpcl::merge_runs

using namespace gpcl;
using namespace gpcl::merge_runs;

gp_status gp_merge_runs(gp_context *context, gp_dtype dtype, size_t n, const void *keys, size_t runs,
                        const void *offsets, void *out, const gp_merge_runs_options *options) {
    return guard("gp_merge_runs", [&] {
        const auto device = placed(context, gpcl::merge_runs::kOperation, gpcl::merge_runs::kKind, dtype,
                                   {gpcl::merge_runs::work_of_runs(n, runs),
                                    {array_of(keys, dtype, n), array_of(offsets, GP_UINT64, runs)},
                                    {array_of(out, dtype, n)}},
                                   options);
        where_it_fits(device, gpcl::merge_runs::kOperation, options, [&](const auto &chosen) {
            RunsCall call = read_call(chosen, dtype, n, runs, options);
            merge_pointers(call, keys, offsets, out, nullptr, nullptr);
        });
    });
}

gp_status gp_merge_runs_pairs(gp_context *context, gp_dtype dtype, size_t n, const void *keys, size_t runs,
                              const void *offsets, void *out, size_t value_size, const void *values, void *out_values,
                              const gp_merge_runs_options *options) {
    return guard("gp_merge_runs_pairs", [&] {
        const auto device =
            placed(context, gpcl::merge_runs::kOperation, gpcl::merge_runs::kKind, dtype,
                   {gpcl::merge_runs::work_of_runs(n, runs),
                    {array_of(keys, dtype, n), array_of(offsets, GP_UINT64, runs), array(values, value_size, n)},
                    {array_of(out, dtype, n), array(out_values, value_size, n)}},
                   options);
        where_it_fits(device, gpcl::merge_runs::kOperation, options, [&](const auto &chosen) {
            RunsCall call = read_call(chosen, dtype, n, runs, options);
            read_values(call, value_size);
            merge_pointers(call, keys, offsets, out, values, out_values);
        });
    });
}

gp_status gp_merge_runs_work_bytes(gp_context *context, gp_dtype dtype, size_t n, size_t runs, size_t value_size,
                                   const gp_merge_runs_options *options, size_t *bytes) {
    return guard("gp_merge_runs_work_bytes", [&] {
        RunsCall call = read_call(cl::contexts().get(context, "context"), dtype, n, runs, options);
        if (value_size != 0) read_values(call, value_size);
        require_pointer(bytes, "bytes");
        merge_runs::Request &r = call.request;
        if (value_size != 0) r.value_alignment = alignment_of(value_size);
        *bytes = gpcl::merge_runs::work_bytes(
            *call.context, choose(gpcl::merge_runs::algorithms(), call.options.algorithm, *call.context, r), r);
    });
}

gp_status gp_enqueue_merge_runs(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *keys, size_t keys_offset,
                                size_t runs, gp_buffer *offsets, size_t offsets_offset, gp_buffer *out,
                                size_t out_offset, const gp_merge_runs_options *options, size_t wait_count,
                                gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_merge_runs", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const cl::Signature signature(
            *device, "gp_enqueue_merge_runs", options,
            {{keys, keys_offset}, {offsets, offsets_offset}, {out, out_offset}, {known.work, known.work_offset}}, dtype,
            n, runs);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        RunsCall call = read_call(device, dtype, n, runs, options);
        cl::Task task(call.context, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        take_buffers(task, call, {keys, keys_offset}, {offsets, offsets_offset}, {out, out_offset});
        gpcl::merge_runs::run(task, call);
    });
}

gp_status gp_enqueue_merge_runs_pairs(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *keys,
                                      size_t keys_offset, size_t runs, gp_buffer *offsets, size_t offsets_offset,
                                      gp_buffer *out, size_t out_offset, size_t value_size, gp_buffer *values,
                                      size_t values_offset, gp_buffer *out_values, size_t out_values_offset,
                                      const gp_merge_runs_options *options, size_t wait_count, gp_event *const *wait,
                                      gp_event **event) {
    return guard("gp_enqueue_merge_runs_pairs", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const cl::Signature signature(*device, "gp_enqueue_merge_runs_pairs", options,
                                      {{keys, keys_offset},
                                       {offsets, offsets_offset},
                                       {out, out_offset},
                                       {values, values_offset},
                                       {out_values, out_values_offset},
                                       {known.work, known.work_offset}},
                                      dtype, n, runs, value_size);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        RunsCall call = read_call(device, dtype, n, runs, options);
        read_values(call, value_size);
        cl::Task task(call.context, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        take_buffers(task, call, {keys, keys_offset}, {offsets, offsets_offset}, {out, out_offset});
        merge_runs::Request &r = call.request;
        r.value_alignment = alignment_of(value_size); // offsets count values, and memory begins aligned
        r.in.values = task.operand(values, values_offset, n, value_size, "values");
        r.out.values = task.operand(out_values, out_values_offset, n, value_size, "out_values");
        const Named of_values{r.in.values.extent, "values"};
        require_apart({r.out.keys.extent, "out"}, {of_values});
        require_apart(
            {r.out.values.extent, "out_values"},
            {{r.in.keys.extent, "keys"}, {r.out.keys.extent, "out"}, {r.offsets.extent, "offsets"}, of_values});
        gpcl::merge_runs::run(task, call);
    });
}

// gp_run_lengths: checks, choice of algorithm.
// SPDX-License-Identifier: MIT
#include "core/options.h"
#include "core/size.h"
#include "ops/place.h"
#include "ops/runs/runs.h"

#include <limits>

namespace gpcl::runs {

std::span<const Algorithm> length_algorithms() {
    static const std::array list = {kLengthsLookBack, kChunks.lengths, kHost.lengths, kLengthsLookBackFallback};
    return list;
}

namespace {

// What both forms of the call check and fill in alike.
struct LengthsCall {
    gp_run_lengths_options options;
    Request request; // without its operands
    size_t size, index_size;
};

LengthsCall read_lengths(gp_dtype dtype, size_t n, gp_dtype index, const gp_run_lengths_options *given) {
    LengthsCall call{read_options(given, "options"), {}, 0, 0};
    Request &r = call.request;
    require_dtype(dtype, "dtype", kAllTypes);
    require_dtype(index, "index", kIndexTypes);
    call.size = gpcl::dtype(dtype).size;
    call.index_size = gpcl::dtype(index).size;
    multiply(n, call.size, "n elements");
    multiply(n, call.index_size, "n lengths");
    require(index != GP_UINT32 || n <= std::numeric_limits<uint32_t>::max(), GP_ERROR_TOO_LARGE, "n is ", n,
            "; lengths of type uint32 reach 2^32 - 1");
    require(call.options.firsts_buffer != nullptr || call.options.firsts_offset == 0, GP_ERROR_OPTION,
            "options->firsts_offset is ", call.options.firsts_offset, "; expected 0 without firsts_buffer");
    require(call.options.n_buffer != nullptr || call.options.n_offset == 0, GP_ERROR_OPTION, "options->n_offset is ",
            call.options.n_offset, "; expected 0 without n_buffer");
    r.key = dtype;
    r.n = n;
    r.capacity = call.options.capacity == 0 ? n : std::min(call.options.capacity, n);
    r.dtype = index;
    return call;
}

void run_lengths(cl::Task &task, LengthsCall &call) {
    Request &r = call.request;
    r.values = r.count;
    if (r.n == 0) r.keys = r.count;
    choose(length_algorithms(), call.options.algorithm, task.context(), r).run(task, r);
}

void add_length_defaults(Needed &needed, gp_dtype dtype) {
    const size_t size = gpcl::dtype(dtype).size;
    needed.for_each_size(size, 1, [&](size_t n) {
        Request r = read_lengths(dtype, n, GP_UINT64, nullptr).request;
        r.has_keys = r.has_results = true;
        r.keys = r.values = r.bound = r.out_keys = r.results = r.firsts = r.count = cl::Operand::stand_in();
        needed.add(length_algorithms(), r, n * size, [=](gp_context *context) {
            uint64_t value[1], length[1], count = 0;
            gp_run_lengths_options options = GP_RUN_LENGTHS_OPTIONS_INIT;
            options.capacity = 1;
            return gp_run_lengths(context, dtype, n, zeros(n, size).data(), value, GP_UINT64, length, &count, &options);
        });
    });
}

gp_status smallest_lengths(gp_context *context, gp_dtype dtype) {
    const uint64_t in[1] = {}; // holds one element of any type
    uint64_t value[1], length[1], count = 0;
    return gp_run_lengths(context, dtype, 1, in, value, GP_UINT64, length, &count, nullptr);
}

} // namespace

const Operation kLengthsOperation = {GP_RUN_LENGTHS,
                                     "run-lengths",
                                     kAllTypes,
                                     infos<length_algorithms>,
                                     parameters<length_algorithms>,
                                     add_length_defaults,
                                     smallest_lengths,
                                     one_kind<kLengths>,
                                     prove_lengths,
                                     list<length_algorithms>};

} // namespace gpcl::runs

using namespace gpcl;

gp_status gp_run_lengths(gp_context *context, gp_dtype dtype, size_t n, const void *in, void *values, gp_dtype index,
                         void *lengths, uint64_t *count, const gp_run_lengths_options *options) {
    return guard("gp_run_lengths", [&] {
        const auto first = placed(
            context, runs::kLengthsOperation, runs::kLengths, dtype,
            {real(n), {array_of(in, dtype, n)}, {array_of(values, dtype, n), array_of(lengths, index, n)}}, options);
        where_it_fits(first, runs::kLengthsOperation, options, [&](const auto &device) {
            runs::LengthsCall call = runs::read_lengths(dtype, n, index, options);
            runs::Request &r = call.request;
            void *const firsts = call.options.firsts;
            require(call.options.firsts_buffer == nullptr && call.options.n_buffer == nullptr, GP_ERROR_OPTION,
                    "options->firsts_buffer or n_buffer is set; gp_run_lengths takes host pointers, expected NULL");
            require_array(in, n, call.size, "in");
            require_aligned(values, call.size, "values");
            require_aligned(lengths, call.index_size, "lengths");
            require_aligned(firsts, call.index_size, "options->firsts");
            require_pointer(count, "count");
            require_aligned(count, sizeof *count, "count");
            const auto of = [&](const void *pointer, size_t bytes) { return extent(pointer, pointer ? bytes : 0); };
            runs::require_apart({{of(in, n * call.size), "in", false},
                                 {of(values, r.capacity * call.size), "values", true},
                                 {of(lengths, r.capacity * call.index_size), "lengths", true},
                                 {of(firsts, r.capacity * call.index_size), "options->firsts", true},
                                 {of(count, sizeof *count), "count", true}});
            cl::Task task(device, call.options.event);
            uint64_t runs = 0;
            runs::Outputs outputs(task, r);
            if (n > 0) r.keys = task.input(in, n * call.size);
            r.count = outputs.add_count(&runs);
            r.bound = r.count;
            r.has_keys = values != nullptr;
            r.has_results = lengths != nullptr;
            r.has_firsts = firsts != nullptr;
            r.out_keys = outputs.add({values, call.size}, r.count);
            r.results = outputs.add({lengths, call.index_size}, r.count);
            r.firsts = outputs.add({firsts, call.index_size}, r.count);
            runs::run_lengths(task, call);
            outputs.fetch();
            task.end();
            *count = runs;
        });
    });
}

gp_status gp_enqueue_run_lengths(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                                 gp_buffer *values, size_t values_offset, gp_dtype index, gp_buffer *lengths,
                                 size_t lengths_offset, gp_buffer *count, size_t count_offset,
                                 const gp_run_lengths_options *options, size_t wait_count, gp_event *const *wait,
                                 gp_event **event) {
    return guard("gp_enqueue_run_lengths", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const cl::Signature signature(*device, "gp_enqueue_run_lengths", options,
                                      {{in, in_offset},
                                       {values, values_offset},
                                       {lengths, lengths_offset},
                                       {count, count_offset},
                                       {known.firsts_buffer, known.firsts_offset},
                                       {known.n_buffer, known.n_offset}},
                                      dtype, n, index);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        runs::LengthsCall call = runs::read_lengths(dtype, n, index, options);
        runs::Request &r = call.request;
        require(call.options.firsts == nullptr, GP_ERROR_OPTION,
                "options->firsts is set; gp_enqueue_run_lengths takes firsts_buffer, expected NULL");
        cl::Task task(device, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        r.count = task.operand(count, count_offset, 1, sizeof(uint64_t), "count");
        r.keys = task.operand(in, in_offset, n, call.size, "in");
        const auto add = [&](bool &has, gp_buffer *buffer, size_t offset, size_t elements, size_t size,
                             const char *argument) {
            has = buffer != nullptr;
            return has ? task.operand(buffer, offset, elements, size, argument) : r.count;
        };
        r.out_keys = add(r.has_keys, values, values_offset, r.capacity, call.size, "values");
        r.results = add(r.has_results, lengths, lengths_offset, r.capacity, call.index_size, "lengths");
        r.firsts = add(r.has_firsts, call.options.firsts_buffer, call.options.firsts_offset, r.capacity,
                       call.index_size, "options->firsts_buffer");
        r.bound =
            add(r.has_bound, call.options.n_buffer, call.options.n_offset, 1, sizeof(uint64_t), "options->n_buffer");
        const auto of = [](bool has, const cl::Operand &operand) { return has ? operand.extent : Extent{}; };
        runs::require_apart({{r.keys.extent, "in", false},
                             {of(r.has_bound, r.bound), "options->n_buffer", false},
                             {of(r.has_keys, r.out_keys), "values", true},
                             {of(r.has_results, r.results), "lengths", true},
                             {of(r.has_firsts, r.firsts), "options->firsts_buffer", true},
                             {r.count.extent, "count", true}});
        runs::run_lengths(task, call);
        task.end();
    });
}

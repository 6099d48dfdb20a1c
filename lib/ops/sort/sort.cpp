// gp_sort, gp_sort_pairs, gp_argsort and their enqueue forms: arguments, and the choice of an
// algorithm.
// SPDX-License-Identifier: MIT
#include "ops/sort/sort.h"

#include "core/options.h"
#include "core/segments.h"
#include "core/size.h"
#include "ops/apart.h"
#include "ops/place.h"
#include "ops/room.h"

#include <limits>

using namespace gpcl;

namespace gpcl::sort {

std::span<const Algorithm> algorithms() {
    static const Algorithm all[] = {
        kLocalBins,         kSingleTile,     kSampleBins, kSplitOnce,         kSplit,     kOnesweep,    kRadixTiles,
        kRadixBuckets,      kRadixChunks,    kMergedRuns, kRowNetworks,       kRowWarps,  kRowTiles,    kRowBins,
        kRowSweeps,         kRowItems,       kSegments,   kSegmentItems,      kHost,      kOddEven,     kBitonic,
        kBitonicFused,      kRadixRegisters, kRadixLocal, kRadixLocalVectors, kHostQsort, kHostStdSort, kHostRadix16,
        kSampleBinsFallback};
    return all;
}

namespace {
bool takes_segments(const Algorithm &algorithm) {
    return algorithm.run == kSegments.run || algorithm.run == kSegmentItems.run || algorithm.run == kHost.run;
}

// The best for segments on an OpenCL device.
const char *name_for_segments(const cl::Context &context, const Request &r) {
    const bool by_classes = !context.is_cpu() && !refusal_of(kSegments, context, r);
    return by_classes ? kSegments.info.name : kSegmentItems.info.name;
}
} // namespace

// The other algorithms for OpenCL count keys in 32 bits, the fastest in 31.
const Algorithm &choose_for(const cl::Context &context, const char *name, const Request &r) {
    const size_t n = r.n;
    if (name == nullptr && context.runs_natively() && !refusal_of(kHost, context, r)) return kHost;
    if (r.has_segments) {
        if (name == nullptr && !context.is_host()) name = name_for_segments(context, r);
        const Algorithm &algorithm = gpcl::choose(algorithms(), name, context, r);
        require(takes_segments(algorithm), GP_ERROR_ALGORITHM_REFUSED, "algorithm \"", algorithm.info.name,
                "\" can't run this on ", context.info().name, ": it takes no segments");
        return algorithm;
    }
    if (!r.is_one_array() && name == nullptr && !context.is_host())
        if (const Algorithm *const for_rows = choose_for_rows(context, r)) return *for_rows;
    if (!context.is_host() && n >= size_t{1} << 31 && name == nullptr) name = kMergedRuns.info.name;
    const Algorithm &algorithm = gpcl::choose(algorithms(), name, context, r);
    require(!context.is_host() || r.step == 1 || algorithm.run == kHost.run, GP_ERROR_ALGORITHM_REFUSED, "algorithm \"",
            algorithm.info.name, "\" can't run this on host: it sorts keys that lie side by side, and step is ",
            r.step);
    require(context.is_host() || n <= std::numeric_limits<uint32_t>::max() || algorithm.run == kMergedRuns.run,
            GP_ERROR_ALGORITHM_REFUSED, "n is ", n, "; algorithm \"", algorithm.info.name,
            "\" sorts fewer than 2^32 keys");
    return algorithm;
}

namespace {

using cl::Operand;

constexpr std::array<gp_dtype, 10> kKeyTypes = {GP_INT8,   GP_INT16,  GP_INT32,  GP_INT64,   GP_UINT8,
                                                GP_UINT16, GP_UINT32, GP_UINT64, GP_FLOAT32, GP_FLOAT64};

// What a call asks for, before it is known where its arrays are. The checks follow in the order of
// the arguments.
struct Call {
    std::shared_ptr<cl::Context> context;
    gp_sort_options options;
    Request request;
    size_t span = 0; // keys from the first to the last one
    size_t key_bytes = 0;
    size_t value_bytes = 0;
    size_t index_bytes = 0;
};

constexpr std::array<gp_dtype, 4> kOffsetTypes = {GP_INT32, GP_UINT32, GP_INT64, GP_UINT64};

// What the options say of segments, but for their arrays.
void read_segments(Call &call) {
    const gp_sort_options &options = call.options;
    Request &r = call.request;
    r.has_segments = options.segments != 0 || options.offsets != nullptr || options.offsets_buffer != nullptr;
    if (options.offset_type != 0) require_dtype(options.offset_type, "options->offset_type", kOffsetTypes);
    require(options.offsets_buffer != nullptr || options.offsets_offset == 0, GP_ERROR_OPTION,
            "options->offsets_offset is ", options.offsets_offset, "; expected 0 without offsets_buffer");
    require(options.ends_buffer != nullptr || options.ends_offset == 0, GP_ERROR_OPTION, "options->ends_offset is ",
            options.ends_offset, "; expected 0 without ends_buffer");
    if (!r.has_segments) {
        require(options.ends == nullptr && options.ends_buffer == nullptr, GP_ERROR_OPTION,
                "options->ends is set; expected offsets beside it");
        return;
    }
    require(r.batch == 1 && options.step <= 1, GP_ERROR_OPTION, "options->batch is ", options.batch, " and step ",
            options.step, "; expected one row of step 1 beside segments");
    r.segments = options.segments;
    r.offset_type = options.offset_type != 0 ? options.offset_type : GP_UINT64;
    r.has_ends = options.ends != nullptr || options.ends_buffer != nullptr;
    r.stride = r.n;
    r.step = 1;
    add(multiply(r.segments, dtype(r.offset_type).size, "options->segments"), sizeof(uint64_t), "options->segments");
}

size_t offset_count(const Request &r) { return r.has_ends ? r.segments : r.segments + 1; }

// The offsets of a call on buffers.
void take_offsets(cl::Task &task, Call &call) {
    const gp_sort_options &options = call.options;
    Request &r = call.request;
    require(options.offsets == nullptr && options.ends == nullptr, GP_ERROR_OPTION,
            "options->offsets or ends is set; expected offsets_buffer and ends_buffer where keys are in a buffer");
    if (!r.has_segments) return;
    const size_t size = dtype(r.offset_type).size;
    r.offsets =
        task.operand(options.offsets_buffer, options.offsets_offset, offset_count(r), size, "options->offsets_buffer");
    if (r.has_ends)
        r.ends = task.operand(options.ends_buffer, options.ends_offset, r.segments, size, "options->ends_buffer");
    for (const Operand &array : {r.keys, r.values, r.indices}) {
        require(!overlap(array, r.offsets), GP_ERROR_OVERLAP, "options->offsets_buffer overlaps what is sorted",
                "; expected memory of its own");
        require(!overlap(array, r.ends), GP_ERROR_OVERLAP, "options->ends_buffer overlaps what is sorted",
                "; expected memory of its own");
    }
}

// Those of a call on host pointers, which are checked.
Segments host_segments(const Call &call) {
    const gp_sort_options &options = call.options;
    const Request &r = call.request;
    require(options.offsets_buffer == nullptr && options.ends_buffer == nullptr, GP_ERROR_OPTION,
            "options->offsets_buffer or ends_buffer is set; expected offsets and ends where keys are host memory");
    if (!r.has_segments) return {};
    const size_t size = dtype(r.offset_type).size;
    require_array(options.offsets, offset_count(r), size, "options->offsets");
    require_aligned(options.ends, size, "options->ends");
    const Segments segments{r.segments, r.offset_type, options.offsets, options.ends};
    segments.require_order(r.n);
    return segments;
}

// Bytes of a call's arrays, whose rows are known.
void reckon(Call &call) {
    const Request &r = call.request;
    call.span = r.rows().span();
    call.key_bytes = multiply(call.span, dtype(r.dtype).size, "n");
    call.value_bytes = multiply(call.span, r.value_size, "n");
    call.index_bytes = multiply(call.span, r.index != 0 ? dtype(r.index).size : 0, "n");
}

Call begin(std::shared_ptr<cl::Context> context, const gp_sort_options *options, gp_dtype dtype, size_t n) {
    Call call{std::move(context), read_options(options, "options"), {}};
    require_dtype(dtype, "dtype", kKeyTypes);
    require_choice(call.options.order, GP_DESCENDING, "options->order");
    require(call.options.work != nullptr || (call.options.work_offset == 0 && call.options.work_bytes == 0),
            GP_ERROR_OPTION, "options->work_offset is ", call.options.work_offset, " and work_bytes ",
            call.options.work_bytes, "; expected 0 without work");
    call.request.dtype = dtype;
    call.request.n = n;
    call.request.descending = call.options.order == GP_DESCENDING;
    const auto bits = static_cast<unsigned>(8 * gpcl::dtype(dtype).size);
    const unsigned begin_bit = call.options.begin_bit;
    const unsigned end_bit = call.options.end_bit == 0 ? bits : call.options.end_bit;
    require(begin_bit < end_bit && end_bit <= bits, GP_ERROR_OPTION, "options->begin_bit and end_bit are ", begin_bit,
            " and ", call.options.end_bit, "; expected a range of the keys' ", bits, " bits");
    call.request.begin_bit = begin_bit;
    call.request.end_bit = end_bit;
    const Rows rows = read_rows(n, call.options.batch, call.options.stride, call.options.step, "n");
    require(rows.are_apart(), GP_ERROR_BATCH_STRIDE, "options->stride is ", rows.stride, " and step ", rows.step,
            " with a batch of ", rows.batch, " rows of ", n, "; expected rows that share no key");
    call.request.batch = rows.batch;
    call.request.stride = rows.stride;
    call.request.step = rows.step;
    reckon(call);
    read_segments(call);
    call.request.counted = read_counted(call.options, call.request.is_one_array());
    return call;
}

void with_values(Call &call, size_t value_size) {
    require_value_size(value_size, "value_size");
    call.request.value_size = value_size;
    reckon(call);
}

void with_indices(Call &call, gp_dtype index) {
    const size_t n = call.request.n;
    require_dtype(index, "index", kIndexTypes);
    require(index != GP_UINT32 || n == 0 || n - 1 <= std::numeric_limits<uint32_t>::max(), GP_ERROR_TOO_LARGE, "n is ",
            n, "; indices of type uint32 reach 2^32");
    call.request.index = index;
    reckon(call);
}

void require_apart(bool overlapping, const char *argument) {
    require(!overlapping, GP_ERROR_OVERLAP, argument, " overlaps keys; expected memory of its own");
}

// How much a caller has to lend.
size_t work_bytes(const cl::Context &context, const Algorithm &algorithm, Request r) {
    for (Operand *array : {&r.keys, &r.values, &r.indices, &r.offsets, &r.ends}) *array = Operand::stand_in();
    if (r.n == 0 || (r.has_segments && r.segments == 0)) return 0;
    cl::Plan plan;
    cl::Task task(context, plan);
    run_rows(task, algorithm, r);
    return plan.lendable_bytes;
}

bool overlaps(const Request &r, const Operand &work) {
    return overlap(r.keys, work) || overlap(r.values, work) || overlap(r.indices, work) || overlap(r.offsets, work) ||
           overlap(r.ends, work) || overlap(r.counted.at, work);
}

// Work space from the caller's buffer, just as much as it takes, apart from the arrays.
void lend(cl::Task &task, const Algorithm &algorithm, const Call &call) {
    const Request &r = call.request;
    const size_t bytes = work_bytes(task.context(), algorithm, r);
    const Operand work = task.operand(call.options.work, call.options.work_offset, bytes, 1, "options->work");
    require(bytes <= call.options.work_bytes || call.options.work_bytes == 0, GP_ERROR_OUT_OF_BOUNDS,
            "options->work_bytes is ", call.options.work_bytes, "; expected ", bytes, ", as gp_sort_work_bytes says");
    const auto require_apart = [&](const Operand &array, const char *argument) {
        require(!overlap(array, work), GP_ERROR_OVERLAP, "options->work overlaps ", argument,
                "; expected memory of its own");
    };
    require_apart(r.keys, "keys");
    require_apart(r.values, "values");
    require_apart(r.indices, "indices");
    require_apart(r.offsets, "options->offsets_buffer");
    require_apart(r.ends, "options->ends_buffer");
    require_apart(r.counted.at, "options->n_buffer");
    task.lend(work, bytes);
}

// Lends all that there is; only where an array lies in it, or it is not enough, is it reckoned how
// much is needed.
void run_on_lent(cl::Task &task, const Algorithm &algorithm, const Call &call) {
    const Operand rest = task.rest_of(call.options.work, call.options.work_offset, "options->work");
    const size_t most = call.options.work_bytes != 0 ? call.options.work_bytes : SIZE_MAX;
    if (overlaps(call.request, rest))
        lend(task, algorithm, call);
    else
        task.lend(rest, std::min(rest.extent.bytes, most));
    try {
        run_rows(task, algorithm, call.request); // which takes its work space before it launches anything
    } catch (const cl::LentTooLittle &) {
        lend(task, algorithm, call); // tells
        throw;
    }
}

void run_without_end(cl::Task &task, Call &call) {
    const Algorithm &algorithm = choose_for(*call.context, call.options.algorithm, call.request);
    const Request &r = call.request;
    if (r.n > 0 && (!r.has_segments || r.segments > 0)) {
        call.options.work != nullptr ? run_on_lent(task, algorithm, call) : run_rows(task, algorithm, call.request);
    }
}

void run_on_buffers(cl::Task &task, Call &call) {
    take_offsets(task, call);
    Request &r = call.request;
    r.n = take_counted(task, call.options, r.n, r.counted,
                       {{r.index == 0 ? r.keys : r.indices, r.index == 0 ? "keys" : "indices"}, {r.values, "values"}});
    run_without_end(task, call);
    task.end();
}

// Host memory between whose rows the device must not write: it works on memory of its own.
void run_apart(cl::Task &task, Call &call, const HostArrays &host) {
    const auto &[keys, values, indices] = host;
    Request &r = call.request;
    const auto copy_of = [&](void *array, size_t bytes) {
        const Operand copy = task.work_space(bytes);
        task.write(copy.memory, 0, bytes, array, true);
        return copy;
    };
    r.keys = r.index != 0 ? task.input(keys, call.key_bytes) : copy_of(keys, call.key_bytes);
    if (r.value_size != 0) r.values = copy_of(values, call.value_bytes);
    if (r.index != 0) r.indices = task.work_space(call.index_bytes);
    run_without_end(task, call);
    if (r.index == 0) read_apart(task, r.keys, r.rows(), dtype(r.dtype).size, keys);
    if (r.value_size != 0) read_apart(task, r.values, r.rows(), r.value_size, values);
    if (r.index != 0) read_apart(task, r.indices, r.rows(), dtype(r.index).size, indices);
}

// Sorts arrays that there is room for; without the end.
void run_whole(cl::Task &task, Call &call, const HostArrays &host, bool keeps_some) {
    const auto &[keys, values, indices] = host;
    Request &r = call.request;
    const bool has_gaps = r.rows().has_gaps() && !call.context->is_host();
    if (has_gaps && r.value_size != 0) r.value_alignment = alignment_of(r.value_size);
    if (has_gaps) return run_apart(task, call, host);
    r.keys = r.index != 0 ? task.input(keys, call.key_bytes) : task.in_out(keys, call.key_bytes);
    if (r.value_size != 0) {
        const size_t address = call.context->shares_memory() ? reinterpret_cast<uintptr_t>(values) : 0;
        r.value_alignment = std::min(alignment_of(r.value_size), alignment_of(address));
        r.values = task.in_out(values, call.value_bytes);
    }
    if (r.index != 0)
        r.indices = keeps_some ? task.in_out(indices, call.index_bytes) : task.output(indices, call.index_bytes);
    run_without_end(task, call);
}

// Are there no parts that the device could take one after the other?
bool must_fit(const Call &call) {
    return call.request.has_segments || call.request.step != 1 || call.options.work != nullptr;
}

// Sorts rows that there is no room for at once: as many as there is room for together, or each by
// itself as more than the device holds.
void run_larger(cl::Task &task, const Call &call, const HostArrays &host) {
    const Request &all = call.request;
    const cl::Context &context = *call.context;
    const char *const algorithm = call.options.algorithm;
    require(!must_fit(call), GP_ERROR_TOO_LARGE, call.key_bytes, " bytes of keys are more than the memory of ",
            context.info().name, " has room for, ", context.room(),
            " bytes with work space; expected less for segments, keys with a step, and calls with options->work");
    const auto rows_of = [&](size_t count) {
        Call part = call;
        part.request.batch = count;
        reckon(part);
        return part;
    };
    const bool fit = device_holds(context, algorithm, rows_of(1).request);
    const size_t together = !fit ? 1 : most_held(context, all.batch, [&](size_t count) {
        return device_holds(context, algorithm, rows_of(count).request);
    });
    for (size_t row = 0; row < all.batch; row += together) {
        const auto at = [&](void *array, size_t size) { // of that row
            return array == nullptr ? array : static_cast<std::byte *>(array) + row * all.stride * size;
        };
        Call part = rows_of(std::min(together, all.batch - row));
        const HostArrays arrays{at(host.keys, dtype(all.dtype).size), at(host.values, all.value_size),
                                at(host.indices, all.index != 0 ? dtype(all.index).size : 0)};
        cl::Task::Pass pass(task);
        if (fit)
            run_whole(task, part, arrays, false);
        else
            run_external(task, algorithm, part.request, arrays);
        pass.end();
    }
}

// The forms on host pointers.
void run_on_pointers(gp_context *context, Call &call, const HostArrays &host) {
    Request &r = call.request;
    require_uncounted(r.counted);
    const Segments segments = host_segments(call);
    if (deal(context, r, call.options, host)) return;
    const bool fits = device_holds(*call.context, call.options.algorithm, r);
    if (!fits && must_fit(call) && is_left_to_host(*call.context, kOperation, call.options))
        call.context = call.context->stand_in();
    cl::Task task(call.context, call.options.event);
    if (!fits && !call.context->is_host()) {
        run_larger(task, call, host);
        return task.end();
    }
    if (r.has_segments) {
        const size_t size = dtype(r.offset_type).size;
        r.offsets = task.input(segments.offsets, offset_count(r) * size);
        if (r.has_ends) r.ends = task.input(segments.ends, r.segments * size);
    }
    const bool free_to_choose = call.options.algorithm == nullptr && call.options.work == nullptr;
    if (!free_to_choose || !r.is_one_array() || !run_pieces(task, *call.context, r, host))
        run_whole(task, call, host, r.has_segments && !segments.cover(r.n)); // which keeps some indices
    task.end();
}

void add_defaults(Needed &needed, gp_dtype type) {
    Request r;
    r.dtype = type;
    r.end_bit = static_cast<unsigned>(8 * dtype(type).size);
    r.keys = Operand::stand_in();
    needed.for_each_size(dtype(type).size, 8, [&](size_t n) {
        r.n = n;
        needed.add(choose_for(needed.context(), nullptr, r), r);
        needed.add_counted(algorithms(), r);
    });
    if (!needed.context().shares_memory()) needed.add_step([&](cl::Task &task) { ranges_program(task, r); });
}

// Few keys are sorted by a program of their own, and many on CPUs.
gp_status smallest_calls(gp_context *context, gp_dtype type) {
    constexpr size_t kMore = 4097; // than one work-group sorts
    std::vector<uint64_t> keys(kMore);
    gp_status status = gp_sort(context, type, 2, keys.data(), nullptr);
    if (status == GP_SUCCESS) status = gp_sort(context, type, kMore, keys.data(), nullptr);
    if (status != GP_SUCCESS || dtype(type).size < 4 || !cl::contexts().get(context, "context")->is_cpu())
        return status;
    gp_sort_options options = GP_SORT_OPTIONS_INIT;
    options.algorithm = kRadixBuckets.info.name;
    return gp_sort(context, type, kMore, keys.data(), &options);
}

} // namespace

const Operation kOperation = {
    GP_SORT,        "sort", kKeyTypes, infos<algorithms>, gpcl::parameters<algorithms>, add_defaults,
    smallest_calls, kKinds, prove,     list<algorithms>};

} // namespace gpcl::sort

using namespace gpcl::sort;

namespace {

using Arrays = std::array<place::Array, 4>;

std::shared_ptr<cl::Context> placed_sort(gp_context *context, gp_dtype dtype, size_t n, const Arrays &up,
                                         const Arrays &down, bool pairs, bool indices, const gp_sort_options *options) {
    const place::Kind &kind = gpcl::sort::kind_of(n, pairs, indices, cl::known_options(options));
    return placed(context, gpcl::sort::kOperation, kind, dtype, {real(n), up, down}, options);
}

} // namespace

gp_status gp_sort(gp_context *context, gp_dtype dtype, size_t n, void *keys, const gp_sort_options *options) {
    return guard("gp_sort", [&] {
        Call call = begin(placed_sort(context, dtype, n, {array_of(keys, dtype, n)}, {array_of(keys, dtype, n)}, false,
                                      false, options),
                          options, dtype, n);
        require_array(keys, n, gpcl::dtype(dtype).size, "keys");
        run_on_pointers(context, call, {keys, nullptr, nullptr});
    });
}

gp_status gp_sort_pairs(gp_context *context, gp_dtype dtype, size_t n, void *keys, size_t value_size, void *values,
                        const gp_sort_options *options) {
    return guard("gp_sort_pairs", [&] {
        Call call = begin(placed_sort(context, dtype, n, {array_of(keys, dtype, n), array(values, value_size, n)},
                                      {array_of(keys, dtype, n), array(values, value_size, n)}, true, false, options),
                          options, dtype, n);
        with_values(call, value_size);
        require_array(keys, n, gpcl::dtype(dtype).size, "keys");
        require_array(values, n, 1, "values");
        require_apart(overlap(keys, call.key_bytes, values, call.value_bytes), "values");
        run_on_pointers(context, call, {keys, values, nullptr});
    });
}

gp_status gp_argsort(gp_context *context, gp_dtype dtype, size_t n, const void *keys, gp_dtype index, void *indices,
                     const gp_sort_options *options) {
    return guard("gp_argsort", [&] {
        Call call = begin(placed_sort(context, dtype, n, {array_of(keys, dtype, n)}, {array_of(indices, index, n)},
                                      false, true, options),
                          options, dtype, n);
        with_indices(call, index);
        require_array(keys, n, gpcl::dtype(dtype).size, "keys");
        require_array(indices, n, gpcl::dtype(index).size, "indices");
        require_apart(overlap(keys, call.key_bytes, indices, call.index_bytes), "indices");
        run_on_pointers(context, call, {const_cast<void *>(keys), nullptr, indices});
    });
}

gp_status gp_sort_work_bytes(gp_context *context, gp_dtype dtype, size_t n, size_t value_size, gp_dtype index,
                             const gp_sort_options *options, size_t *bytes) {
    return guard("gp_sort_work_bytes", [&] {
        Call call = begin(cl::contexts().get(context, "context"), options, dtype, n);
        Request &r = call.request;
        if (value_size != 0) with_values(call, value_size);
        if (index != 0) with_indices(call, index);
        require(value_size == 0 || index == 0, GP_ERROR_VALUE_SIZE, "value_size is ", value_size,
                "; expected 0 beside indices");
        require_pointer(bytes, "bytes");
        if (value_size != 0) r.value_alignment = alignment_of(value_size);
        *bytes = work_bytes(*call.context, choose_for(*call.context, call.options.algorithm, r), r);
    });
}

gp_status gp_enqueue_sort(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *keys, size_t keys_offset,
                          const gp_sort_options *options, size_t wait_count, gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_sort", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const cl::Signature signature(*device, "gp_enqueue_sort", options,
                                      {{keys, keys_offset},
                                       {known.work, known.work_offset},
                                       {known.offsets_buffer, known.offsets_offset},
                                       {known.ends_buffer, known.ends_offset},
                                       {known.n_buffer, known.n_offset}},
                                      dtype, n);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        Call call = begin(device, options, dtype, n);
        cl::Task task(call.context, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        call.request.keys = task.operand(keys, keys_offset, call.span, gpcl::dtype(dtype).size, "keys");
        run_on_buffers(task, call);
    });
}

gp_status gp_enqueue_sort_pairs(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *keys, size_t keys_offset,
                                size_t value_size, gp_buffer *values, size_t values_offset,
                                const gp_sort_options *options, size_t wait_count, gp_event *const *wait,
                                gp_event **event) {
    return guard("gp_enqueue_sort_pairs", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const cl::Signature signature(*device, "gp_enqueue_sort_pairs", options,
                                      {{keys, keys_offset},
                                       {values, values_offset},
                                       {known.work, known.work_offset},
                                       {known.offsets_buffer, known.offsets_offset},
                                       {known.ends_buffer, known.ends_offset},
                                       {known.n_buffer, known.n_offset}},
                                      dtype, n, value_size);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        Call call = begin(device, options, dtype, n);
        with_values(call, value_size);
        cl::Task task(call.context, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        Request &r = call.request;
        r.keys = task.operand(keys, keys_offset, call.span, gpcl::dtype(dtype).size, "keys");
        r.values = task.operand(values, values_offset, call.span, value_size, "values");
        r.value_alignment = alignment_of(value_size); // offsets count values, and memory begins aligned
        require_apart(overlap(r.keys, r.values), "values");
        run_on_buffers(task, call);
    });
}

gp_status gp_enqueue_argsort(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *keys, size_t keys_offset,
                             gp_dtype index, gp_buffer *indices, size_t indices_offset, const gp_sort_options *options,
                             size_t wait_count, gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_argsort", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const cl::Signature signature(*device, "gp_enqueue_argsort", options,
                                      {{keys, keys_offset},
                                       {indices, indices_offset},
                                       {known.work, known.work_offset},
                                       {known.offsets_buffer, known.offsets_offset},
                                       {known.ends_buffer, known.ends_offset},
                                       {known.n_buffer, known.n_offset}},
                                      dtype, n, index);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        Call call = begin(device, options, dtype, n);
        with_indices(call, index);
        cl::Task task(call.context, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        Request &r = call.request;
        r.keys = task.operand(keys, keys_offset, call.span, gpcl::dtype(dtype).size, "keys");
        r.indices = task.operand(indices, indices_offset, call.span, gpcl::dtype(index).size, "indices");
        require_apart(overlap(r.keys, r.indices), "indices");
        run_on_buffers(task, call);
    });
}

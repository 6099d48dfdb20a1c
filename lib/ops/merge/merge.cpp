// gp_merge, gp_merge_pairs and their enqueue forms: arguments, and the choice of an algorithm.
// SPDX-License-Identifier: MIT
#include "ops/merge/merge.h"

#include "core/options.h"
#include "core/size.h"
#include "host/order.h"
#include "ops/place.h"
#include "ops/room.h"

namespace gpcl::merge {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kTiles, kChunks, kHost};
    return list;
}

namespace {

// What all forms of the call check and fill in alike.
struct Call {
    std::shared_ptr<cl::Context> context;
    gp_merge_options options;
    Request request; // without its operands
    size_t size;     // of a key
};

GivenNumber number_of_a(const gp_merge_options &options) { return {options.n_a_buffer, options.n_a_offset, "n_a"}; }
GivenNumber number_of_b(const gp_merge_options &options) { return {options.n_b_buffer, options.n_b_offset, "n_b"}; }

Call read_call(std::shared_ptr<cl::Context> context, gp_dtype dtype, size_t n_a, size_t n_b,
               const gp_merge_options *given) {
    Call call{std::move(context), read_options(given, "options"), {}, 0};
    require_dtype(dtype, "dtype", kAllTypes);
    require_choice(call.options.order, GP_DESCENDING, "options->order");
    call.request.dtype = dtype;
    call.request.descending = call.options.order == GP_DESCENDING;
    call.request.a.n = n_a;
    call.request.b.n = n_b;
    call.request.counted = read_counted(number_of_a(call.options));
    call.request.counted_b = read_counted(number_of_b(call.options));
    call.size = gpcl::dtype(dtype).size;
    multiply(add(n_a, n_b, "n_a and n_b"), call.size, "keys");
    return call;
}

void read_values(Call &call, size_t value_size) {
    require_value_size(value_size, "value_size");
    call.request.value_size = value_size;
    multiply(call.request.n(), value_size, "values");
}

struct Array {
    Extent extent;
    const char *argument;
};

template <size_t N> void require_apart(const Array &output, const std::array<Array, N> &others) {
    for (const Array &other : others)
        gpcl::require_apart(overlap(output.extent, other.extent), output.argument, other.argument);
}

void run(cl::Task &task, Call &call) {
    Request &r = call.request;
    const Algorithm &algorithm = choose(algorithms(), call.options.algorithm, *call.context, r);
    if (r.n() > 0) algorithm.run(task, r);
}

bool is_held(const Call &call, size_t n_a, size_t n_b) {
    Request r = call.request;
    r.a.n = n_a;
    r.b.n = n_b;
    r.a.keys = r.a.values = r.b.keys = r.b.values = r.out = r.out_values = cl::Operand::stand_in();
    const size_t n = n_a + n_b, of_values = r.value_size;
    const Footprint arrays{n_a * call.size, n_b * call.size, n * call.size,
                           n_a * of_values, n_b * of_values, n * of_values};
    return device_holds(*call.context, arrays, [&](cl::Task &task) {
        choose(algorithms(), call.options.algorithm, *call.context, r).run(task, r);
    });
}

// How many of the first `n` keys of the result are from `a`: one that equals a key of `b` comes
// before it.
size_t share_of_a(const Call &call, const void *a, const void *b, size_t n) {
    const Request &r = call.request;
    size_t low = n - std::min(n, r.b.n), high = std::min(n, r.a.n);
    host::with_bits(r.dtype, [&](auto bits) {
        using Bits = decltype(bits);
        const host::Order<Bits> order(r.dtype, r.descending);
        const auto rank = [&](const void *keys, size_t i) { return order.rank(static_cast<const Bits *>(keys)[i]); };
        while (low < high) {
            const size_t some = low + (high - low) / 2;
            if (rank(a, some) <= rank(b, n - some - 1))
                low = some + 1;
            else
                high = some;
        }
    });
    return low;
}

// The forms on host pointers; value_size 0: without values.
void merge_pointers(Call &call, const void *a, const void *b, void *out, const void *a_values, const void *b_values,
                    void *out_values) {
    Request &r = call.request;
    const size_t size = call.size, value_size = r.value_size;
    require_uncounted(r.counted, "n_a");
    require_uncounted(r.counted_b, "n_b");
    require_array(a, r.a.n, size, "a");
    require_array(b, r.b.n, size, "b");
    require_array(out, r.n(), size, "out");
    const Array of_a{extent(a, r.a.n * size), "a"}, of_b{extent(b, r.b.n * size), "b"},
        of_out{extent(out, r.n() * size), "out"};
    require_apart(of_out, std::array{of_a, of_b});
    if (value_size != 0) {
        require_array(a_values, r.a.n, 1, "a_values");
        require_array(b_values, r.b.n, 1, "b_values");
        require_array(out_values, r.n(), 1, "out_values");
        const Array values_a{extent(a_values, r.a.n * value_size), "a_values"},
            values_b{extent(b_values, r.b.n * value_size), "b_values"};
        require_apart(of_out, std::array{values_a, values_b});
        require_apart({extent(out_values, r.n() * value_size), "out_values"},
                      std::array{of_a, of_b, of_out, values_a, values_b});
    }
    cl::Task task(call.context, call.options.event);
    if (value_size != 0) {
        r.value_alignment = alignment_of(value_size);
        for (const void *array : {a_values, b_values, static_cast<const void *>(out_values)})
            if (call.context->shares_memory())
                r.value_alignment = std::min(r.value_alignment, alignment_of(reinterpret_cast<uintptr_t>(array)));
    }
    // As much of the result at a time as the device holds.
    const size_t n = r.n(),
                 held = n == 0 || is_held(call, r.a.n, r.b.n) ? n : most_held(*call.context, n, [&](size_t some) {
                     return is_held(call, some, 0) && is_held(call, 0, some) &&
                            is_held(call, some / 2, some - some / 2);
                 });
    Call part = call;
    for (size_t done = 0, done_a = 0; done < n || n == 0; done += held) {
        const size_t end = std::min(n, done + held), end_a = end == n ? r.a.n : share_of_a(call, a, b, end);
        cl::Task::Pass pass(task);
        part.request.a.n = end_a - done_a;
        part.request.b.n = end - done - part.request.a.n;
        const auto from = [&](const void *array, size_t first, size_t of) {
            return static_cast<std::byte *>(const_cast<void *>(array)) + first * of;
        };
        const auto take = [&](Request &p, const void *a_array, const void *b_array, size_t of, cl::Operand &to_a,
                              cl::Operand &to_b) {
            to_a = task.input(from(a_array, done_a, of), p.a.n * of);
            to_b = task.input(from(b_array, done - done_a, of), p.b.n * of);
        };
        take(part.request, a, b, size, part.request.a.keys, part.request.b.keys);
        part.request.out = task.output(from(out, done, size), (end - done) * size);
        if (value_size != 0) {
            take(part.request, a_values, b_values, value_size, part.request.a.values, part.request.b.values);
            part.request.out_values = task.output(from(out_values, done, value_size), (end - done) * value_size);
        }
        run(task, part);
        pass.end();
        done_a = end_a;
        if (n == 0) break;
    }
    task.end();
}

void take_buffers(cl::Task &task, Call &call, const cl::Place &a, const cl::Place &b, const cl::Place &out) {
    Request &r = call.request;
    r.a.keys = task.operand(a.buffer, a.offset, r.a.n, call.size, "a");
    r.b.keys = task.operand(b.buffer, b.offset, r.b.n, call.size, "b");
    r.out = task.operand(out.buffer, out.offset, r.n(), call.size, "out");
    require_apart({r.out.extent, "out"}, std::array<Array, 2>{{{r.a.keys.extent, "a"}, {r.b.keys.extent, "b"}}});
}

// Behind all other operands.
void take_counts(cl::Task &task, Call &call) {
    Request &r = call.request;
    const std::initializer_list<Written> written = {{r.out, "out"}, {r.out_values, "out_values"}};
    r.a.n = take_counted(task, number_of_a(call.options), r.a.n, r.counted, written);
    r.b.n = take_counted(task, number_of_b(call.options), r.b.n, r.counted_b, written);
}

void add_defaults(Needed &needed, gp_dtype dtype) {
    needed.for_each_size(gpcl::dtype(dtype).size, 2, [&](size_t n) {
        Request r;
        r.dtype = dtype;
        r.a.n = n / 2;
        r.b.n = n - n / 2;
        r.a.keys = r.b.keys = r.out = cl::Operand::stand_in();
        needed.add(algorithms(), r);
    });
}

gp_status smallest_calls(gp_context *context, gp_dtype dtype) {
    const uint64_t a[1] = {}, b[1] = {}; // hold one key of any type
    uint64_t out[2] = {};
    return gp_merge(context, dtype, 1, a, 1, b, out, nullptr);
}

} // namespace

const Operation kOperation = {GP_MERGE,     "merge",        kAllTypes, infos<algorithms>, parameters<algorithms>,
                              add_defaults, smallest_calls, kKinds};

} // namespace gpcl::merge

using namespace gpcl;
using namespace gpcl::merge;

gp_status gp_merge(gp_context *context, gp_dtype dtype, size_t n_a, const void *a, size_t n_b, const void *b, void *out,
                   const gp_merge_options *options) {
    return guard("gp_merge", [&] {
        Call call = read_call(placed(context, gpcl::merge::kOperation, *gpcl::merge::kKinds[0], dtype,
                                     {real(n_a) + real(n_b),
                                      {array_of(a, dtype, n_a), array_of(b, dtype, n_b)},
                                      {array_of(out, dtype, n_a + n_b)}},
                                     options),
                              dtype, n_a, n_b, options);
        merge_pointers(call, a, b, out, nullptr, nullptr, nullptr);
    });
}

gp_status gp_merge_pairs(gp_context *context, gp_dtype dtype, size_t n_a, const void *a, size_t n_b, const void *b,
                         void *out, size_t value_size, const void *a_values, const void *b_values, void *out_values,
                         const gp_merge_options *options) {
    return guard("gp_merge_pairs", [&] {
        Call call = read_call(placed(context, gpcl::merge::kOperation, *gpcl::merge::kKinds[1], dtype,
                                     {real(n_a) + real(n_b),
                                      {array_of(a, dtype, n_a), array_of(b, dtype, n_b),
                                       array(a_values, value_size, n_a), array(b_values, value_size, n_b)},
                                      {array_of(out, dtype, n_a + n_b), array(out_values, value_size, n_a + n_b)}},
                                     options),
                              dtype, n_a, n_b, options);
        read_values(call, value_size);
        merge_pointers(call, a, b, out, a_values, b_values, out_values);
    });
}

gp_status gp_enqueue_merge(gp_context *context, gp_dtype dtype, size_t n_a, gp_buffer *a, size_t a_offset, size_t n_b,
                           gp_buffer *b, size_t b_offset, gp_buffer *out, size_t out_offset,
                           const gp_merge_options *options, size_t wait_count, gp_event *const *wait,
                           gp_event **event) {
    return guard("gp_enqueue_merge", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const cl::Signature signature(*device, "gp_enqueue_merge", options,
                                      {{a, a_offset},
                                       {b, b_offset},
                                       {out, out_offset},
                                       {known.n_a_buffer, known.n_a_offset},
                                       {known.n_b_buffer, known.n_b_offset}},
                                      dtype, n_a, n_b);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        Call call = read_call(device, dtype, n_a, n_b, options);
        cl::Task task(call.context, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        take_buffers(task, call, {a, a_offset}, {b, b_offset}, {out, out_offset});
        take_counts(task, call);
        gpcl::merge::run(task, call);
        task.end();
    });
}

gp_status gp_enqueue_merge_pairs(gp_context *context, gp_dtype dtype, size_t n_a, gp_buffer *a, size_t a_offset,
                                 size_t n_b, gp_buffer *b, size_t b_offset, gp_buffer *out, size_t out_offset,
                                 size_t value_size, gp_buffer *a_values, size_t a_values_offset, gp_buffer *b_values,
                                 size_t b_values_offset, gp_buffer *out_values, size_t out_values_offset,
                                 const gp_merge_options *options, size_t wait_count, gp_event *const *wait,
                                 gp_event **event) {
    return guard("gp_enqueue_merge_pairs", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const cl::Signature signature(*device, "gp_enqueue_merge_pairs", options,
                                      {{a, a_offset},
                                       {b, b_offset},
                                       {out, out_offset},
                                       {a_values, a_values_offset},
                                       {b_values, b_values_offset},
                                       {out_values, out_values_offset},
                                       {known.n_a_buffer, known.n_a_offset},
                                       {known.n_b_buffer, known.n_b_offset}},
                                      dtype, n_a, n_b, value_size);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        Call call = read_call(device, dtype, n_a, n_b, options);
        read_values(call, value_size);
        cl::Task task(call.context, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        take_buffers(task, call, {a, a_offset}, {b, b_offset}, {out, out_offset});
        Request &r = call.request;
        r.value_alignment = alignment_of(value_size); // offsets count values, and memory begins aligned
        r.a.values = task.operand(a_values, a_values_offset, n_a, value_size, "a_values");
        r.b.values = task.operand(b_values, b_values_offset, n_b, value_size, "b_values");
        r.out_values = task.operand(out_values, out_values_offset, r.n(), value_size, "out_values");
        const Array of_values_a{r.a.values.extent, "a_values"}, of_values_b{r.b.values.extent, "b_values"};
        require_apart({r.out.extent, "out"}, std::array{of_values_a, of_values_b});
        require_apart(
            {r.out_values.extent, "out_values"},
            std::array<Array, 5>{
                {{r.a.keys.extent, "a"}, {r.b.keys.extent, "b"}, {r.out.extent, "out"}, of_values_a, of_values_b}});
        take_counts(task, call);
        gpcl::merge::run(task, call);
        task.end();
    });
}

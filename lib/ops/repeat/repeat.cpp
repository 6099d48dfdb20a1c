// gp_repeat: checks, choice of algorithm.
// SPDX-License-Identifier: MIT
#include "ops/repeat/repeat.h"

#include "core/options.h"
#include "core/size.h"
#include "ops/place.h"
#include "ops/scan/scan.h"

namespace gpcl::repeat {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kTiles, kChunks, kHost};
    return list;
}

cl::Operand scan_repeats(cl::Task &task, const Request &r) {
    scan::Request scan;
    scan.from = r.index;
    scan.dtype = GP_UINT64;
    scan.n = r.n;
    scan.rows_in = scan.rows_out = read_rows(r.n, 1, 0, 0, "n repeats");
    scan.in = r.repeats;
    scan.out = task.work_space(r.n * sizeof(uint64_t));
    choose_kernels(scan::algorithms(), task.context(), scan).run(task, scan);
    return scan.out;
}

namespace {

constexpr std::array<gp_dtype, 4> kRepeatTypes = {GP_UINT8, GP_UINT16, GP_UINT32, GP_UINT64};
constexpr size_t kLargestWord = 8;

// What both forms of the call check and fill in alike.
struct Call {
    gp_repeat_options options;
    Request request; // without its operands
    size_t index_size;

    size_t in_bytes() const { return request.n * request.element_size; }
    size_t out_bytes() const { return request.capacity * request.element_size; }
    size_t repeat_bytes() const { return request.n * index_size; }
};

Call read_call(size_t element_size, size_t n, gp_dtype index, size_t capacity, const gp_repeat_options *given) {
    Call call{read_options(given, "options"), {}, 0};
    const auto &options = call.options;
    Request &r = call.request;
    require_value_size(element_size, "element_size");
    require_dtype(index, "index", kRepeatTypes);
    require(options.n_buffer != nullptr || options.n_offset == 0, GP_ERROR_OPTION, "options->n_offset is ",
            Shown{options.n_offset}, "; expected 0 without n_buffer");
    call.index_size = dtype(index).size;
    multiply(n, element_size, "n elements");
    multiply(n, sizeof(uint64_t), "n sums of repeats");
    multiply(capacity, element_size, "capacity elements");
    r.n = n;
    r.element_size = element_size;
    r.index = index;
    r.capacity = capacity;
    r.has_bound = options.n_buffer != nullptr;
    return call;
}

// The largest word that divides an element and where arrays begin, in bytes.
size_t word_of(const Request &r, std::initializer_list<uintptr_t> begins) {
    size_t word = std::min(alignment_of(r.element_size), kLargestWord);
    for (const uintptr_t begin : begins) word = std::min(word, alignment_of(begin));
    return word;
}

void run(cl::Task &task, const Call &call) {
    const Request &r = call.request;
    const Algorithm &algorithm = choose(algorithms(), call.options.algorithm, task.context(), r);
    if (r.n > 0)
        algorithm.run(task, r);
    else if (task.context().is_host())
        *static_cast<uint64_t *>(r.count.host) = 0;
    else
        task.clear(r.count, 1, sizeof(uint64_t));
}

Request request_of(gp_dtype dtype, size_t n) {
    Request r;
    r.n = r.capacity = n;
    r.element_size = r.word = gpcl::dtype(dtype).size;
    r.in = r.out = r.repeats = r.bound = r.count = cl::Operand::stand_in();
    return r;
}

gp_status repeat_zeros(gp_context *context, gp_dtype dtype, size_t n) {
    const size_t size = gpcl::dtype(dtype).size;
    const std::vector<uint64_t> repeats(n, 1);
    auto out = zeros(n, size);
    uint64_t count = 0;
    return gp_repeat(context, size, n, zeros(n, size).data(), GP_UINT64, repeats.data(), n, out.data(), &count,
                     nullptr);
}

void add_defaults(Needed &needed, gp_dtype dtype) {
    const size_t size = gpcl::dtype(dtype).size;
    needed.for_each_size(std::max(size, sizeof(uint64_t)), 2, [&](size_t n) {
        needed.add(algorithms(), request_of(dtype, n), n * (2 * size + sizeof(uint64_t)),
                   [=](gp_context *context) { return repeat_zeros(context, dtype, n); });
    });
}

gp_status smallest_call(gp_context *context, gp_dtype dtype) { return repeat_zeros(context, dtype, 1); }

} // namespace

const Operation kOperation = {GP_REPEAT,    "repeat",      kAllTypes,      infos<algorithms>, parameters<algorithms>,
                              add_defaults, smallest_call, one_kind<kKind>};

} // namespace gpcl::repeat

using namespace gpcl;

gp_status gp_repeat(gp_context *context, size_t element_size, size_t n, const void *in, gp_dtype index,
                    const void *repeats, size_t capacity, void *out, uint64_t *count,
                    const gp_repeat_options *options) {
    return guard("gp_repeat", [&] {
        const auto first = placed(context, repeat::kOperation, repeat::kKind, word_type(element_size),
                                  {words(element_size) * real(capacity),
                                   {array(in, element_size, n), array_of(repeats, index, n)},
                                   {array(out, element_size, capacity)}},
                                  options);
        where_it_fits(first, repeat::kOperation, options, [&](const auto &device) {
            repeat::Call call = repeat::read_call(element_size, n, index, capacity, options);
            repeat::Request &r = call.request;
            require(!r.has_bound, GP_ERROR_OPTION,
                    "options->n_buffer is set; gp_repeat takes host pointers, expected NULL");
            require_array(in, n, 1, "in");
            require_array(repeats, n, call.index_size, "repeats");
            require_array(out, capacity, 1, "out");
            require_pointer(count, "count");
            require_aligned(count, sizeof *count, "count");
            require_apart(overlap(out, call.out_bytes(), in, call.in_bytes()), "out", "in");
            require_apart(overlap(out, call.out_bytes(), repeats, call.repeat_bytes()), "out", "repeats");
            require_apart(overlap(count, sizeof *count, in, call.in_bytes()), "count", "in");
            require_apart(overlap(count, sizeof *count, repeats, call.repeat_bytes()), "count", "repeats");
            require_apart(overlap(count, sizeof *count, out, call.out_bytes()), "count", "out");
            cl::Task task(device, call.options.event);
            const auto in_place = [&](size_t bytes) { return device->is_host() || device->works_in_place(bytes); };
            const auto begin = [&](const void *array, size_t bytes) {
                return in_place(bytes) ? reinterpret_cast<uintptr_t>(array) : 0;
            };
            r.word = repeat::word_of(r, {begin(in, call.in_bytes()), begin(out, call.out_bytes())});
            uint64_t all = 0;
            r.count = device->is_host() ? task.output(&all, sizeof all) : task.work_space(1, sizeof all);
            r.in = r.repeats = r.out = r.bound = r.count;
            if (n > 0) {
                r.in = task.input(in, call.in_bytes());
                r.repeats = task.input(repeats, call.repeat_bytes());
            }
            const bool apart = capacity > 0 && !in_place(call.out_bytes()); // what is written comes back, and no more
            if (capacity > 0) r.out = apart ? task.work_space(call.out_bytes()) : task.output(out, call.out_bytes());
            repeat::run(task, call);
            if (!device->is_host()) task.read(r.count.memory, 0, sizeof all, &all, true);
            const size_t written = static_cast<size_t>(std::min<uint64_t>(all, capacity)) * element_size;
            if (apart && written > 0) task.read(r.out.memory, 0, written, out, true);
            task.end();
            *count = all;
        });
    });
}

gp_status gp_enqueue_repeat(gp_context *context, size_t element_size, size_t n, gp_buffer *in, size_t in_offset,
                            gp_dtype index, gp_buffer *repeats, size_t repeats_offset, size_t capacity, gp_buffer *out,
                            size_t out_offset, gp_buffer *count, size_t count_offset, const gp_repeat_options *options,
                            size_t wait_count, gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_repeat", [&] {
        const auto device = cl::contexts().get(context, "context");
        const auto known = cl::known_options(options);
        const cl::Signature signature(*device, "gp_enqueue_repeat", options,
                                      {{in, in_offset},
                                       {repeats, repeats_offset},
                                       {out, out_offset},
                                       {count, count_offset},
                                       {known.n_buffer, known.n_offset}},
                                      element_size, n, index, capacity);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        repeat::Call call = repeat::read_call(element_size, n, index, capacity, options);
        repeat::Request &r = call.request;
        cl::Task task(device, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        r.count = r.bound = r.out = task.operand(count, count_offset, 1, sizeof(uint64_t), "count");
        r.in = task.operand(in, in_offset, n, element_size, "in");
        r.repeats = task.operand(repeats, repeats_offset, n, call.index_size, "repeats");
        if (r.has_bound)
            r.bound =
                task.operand(call.options.n_buffer, call.options.n_offset, 1, sizeof(uint64_t), "options->n_buffer");
        const auto require_output_apart = [&](const cl::Operand &output, const char *name) {
            require_apart(overlap(output, r.in), name, "in");
            require_apart(overlap(output, r.repeats), name, "repeats");
            if (r.has_bound) require_apart(overlap(output, r.bound), name, "options->n_buffer");
        };
        require_output_apart(r.count, "count");
        if (out != nullptr || capacity > 0) {
            r.out = task.operand(out, out_offset, capacity, element_size, "out");
            require_output_apart(r.out, "out");
            require_apart(overlap(r.out, r.count), "out", "count");
        }
        const auto begin = [&](const cl::Operand &array) {
            return array.host != nullptr ? reinterpret_cast<uintptr_t>(array.host) : array.offset * element_size;
        };
        r.word = repeat::word_of(r, {begin(r.in), capacity > 0 ? begin(r.out) : 0});
        r.in.offset = r.in.offset * element_size / r.word;
        r.out.offset = r.out.offset * element_size / r.word;
        repeat::run(task, call);
        task.end();
    });
}

// gp_gather and gp_scatter: checks, choice of algorithm.
// SPDX-License-Identifier: MIT
#include "ops/gather/gather.h"

#include "core/options.h"
#include "core/size.h"
#include "ops/place.h"
#include "ops/room.h"

namespace gpcl::gather {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kTiles, kChunks, kHost};
    return list;
}

uint32_t Request::flags() const {
    constexpr uint32_t kWide = 1, kSigned = 2, kFromEnd = 4, kScatter = 8, kCounted = 16, kNoted = 32;
    const bool is_signed = index == GP_INT32 || index == GP_INT64;
    return (dtype(index).size == 8 ? kWide : 0) | (is_signed ? kSigned : 0) | (is_signed && from_end ? kFromEnd : 0) |
           (scatters ? kScatter : 0) | (is_counted ? kCounted : 0) | (wants_first ? kNoted : 0);
}

namespace {

constexpr std::array<gp_dtype, 4> kPositionTypes = {GP_INT32, GP_UINT32, GP_INT64, GP_UINT64};
constexpr size_t kLargestWord = 16;

// What both forms of both calls check and fill in alike.
struct Call {
    gp_gather_options options;
    Request request; // without its operands
    size_t element_size, row, index_size;

    // Rows of each array.
    size_t in_rows() const { return request.scatters ? request.m : request.n; }
    size_t out_rows() const { return request.scatters ? request.n : request.m; }
    size_t in_bytes() const { return in_rows() * request.row_bytes; }
    size_t out_bytes() const { return out_rows() * request.row_bytes; }
    size_t position_bytes() const { return request.m * index_size; }
};

Call read_call(bool scatters, size_t element_size, size_t n, gp_dtype index, size_t m, const gp_gather_options *given) {
    Call call{read_options(given, "options"), {}, element_size, 1, 0};
    const auto &options = call.options;
    Request &r = call.request;
    require_value_size(element_size, "element_size");
    require_dtype(index, "index", kPositionTypes);
    require_choice(options.from_end, 1, "options->from_end");
    const auto require_no_offset = [&](const gp_buffer *buffer, size_t offset, const char *name) {
        require(buffer != nullptr || offset == 0, GP_ERROR_OPTION, "options->", name, "_offset is ", Shown{offset},
                "; expected 0 without ", name, "_buffer");
    };
    require_no_offset(options.first_wrong_buffer, options.first_wrong_offset, "first_wrong");
    require_no_offset(options.n_buffer, options.n_offset, "n");
    call.row = std::max(options.row, size_t{1});
    call.index_size = dtype(index).size;
    r.scatters = scatters;
    r.from_end = options.from_end != 0;
    r.index = index;
    r.n = n;
    r.m = m;
    r.row_bytes = multiply(call.row, element_size, "options->row");
    multiply(n, r.row_bytes, "n elements");
    multiply(m, r.row_bytes, "m elements");
    multiply(m, call.index_size, "m positions");
    return call;
}

// The largest word that divides a row and where arrays begin, in bytes.
size_t word_of(const Request &r, std::initializer_list<uintptr_t> begins) {
    size_t word = std::min(alignment_of(r.row_bytes), kLargestWord);
    for (const uintptr_t begin : begins) word = std::min(word, alignment_of(begin));
    return word;
}

void run(cl::Task &task, const Call &call, const Request &request) {
    choose(algorithms(), call.options.algorithm, task.context(), request).run(task, request);
}

int64_t position_of(const void *positions, gp_dtype index, size_t i) {
    return with_type(
        index, [&](auto zero) { return static_cast<int64_t>(static_cast<decltype(zero) const *>(positions)[i]); });
}

// Fails where a position in host memory names no row; `begin`: the number of the first one.
void require_right(cl::Task &task, const Call &call, const void *positions, size_t begin) {
    Request r = call.request;
    uint64_t first = UINT64_MAX;
    r.moves = false;
    r.in = r.out = r.positions;
    r.wants_first = true;
    if (task.context().is_host()) {
        r.first.host = &first;
        run(task, call, r);
    } else {
        r.first = task.work_space(sizeof first);
        run(task, call, r);
        task.read(r.first.memory, 0, sizeof first, &first, true);
    }
    if (first == UINT64_MAX) return;
    const int64_t position = position_of(positions, r.index, first);
    first += begin;
    const std::string shown = r.index == GP_UINT64 ? text(static_cast<uint64_t>(position)) : text(position);
    if (r.n == 0)
        fail(GP_ERROR_OUT_OF_BOUNDS, "positions[", first, "] is ", shown, "; n is 0, so no position is right");
    if (r.from_end && r.index != GP_UINT32 && r.index != GP_UINT64)
        fail(GP_ERROR_OUT_OF_BOUNDS, "positions[", first, "] is ", shown, "; expected -", r.n, " to ", r.n - 1);
    fail(GP_ERROR_OUT_OF_BOUNDS, "positions[", first, "] is ", shown, "; expected 0 to ", r.n - 1);
}

// How many positions the device holds at a time, with what they move and all rows that they name.
size_t positions_held(const cl::Context &context, const Call &call) {
    Call part = call;
    Request &r = part.request;
    r.in = r.out = r.positions = r.first = cl::Operand::stand_in();
    r.wants_first = true;
    return most_held(context, r.m, [&](size_t count) {
        r.m = count;
        return device_holds(context, {part.in_bytes(), part.out_bytes(), part.position_bytes()},
                            [&](cl::Task &task) { run(task, part, r); });
    });
}

// Positions that the device can't hold, so many at a time. All are looked at before any moves a
// row.
void run_parts(cl::Task &task, Call &call, size_t held, const void *in, const void *positions, void *out) {
    Request &r = call.request;
    const size_t m = r.m;
    const auto at = [](const void *array, size_t bytes) {
        return static_cast<std::byte *>(const_cast<void *>(array)) + bytes;
    };
    const auto for_parts = [&](const auto &f) {
        for (size_t begin = 0; begin < m; begin += held) {
            cl::Task::Pass pass(task);
            r.m = std::min(held, m - begin);
            void *const part = at(positions, begin * call.index_size);
            r.positions = task.input(part, call.position_bytes());
            f(begin, part);
            pass.end();
        }
    };
    for_parts([&](size_t begin, const void *part) { require_right(task, call, part, begin); });
    r.is_right = true;
    if (r.scatters)
        r.out = task.in_out(out, call.out_bytes());
    else
        r.in = task.input(in, call.in_bytes());
    for_parts([&](size_t begin, const void *) {
        if (r.scatters)
            r.in = task.input(at(in, begin * r.row_bytes), call.in_bytes());
        else
            r.out = task.output(at(out, begin * r.row_bytes), call.out_bytes());
        run(task, call, r);
    });
}

void on_pointers(const std::shared_ptr<cl::Context> &context, Call &call, const void *in, const void *positions,
                 void *out) {
    Request &r = call.request;
    require(call.options.first_wrong_buffer == nullptr, GP_ERROR_OPTION,
            "options->first_wrong_buffer is for the calls on buffers; expected NULL");
    require(call.options.n_buffer == nullptr, GP_ERROR_OPTION,
            "options->n_buffer is for the calls on buffers; expected NULL");
    require_array(in, call.in_rows(), 1, "in");
    require_array(out, call.out_rows(), 1, "out");
    require_array(positions, r.m, call.index_size, "positions");
    require_apart(overlap(out, call.out_bytes(), in, call.in_bytes()), "out", "in");
    require_apart(overlap(out, call.out_bytes(), positions, call.position_bytes()), "out", "positions");
    const auto begin = [&](const void *array, size_t bytes) {
        return context->is_host() || context->works_in_place(bytes) ? reinterpret_cast<uintptr_t>(array) : 0;
    };
    r.word = word_of(r, {begin(in, call.in_bytes()), begin(out, call.out_bytes())});
    cl::Task task(context, call.options.event);
    if (r.m == 0) {
        choose(algorithms(), call.options.algorithm, *context, r);
        return task.end();
    }
    if (const size_t held = positions_held(*context, call); held < r.m) {
        run_parts(task, call, held, in, positions, out);
        return task.end();
    }
    r.positions = task.input(positions, call.position_bytes());
    require_right(task, call, positions, 0);
    r.is_right = true;
    r.in = task.input(in, call.in_bytes());
    r.out = r.scatters ? task.in_out(out, call.out_bytes()) : task.output(out, call.out_bytes());
    run(task, call, r);
    task.end();
}

struct Place {
    const gp_buffer *buffer;
    size_t offset;
};

// How many bytes an array lies from an address that is aligned.
uintptr_t begin_of(const cl::Operand &array, size_t size) {
    return array.host != nullptr ? reinterpret_cast<uintptr_t>(array.host) : array.offset * size;
}

void on_buffers(cl::Task &task, Call &call, const Place &in, const Place &positions, const Place &out) {
    Request &r = call.request;
    const auto elements = [&](const Place &place, size_t rows, const char *name) {
        if (place.buffer == nullptr && rows == 0) return cl::Operand{};
        return task.operand(place.buffer, place.offset, rows * call.row, call.element_size, name);
    };
    const auto number = [&](gp_buffer *buffer, size_t offset, const char *name) {
        return task.operand(buffer, offset, 1, sizeof(uint64_t), name);
    };
    r.in = elements(in, call.in_rows(), "in");
    r.out = elements(out, call.out_rows(), "out");
    if (positions.buffer != nullptr || r.m > 0)
        r.positions = task.operand(positions.buffer, positions.offset, r.m, call.index_size, "positions");
    r.is_counted = call.options.n_buffer != nullptr;
    if (r.is_counted) r.count = number(call.options.n_buffer, call.options.n_offset, "options->n_buffer");
    r.wants_first = call.options.first_wrong_buffer != nullptr;
    if (r.wants_first)
        r.first =
            number(call.options.first_wrong_buffer, call.options.first_wrong_offset, "options->first_wrong_buffer");
    const auto require_output_apart = [&](const cl::Operand &array, const char *name) {
        require_apart(overlap(array, r.in), name, "in");
        require_apart(overlap(array, r.positions), name, "positions");
        require_apart(overlap(array, r.count), name, "options->n_buffer");
    };
    require_output_apart(r.out, "out");
    require_output_apart(r.first, "options->first_wrong_buffer");
    require_apart(overlap(r.first, r.out), "options->first_wrong_buffer", "out");
    r.word = word_of(r, {begin_of(r.in, call.element_size), begin_of(r.out, call.element_size)});
    for (cl::Operand *array : {&r.in, &r.out}) {
        array->offset = array->offset * call.element_size / r.word;
        if (array->memory == nullptr && array->host == nullptr) *array = r.positions;
    }
    if (r.m > 0) return run(task, call, r);
    choose(algorithms(), call.options.algorithm, task.context(), r);
    if (!r.wants_first) return;
    constexpr uint64_t kNone = UINT64_MAX;
    if (task.context().is_host())
        *static_cast<uint64_t *>(r.first.host) = kNone;
    else
        task.fill(r.first.memory, r.first.offset * sizeof kNone, sizeof kNone, &kNone, sizeof kNone);
}

void enqueue(const char *function, bool scatters, gp_context *context, size_t element_size, size_t n, gp_dtype index,
             size_t m, const Place &in, const Place &positions, const Place &out, const gp_gather_options *options,
             const cl::Waits &waits) {
    const auto device = cl::contexts().get(context, "context");
    const gp_gather_options known = cl::known_options(options);
    const cl::Signature signature(*device, function, options,
                                  {{in.buffer, in.offset},
                                   {positions.buffer, positions.offset},
                                   {out.buffer, out.offset},
                                   {known.first_wrong_buffer, known.first_wrong_offset},
                                   {known.n_buffer, known.n_offset}},
                                  element_size, n, m, index);
    if (cl::Task::repeat(device, signature, waits)) return;
    Call call = read_call(scatters, element_size, n, index, m, options);
    cl::Task task(device, cl::Waits{waits.count, waits.events, waits.event, call.options.event, &signature});
    on_buffers(task, call, in, positions, out);
    task.end();
}

void add_defaults(Needed &needed, gp_dtype dtype) {
    const size_t size = gpcl::dtype(dtype).size;
    needed.for_each_size(size, 1, [&](size_t m) {
        Request r = read_call(false, size, m, GP_UINT64, m, nullptr).request;
        r.word = size;
        r.in = r.out = r.positions = r.first = cl::Operand::stand_in();
        for (const bool wants_first : {false, true}) {
            r.wants_first = wants_first;
            needed.add(algorithms(), r);
        }
    });
}

gp_status smallest_calls(gp_context *context, gp_dtype dtype) {
    const uint64_t in[1] = {}, positions[1] = {}; // hold one element of any type
    uint64_t out[1] = {};
    return gp_gather(context, gp_dtype_size(dtype), 1, in, GP_UINT64, 1, positions, out, nullptr);
}

// n elements move between n and m of them, which positions name.
std::shared_ptr<cl::Context> placed(bool scatters, gp_context *context, size_t element_size, size_t n, const void *in,
                                    gp_dtype index, size_t m, const void *positions, const void *out,
                                    const gp_gather_options *options) {
    const size_t size = element_size * std::max<size_t>(cl::known_options(options).row, 1);
    const place::Array of_in = array(in, size, scatters ? m : n), of_out = array(out, size, scatters ? n : m);
    return gpcl::placed(
        context, kOperation, *kKinds[scatters ? 1 : 0], word_type(size),
        {real(m) * words(size), {of_in, array_of(positions, index, m), scatters ? of_out : place::Array{}}, {of_out}},
        options);
}

} // namespace

const Operation kOperation = {GP_GATHER,    "gather",       kAllTypes, infos<algorithms>, parameters<algorithms>,
                              add_defaults, smallest_calls, kKinds};

} // namespace gpcl::gather

using namespace gpcl;

gp_status gp_gather(gp_context *context, size_t element_size, size_t n, const void *in, gp_dtype index, size_t m,
                    const void *positions, void *out, const gp_gather_options *options) {
    return guard("gp_gather", [&] {
        const auto device = gather::placed(false, context, element_size, n, in, index, m, positions, out, options);
        where_it_fits(device, gather::kOperation, options, [&](const auto &chosen) {
            gather::Call call = gather::read_call(false, element_size, n, index, m, options);
            gather::on_pointers(chosen, call, in, positions, out);
        });
    });
}

gp_status gp_scatter(gp_context *context, size_t element_size, size_t m, const void *in, gp_dtype index,
                     const void *positions, size_t n, void *out, const gp_gather_options *options) {
    return guard("gp_scatter", [&] {
        const auto device = gather::placed(true, context, element_size, n, in, index, m, positions, out, options);
        gather::Call call = gather::read_call(true, element_size, n, index, m, options);
        gather::on_pointers(device, call, in, positions, out);
    });
}

gp_status gp_enqueue_gather(gp_context *context, size_t element_size, size_t n, gp_buffer *in, size_t in_offset,
                            gp_dtype index, size_t m, gp_buffer *positions, size_t positions_offset, gp_buffer *out,
                            size_t out_offset, const gp_gather_options *options, size_t wait_count,
                            gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_gather", [&] {
        gather::enqueue("gp_enqueue_gather", false, context, element_size, n, index, m, {in, in_offset},
                        {positions, positions_offset}, {out, out_offset}, options, {wait_count, wait, event});
    });
}

gp_status gp_enqueue_scatter(gp_context *context, size_t element_size, size_t m, gp_buffer *in, size_t in_offset,
                             gp_dtype index, gp_buffer *positions, size_t positions_offset, size_t n, gp_buffer *out,
                             size_t out_offset, const gp_gather_options *options, size_t wait_count,
                             gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_scatter", [&] {
        gather::enqueue("gp_enqueue_scatter", true, context, element_size, n, index, m, {in, in_offset},
                        {positions, positions_offset}, {out, out_offset}, options, {wait_count, wait, event});
    });
}

// gp_select, gp_partition, gp_nonzero and their other forms: arguments, and the choice of an
// algorithm.
// SPDX-License-Identifier: MIT
#include "ops/select/select.h"

#include "core/options.h"
#include "core/size.h"
#include "ops/place.h"
#include "ops/room.h"

#include <optional>
#include <vector>

namespace gpcl::select {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kFewTiles, kLookBack, kTiles, kChunks, kHost, kLookBackFallback};
    return list;
}

size_t Request::width() const {
    constexpr size_t kVector = 16;
    if (goes_by_words()) return kVector / elements.word;
    return has_text() ? 1 : kVector / dtype(key_type).size;
}

std::string Request::options() const {
    const size_t key_bytes = dtype(key_type).size;
    return text(has_text() ? text("-DGP_PREDICATE -DGP_BYTES=", elements.size)
                           : text("-DGP_KEY_BYTES=", key_bytes, " -DGP_KEY_FLOAT=", is_float(key_type) ? 1 : 0),
                " -DGP_WORDS=", elements.words(), " -DGP_WORD_BYTES=", elements.word,
                " -DGP_VALUE_WORDS=", values.words(), " -DGP_VALUE_WORD_BYTES=", values.word,
                " -DGP_INDEX_BYTES=", index_size, " -DGP_REST=", rest ? 1 : 0);
}

namespace {

constexpr size_t kLargestWord = 8;

bool is_blank(const char *text) {
    return std::string_view(text).find_first_not_of(" \t\r\n") == std::string_view::npos;
}

gp_dtype unsigned_of(size_t word) {
    switch (word) {
    case 1: return GP_UINT8;
    case 2: return GP_UINT16;
    case 4: return GP_UINT32;
    default: return GP_UINT64;
    }
}

// Elements are kept where the predicate is not 0; with `most`, where it is from 1 to that.
std::string keep_text(const gp_select_options &options, unsigned most) {
    const char *const helpers = options.helpers != nullptr ? options.helpers : "";
    const std::string test = most == 0 ? ")" : text(") - 1u < ", most, "u");
    return text(helpers, "\ntypedef ", options.type,
                "\nGpElement;\ntypedef char gp_element_size_is_not_that_of_type[sizeof(GpElement) == GP_BYTES ? 1 : "
                "-1];\nuint gp_keeps(GpElement x) { return ",
                most == 0 ? "(\n" : "(uint)(\n", options.predicate, "\n", test, " ? 1u : 0u; }\n");
}

enum class Keeps { kFlags, kText, kKeys };

// What all forms of the call check and fill in alike.
struct Call {
    std::shared_ptr<cl::Context> context;
    gp_select_options options;
    Request request; // without its operands
    Keeps keeps;
    bool is_enqueued;
};

// What a call is asked for, beside its arrays.
struct Asked {
    size_t element_size, n;
    bool flags = false;    // are there any?
    size_t value_size = 0; // with_values: of a value
    bool with_values = false;
    bool rest = false;
    gp_dtype dtype = 0, index_type = 0; // of gp_nonzero
};

Call read_call(std::shared_ptr<cl::Context> context, const Asked &asked, const gp_select_options *given,
               bool is_enqueued) {
    Call call{std::move(context), read_options(given, "options"), {}, Keeps::kFlags, is_enqueued};
    const gp_select_options &options = call.options;
    Request &r = call.request;
    r.n = asked.n;
    r.rest = asked.rest;
    require(options.parts == 0 || options.parts == 2 || options.parts == 3, GP_ERROR_OPTION, "options->parts is ",
            options.parts, "; expected 2 or 3, or 0 for 2");
    require(options.parts == 0 || asked.rest, GP_ERROR_OPTION, "options->parts is ", options.parts,
            "; it is for gp_partition, expected 0");
    r.thirds = options.parts == 3;
    require_value_size(asked.element_size, "element_size");
    multiply(asked.n, asked.element_size, "n elements");
    r.elements.size = asked.element_size;
    r.elements.word = std::min(alignment_of(asked.element_size), kLargestWord);
    r.type = unsigned_of(r.elements.word);
    if (asked.with_values) {
        require_value_size(asked.value_size, "value_size");
        multiply(asked.n, asked.value_size, "n values");
        r.values.size = asked.value_size;
        r.values.word = std::min(alignment_of(asked.value_size), kLargestWord);
    }
    const bool positions = asked.index_type != 0;
    if (positions) {
        r.index_size = dtype(asked.index_type).size;
        multiply(asked.n, r.index_size, "n positions");
        require(r.index_size > sizeof(uint32_t) || asked.n <= uint64_t{1} << 32, GP_ERROR_TOO_LARGE, "n is ", asked.n,
                "; positions that are uint32 reach 2^32 - 1; expected index_type GP_UINT64");
    }

    if (options.predicate == nullptr) {
        require(options.type == nullptr, GP_ERROR_OPTION, "options->type is for options->predicate, which is NULL");
        require(options.helpers == nullptr, GP_ERROR_OPTION,
                "options->helpers are for options->predicate, which is NULL");
        require(positions || asked.flags || asked.n == 0, GP_ERROR_NULL_POINTER,
                "flags is NULL; expected a pointer, or options->predicate");
        call.keeps = positions ? Keeps::kKeys : Keeps::kFlags;
        r.key_type = positions ? asked.dtype : gp_dtype{GP_UINT8};
        if (positions) {
            r.type = asked.dtype;
            r.elements.size = r.elements.word = 0;
        }
    } else {
        require(!asked.flags, GP_ERROR_OPTION,
                "flags and options->predicate are both given; expected one of them, the other NULL");
        require(!is_blank(options.predicate), GP_ERROR_OPTION,
                "options->predicate is blank; expected an OpenCL C expression");
        require(options.type != nullptr && !is_blank(options.type), GP_ERROR_OPTION, "options->type is ",
                options.type == nullptr ? "NULL" : "blank", "; expected the OpenCL C type of an element");
        require(!call.context->is_host(), GP_ERROR_UNSUPPORTED_DEVICE,
                "options->predicate is OpenCL C, which \"host\" can't run; open an OpenCL device, or give flags");
        call.keeps = Keeps::kText;
        r.source = keep_text(options, r.thirds ? 2 : 0);
        if (r.thirds) r.second_source = keep_text(options, 1);
    }

    require(!asked.rest || options.capacity == 0 || options.capacity == asked.n, GP_ERROR_OPTION,
            "options->capacity is ", Shown{options.capacity}, "; a partition has as many elements as there are: 0 or ",
            asked.n);
    r.capacity = options.capacity != 0 ? std::min(options.capacity, asked.n) : asked.n;
    require(is_enqueued || options.n_buffer == nullptr, GP_ERROR_OPTION,
            "options->n_buffer is for the calls on buffers; expected NULL");
    require(options.n_buffer != nullptr || options.n_offset == 0, GP_ERROR_OPTION, "options->n_offset is ",
            Shown{options.n_offset}, "; expected 0 without n_buffer");
    r.counted = options.n_buffer != nullptr;
    return call;
}

struct Array {
    Extent extent;
    const char *argument;
};

// `outputs` overlap neither each other nor an input; extents of no bytes overlap nothing.
void require_apart(std::initializer_list<Array> outputs, std::initializer_list<Array> inputs) {
    for (const Array *output = outputs.begin(); output != outputs.end(); ++output) {
        for (const Array &input : inputs)
            gpcl::require_apart(overlap(output->extent, input.extent), output->argument, input.argument);
        for (const Array *other = outputs.begin(); other != output; ++other)
            gpcl::require_apart(overlap(output->extent, other->extent), output->argument, other->argument);
    }
}

const char *output_name(const Call &call) { return call.request.index_size != 0 ? "positions" : "out"; }
size_t output_size(const Call &call) {
    return call.request.index_size != 0 ? call.request.index_size : call.request.elements.size;
}
// How many numbers the count is.
size_t count_size(const Call &call) { return call.request.thirds ? 2 : 1; }
// Bytes of an input element.
size_t input_size(const Call &call) {
    return call.keeps == Keeps::kKeys ? dtype(call.request.key_type).size : call.request.elements.size;
}

// ---- Host pointers ------------------------------------------------------------------------------

// An output of which only what is kept comes back. In host memory that the device does not share it
// is written apart first.
class Output {
  public:
    Output(cl::Task &task, const cl::Context &context, void *to, size_t capacity, size_t size, bool whole)
        : task_(task), to_(to), size_(size) {
        const size_t bytes = capacity * size;
        apart_ = !whole && bytes > 0 && !context.is_host() && !context.works_in_place(bytes);
        operand_ = apart_ ? task.work_space(bytes) : task.output(to, bytes);
    }
    const cl::Operand &operand() const { return operand_; }
    void fetch(size_t count) {
        if (apart_ && count > 0) task_.read(operand_.memory, 0, count * size_, to_, true);
    }

  private:
    cl::Task &task_;
    void *to_;
    size_t size_;
    bool apart_;
    cl::Operand operand_;
};

struct Pointers {
    const void *in;
    const uint8_t *flags;
    void *out;
    const void *values;
    void *out_values;
    uint64_t *count;
};

// Words are no larger than the addresses of arrays that are used where they are allow.
void align(Column &column, const cl::Context &context, const void *in, const void *out) {
    if (column.size == 0 || !context.shares_memory()) return;
    for (const void *array : {in, out})
        column.word = std::min(column.word, alignment_of(reinterpret_cast<uintptr_t>(array)));
}

void run(cl::Task &task, const Call &call, const Algorithm &algorithm) {
    if (call.request.thirds)
        run_thirds(task, call.options.algorithm, call.request);
    else
        algorithm.run(task, call.request);
}

bool is_held(const Call &call, size_t n) {
    Call part = call;
    Request &r = part.request;
    r.n = n;
    r.capacity = std::min(r.capacity, n);
    r.kept = r.count = r.elements.in = r.elements.out = r.values.in = r.values.out = cl::Operand::stand_in();
    const Footprint arrays{n * input_size(call), call.keeps == Keeps::kFlags ? n : 0, n * r.values.size,
                           r.capacity * output_size(call), r.capacity * r.values.size};
    return device_holds(*call.context, arrays, [&](cl::Task &task) {
        run(task, part, choose(algorithms(), call.options.algorithm, *call.context, r));
    });
}

using Counts = std::array<uint64_t, 2>;

// A call that the device holds. Returns how many elements were written.
size_t run_whole(cl::Task &task, Call &call, const Pointers &p, Counts &counts) {
    Request &r = call.request;
    const Algorithm &algorithm = choose(algorithms(), call.options.algorithm, *call.context, r);
    if (call.keeps == Keeps::kFlags) r.kept = task.input(p.flags, r.n);
    r.elements.in = task.input(p.in, r.n * input_size(call));
    if (call.keeps != Keeps::kFlags) r.kept = r.elements.in;
    if (r.values.size != 0) r.values.in = task.input(p.values, r.n * r.values.size);
    const size_t count_bytes = count_size(call) * sizeof counts[0];
    r.count = call.context->is_host() ? task.output(counts.data(), count_bytes)
                                      : task.work_space(count_size(call), sizeof counts[0]);
    Output out(task, *call.context, p.out, r.capacity, output_size(call), r.rest);
    r.elements.out = out.operand();
    std::optional<Output> out_values;
    if (r.values.size != 0) {
        out_values.emplace(task, *call.context, p.out_values, r.capacity, r.values.size, r.rest);
        r.values.out = out_values->operand();
    }
    run(task, call, algorithm);
    if (!call.context->is_host()) task.read(r.count.memory, 0, count_bytes, counts.data(), true);
    const size_t fetched = std::min(static_cast<size_t>(counts[0]), r.capacity);
    out.fetch(fetched);
    if (out_values) out_values->fetch(fetched);
    return fetched;
}

// A selection that the device can't hold: what is kept of each part follows that of those before.
void run_parts(cl::Task &task, Call &call, const Pointers &p, Counts &counts) {
    Request &r = call.request;
    const size_t n = r.n, capacity = r.capacity, of_out = output_size(call);
    const size_t held = most_held(*call.context, n, [&](size_t count) { return is_held(call, count); });
    size_t written = 0;
    const auto at = [](const void *array, size_t bytes) -> void * { // NULL where there is none
        return array != nullptr ? static_cast<std::byte *>(const_cast<void *>(array)) + bytes : nullptr;
    };
    for (size_t begin = 0; begin < n; begin += held) {
        cl::Task::Pass pass(task);
        r.n = std::min(held, n - begin);
        r.capacity = std::min(r.n, capacity - written);
        const Pointers part{at(p.in, begin * input_size(call)),
                            static_cast<const uint8_t *>(at(p.flags, begin)),
                            at(p.out, written * of_out),
                            at(p.values, begin * r.values.size),
                            at(p.out_values, written * r.values.size),
                            nullptr};
        Counts some = {};
        const size_t more = run_whole(task, call, part, some);
        pass.end();
        const auto shift = [&](auto *positions) {
            for (size_t i = 0; i < more; ++i) positions[i] += static_cast<std::decay_t<decltype(*positions)>>(begin);
        };
        if (r.index_size == sizeof(uint32_t)) shift(static_cast<uint32_t *>(part.out));
        if (r.index_size == sizeof(uint64_t)) shift(static_cast<uint64_t *>(part.out));
        counts[0] += some[0];
        written += more;
    }
}

void run_on_pointers(Call &call, const Pointers &p) {
    Request &r = call.request;
    const size_t in_bytes = r.n * input_size(call), out_bytes = r.capacity * output_size(call);
    const char *const out_name = output_name(call);
    const size_t alignment = call.keeps == Keeps::kKeys ? dtype(r.key_type).size : 1;
    require_array(p.in, r.n, alignment, "in");
    require_array(p.out, r.n, r.index_size != 0 ? r.index_size : 1, out_name);
    require_pointer(p.count, "count");
    require_aligned(p.count, sizeof *p.count, "count");
    if (r.values.size != 0) {
        require_array(p.values, r.n, 1, "values");
        require_array(p.out_values, r.n, 1, "out_values");
    }
    require_apart({{extent(p.out, out_bytes), out_name},
                   {extent(p.out_values, r.capacity * r.values.size), "out_values"},
                   {extent(p.count, count_size(call) * sizeof *p.count), "count"}},
                  {{extent(p.in, in_bytes), "in"},
                   {extent(p.flags, call.keeps == Keeps::kFlags ? r.n : 0), "flags"},
                   {extent(p.values, r.n * r.values.size), "values"}});
    cl::Task task(call.context, call.options.event);
    Counts counts = {};
    align(r.elements, *call.context, p.in, p.out);
    align(r.values, *call.context, p.values, p.out_values);
    if (r.n == 0) {
        choose(algorithms(), call.options.algorithm, *call.context, r);
    } else if (is_held(call, r.n)) {
        run_whole(task, call, p, counts);
    } else {
        require(!r.rest, GP_ERROR_TOO_LARGE, "a partition of ", in_bytes, " bytes is more than the memory of ",
                call.context->info().name, " has room for, ", call.context->room(),
                " bytes; give flags in place of the predicate, or select twice");
        run_parts(task, call, p, counts);
    }
    task.end();
    std::copy_n(counts.data(), count_size(call), p.count);
}

// ---- Buffers ------------------------------------------------------------------------------------

struct Places {
    cl::Place in, flags, out, values, out_values, count;
};

void run_on_buffers(cl::Task &task, Call &call, const Places &p) {
    Request &r = call.request;
    const size_t in_size = input_size(call);
    const char *const out_name = output_name(call);
    r.elements.in = task.operand(p.in.buffer, p.in.offset, r.n, in_size, "in");
    r.kept = r.elements.in;
    Extent flags{};
    if (call.keeps == Keeps::kFlags && p.flags.buffer != nullptr) {
        r.kept = task.operand(p.flags.buffer, p.flags.offset, r.n, 1, "flags");
        flags = r.kept.extent;
    }
    r.elements.out = task.operand(p.out.buffer, p.out.offset, r.capacity, output_size(call), out_name);
    if (r.values.size != 0) {
        r.values.in = task.operand(p.values.buffer, p.values.offset, r.n, r.values.size, "values");
        r.values.out = task.operand(p.out_values.buffer, p.out_values.offset, r.capacity, r.values.size, "out_values");
    }
    r.count = task.operand(p.count.buffer, p.count.offset, count_size(call), sizeof(uint64_t), "count");
    if (r.counted)
        r.n_at = task.operand(call.options.n_buffer, call.options.n_offset, 1, sizeof(uint64_t), "options->n_buffer");
    require_apart({{r.elements.out.extent, out_name}, {r.values.out.extent, "out_values"}, {r.count.extent, "count"}},
                  {{r.elements.in.extent, "in"},
                   {flags, "flags"},
                   {r.values.in.extent, "values"},
                   {r.n_at.extent, "options->n_buffer"}});
    const Algorithm &algorithm = choose(algorithms(), call.options.algorithm, *call.context, r);
    if (r.n > 0)
        run(task, call, algorithm);
    else if (call.context->is_host())
        std::fill_n(static_cast<uint64_t *>(r.count.host), count_size(call), uint64_t{0});
    else
        task.clear(r.count, count_size(call), sizeof(uint64_t));
    task.end();
}

// A call on buffers: `signature` is complete.
void enqueue(const std::shared_ptr<cl::Context> &device, const cl::Signature &signature, const Asked &asked,
             const Places &places, const gp_select_options *options, const cl::Waits &waits) {
    if (cl::Task::repeat(device, signature, waits)) return;
    Call call = read_call(device, asked, options, true);
    cl::Waits all = waits;
    all.in_options = call.options.event;
    all.signature = &signature;
    cl::Task task(call.context, all);
    run_on_buffers(task, call, places);
}

cl::Place n_place(const gp_select_options *options) {
    const gp_select_options known = cl::known_options(options);
    return {known.n_buffer, known.n_offset};
}

// ---- Defaults -----------------------------------------------------------------------------------

Request request_of(gp_dtype dtype, size_t n, size_t index_size) {
    const size_t size = gpcl::dtype(dtype).size;
    Request r;
    r.n = r.capacity = n;
    r.index_size = index_size;
    r.key_type = index_size != 0 ? dtype : gp_dtype{GP_UINT8};
    r.type = index_size != 0 ? dtype : unsigned_of(size);
    r.elements.size = r.elements.word = index_size != 0 ? 0 : size;
    r.kept = r.elements.in = r.elements.out = r.count = cl::Operand::stand_in();
    return r;
}

// Selects by flags, or positions of elements of the type.
gp_status call(gp_context *context, gp_dtype dtype, size_t n, size_t index_size) {
    const size_t size = gpcl::dtype(dtype).size;
    const auto in = zeros(n, size);
    auto out = zeros(n, std::max(size, index_size));
    uint64_t count = 0;
    if (index_size != 0)
        return gp_nonzero(context, dtype, n, in.data(), index_size == sizeof(uint32_t) ? GP_UINT32 : GP_UINT64,
                          out.data(), &count, nullptr);
    const std::vector<uint8_t> flags(n);
    return gp_select(context, size, n, in.data(), flags.data(), out.data(), &count, nullptr);
}

constexpr std::array<size_t, 3> kIndexSizes = {0, sizeof(uint32_t),
                                               sizeof(uint64_t)}; // sizes of positions; 0: elements

void add_defaults(Needed &needed, gp_dtype dtype) {
    const size_t size = gpcl::dtype(dtype).size;
    needed.for_each_size(size, 2, [&](size_t n) {
        for (const size_t index_size : kIndexSizes) {
            if (index_size == sizeof(uint32_t) && n > uint64_t{1} << 32) continue;
            needed.add(algorithms(), request_of(dtype, n, index_size), n * (2 * size + index_size + 1),
                       [=](gp_context *context) { return call(context, dtype, n, index_size); });
        }
    });
}

gp_status smallest_calls(gp_context *context, gp_dtype dtype) {
    for (const size_t index_size : kIndexSizes)
        if (const gp_status status = call(context, dtype, 1, index_size); status != GP_SUCCESS) return status;
    return GP_SUCCESS;
}

// What the calls on elements have in common.
void run_pointers(gp_context *context, const Asked &asked, const Pointers &p, const gp_select_options *options) {
    const bool by_flags = asked.index_type == 0;
    const size_t n = asked.n, size = asked.element_size, out_size = by_flags ? size : dtype(asked.index_type).size;
    const auto device = placed(context, kOperation, *kKinds[by_flags ? 0 : 1], by_flags ? word_type(size) : asked.dtype,
                               {real(n) * (by_flags ? words(size) : 1),
                                {array(p.in, size, n), array(p.flags, 1, n), array(p.values, asked.value_size, n)},
                                {array(p.out, out_size, n), array(p.out_values, asked.value_size, n)}},
                               options);
    where_it_fits(device, kOperation, options, [&](const auto &chosen) {
        Call call = read_call(chosen, asked, options, false);
        run_on_pointers(call, p);
    });
}

// gp_nonzero's own arguments.
Asked read_types(size_t n, gp_dtype dtype, gp_dtype index_type) {
    require_dtype(dtype, "dtype", kAllTypes);
    require_dtype(index_type, "index_type", kIndexTypes);
    return {gpcl::dtype(dtype).size, n, false, 0, false, false, dtype, index_type};
}

} // namespace

const Operation kOperation = {
    GP_SELECT,      "select", kAllTypes, infos<algorithms>, parameters<algorithms>, add_defaults,
    smallest_calls, kKinds,   prove,     list<algorithms>};

} // namespace gpcl::select

using namespace gpcl;
using namespace gpcl::select;

gp_status gp_select(gp_context *context, size_t element_size, size_t n, const void *in, const uint8_t *flags, void *out,
                    uint64_t *count, const gp_select_options *options) {
    return guard("gp_select", [&] {
        run_pointers(context, {element_size, n, flags != nullptr}, {in, flags, out, nullptr, nullptr, count}, options);
    });
}

gp_status gp_select_pairs(gp_context *context, size_t element_size, size_t n, const void *in, const uint8_t *flags,
                          void *out, size_t value_size, const void *values, void *out_values, uint64_t *count,
                          const gp_select_options *options) {
    return guard("gp_select_pairs", [&] {
        run_pointers(context, {element_size, n, flags != nullptr, value_size, true},
                     {in, flags, out, values, out_values, count}, options);
    });
}

gp_status gp_partition(gp_context *context, size_t element_size, size_t n, const void *in, const uint8_t *flags,
                       void *out, uint64_t *count, const gp_select_options *options) {
    return guard("gp_partition", [&] {
        run_pointers(context, {element_size, n, flags != nullptr, 0, false, true},
                     {in, flags, out, nullptr, nullptr, count}, options);
    });
}

gp_status gp_partition_pairs(gp_context *context, size_t element_size, size_t n, const void *in, const uint8_t *flags,
                             void *out, size_t value_size, const void *values, void *out_values, uint64_t *count,
                             const gp_select_options *options) {
    return guard("gp_partition_pairs", [&] {
        run_pointers(context, {element_size, n, flags != nullptr, value_size, true, true},
                     {in, flags, out, values, out_values, count}, options);
    });
}

gp_status gp_nonzero(gp_context *context, gp_dtype dtype, size_t n, const void *in, gp_dtype index_type,
                     void *positions, uint64_t *count, const gp_select_options *options) {
    return guard("gp_nonzero", [&] {
        run_pointers(context, read_types(n, dtype, index_type), {in, nullptr, positions, nullptr, nullptr, count},
                     options);
    });
}

gp_status gp_enqueue_select(gp_context *context, size_t element_size, size_t n, gp_buffer *in, size_t in_offset,
                            gp_buffer *flags, size_t flags_offset, gp_buffer *out, size_t out_offset, gp_buffer *count,
                            size_t count_offset, const gp_select_options *options, size_t wait_count,
                            gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_select", [&] {
        const auto device = cl::contexts().get(context, "context");
        const Places places{{in, in_offset}, {flags, flags_offset}, {out, out_offset}, {}, {}, {count, count_offset}};
        const cl::Signature signature(*device, "gp_enqueue_select", options,
                                      {places.in, places.flags, places.out, places.count, n_place(options)},
                                      element_size, n);
        enqueue(device, signature, {element_size, n, flags != nullptr}, places, options, {wait_count, wait, event});
    });
}

gp_status gp_enqueue_select_pairs(gp_context *context, size_t element_size, size_t n, gp_buffer *in, size_t in_offset,
                                  gp_buffer *flags, size_t flags_offset, gp_buffer *out, size_t out_offset,
                                  size_t value_size, gp_buffer *values, size_t values_offset, gp_buffer *out_values,
                                  size_t out_values_offset, gp_buffer *count, size_t count_offset,
                                  const gp_select_options *options, size_t wait_count, gp_event *const *wait,
                                  gp_event **event) {
    return guard("gp_enqueue_select_pairs", [&] {
        const auto device = cl::contexts().get(context, "context");
        const Places places{{in, in_offset},         {flags, flags_offset},           {out, out_offset},
                            {values, values_offset}, {out_values, out_values_offset}, {count, count_offset}};
        const cl::Signature signature(
            *device, "gp_enqueue_select_pairs", options,
            {places.in, places.flags, places.out, places.values, places.out_values, places.count, n_place(options)},
            element_size, n, value_size);
        enqueue(device, signature, {element_size, n, flags != nullptr, value_size, true}, places, options,
                {wait_count, wait, event});
    });
}

gp_status gp_enqueue_partition(gp_context *context, size_t element_size, size_t n, gp_buffer *in, size_t in_offset,
                               gp_buffer *flags, size_t flags_offset, gp_buffer *out, size_t out_offset,
                               gp_buffer *count, size_t count_offset, const gp_select_options *options,
                               size_t wait_count, gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_partition", [&] {
        const auto device = cl::contexts().get(context, "context");
        const Places places{{in, in_offset}, {flags, flags_offset}, {out, out_offset}, {}, {}, {count, count_offset}};
        const cl::Signature signature(*device, "gp_enqueue_partition", options,
                                      {places.in, places.flags, places.out, places.count, n_place(options)},
                                      element_size, n);
        enqueue(device, signature, {element_size, n, flags != nullptr, 0, false, true}, places, options,
                {wait_count, wait, event});
    });
}

gp_status gp_enqueue_partition_pairs(gp_context *context, size_t element_size, size_t n, gp_buffer *in,
                                     size_t in_offset, gp_buffer *flags, size_t flags_offset, gp_buffer *out,
                                     size_t out_offset, size_t value_size, gp_buffer *values, size_t values_offset,
                                     gp_buffer *out_values, size_t out_values_offset, gp_buffer *count,
                                     size_t count_offset, const gp_select_options *options, size_t wait_count,
                                     gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_partition_pairs", [&] {
        const auto device = cl::contexts().get(context, "context");
        const Places places{{in, in_offset},         {flags, flags_offset},           {out, out_offset},
                            {values, values_offset}, {out_values, out_values_offset}, {count, count_offset}};
        const cl::Signature signature(
            *device, "gp_enqueue_partition_pairs", options,
            {places.in, places.flags, places.out, places.values, places.out_values, places.count, n_place(options)},
            element_size, n, value_size);
        enqueue(device, signature, {element_size, n, flags != nullptr, value_size, true, true}, places, options,
                {wait_count, wait, event});
    });
}

gp_status gp_enqueue_nonzero(gp_context *context, gp_dtype dtype, size_t n, gp_buffer *in, size_t in_offset,
                             gp_dtype index_type, gp_buffer *positions, size_t positions_offset, gp_buffer *count,
                             size_t count_offset, const gp_select_options *options, size_t wait_count,
                             gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_nonzero", [&] {
        const auto device = cl::contexts().get(context, "context");
        const Places places{{in, in_offset}, {}, {positions, positions_offset}, {}, {}, {count, count_offset}};
        const cl::Signature signature(*device, "gp_enqueue_nonzero", options,
                                      {places.in, places.out, places.count, n_place(options)}, dtype, n, index_type);
        enqueue(device, signature, read_types(n, dtype, index_type), places, options, {wait_count, wait, event});
    });
}

// gp_transpose_matrix: checks, choice of algorithm.
// SPDX-License-Identifier: MIT
#include "ops/transpose/transpose.h"

#include "core/options.h"
#include "ops/place.h"
#include "ops/room.h"

#include <cstring>

namespace gpcl::transpose {

std::span<const Algorithm> algorithms() {
    static const std::array list = {kTiles, kBlocks, kHost};
    return list;
}

namespace {

constexpr size_t kLargestWord = 16;

// What both forms of the call check and fill in alike.
struct Call {
    gp_transpose_matrix_options options;
    Request request;          // without its operands
    size_t in_span, out_span; // elements from the first to the last

    bool is_empty() const { return request.rows == 0 || request.columns == 0; }
    size_t elements() const { return request.rows * request.columns * request.batch; }
};

// Elements of a batch of matrices, from the first to the last.
size_t span_of(size_t rows, size_t columns, size_t ld, size_t batch, size_t stride, size_t size, const char *what) {
    if (rows == 0 || columns == 0) return 0;
    const size_t one = add(multiply(rows - 1, ld, what), columns, what);
    const size_t all = add(multiply(batch - 1, stride, what), one, what);
    multiply(all, size, what);
    return all;
}

Call read_call(size_t size, size_t rows, size_t columns, size_t ld_in, size_t ld_out,
               const gp_transpose_matrix_options *given) {
    Call call{read_options(given, "options"), {}, 0, 0};
    const auto &options = call.options;
    Request &r = call.request;
    require_value_size(size, "element_size");
    require(ld_in >= columns, GP_ERROR_LEADING_DIMENSION, "ld_in is ", Shown{ld_in},
            "; expected at least columns, which is ", columns);
    require(ld_out >= rows, GP_ERROR_LEADING_DIMENSION, "ld_out is ", Shown{ld_out},
            "; expected at least rows, which is ", rows);
    r.size = size;
    r.rows = rows;
    r.columns = columns;
    r.batch = std::max(options.batch, size_t{1});
    r.in.ld = ld_in;
    r.out.ld = ld_out;
    constexpr const char *kIn = "the matrices of in", *kOut = "the matrices of out";
    r.in.stride = options.stride_in != 0 ? options.stride_in : multiply(rows, ld_in, kIn);
    r.out.stride = options.stride_out != 0 ? options.stride_out : multiply(columns, ld_out, kOut);
    call.in_span = span_of(rows, columns, ld_in, r.batch, r.in.stride, size, kIn);
    call.out_span = span_of(columns, rows, ld_out, r.batch, r.out.stride, size, kOut);
    if (!call.is_empty() && r.batch > 1) {
        const size_t least = (columns - 1) * ld_out + rows;
        require(r.out.stride >= least, GP_ERROR_BATCH_STRIDE, "options->stride_out is ", r.out.stride,
                "; expected at least ", least, ", so that no matrix of out overlaps the next");
        multiply(multiply(rows, columns, kOut), r.batch, kOut);
    }
    if (r.batch == 1) r.in.stride = r.out.stride = 0;
    return call;
}

// Fills in what divides the addresses, of arrays that begin there.
void align(Request &r, uintptr_t in, uintptr_t out) {
    r.begin = std::min(alignment_of(in), alignment_of(out));
    r.word = std::min({alignment_of(r.size), r.begin, kLargestWord});
}

void run(cl::Task &task, const Call &call) {
    const Request &request = call.request;
    if (call.is_empty()) { // the name is checked, nothing else
        Request one = request;
        one.rows = one.columns = one.batch = 1;
        choose(algorithms(), call.options.algorithm, task.context(), one);
    } else {
        choose(algorithms(), call.options.algorithm, task.context(), request).run(task, request);
    }
}

// Host memory between whose rows the device must not write: it works on memory of its own.
void run_apart(cl::Task &task, Call &call, void *out) {
    Request &r = call.request;
    const Matrices to = r.out;
    r.out.ld = r.rows;
    r.out.stride = r.rows * r.columns;
    r.out.array = task.work_space(call.elements() * r.size);
    run(task, call);
    std::vector<std::byte> all(call.elements() * r.size);
    task.read(r.out.array.memory, 0, all.size(), all.data(), true);
    const size_t line = r.rows * r.size;
    for (size_t matrix = 0; matrix < r.batch; ++matrix) {
        for (size_t j = 0; j < r.columns; ++j)
            std::memcpy(static_cast<std::byte *>(out) + (matrix * to.stride + j * to.ld) * r.size,
                        all.data() + (matrix * r.columns + j) * line, line);
    }
}

// A block of a matrix.
Call block_of(const Call &call, size_t rows, size_t columns) {
    Call block = call;
    block.request.rows = rows;
    block.request.columns = columns;
    block.request.batch = 1;
    block.in_span = (rows - 1) * call.request.in.ld + columns;
    return block;
}

bool is_held(const cl::Context &context, const Call &call) {
    Call whole = call;
    Request &r = whole.request;
    r.in.array = r.out.array = cl::Operand::stand_in();
    return device_holds(context, {call.in_span * r.size, call.elements() * r.size},
                        [&](cl::Task &task) { run(task, whole); });
}

// Matrices that the device can't hold, by blocks that it can: whole rows, or pieces of one.
void run_blocks(cl::Task &task, const Call &call, const std::byte *in, std::byte *out) {
    const Request &r = call.request;
    size_t rows = r.rows, columns = r.columns;
    while (!is_held(task.context(), block_of(call, rows, columns))) {
        if (rows == 1 && columns == 1) fail_to_hold(task.context());
        (rows > 1 ? rows : columns) = fewer(rows > 1 ? rows : columns);
    }
    const auto run_block = [&](size_t matrix, size_t row, size_t column) {
        Call block = block_of(call, std::min(rows, r.rows - row), std::min(columns, r.columns - column));
        const std::byte *const from = in + (matrix * r.in.stride + row * r.in.ld + column) * r.size;
        const size_t bytes = block.in_span * r.size;
        align(block.request, task.context().works_in_place(bytes) ? reinterpret_cast<uintptr_t>(from) : 0, 0);
        cl::Task::Pass pass(task);
        block.request.in.array = task.input(from, bytes);
        run_apart(task, block, out + (matrix * r.out.stride + column * r.out.ld + row) * r.size);
        pass.end();
    };
    for (size_t matrix = 0; matrix < r.batch; ++matrix)
        for (size_t row = 0; row < r.rows; row += rows)
            for (size_t column = 0; column < r.columns; column += columns) run_block(matrix, row, column);
}

void add_defaults(Needed &needed, gp_dtype dtype) {
    const size_t size = gpcl::dtype(dtype).size;
    constexpr size_t kLargest = size_t{1} << 16;
    Needed::for_each_size_to(kLargest, 1, [&](size_t n) {
        Request r = read_call(size, n, n, n, n, nullptr).request;
        align(r, 0, 0);
        r.in.array = r.out.array = cl::Operand::stand_in();
        needed.add(algorithms(), r);
    });
}

gp_status smallest_calls(gp_context *context, gp_dtype dtype) {
    const uint64_t in[1] = {}; // holds one element of any type
    uint64_t out[1] = {};
    return gp_transpose_matrix(context, gp_dtype_size(dtype), 1, 1, in, 1, out, 1, nullptr);
}

} // namespace

const Operation kOperation = {GP_TRANSPOSE_MATRIX,    "transpose",  kAllTypes,      infos<algorithms>,
                              parameters<algorithms>, add_defaults, smallest_calls, one_kind<kKind>};

} // namespace gpcl::transpose

using namespace gpcl;

gp_status gp_transpose_matrix(gp_context *context, size_t element_size, size_t rows, size_t columns, const void *in,
                              size_t ld_in, void *out, size_t ld_out, const gp_transpose_matrix_options *options) {
    return guard("gp_transpose_matrix", [&] {
        const auto device = placed(context, transpose::kOperation, transpose::kKind, word_type(element_size),
                                   {real(rows) * real(columns) * words(element_size),
                                    {array(in, element_size, rows, ld_in)},
                                    {array(out, element_size, columns, ld_out)}},
                                   options);
        transpose::Call call = transpose::read_call(element_size, rows, columns, ld_in, ld_out, options);
        transpose::Request &r = call.request;
        const size_t in_bytes = call.in_span * element_size, out_bytes = call.out_span * element_size;
        require_array(in, call.in_span, 1, "in");
        require_array(out, call.out_span, 1, "out");
        require_apart(overlap(out, out_bytes, in, in_bytes), "out", "in");
        const auto begin = [&](const void *array, size_t bytes) {
            return device->works_in_place(bytes) ? reinterpret_cast<uintptr_t>(array) : 0;
        };
        transpose::align(r, begin(in, in_bytes), begin(out, out_bytes));
        cl::Task task(device, call.options.event);
        if (!call.is_empty() && !transpose::is_held(*device, call)) {
            transpose::run_blocks(task, call, static_cast<const std::byte *>(in), static_cast<std::byte *>(out));
            return task.end();
        }
        if (!call.is_empty()) r.in.array = task.input(in, in_bytes);
        if (call.out_span != call.elements() && !device->works_in_place(out_bytes)) {
            transpose::run_apart(task, call, out);
        } else {
            if (!call.is_empty()) r.out.array = task.output(out, out_bytes);
            transpose::run(task, call);
        }
        task.end();
    });
}

gp_status gp_enqueue_transpose_matrix(gp_context *context, size_t element_size, size_t rows, size_t columns,
                                      gp_buffer *in, size_t in_offset, size_t ld_in, gp_buffer *out, size_t out_offset,
                                      size_t ld_out, const gp_transpose_matrix_options *options, size_t wait_count,
                                      gp_event *const *wait, gp_event **event) {
    return guard("gp_enqueue_transpose_matrix", [&] {
        const auto device = cl::contexts().get(context, "context");
        const cl::Signature signature(*device, "gp_enqueue_transpose_matrix", options,
                                      {{in, in_offset}, {out, out_offset}}, element_size, rows, columns, ld_in, ld_out);
        if (cl::Task::repeat(device, signature, {wait_count, wait, event})) return;
        transpose::Call call = transpose::read_call(element_size, rows, columns, ld_in, ld_out, options);
        transpose::Request &r = call.request;
        cl::Task task(device, cl::Waits{wait_count, wait, event, call.options.event, &signature});
        const auto operand = [&](const gp_buffer *buffer, size_t offset, size_t span, const char *name) {
            if (buffer == nullptr && span == 0) return cl::Operand{};
            return task.operand(buffer, offset, span, element_size, name);
        };
        r.in.array = operand(in, in_offset, call.in_span, "in");
        r.out.array = operand(out, out_offset, call.out_span, "out");
        require_apart(overlap(r.out.array, r.in.array), "out", "in");
        const auto begin = [&](const cl::Operand &array) {
            return array.host != nullptr ? reinterpret_cast<uintptr_t>(array.host) : array.offset * element_size;
        };
        transpose::align(r, begin(r.in.array), begin(r.out.array));
        for (cl::Operand *array : {&r.in.array, &r.out.array}) array->offset = array->offset * element_size / r.word;
        transpose::run(task, call);
        task.end();
    });
}

// Reduction of arrays in host memory that pass through the device piece by piece, each added to the
// ones before.
// SPDX-License-Identifier: MIT
#include "cl/stream.h"
#include "ops/parts.h"
#include "ops/reduce/reduce.h"

namespace gpcl::reduce {

bool run_pieces(cl::Task &task, cl::Context &context, const Request &whole, const char *algorithm, const void *in,
                void *out) {
    const size_t size_in = dtype(whole.from).size, size_out = dtype(whole.dtype).size;
    const Rows &rows = whole.rows;
    const size_t piece = cl::piece_bytes(context, {{in, rows.span() * size_in}});
    if (piece == 0) return false;
    const auto parts = cut(rows, std::max(piece / size_in, size_t{1}), false);
    const auto request_of = [&](const Part &part) {
        Request r = whole;
        r.n = part.n;
        r.rows = part.of(rows);
        r.stride_out = 1;
        return r;
    };
    if (parts.size() < 2 || !takes_parts(algorithms(), algorithm, context, whole, parts, request_of)) return false;

    const auto span = [&](const Part &part) { return part.of(rows).span(); };
    std::array<cl::Operand, cl::Stream::kSlots> arrays;
    for (cl::Operand &array : arrays) array = task.work_space(largest(parts, span) * size_in);
    // The results of the rows at work, one after the other; of rows that are not cut, those of a
    // part.
    const size_t most_rows = largest(parts, [](const Part &part) { return part.rows; });
    const cl::Operand results = task.work_space(most_rows * size_out), more = task.work_space(most_rows * size_out);
    std::vector<std::byte> here(most_rows * size_out);
    const auto place = [&](size_t row) { return static_cast<std::byte *>(out) + row * whole.stride_out * size_out; };

    cl::Stream stream(task, false);
    stream.run(
        parts.size(),
        [&](size_t k) {
            const auto *from = static_cast<const std::byte *>(in) + parts[k].at(rows) * size_in;
            stream.copy_in(arrays[k % arrays.size()], from, span(parts[k]) * size_in);
        },
        [&](size_t k) {
            const Part &part = parts[k];
            const size_t bytes = part.rows * size_out;
            if (part.first && whole.accumulate) {
                for (size_t i = 0; i < part.rows; ++i)
                    std::memcpy(here.data() + i * size_out, place(part.row + i), size_out);
                task.write(results.memory, 0, bytes, here.data(), true);
            }
            Request r = request_of(part);
            r.in = arrays[k % arrays.size()];
            const bool adds = whole.accumulate || !part.first;
            r.out = adds ? more : results;
            choose(algorithms(), algorithm, context, r).run(task, r);
            r.out = results;
            if (adds) accumulate(task, r, more);
            if (!part.last) return;
            task.read(results.memory, 0, bytes, here.data(), true);
            for (size_t i = 0; i < part.rows; ++i)
                std::memcpy(place(part.row + i), here.data() + i * size_out, size_out);
        },
        [](size_t) {}, [](size_t) {});
    return true;
}

} // namespace gpcl::reduce

// Histogram of an array in host memory that passes through the device piece by piece.
// SPDX-License-Identifier: MIT
#include "cl/stream.h"
#include "core/dtype.h"
#include "ops/histogram/histogram.h"
#include "ops/parts.h"

namespace gpcl::histogram {

bool run_pieces(cl::Task &task, cl::Context &context, const Request &whole, const char *algorithm, const void *in,
                bool accumulates) {
    const size_t size = dtype(whole.dtype).size;
    const size_t piece = cl::piece_bytes(context, {{in, whole.n * size}});
    if (piece == 0 || whole.bins->empty()) return false;
    const Rows row{whole.n, 1, whole.n, 1};
    const auto parts = cut(row, std::max(piece / size, size_t{1}), false);
    const auto request_of = [&](const Part &part) {
        Request r = whole;
        r.n = part.n;
        return r;
    };
    if (parts.size() < 2 || !takes_parts(algorithms(), algorithm, context, whole, parts, request_of)) return false;

    std::array<cl::Operand, cl::Stream::kSlots> arrays;
    for (cl::Operand &array : arrays) array = task.work_space(parts.front().n * size);
    const cl::Operand more = task.work_space(whole.bins->count * sizeof(uint64_t));
    cl::Stream stream(task, false);
    stream.run(
        parts.size(),
        [&](size_t k) {
            const auto *from = static_cast<const std::byte *>(in) + parts[k].begin * size;
            stream.copy_in(arrays[k % arrays.size()], from, parts[k].n * size);
        },
        [&](size_t k) {
            Request r = request_of(parts[k]);
            r.in = arrays[k % arrays.size()];
            const bool adds = accumulates || k > 0;
            if (adds) r.counts = more;
            choose(algorithms(), algorithm, context, r).run(task, r);
            if (adds) accumulate(task, whole, more);
        },
        [](size_t) {}, [](size_t) {});
    return true;
}

} // namespace gpcl::histogram

// Products of large matrices in host memory: B goes to the device first, then A in blocks of rows;
// while one block of C is computed, the next of A are on their way and those before on their way
// back.
// SPDX-License-Identifier: MIT
#include "cl/link.h"
#include "cl/stream.h"
#include "core/rows.h"
#include "ops/matmul/matmul.h"
#include "ops/parts.h"

#include <array>

namespace gpcl::matmul {
namespace {

// Each block converts or packs B anew, and fills the device to the last round of its tiles only, so
// blocks are few; they start with a tile.
constexpr size_t kPieces = 8;
constexpr size_t kPieceRows = 256;
constexpr size_t kLargestPiece = size_t{128} << 20; // bytes

struct Slot { // what a block has on the device
    cl::Operand a, c;
    std::vector<std::byte> apart; // on the host: results whose gaps are not ours to write
};

// Rows of a matrix whose rows lie `stride` apart.
Rows lines(const Matrix &x, size_t length, size_t count) { return {length, count, x.row_stride, 1}; }

} // namespace

bool run_pieces(cl::Task &task, cl::Context &context, const Request &whole, const char *algorithm,
                const HostMatrices &host) {
    const size_t size = dtype(whole.dtype).size;
    const bool empty = whole.m == 0 || whole.n == 0 || whole.k == 0;
    if (whole.batch > 1 || empty || whole.a.column_stride != 1) return false;
    const Rows a = lines(whole.a, whole.k, whole.m), c = lines(whole.c, whole.n, whole.m);
    const size_t bytes_a = a.span() * size, bytes_c = c.span() * size;
    const size_t piece = cl::piece_bytes(context, {{host.a, bytes_a}, {host.c, bytes_c}});
    const bool meet = overlap(extent(host.a, bytes_a), extent(host.c, bytes_c)) ||
                      overlap(extent(host.b, host.b_bytes), extent(host.c, bytes_c));
    if (piece == 0 || meet) return false;
    const size_t stride = std::max(a.stride, c.stride), row_bytes = stride * size;
    const size_t rows = cl::forced_piece()
                            ? piece / row_bytes
                            : std::min(round_up(whole.m / kPieces, kPieceRows), kLargestPiece / row_bytes);
    const auto parts = cut({whole.k, whole.m, stride, 1}, std::max(rows, size_t{1}) * stride, false);
    const auto request_of = [&](const Part &part) {
        Request r = whole;
        r.m = part.rows;
        return r;
    };
    if (parts.size() < 2 || !takes_parts(algorithms(), algorithm, context, whole, parts, request_of)) return false;

    const auto rows_of = [](const Rows &all, const Part &part) { return Rows{all.n, part.rows, all.stride, 1}; };
    const auto span = [&](const Rows &all, const Part &part) { return rows_of(all, part).span(); };
    std::array<Slot, cl::Stream::kSlots> slots;
    for (Slot &slot : slots) {
        slot.a = task.work_space(span(a, parts.front()) * size);
        slot.c = task.work_space(span(c, parts.front()) * size);
    }
    const cl::Operand b = task.work_space(host.b_bytes);
    const auto slot_of = [&](size_t k) -> Slot & { return slots[k % slots.size()]; };
    const auto in_c = [&](const Part &part) { return static_cast<std::byte *>(host.c) + part.row * c.stride * size; };

    cl::Stream stream(task, true);
    stream.run(
        parts.size(),
        [&](size_t k) {
            const Part &part = parts[k];
            if (k == 0) stream.copy_in(b, host.b, host.b_bytes);
            const auto *from = static_cast<const std::byte *>(host.a) + part.row * a.stride * size;
            stream.copy_in(slot_of(k).a, from, span(a, part) * size);
            if (whole.reads_c) stream.copy_in(slot_of(k).c, in_c(part), span(c, part) * size);
        },
        [&](size_t k) {
            Request r = request_of(parts[k]);
            r.a.data = slot_of(k).a;
            r.b.data = b;
            r.c.data = slot_of(k).c;
            choose(algorithms(), algorithm, context, r).run(task, r);
        },
        [&](size_t k) {
            const size_t bytes = span(c, parts[k]) * size;
            if (c.has_gaps()) slot_of(k).apart.resize(bytes);
            stream.copy_out(slot_of(k).c, c.has_gaps() ? slot_of(k).apart.data() : in_c(parts[k]), bytes);
        },
        [&](size_t k) {
            if (c.has_gaps()) copy_rows(rows_of(c, parts[k]), size, slot_of(k).apart.data(), in_c(parts[k]));
        });
    return true;
}

} // namespace gpcl::matmul

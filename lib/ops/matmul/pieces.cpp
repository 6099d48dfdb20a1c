// Products of large matrices in host memory, by blocks of rows: while one block of C is computed,
// the next of A are on their way and those before on their way back. The first block is computed
// from parts of B as they come.
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
// The first block has as many rows as keep a device at work while B comes. Each part of B is one
// pass over that block of C more. Measured on an H200, ms, float32, n = 16384, 1 part: 111.5; 8:
// 99.8; n = 8192, 1 part: 19.3; 4: 18.4; 8: 19.4; 16: 20.1.
constexpr size_t kFirst = 2; // times the rows of another
constexpr size_t kPartsOfB = 8;
constexpr size_t kLeastPartOfB = size_t{64} << 20; // bytes

struct Slot { // what a block has on the device
    cl::Operand a, c;
    cl::Kept<std::byte> apart; // on the host: results whose gaps are not ours to write
};

// Rows of a matrix whose rows lie `stride` apart.
Rows lines(const Matrix &x, size_t length, size_t count) { return {length, count, x.row_stride, 1}; }

// The lines of B as it lies in memory, so many of them in a part: rows, whose products are summed,
// or columns, whose products lie side by side.
struct LinesOfB {
    size_t count, stride, length, part;
    bool are_rows;

    LinesOfB(const Request &r, size_t bytes) : part(0), are_rows(r.b.column_stride == 1) {
        count = are_rows ? r.k : r.n;
        length = are_rows ? r.n : r.k;
        stride = are_rows ? r.b.row_stride : r.b.column_stride;
        // Sums are rounded or cut when they are stored in another type than they are computed in,
        // and products of the other semirings may pass what stands for infinity.
        const bool adds = r.semiring == GP_PLUS_TIMES && r.of_c() == r.computed();
        const size_t most = cl::forced_piece() ? count : bytes / kLeastPartOfB;
        const size_t parts = are_rows && !adds ? 1 : std::clamp(most, size_t{1}, kPartsOfB);
        part = ceil_div(count, parts);
    }
    size_t parts() const { return ceil_div(count, part); }
    size_t first(size_t p) const { return p * part; }
    size_t size(size_t p) const { return std::min(part, count - first(p)); }
    // Elements of the part, with the gaps within.
    size_t span(size_t p) const { return (size(p) - 1) * stride + length; }

    // The product of A and the part, which lies in B's memory.
    Request of(const Request &r, size_t p) const {
        Request one = r;
        one.b.data = r.b.data + first(p) * stride;
        if (are_rows) {
            one.k = size(p);
            one.a.data = r.a.data + first(p);
            if (p + 1 < parts()) one.finish.reset(); // the whole sums have it
            if (p > 0) {                             // adds to those before
                one.reads_c = true;
                std::visit([](auto &beta) { beta = 1; }, one.beta);
            }
        } else {
            one.n = size(p);
            one.c.data = r.c.data + first(p);
            if (one.finish) one.finish->column += first(p);
        }
        return one;
    }
};

} // namespace

bool run_pieces(cl::Task &task, cl::Context &context, Request whole, const char *algorithm, const HostMatrices &host) {
    const size_t size = dtype(whole.dtype).size, c_size = dtype(whole.of_c()).size;
    const bool empty = whole.m == 0 || whole.n == 0 || whole.k == 0;
    if (whole.batch > 1 || empty || whole.a.column_stride != 1) return false;
    const Rows a = lines(whole.a, whole.k, whole.m), c = lines(whole.c, whole.n, whole.m);
    const size_t bytes_a = a.span() * size, bytes_c = c.span() * c_size;
    const size_t piece = cl::piece_bytes(context, {{host.a, bytes_a}, {host.c, bytes_c}});
    const bool meet = overlap(extent(host.a, bytes_a), extent(host.c, bytes_c)) ||
                      overlap(extent(host.b, host.b_bytes), extent(host.c, bytes_c));
    if (piece == 0 || meet) return false;
    const size_t stride = std::max(a.stride, c.stride), row_bytes = stride * std::max(size, c_size);
    const size_t rows = std::max(cl::forced_piece() ? piece / row_bytes
                                                    : std::min<size_t>(round_up<size_t>(whole.m / kPieces, kPieceRows),
                                                                       kLargestPiece / row_bytes),
                                 size_t{1});
    const LinesOfB lines_b(whole, host.b_bytes);
    const size_t first_rows = std::min<size_t>(lines_b.parts() > 1 ? kFirst * rows : rows, whole.m);
    std::vector<Part> parts;
    if (first_rows < whole.m) parts = cut({whole.k, whole.m - first_rows, stride, 1}, rows * stride, false);
    for (Part &part : parts) part.row += first_rows;
    parts.insert(parts.begin(), Part{0, first_rows, 0, whole.k, true, true});
    const auto request_of = [&](const Part &part) {
        Request r = whole;
        r.m = part.rows;
        if (r.finish) r.finish->row += part.row;
        return r;
    };
    if (lines_b.parts() + parts.size() < 3 || !takes_parts(algorithms(), algorithm, context, whole, parts, request_of))
        return false;
    if (algorithm != nullptr) {
        const Algorithm &chosen = choose(algorithms(), algorithm, context, whole);
        for (size_t p = 0; p < lines_b.parts(); ++p)
            if (refusal_of(chosen, context, lines_b.of(request_of(parts.front()), p))) return false;
    }

    const auto rows_of = [](const Rows &all, const Part &part) { return Rows{all.n, part.rows, all.stride, 1}; };
    const auto span = [&](const Rows &all, const Part &part) { return rows_of(all, part).span(); };
    const auto new_slot = [&](const Part &part) {
        return Slot{task.work_space(span(a, part) * size), task.work_space(span(c, part) * c_size), {}};
    };
    if (host.bias != nullptr) whole.finish->bias = task.constants(host.bias, host.bias_bytes);
    const cl::Operand b = task.work_space(host.b_bytes);
    Slot first = new_slot(parts.front());
    std::array<Slot, cl::Stream::kSlots> slots;
    for (size_t i = 0; i < std::min(slots.size(), parts.size() - 1); ++i) slots[i] = new_slot(parts[1]);
    const auto in_c = [&](const Part &part) { return static_cast<std::byte *>(host.c) + part.row * c.stride * c_size; };

    // The stream's pieces are the parts of B, which the first block goes with, and the other
    // blocks.
    const size_t before = lines_b.parts() - 1;
    const auto block_of = [&](size_t k) -> const Part & { return parts[k - std::min(k, before)]; };
    const auto slot_of = [&](size_t k) -> Slot & {
        return k <= before ? first : slots[(k - before - 1) % slots.size()];
    };
    cl::Stream stream(task, true);
    stream.run(
        before + parts.size(),
        [&](size_t k) {
            const Part &part = block_of(k);
            if (k == 0 || k > before) {
                const auto *from = static_cast<const std::byte *>(host.a) + part.row * a.stride * size;
                stream.copy_in(slot_of(k).a, from, span(a, part) * size);
                if (whole.reads_c) stream.copy_in(slot_of(k).c, in_c(part), span(c, part) * c_size);
            }
            if (k <= before) {
                const size_t at = lines_b.first(k) * lines_b.stride * size;
                stream.copy_in(b, static_cast<const std::byte *>(host.b) + at, lines_b.span(k) * size, at);
            }
        },
        [&](size_t k) {
            Request r = request_of(block_of(k));
            r.a.data = slot_of(k).a;
            r.b.data = b;
            r.c.data = slot_of(k).c;
            if (k <= before) r = lines_b.of(r, k);
            choose(algorithms(), algorithm, context, r).run(task, r);
        },
        [&](size_t k) {
            if (k < before) return;
            const size_t bytes = span(c, block_of(k)) * c_size;
            if (c.has_gaps()) slot_of(k).apart.resize(bytes);
            stream.copy_out(slot_of(k).c, c.has_gaps() ? slot_of(k).apart.data() : in_c(block_of(k)), bytes);
        },
        [&](size_t k) {
            if (k >= before && c.has_gaps())
                copy_rows(rows_of(c, block_of(k)), c_size, slot_of(k).apart.data(), in_c(block_of(k)));
        });
    return true;
}

} // namespace gpcl::matmul

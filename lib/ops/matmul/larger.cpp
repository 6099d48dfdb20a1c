// Products of matrices in host memory that the device can't hold. A block of rows of A and of C is
// there while B passes in parts: rows of B, whose products are summed, or columns, whose products
// lie side by side.
// SPDX-License-Identifier: MIT
#include "cl/stream.h"
#include "core/size.h"
#include "ops/matmul/matmul.h"
#include "ops/room.h"

#include <array>

namespace gpcl::matmul {
namespace {

// A matrix in host memory: lines that lie `stride` elements apart.
struct Lines {
    const void *data;
    size_t size; // of an element
    uint64_t stride, count, length;
    bool are_rows;

    Lines(const void *host, size_t element, const Matrix &x, uint64_t rows, uint64_t columns)
        : data(host), size(element), stride(x.column_stride == 1 ? x.row_stride : x.column_stride),
          count(x.column_stride == 1 ? rows : columns), length(x.column_stride == 1 ? columns : rows),
          are_rows(x.column_stride == 1) {}
};

// Rows or columns of it: whole lines, or a piece of each.
struct Block {
    const Lines *of;
    bool is_lines;
    uint64_t first, n;

    Block(const Lines &lines, bool rows, uint64_t begin, uint64_t some)
        : of(&lines), is_lines(rows == lines.are_rows), first(begin), n(some) {}
    uint64_t lines() const { return is_lines ? n : of->count; }
    uint64_t length() const { return is_lines ? of->length : n; }
    size_t bytes() const { return lines() * length() * of->size; }
    // On the device it lies without gaps.
    Matrix matrix(const cl::Operand &at) const {
        return {at, of->are_rows ? length() : 1, of->are_rows ? 1 : length(), 0};
    }

    template <class Copy> void each(const Copy &copy) const { // copy(where in memory, bytes, where on the device)
        const uint64_t begin = is_lines ? first * of->stride : first;
        const bool together = is_lines && of->stride == of->length;
        const uint64_t copies = together ? 1 : lines(), bytes_each = bytes() / copies;
        for (uint64_t line = 0; line < copies; ++line)
            copy((begin + line * of->stride) * of->size, bytes_each, line * bytes_each);
    }
    void send(cl::Stream &stream, const cl::Operand &to) const {
        each([&](size_t at, size_t count, size_t there) {
            stream.copy_in(to, static_cast<const std::byte *>(of->data) + at, count, there);
        });
    }
    void fetch(cl::Stream &stream, const cl::Operand &from, void *host) const {
        each([&](size_t at, size_t count, size_t there) {
            stream.copy_out(from, static_cast<std::byte *>(host) + at, count, there);
        });
    }
};

class Larger {
  public:
    Larger(cl::Task &task, const Request &whole, const char *algorithm, const HostMatrices &host)
        : task_(task), whole_(whole), algorithm_(algorithm), host_(host),
          a_(host.a, dtype(whole.dtype).size, whole.a, whole.m, whole.k),
          b_(host.b, dtype(whole.dtype).size, whole.b, whole.k, whole.n),
          c_(host.c, dtype(whole.of_c()).size, whole.c, whole.m, whole.n), sums_(sums_of(whole, b_)), rows_(whole.m),
          part_(sums_ ? whole.k : whole.n) {
        while (!fits()) {
            const bool is_tall = blocks_bytes() >= parts_bytes();
            require(rows_ > 1 || part_ > 1, GP_ERROR_TOO_LARGE, "n and k are ", whole.n, " and ", whole.k,
                    "; a row of A and C and a row or column of B are more than the memory of ",
                    task.context().info().name, " has room for several times: ", task.context().room(), " bytes");
            uint64_t &longer = (is_tall && rows_ > 1) || part_ == 1 ? rows_ : part_;
            longer = fewer(longer);
        }
    }

    void run() {
        if (host_.bias != nullptr) whole_.finish->bias = task_.constants(host_.bias, host_.bias_bytes);
        for (size_t i = 0; i < blocks(); ++i) {
            a_slots_[i] = task_.work_space(a_block(0).bytes());
            c_slots_[i] = task_.work_space(c_block(0).bytes());
        }
        for (auto &slot : b_slots_) slot = task_.work_space(b_part(0).bytes());
        const uint64_t parts = this->parts();
        cl::Stream stream(task_, true);
        stream.run(
            parts * ceil_div(whole_.m, rows_),
            [&](size_t piece) {
                const uint64_t i = piece / parts, p = piece % parts;
                if (p == 0) {
                    a_block(i).send(stream, a_slots_[i % blocks()]);
                    if (whole_.reads_c) c_block(i).send(stream, c_slots_[i % blocks()]);
                }
                b_part(p).send(stream, b_slots_[piece % b_slots_.size()]);
            },
            [&](size_t piece) {
                const uint64_t i = piece / parts, p = piece % parts;
                const Request r =
                    request(i, p, a_slots_[i % blocks()], b_slots_[piece % b_slots_.size()], c_slots_[i % blocks()]);
                choose(algorithms(), algorithm_, task_.context(), r).run(task_, r);
            },
            [&](size_t piece) {
                const uint64_t i = piece / parts;
                if ((piece + 1) % parts == 0) c_block(i).fetch(stream, c_slots_[i % blocks()], host_.c);
            },
            [](size_t) {});
    }

  private:
    // May parts of B be its rows? Sums are rounded or cut when they are stored in another type than
    // they are computed in, and products of the other semirings may pass what stands for infinity.
    static bool sums_of(const Request &r, const Lines &b) {
        return b.are_rows && r.semiring == GP_PLUS_TIMES && r.of_c() == r.computed();
    }

    uint64_t parts() const { return ceil_div(sums_ ? whole_.k : whole_.n, part_); }
    // Blocks of A and C that are on the device at a time: memory is free again when kSlots pieces
    // more were sent.
    size_t blocks() const {
        const uint64_t all = ceil_div(whole_.m, rows_);
        return std::min<uint64_t>(all, parts() >= cl::Stream::kSlots ? 2 : cl::Stream::kSlots);
    }
    Block a_block(uint64_t i) const { return {a_, true, i * rows_, std::min(rows_, whole_.m - i * rows_)}; }
    Block c_block(uint64_t i) const { return {c_, true, i * rows_, std::min(rows_, whole_.m - i * rows_)}; }
    Block b_part(uint64_t p) const {
        const uint64_t all = sums_ ? whole_.k : whole_.n;
        return {b_, sums_, p * part_, std::min(part_, all - p * part_)};
    }
    size_t blocks_bytes() const { return blocks() * (a_block(0).bytes() + c_block(0).bytes()); }
    size_t parts_bytes() const { return cl::Stream::kSlots * b_part(0).bytes(); }

    // Is there room for every piece? The first two and the last of the parts, in the first block
    // and the last, are all forms that pieces have: what an algorithm refuses is told before any is
    // computed.
    bool fits() const {
        const Footprint arrays{a_block(0).bytes(), c_block(0).bytes(), b_part(0).bytes()};
        const uint64_t last_block = ceil_div(whole_.m, rows_) - 1, last_part = parts() - 1;
        for (uint64_t i = 0; i <= last_block; i += std::max<uint64_t>(last_block, 1))
            for (uint64_t p = 0; p <= last_part; p = p == 0 ? 1 : std::max(p + 1, last_part)) {
                const Request r =
                    request(i, p, cl::Operand::stand_in(), cl::Operand::stand_in(), cl::Operand::stand_in());
                if (!cl::device_holds(task_.context(), blocks_bytes() + parts_bytes(), arrays.largest,
                                      planned(task_.context(), [&](cl::Task &task) {
                                          choose(algorithms(), algorithm_, task.context(), r).run(task, r);
                                      })))
                    return false;
            }
        return true;
    }

    // The product of a block of A and a part of B.
    Request request(uint64_t i, uint64_t p, const cl::Operand &a, const cl::Operand &b, const cl::Operand &c) const {
        Request r = whole_;
        const Block rows = a_block(i), part = b_part(p);
        r.m = rows.n;
        r.a = rows.matrix(a);
        r.b = part.matrix(b);
        r.c = c_block(i).matrix(c);
        if (r.finish) r.finish->row += rows.first;
        if (sums_) {
            r.k = part.n;
            r.a.data = a + part.first * r.a.column_stride;
            if (p + 1 < parts()) r.finish.reset(); // the whole sums have it
            if (p > 0) {                           // adds to those before
                r.reads_c = true;
                std::visit([](auto &beta) { beta = 1; }, r.beta);
            }
        } else {
            r.n = part.n;
            r.c.data = c + part.first;
            if (r.finish) r.finish->column += part.first;
        }
        return r;
    }

    cl::Task &task_;
    Request whole_;
    const char *const algorithm_;
    const HostMatrices &host_;
    const Lines a_, b_, c_;
    const bool sums_;      // parts of B are rows
    uint64_t rows_, part_; // rows of a block, and rows or columns of a part of B
    std::array<cl::Operand, cl::Stream::kSlots> a_slots_, b_slots_, c_slots_;
};

} // namespace

bool device_holds(const cl::Context &context, const Request &whole, const char *algorithm,
                  std::initializer_list<size_t> arrays) {
    Request r = whole;
    for (Matrix *x : {&r.a, &r.b, &r.c}) x->data = cl::Operand::stand_in();
    return gpcl::device_holds(context, Footprint(arrays),
                              [&](cl::Task &task) { choose(algorithms(), algorithm, context, r).run(task, r); });
}

void run_larger(cl::Task &task, const Request &whole, const char *algorithm, const HostMatrices &host) {
    Larger(task, whole, algorithm, host).run();
}

} // namespace gpcl::matmul

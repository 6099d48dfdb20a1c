// Scan of arrays in host memory that pass through the device piece by piece: each goes on from the
// carries of the one before.
// SPDX-License-Identifier: MIT
#include "cl/stream.h"
#include "ops/parts.h"
#include "ops/scan/scan.h"

namespace gpcl::scan {
namespace {

// What a piece has on the device.
struct Slot {
    cl::Operand in, out, heads;
    cl::Kept<std::byte> apart; // on the host: results whose gaps are not ours to write
};

} // namespace

bool run_pieces(cl::Task &task, cl::Context &context, const Request &whole, const char *algorithm,
                const HostArrays &host) {
    const size_t size_in = dtype(whole.from).size, size_out = dtype(whole.dtype).size;
    const Rows &in = whole.rows_in, &out = whole.rows_out;
    const cl::HostRange range_in{host.in, in.span() * size_in}, range_out{host.out, out.span() * size_out};
    const cl::HostRange heads{host.heads, whole.segmented ? in.span() : 0};
    const size_t piece = cl::piece_bytes(context, {range_in, range_out, heads});
    if (piece == 0 || in.are_columns() != out.are_columns()) return false;
    const Rows both{whole.n, whole.batch(), std::max(in.stride, out.stride), std::max(in.step, out.step)};
    const auto parts = cut(both, std::max(piece / std::max(size_in, size_out), size_t{1}), whole.reverse);
    if (parts.size() < 2) return false;
    const bool chained = std::any_of(parts.begin(), parts.end(), [](const Part &part) { return part.is_cut(); });
    const auto request_of = [&](const Part &part) {
        Request r = whole;
        r.n = part.n;
        r.rows_in = part.of(in);
        r.rows_out = part.of(out);
        r.has_final = whole.has_final || chained;
        r.has_initial = whole.has_initial || !part.first;
        return r;
    };
    if (!takes_parts(algorithms(), algorithm, context, whole, parts, request_of)) return false;

    const bool same = in == out && size_in == size_out && whole.from == whole.dtype;
    const auto span_in = [&](const Part &part) { return part.of(in).span(); };
    const auto span_out = [&](const Part &part) { return part.of(out).span(); };
    std::array<Slot, cl::Stream::kSlots> slots;
    for (Slot &slot : slots) {
        slot.in = task.work_space(largest(parts, span_in) * size_in);
        slot.out = same ? slot.in : task.work_space(largest(parts, span_out) * size_out);
        if (whole.segmented) slot.heads = task.work_space(largest(parts, span_in));
    }
    // What each row has handed on, and a copy for the piece that goes on from there.
    const size_t carry_bytes = whole.batch() * size_out;
    cl::Operand last, initial;
    if (chained || whole.has_initial || whole.has_final) {
        last = task.work_space(carry_bytes);
        initial = task.work_space(carry_bytes);
    }
    if (whole.has_initial) task.write(last.memory, 0, carry_bytes, host.initial, true);

    cl::Stream stream(task, true);
    const auto slot_of = [&](size_t k) -> Slot & { return slots[k % slots.size()]; };
    const auto to = [&](const Part &part) { return static_cast<std::byte *>(host.out) + part.at(out) * size_out; };
    stream.run(
        parts.size(),
        [&](size_t k) {
            const Part &part = parts[k];
            const auto *from = static_cast<const std::byte *>(host.in) + part.at(in) * size_in;
            stream.copy_in(slot_of(k).in, from, span_in(part) * size_in);
            if (whole.segmented) stream.copy_in(slot_of(k).heads, host.heads + part.at(in), span_in(part));
        },
        [&](size_t k) {
            const Part &part = parts[k];
            Request r = request_of(part);
            r.in = slot_of(k).in;
            r.out = slot_of(k).out;
            r.heads = slot_of(k).heads;
            if (r.has_initial) {
                r.initial = initial + part.row;
                task.copy(last + part.row, r.initial, part.rows, size_out);
            }
            if (r.has_final) r.last = last + part.row;
            choose(algorithms(), algorithm, context, r).run(task, r);
        },
        [&](size_t k) {
            const Part &part = parts[k];
            const size_t bytes = span_out(part) * size_out;
            const bool gaps = part.of(out).has_gaps();
            if (gaps) slot_of(k).apart.resize(bytes);
            stream.copy_out(slot_of(k).out, gaps ? slot_of(k).apart.data() : to(part), bytes);
        },
        [&](size_t k) {
            const Part &part = parts[k];
            if (part.of(out).has_gaps()) copy_rows(part.of(out), size_out, slot_of(k).apart.data(), to(part));
        });
    if (whole.has_final) task.read(last.memory, 0, carry_bytes, host.last, true);
    return true;
}

} // namespace gpcl::scan

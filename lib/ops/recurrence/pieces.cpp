// Recurrence over arrays in host memory that pass through the device piece by piece: each goes on
// from the state of the one before.
// SPDX-License-Identifier: MIT
#include "cl/stream.h"
#include "core/dtype.h"
#include "ops/parts.h"
#include "ops/recurrence/recurrence.h"

namespace gpcl::recurrence {
namespace {

// What a piece has on the device.
struct Slot {
    cl::Operand in, out, varying;
    cl::Kept<std::byte> apart; // on the host: results whose gaps are not ours to write
};

} // namespace

bool run_pieces(cl::Task &task, cl::Context &context, const Request &whole, std::span<const Algorithm> algorithms,
                const char *algorithm, const HostArrays &host) {
    const size_t size = dtype(whole.dtype).size;
    const bool varies = whole.coefficients == nullptr;
    const auto rows_of = [&](size_t stride) { return Rows{whole.n, whole.batch, stride, 1}; };
    const Rows in = rows_of(whole.stride_in), out = rows_of(whole.stride_out), varying = rows_of(whole.stride_varying);
    const cl::HostRange range_out{host.out, out.span() * size};
    const cl::HostRange range_in{host.in, whole.has_in ? in.span() * size : 0};
    const cl::HostRange range_varying{host.varying, varies ? varying.span() * size : 0};
    const size_t piece = cl::piece_bytes(context, {range_in, range_out, range_varying});
    if (piece == 0) return false;
    const size_t stride = std::max({whole.stride_out, whole.has_in ? whole.stride_in : 0, whole.stride_varying});
    const auto parts = cut(rows_of(stride), std::max(piece / size, size_t{1}), whole.reverse);
    const auto request_of = [&](const Part &part) {
        Request r = whole;
        r.n = part.n;
        r.batch = part.rows;
        r.has_states = !part.first;
        const auto *initial = static_cast<const std::byte *>(whole.initial);
        r.initial = part.first && initial != nullptr ? initial + part.row * whole.order * size : nullptr;
        return r;
    };
    if (parts.size() < 2 || !takes_parts(algorithms, algorithm, context, whole, parts, request_of)) return false;

    const bool same = whole.has_in && whole.stride_in == whole.stride_out;
    const auto span_in = [&](const Part &part) { return part.of(in).span(); };
    const auto span_out = [&](const Part &part) { return part.of(out).span(); };
    const auto span_varying = [&](const Part &part) { return part.of(varying).span(); };
    std::array<Slot, cl::Stream::kSlots> slots;
    for (Slot &slot : slots) {
        slot.out = task.work_space(largest(parts, span_out) * size);
        if (whole.has_in) slot.in = same ? slot.out : task.work_space(largest(parts, span_in) * size);
        if (varies) slot.varying = task.work_space(largest(parts, span_varying) * size);
    }
    const cl::Operand state = task.work_space(whole.order * size); // of the row that is cut

    cl::Stream stream(task, true);
    const auto slot_of = [&](size_t k) -> Slot & { return slots[k % slots.size()]; };
    const auto to = [&](const Part &part) { return static_cast<std::byte *>(host.out) + part.at(out) * size; };
    stream.run(
        parts.size(),
        [&](size_t k) {
            const auto send = [&](const cl::Operand &array, const void *from, const Rows &rows) {
                stream.copy_in(array, static_cast<const std::byte *>(from) + parts[k].at(rows) * size,
                               parts[k].of(rows).span() * size);
            };
            if (whole.has_in) send(slot_of(k).in, host.in, in);
            if (varies) send(slot_of(k).varying, host.varying, varying);
        },
        [&](size_t k) {
            Request r = request_of(parts[k]);
            r.in = slot_of(k).in;
            r.out = slot_of(k).out;
            r.varying = slot_of(k).varying;
            r.states = state;
            choose(algorithms, algorithm, context, r).run(task, r);
            if (!parts[k].last) hand_on(task, r, state);
        },
        [&](size_t k) {
            const size_t bytes = span_out(parts[k]) * size;
            const bool gaps = parts[k].of(out).has_gaps();
            if (gaps) slot_of(k).apart.resize(bytes);
            stream.copy_out(slot_of(k).out, gaps ? slot_of(k).apart.data() : to(parts[k]), bytes);
        },
        [&](size_t k) {
            const Rows rows = parts[k].of(out);
            if (rows.has_gaps()) copy_rows(rows, size, slot_of(k).apart.data(), to(parts[k]));
        });
    return true;
}

} // namespace gpcl::recurrence

// Selection of the first k elements digit by digit. Host side of kernels/top_k/digits.cl.
// SPDX-License-Identifier: MIT
#include "ops/shape.h"
#include "ops/top_k/select.h"

#include <bit>

namespace gpcl::top_k {
namespace {

size_t group_of(const cl::Context &context, gp_dtype) {
    return context.is_cpu() ? 1 : std::min(size_t{256}, std::bit_floor(context.info().work_group_size));
}
const Parameter kGroup = {
    GP_TOP_K, "digits", "group", "work-items of a work-group; on CPUs one", {1, 2, 4, 8, 16, 32, 64, 128, 256, 512},
    group_of};
const Parameter kGroups = {GP_TOP_K,         "digits",
                           "groups",         "work-groups for each compute unit, where there are enough tiles",
                           {1, 2, 4, 8, 16}, always<4>};
constexpr std::array kParameters = {&kGroup, &kGroups};

// So many results are sorted by the work-group that ends last; half as many where it is a single
// work-item.
size_t room_of(const cl::Context &context, const Request &r) {
    const size_t most = context.is_cpu() ? 1024 : 2048;
    constexpr size_t kOther = 8 << 10; // bytes of other arrays
    const size_t local_bytes = local_bytes_of(context), bytes = local_bytes - std::min(local_bytes / 2, kOther);
    return std::min(most, std::bit_floor(bytes / (dtype(r.dtype).size + sizeof(uint32_t))));
}

// Of a work-group. What is tuned is cut to what the device has, since nothing else takes long rows
// then. PoCL 3.1 runs the last loops of top_k_gather once too often where a CPU's work-group has
// several work-items; Oclgrind, rusticl and GPUs do not.
size_t work_items(const cl::Context &context, const Request &r) {
    if (context.is_cpu()) return 1;
    return std::min(tuned(context, r.dtype, kGroup), std::bit_floor(context.info().work_group_size));
}

struct Shape {
    size_t group, groups, room;

    Shape(const cl::Context &context, const Request &r)
        : group(work_items(context, r)),
          groups(std::min(ceil_div(r.n(), group * kItems),
                          context.info().compute_units * tuned(context, r.dtype, kGroups))),
          room(room_of(context, r)) {}
    cl::Range range() const { return cl::Range::groups(groups, group); }
};

auto program_of(cl::Task &task, const Request &r, const Shape &shape) {
    return task.program({"top_k/digits.cl", text(r.options(), " -DGP_GROUP=", shape.group, " -DGP_ROOM=", shape.room,
                                                 task.context().features().options())});
}

} // namespace

void begin_digits(cl::Task &task, const Request &row, const Selection &selection) {
    const Shape shape(task.context(), row);
    launch(task, *program_of(task, row, shape), "top_k_begin", cl::Range::groups(1, shape.group), row, selection.state,
           selection.tally);
}

void end_digits(cl::Task &task, const Request &row, const Selection &selection) {
    const Shape shape(task.context(), row);
    const auto program = program_of(task, row, shape);
    const size_t size = dtype(row.dtype).size;
    const Taken taken(task, row, shape.room, row.k);
    cl::Operand state = selection.state;
    const auto count = [&](size_t bits, bool of_place) {
        while (bits > 0) {
            bits = bits > kBits ? bits - kBits : 0;
            launch(task, *program, "top_k_count", shape.range(), row, state, selection.tally, selection.room,
                   selection.list_ranks, selection.list_places, static_cast<uint32_t>(bits), uint32_t{of_place});
            state = state + kStateWords;
        }
    };
    count(8 * size, false);
    count(std::bit_width(row.n() - 1), true);
    launch(task, *program, "top_k_gather", shape.range(), row, state, selection.tally, selection.room,
           selection.list_ranks, selection.list_places, static_cast<uint32_t>(taken.how), taken.ranks, taken.places);
    end_taken(task, row, taken);
}

Refusal refuses_digits(const cl::Context &context, const Request &r) {
    if (auto refusal = refuses_long(r)) return refusal;
    const size_t bytes = ((size_t{1} << kBits) + work_items(context, r)) * sizeof(uint32_t) + 64;
    if (const size_t most = local_bytes_of(context); most < bytes)
        return {"it needs ", bytes, " bytes of local memory; the device has ", most};
    return {};
}

namespace {

void run(cl::Task &task, const Request &r) {
    const Selection selection(task, r, 0);
    for (size_t number = 0; number < r.batch(); ++number) {
        const Request row = r.row(number);
        begin_digits(task, row, selection);
        end_digits(task, row, selection);
    }
}

} // namespace

const Algorithm kDigits = {
    {"digits", "digits of a long row are counted until the first k elements are known, which are sorted",
     "Alabi, Blanchard, Gordon and Steinbach, \"Fast k-Selection Algorithms for Graphics Processing Units\", 2012",
     false},
    refuses_digits,
    run,
    nullptr,
    kParameters,
    kTakesCounted};

} // namespace gpcl::top_k

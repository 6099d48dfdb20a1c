// Selection of the first k elements digit by digit. Host side of kernels/top_k/digits.cl.
// SPDX-License-Identifier: MIT
#include "ops/shape.h"
#include "ops/sort/sort.h"
#include "ops/top_k/select.h"

#include <bit>

namespace gpcl::top_k {
namespace {

constexpr size_t kBits = 11;                    // GP_BITS of kernels/top_k/bins.cl
constexpr size_t kStateWords = 8, kStates = 12; // the digits of 64 bits and of 32, and the one before them
constexpr size_t kTallyWords = 32 + (size_t{1} << kBits);
constexpr size_t kItems = 8; // GP_ITEMS of kernels/top_k/digits.cl

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

// Of a device that does not tell what OpenCL promises of each.
size_t local_bytes_of(const cl::Context &context) {
    constexpr size_t kPromised = 32 << 10;
    const size_t told = context.features().local_bytes;
    return told != 0 ? told : kPromised;
}

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
    return task.program({"top_k/digits.cl", text(key_order_options(r.dtype), " -DGP_GROUP=", shape.group,
                                                 " -DGP_ROOM=", shape.room, task.context().features().options())});
}

// What becomes of the elements that are gathered; as in kernels/top_k/digits.cl.
enum class How : uint32_t { kFinish, kStraight, kBoth, kApart };

void sort(cl::Task &task, gp_dtype type, size_t n, const cl::Operand &keys, size_t value_size = 0,
          const cl::Operand &values = {}) {
    sort::Request r;
    r.dtype = type;
    r.n = n;
    r.end_bit = static_cast<unsigned>(8 * dtype(type).size);
    r.keys = keys;
    r.value_size = value_size;
    r.value_alignment = std::max(value_size, size_t{1});
    r.values = values;
    const char *name = n >= size_t{1} << 31 ? sort::kMergedRuns.info.name : nullptr; // which alone counts so far
    choose(sort::algorithms(), name, task.context(), r).run(task, r);
}

} // namespace

Selection::Selection(cl::Task &task, const Request &r, size_t list)
    : state(task.work_space(kStates * kStateWords * sizeof(uint64_t))),
      tally(task.work_space(kTallyWords * sizeof(uint32_t))), room(static_cast<uint32_t>(list)) {
    list_ranks = list_places = tally;
    if (list == 0) return;
    list_ranks = task.work_space(list * dtype(r.dtype).size);
    list_places = task.work_space(list * sizeof(uint32_t));
}

void begin_digits(cl::Task &task, const Request &row, const Selection &selection) {
    const Shape shape(task.context(), row);
    launch(task, *program_of(task, row, shape), "top_k_begin", cl::Range::groups(1, shape.group), row, selection.state,
           selection.tally);
}

void end_digits(cl::Task &task, const Request &row, const Selection &selection) {
    const Shape shape(task.context(), row);
    const auto program = program_of(task, row, shape);
    const size_t size = dtype(row.dtype).size, k = row.k;
    const How how = k <= shape.room ? How::kFinish
                    : !row.sorted   ? How::kStraight
                    : size <= 4     ? How::kBoth
                                    : How::kApart;
    cl::Operand ranks = selection.tally, places = selection.tally;
    if (how != How::kStraight)
        ranks = task.work_space(multiply(k, how == How::kBoth ? 8 : std::max(size, sizeof(uint32_t)), "k"));
    if (how == How::kFinish || how == How::kApart) places = task.work_space(multiply(k, sizeof(uint32_t), "k"));
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
           selection.list_ranks, selection.list_places, static_cast<uint32_t>(how), ranks, places);
    if (how == How::kFinish || how == How::kStraight) return;
    if (how == How::kBoth) {
        sort(task, GP_UINT64, k, ranks);
    } else {
        sort(task, GP_UINT32, k, places, size, ranks);
        sort(task, GP_UINT64, k, ranks, sizeof(uint32_t), places);
    }
    constexpr size_t kWriteGroup = 64;
    const auto &context = task.context();
    const size_t group = context.is_cpu() ? 1 : std::min(kWriteGroup, context.info().work_group_size);
    const size_t items = std::min(ceil_div(k, group), size_t{context.info().compute_units} * 32);
    launch(task, *program, how == How::kBoth ? "top_k_write_numbers" : "top_k_write_places",
           cl::Range::groups(items, group), row, how == How::kBoth ? ranks : places);
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
    kParameters};

} // namespace gpcl::top_k

// Selection of the first k elements of rows by a work-group each. Host side of
// kernels/top_k/groups.cl.
// SPDX-License-Identifier: MIT
#include "ops/shape.h"
#include "ops/top_k/select.h"

#include <bit>

namespace gpcl::top_k {
namespace {

size_t group_of(const cl::Context &context, gp_dtype) {
    return context.is_cpu() ? 1 : std::min(size_t{512}, std::bit_floor(context.info().work_group_size));
}
const Parameter kGroup = {GP_TOP_K,
                          "groups",
                          "group",
                          "work-items of a work-group, unless a row has few elements for them",
                          {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024},
                          group_of};
size_t most_of(const cl::Context &context, gp_dtype) {
    return size_t{1} << (context.features().all(kForwardProgress) ? 14 : 16);
}
const Parameter kMost = {GP_TOP_K,
                         "groups",
                         "most",
                         "elements of a row, for each row there is, for more of which several work-groups a row pay",
                         {1 << 10, 1 << 12, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18},
                         most_of};
constexpr std::array kParameters = {&kGroup, &kMost};

struct Shape {
    size_t group, room;
    size_t array; // elements that the program has room for
    size_t bytes(const Request &r) const { return bytes(r, room); }
    size_t bytes(const Request &r, size_t elements) const {
        constexpr size_t kBins = 2048; // GP_BINS of kernels/top_k/bins.cl
        return elements * (dtype(r.dtype).size + sizeof(uint32_t)) + (kBins + group) * sizeof(uint32_t) + 64;
    }
};

// Twice as much room as for k elements, where there is so much: fewer digits are counted then. On a
// CPU one program has room for all but the largest k: there nothing else needs the local memory.
Shape shape(const cl::Context &context, const Request &r) {
    constexpr size_t kLeast = 256, kSmall = 4096, kMostRoom = 16384;
    constexpr size_t kLeastGroup = 64, kEach = 8; // elements that are worth a work-item
    const size_t worth = std::max(kLeastGroup, std::bit_ceil(ceil_div(r.n(), kEach)));
    Shape result{std::min(tuned(context, r.dtype, kGroup), worth), kLeast, 0};
    while (result.room < std::min(2 * r.k, kMostRoom)) result.room *= 4;
    while (result.room > kLeast && result.room / 4 >= r.k && result.bytes(r) > context.features().local_bytes)
        result.room /= 4;
    result.array = context.is_cpu() && result.room < kSmall && result.bytes(r, kSmall) <= context.features().local_bytes
                       ? kSmall
                       : result.room;
    return result;
}

void run(cl::Task &task, const Request &r) {
    const auto &context = task.context();
    const Shape chosen = shape(context, r);
    const auto program =
        task.program({"top_k/groups.cl", text(r.options(), " -DGP_GROUP=", chosen.group, " -DGP_ROOM=", chosen.array,
                                              context.features().options())});
    constexpr size_t kWaves = 64; // work-groups for each compute unit
    const size_t groups = std::min(r.batch(), context.info().compute_units * kWaves);
    launch(task, *program, "top_k_groups", cl::Range::groups(groups, chosen.group), r,
           static_cast<uint32_t>(std::bit_width(r.n() - 1)), static_cast<uint32_t>(chosen.room));
}

Refusal refuses(const cl::Context &context, const Request &r) {
    if (auto refusal = refuses_long(r)) return refusal;
    const Shape chosen = shape(context, r);
    if (chosen.room < r.k) return {"local memory has no room for k elements, and k is ", r.k};
    return refuses_shape(context, chosen.group, chosen.bytes(r));
}

bool fits(const cl::Context &context, const Request &r) {
    return r.n() / r.batch() <= tuned(context, r.dtype, kMost) || r.batch() >= context.info().compute_units;
}

} // namespace

void finish_list(cl::Task &task, const Request &row, const Selection &selection) {
    constexpr size_t kFew = 2048;                       // results
    constexpr uint32_t kMostListed = uint32_t{1} << 13; // entries; a work-group counts about one in each cycle
    const auto &context = task.context();
    const Shape chosen = shape(context, row);
    if (row.k > kFew || refuses(context, row)) return;
    const auto program =
        task.program({"top_k/groups.cl", text(row.options(), " -DGP_LISTED -DGP_GROUP=", chosen.group,
                                              " -DGP_ROOM=", chosen.array, context.features().options())});
    launch(task, *program, "top_k_finish", cl::Range::groups(1, chosen.group), row, selection.state, selection.tally,
           std::min(selection.room, kMostListed), selection.list_ranks, selection.list_places,
           static_cast<uint32_t>(std::bit_width(row.n() - 1)), static_cast<uint32_t>(chosen.room));
}

const Algorithm kGroups = {
    {"groups", "a work-group counts digits of a row until the rest can be sorted in local memory",
     "Alabi, Blanchard, Gordon and Steinbach, \"Fast k-Selection Algorithms for Graphics Processing Units\", 2012",
     false},
    refuses,
    run,
    fits,
    kParameters,
    kTakesCounted};

} // namespace gpcl::top_k

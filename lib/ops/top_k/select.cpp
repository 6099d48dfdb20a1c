// What the selections from a long row share: their memory, and what becomes of the elements that
// they take.
// SPDX-License-Identifier: MIT
#include "ops/top_k/select.h"

#include "ops/shape.h"
#include "ops/sort/sort.h"

namespace gpcl::top_k {
namespace {

constexpr size_t kStates = 12; // the digits of 64 bits and of 32, and the one before them
constexpr size_t kTallyWords = 32 + (size_t{1} << kBits);

// The k entries that were taken of a row, or as many as the row has.
void sort(cl::Task &task, const Request &row, gp_dtype type, const cl::Operand &keys, size_t value_size = 0,
          const cl::Operand &values = {}) {
    const size_t n = row.k;
    sort::Request r = sort::whole_array(type, n);
    r.counted = row.counted;
    r.keys = keys;
    r.value_size = value_size;
    r.value_alignment = std::max(value_size, size_t{1});
    r.values = values;
    const char *name = n >= size_t{1} << 31 ? sort::kMergedRuns.info.name : nullptr; // which alone counts so far
    choose(sort::algorithms(), name, task.context(), r).run(task, r);
}

} // namespace

// Of a device that does not tell what OpenCL promises of each.
size_t local_bytes_of(const cl::Context &context) {
    constexpr size_t kPromised = 32 << 10;
    const size_t told = context.features().local_bytes;
    return told != 0 ? told : kPromised;
}

Selection::Selection(cl::Task &task, const Request &r, size_t list)
    : state(task.work_space(kStates * kStateWords * sizeof(uint64_t))),
      tally(task.work_space(kTallyWords * sizeof(uint32_t))), room(static_cast<uint32_t>(list)) {
    list_ranks = list_places = tally;
    if (list == 0) return;
    list_ranks = task.work_space(list * dtype(r.dtype).size);
    list_places = task.work_space(list * sizeof(uint32_t));
}

Taken::Taken(cl::Task &task, const Request &row, size_t room, size_t most) {
    const size_t size = dtype(row.dtype).size;
    constexpr size_t kFew = 1024; // which cost no more sorted than in any order
    // On an H200 to place 4096 takes 12 us, and with the square of it; to sort 65536 in launches of
    // their own 30 us.
    constexpr size_t kPlaced = 4096;
    const bool finishes = row.k <= std::min(room, row.sorted ? kPlaced : kFew);
    how = finishes ? How::kFinish : !row.sorted ? How::kStraight : size <= 4 ? How::kBoth : How::kApart;
    const size_t count = how == How::kFinish ? most : row.k;
    // Where there is nothing to keep, results stand in.
    ranks = places = row.positions;
    if (how != How::kStraight)
        ranks = task.work_space(multiply(count, how == How::kBoth ? 8 : std::max(size, sizeof(uint32_t)), "k"));
    if (how == How::kFinish || how == How::kApart) places = task.work_space(multiply(count, sizeof(uint32_t), "k"));
}

void end_taken(cl::Task &task, const Request &row, const Taken &taken) {
    if (taken.how == How::kFinish || taken.how == How::kStraight) return;
    const size_t size = dtype(row.dtype).size, k = row.k;
    if (taken.how == How::kBoth) {
        sort(task, row, GP_UINT64, taken.ranks);
    } else {
        sort(task, row, GP_UINT32, taken.places, size, taken.ranks);
        sort(task, row, GP_UINT64, taken.ranks, sizeof(uint32_t), taken.places);
    }
    constexpr size_t kGroup = 64;
    const auto &context = task.context();
    const auto program = task.program({"top_k/write.cl", text(row.options(), " -DGP_GROUP=", kGroup)});
    const size_t group = context.is_cpu() ? 1 : std::min(kGroup, context.info().work_group_size);
    const size_t items = std::min(ceil_div(k, group), size_t{context.info().compute_units} * 32);
    if (taken.how == How::kBoth)
        launch(task, *program, "top_k_write_numbers", cl::Range::groups(items, group), row, taken.ranks);
    else
        launch(task, *program, "top_k_write_places", cl::Range::groups(items, group), row, taken.places);
}

} // namespace gpcl::top_k

// Selection of the first k elements in one launch. Host side of kernels/top_k/rounds.cl.
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
                          "rounds",
                          "group",
                          "work-items of a work-group, twice as many where there are tiles for them; on CPUs one",
                          {1, 32, 64, 128, 256, 512, 1024},
                          group_of};
constexpr std::array kParameters = {&kGroup};

struct Shape {
    size_t group, groups, room;
    size_t most; // elements that it takes before it sorts them, where it finishes

    // A work-group for each compute unit: so many run side by side, as far as work-groups do.
    Shape(const cl::Context &context, const Request &r)
        : group(context.is_cpu() ? 1 : tuned(context, r.dtype, kGroup)), room(r.k <= kLeast / 2 ? kLeast : kMost) {
        const size_t units = context.info().compute_units;
        if (r.n() > units * group * kItems && 2 * group <= context.info().work_group_size && !context.is_cpu())
            group *= 2;
        if (context.is_cpu()) room = kLeast / 2;
        while (room > kLeast / 2 && bytes(r) > local_bytes_of(context)) room /= 2;
        most = std::min(room, std::max(kFew, r.k + r.k / 4));
        groups = std::min(std::max(ceil_div(r.n(), group * kItems), ceil_div(most, kRanked)), units);
    }
    size_t bytes(const Request &r) const {
        return room * (dtype(r.dtype).size + sizeof(uint32_t)) + ((size_t{1} << kBits) + group) * sizeof(uint32_t) +
               128;
    }

  private:
    static constexpr size_t kLeast = 2048, kMost = 8192, kFew = 512;
    static constexpr size_t kRanked = 32; // GP_RANKED of kernels/top_k/rounds.cl
};

} // namespace

void select_in_rounds(cl::Task &task, const Request &row, const Selection &selection) {
    const auto &context = task.context();
    const Shape shape(context, row);
    const size_t rounds = ceil_div(8 * dtype(row.dtype).size, kBits) + 3; // GP_ROUNDS
    const auto meeting = task.cleared_space((128 + (rounds << kBits)) * sizeof(uint32_t));
    const Taken taken(task, row, shape.room, shape.most);
    // A bin of the first digit seldom has more, of numbers that are not much alike. What a cache
    // holds is read again as fast.
    constexpr size_t kCached = size_t{1} << 23;
    const size_t kept = selection.room == 0 && row.n() * dtype(row.dtype).size > kCached ? row.n() / 8 : 0;
    const auto program = task.program(
        {"top_k/rounds.cl",
         text(row.options(), " -DGP_GROUP=", shape.group, " -DGP_ROOM=", shape.room, " -DGP_SPLITS=", kept > 0 ? 1 : 0,
              " -DGP_SPIN_LIMIT=", context.features().spin_limit(), context.features().options())});
    const auto kept_ranks =
        kept > 0 ? task.work_space(kept * std::max(dtype(row.dtype).size, sizeof(uint32_t))) : selection.tally;
    const auto kept_places = kept > 0 ? task.work_space(kept * sizeof(uint32_t)) : selection.tally;
    launch(task, *program, "top_k_rounds", cl::Range::groups(shape.groups, shape.group), row, selection.tally,
           selection.room, selection.list_ranks, selection.list_places, static_cast<uint32_t>(taken.how),
           static_cast<uint32_t>(taken.how == How::kFinish ? shape.most : 0),
           static_cast<uint32_t>(std::bit_width(row.n() - 1)), taken.ranks, taken.places, meeting,
           static_cast<uint32_t>(kept), kept_ranks, kept_places);
    end_taken(task, row, taken);
}

Refusal refuses_rounds(const cl::Context &context, const Request &r) {
    if (auto refusal = refuses_long(r)) return refusal;
    const Shape shape(context, r);
    return refuses_shape(context, shape.group, shape.bytes(r));
}

namespace {

void run(cl::Task &task, const Request &r) {
    const Selection selection(task, r, 0);
    for (size_t number = 0; number < r.batch(); ++number) select_in_rounds(task, r.row(number), selection);
}

} // namespace

const Algorithm kRounds = {
    {"rounds", "work-groups count digits of a long row in one launch, and meet behind each digit",
     "Zhang, Naruse, Li and Wang, \"Parallel Top-K Algorithms on GPU: A Comprehensive Study and New Methods\", 2023",
     false, Suits::kAny, 0, kForwardProgress},
    refuses_rounds,
    run,
    nullptr,
    kParameters,
    kTakesCounted};

} // namespace gpcl::top_k

// Merge of runs for GPUs: a work-group a tile of each pass. Host side of
// kernels/merge_runs/tiles.cl.
// SPDX-License-Identifier: MIT
#include "ops/merge/tile.h"
#include "ops/merge_runs/merge_runs.h"

namespace gpcl::merge_runs {
namespace {

const merge::PathParameters kPath(GP_MERGE_RUNS, "tiles");

// H200, how many passes take as long as a sort: uint32 2^14 2, 2^16 2.9, 2^18 5.6, 2^20 7.4, 2^22
// 6.1, 2^24 8.0, 2^28 7.1; uint64 2^24 6.0; uint32 with values of 4 bytes 2^16 3.9, 2^20 8.4, 2^24
// 6.0, 2^26 5.8. What stands for 1 and 2 bytes, for 8 with values and for more than 2^25 of 8 bytes
// is reckoned from the sorts' rates.
constexpr std::array<Row<SortsFrom>, 4> kSortsFrom = {{
    {{0, 0, 1}, {2, 2}},
    {{0, 0, 2}, {3, 3}},
    {{0, 0, 4}, {8, 6}},
    {{}, {9, 10}},
}};
// Where there are fewer keys, if that is sooner.
constexpr std::array<Row<SortsFrom>, 7> kSortsFewFrom = {{
    {{0, 0, SIZE_MAX, 1 << 15}, {2, 2}},
    {{0, 0, SIZE_MAX, 1 << 17}, {3, 4}},
    {{0, 0, SIZE_MAX, 1 << 19}, {6, 6}},
    {{0, 0, 4, 1 << 23}, {7, 16}},
    {{0, 0, 4}, {16, 16}},
    {{0, 0, SIZE_MAX, 1 << 25}, {6, 16}},
    {{}, {16, 16}},
}};
const SortParameters<kSortsFrom> kSorts("tiles");
constexpr std::array kParameters = {&kPath.group, &kPath.items,  &kPath.pair_items, &kPath.own,
                                    &kPath.lanes, &kSorts.alone, &kSorts.pairs};

merge::Tiles tiles_of(const cl::Context &context, const Request &r) {
    return {context, kPath, r.dtype, r.value_size, r.word()};
}

void run(cl::Task &task, const Request &r) {
    if (r.passes() == 0) return copy(task, r);
    const cl::Context &context = task.context();
    const merge::Tiles how = tiles_of(context, r);
    const size_t own = context.info().compute_units * tuned(context, r.dtype, kPath.own);
    const auto tiles = [&](unsigned pass) { return r.n / how.tile() + ceil_div(r.runs, size_t{2} << pass); };
    const auto searches = [&](unsigned pass) { return tiles(pass) > own; };
    const auto program = [&](bool search) {
        return task.program({"merge_runs/tiles.cl", r.options(context) + how.options(!search)});
    };
    const Turns turns(task, r);
    const cl::Operand splits = searches(0) ? task.work_space(4 * tiles(0), sizeof(uint64_t)) : cl::Operand{};
    for (unsigned pass = 0; pass < r.passes(); ++pass) {
        const size_t count = tiles(pass);
        const auto range = cl::Range::groups(count, how.group);
        const auto of_pass = program(searches(pass));
        if (searches(pass)) {
            const size_t lanes = path_lanes(context, tuned(context, r.dtype, kPath.lanes), count, how.group);
            launch(task, *of_pass, "merge_runs_splits",
                   cl::Range::groups(ceil_div(count * lanes, how.group), how.group), r, turns, pass, uint64_t{count},
                   static_cast<uint32_t>(lanes), splits);
        }
        launch(task, *of_pass, "merge_runs_tiles", range, r, turns, pass,
               searches(pass) ? splits : turns.to(pass).keys);
    }
}

Refusal refuses(const cl::Context &context, const Request &r) { return tiles_of(context, r).refuses(context); }

bool fits(const cl::Context &context, const Request &r) {
    const SortsFrom many = kSorts.from(context, r.dtype);
    const SortsFrom &few = shape_for(kSortsFewFrom, context, dtype(r.dtype).size, r.n);
    return merges(r, {std::min(many.alone, few.alone), std::min(many.pairs, few.pairs)});
}

} // namespace

const Algorithm kTiles = {{"tiles", "passes that merge runs two by two, by tiles in local memory; for GPUs",
                           "Green, McColl and Bader, \"GPU Merge Path\", 2012", false, Suits::kGpu},
                          refuses,
                          run,
                          fits,
                          kParameters};

} // namespace gpcl::merge_runs

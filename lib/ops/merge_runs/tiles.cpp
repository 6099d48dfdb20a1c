// Merge of runs for GPUs: a work-group a tile of each pass. Host side of kernels/merge_runs/tiles.cl.
// SPDX-License-Identifier: MIT
#include "ops/merge/tile.h"
#include "ops/merge_runs/merge_runs.h"

namespace gpcl::merge_runs {
namespace {

const merge::PathParameters kPath(GP_MERGE_RUNS, "tiles");

// The passes that take as long as a sort of all keys.
struct Most {
    size_t passes;
};
constexpr std::array<Row<Most>, 5> kMost = {{
    {{0, 0, 1}, {2}},
    {{0, 0, 2}, {3}},
    {{0, 0, 8, 1 << 21}, {3}},
    {{0, 0, 4}, {6}},
    {{}, {9}},
}};
size_t most_of_large(const cl::Context &context, gp_dtype type) {
    return shape_for(kMost, context, dtype(type).size, SIZE_MAX - 1).passes;
}
const Parameter kMostPasses = {GP_MERGE_RUNS,
                               "tiles",
                               "most",
                               "passes of many keys up to which runs are merged, not sorted",
                               {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16},
                               most_of_large};
constexpr std::array kParameters = {&kPath.group, &kPath.items, &kPath.pair_items,
                                    &kPath.own,   &kPath.lanes, &kMostPasses};

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
    const size_t few = shape_for(kMost, context, dtype(r.dtype).size, r.n).passes;
    const size_t many = most_of_large(context, r.dtype), set = tuned(context, r.dtype, kMostPasses);
    return r.passes() <= (set == many ? few : set);
}

} // namespace

const Algorithm kTiles = {{"tiles", "passes that merge runs two by two, by tiles in local memory; for GPUs",
                           "Green, McColl and Bader, \"GPU Merge Path\", 2012", false, Suits::kGpu},
                          refuses,
                          run,
                          fits,
                          kParameters};

} // namespace gpcl::merge_runs

// Merge for GPUs: a work-group a tile of the result. Host side of kernels/merge/tiles.cl.
// SPDX-License-Identifier: MIT
#include "ops/merge/merge.h"
#include "ops/merge/tile.h"

namespace gpcl::merge {
namespace {

const PathParameters kPath(GP_MERGE, "tiles");
constexpr std::array kParameters = {&kPath.group, &kPath.items, &kPath.pair_items, &kPath.own, &kPath.lanes};

Tiles tiles_of(const cl::Context &context, const Request &r) {
    return {context, kPath, r.dtype, r.value_size, r.word()};
}

void run(cl::Task &task, const Request &r) {
    const Tiles how = tiles_of(task.context(), r);
    const size_t tiles = ceil_div(r.n(), how.tile()), units = task.context().info().compute_units;
    const bool search = tiles > units * tuned(task.context(), r.dtype, kPath.own);
    const auto program = task.program({"merge/tiles.cl", r.options(task.context()) + how.options(!search)});
    if (!search) return launch(task, *program, "merge_tiles", cl::Range::groups(tiles, how.group), r, r.out);
    const cl::Operand splits = task.work_space(tiles + 1, sizeof(uint64_t));
    const size_t lanes = path_lanes(task.context(), tuned(task.context(), r.dtype, kPath.lanes), tiles, how.group);
    launch(task, *program, "merge_splits", cl::Range::groups(ceil_div((tiles + 1) * lanes, how.group), how.group), r,
           uint64_t{tiles + 1}, static_cast<uint32_t>(lanes), splits);
    launch(task, *program, "merge_tiles", cl::Range::groups(tiles, how.group), r, splits);
}

Refusal refuses(const cl::Context &context, const Request &r) { return tiles_of(context, r).refuses(context); }

} // namespace

const Algorithm kTiles = {{"tiles", "a work-group makes a tile of the result in local memory; for GPUs",
                           "Green, McColl and Bader, \"GPU Merge Path\", 2012", false, Suits::kGpu},
                          refuses,
                          run,
                          nullptr,
                          kParameters,
                          kTakesCounted};

} // namespace gpcl::merge

// Arg-reduction for GPUs: several work-items a row, or a run of one. Host side of
// kernels/arg_reduce/tree.cl.
// SPDX-License-Identifier: MIT
#include "ops/arg_reduce/arg_reduce.h"
#include "ops/tiles.h"

namespace gpcl::arg_reduce {
namespace {

const TileParameters kTiles(GP_ARG_REDUCE, "tree");
const Parameter kElements = {
    GP_ARG_REDUCE, "tree", "elements", "elements of a row that are worth a work-item", {1, 2, 4, 8, 16, 32, 64},
    always<8>};
constexpr std::array kParameters = {&kTiles.group, &kTiles.per_unit, &kElements};

void run(cl::Task &task, const Request &r) {
    const size_t n = r.rows.n;
    const Tiles tiles = divide_tiles(task.context(), kTiles, r.dtype, n, dtype(r.dtype).size, r.batch());
    const auto program = task.program({"arg_reduce/tree.cl", r.options(tiles.group, true)});
    if (tiles.runs == 1) {
        const size_t wanted = ceil_div(n, tuned(task.context(), r.dtype, kElements));
        const size_t lanes = std::min(tiles.group, std::bit_ceil(wanted));
        return launch_last(task, *program, "arg_reduce_rows",
                           cl::Range::groups(ceil_div(r.batch(), tiles.group / lanes), tiles.group), r,
                           static_cast<uint32_t>(lanes));
    }
    const Parts parts(task, r, tiles.runs);
    launch(task, *program, "arg_reduce_runs",
           cl::Range::groups(multiply(r.batch(), tiles.runs, "work-groups"), tiles.group), r,
           static_cast<uint32_t>(tiles.group), uint64_t{tiles.tiles * tiles.group * tiles.items}, uint64_t{tiles.runs},
           parts.ranks, parts.positions);
    combine(task, *program, r, tiles.group, parts, 1, tiles.runs);
}

Refusal refuses(const cl::Context &context, const Request &r) { return refuses_tiles(context, kTiles, r.dtype); }

} // namespace

const Algorithm kTree = {{"tree", "several work-items look through a row, or a run of one; for GPUs",
                          "Harris, Optimizing Parallel Reduction in CUDA, 2007", false, Suits::kGpu},
                         refuses,
                         run,
                         nullptr,
                         kParameters,
                         kTakesCounted};

} // namespace gpcl::arg_reduce

// Reduction for GPUs: one work-group a run of tiles. Host side of kernels/reduce/tree.cl.
// SPDX-License-Identifier: MIT
#include "ops/reduce/reduce.h"
#include "ops/tiles.h"

namespace gpcl::reduce {

namespace {

const TileParameters kTiles(GP_REDUCE, "tree");
constexpr std::array kParameters = {&kTiles.group, &kTiles.per_unit};

void run(cl::Task &task, const Request &r) {
    const size_t size = dtype(r.dtype).size;
    const Tiles tiles = divide_tiles(task.context(), kTiles, r.from, r.n, size, r.batch());
    const auto program =
        task.program({"reduce/tree.cl", r.options() + tiles.options() + (r.rows.step != 1 ? " -DGP_STEPS" : ""),
                      r.combine.preamble()});
    const size_t runs = std::max(tiles.runs, size_t{1});
    const bool many = runs > 1;
    const auto sums = many ? task.work_space(r.batch() * runs * size) : r.out;
    task.launch(*program, "reduce_runs", cl::Range::groups(r.batch() * runs, tiles.group), r.in, sums, uint64_t{r.n},
                uint64_t{tiles.tiles}, uint64_t{runs}, uint64_t{r.rows.stride}, uint64_t{r.rows.step},
                uint64_t{many ? runs : r.stride_out}, r.counted.argument());
    if (many)
        task.launch(*program, "reduce_sums", cl::Range::groups(r.batch(), tiles.group), sums, r.out, uint64_t{runs},
                    uint64_t{r.stride_out});
}

Refusal refuses(const cl::Context &context, const Request &r) { return refuses_tiles(context, kTiles, r.from); }

} // namespace

const Algorithm kTree = {{"tree", "one work-group reduces a run of tiles, then one the sums; for GPUs",
                          "Harris, Optimizing Parallel Reduction in CUDA, 2007", false, Suits::kGpu},
                         refuses,
                         run,
                         nullptr,
                         kParameters,
                         kTakesCounted};

} // namespace gpcl::reduce

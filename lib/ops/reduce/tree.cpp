// Reduction for GPUs: one work-group a run of tiles. Host side of kernels/reduce/tree.cl.
// SPDX-License-Identifier: MIT
#include "ops/reduce/reduce.h"
#include "ops/tiles.h"

namespace gpcl::reduce {
namespace {

void run(cl::Task &task, const Request &request) {
    const size_t size = dtype(request.dtype).size;
    const Tiles tiles = divide_tiles(task.context(), request.n, size);
    const auto program = task.context().program(
        "reduce/tree.cl", request.combine.options(request.dtype) + tiles.options(), request.combine.preamble());
    const auto one = cl::Range::groups(1, tiles.group);
    if (tiles.runs <= 1) {
        task.launch(*program, "reduce_runs", one, request.in, request.out, uint64_t{request.n}, uint64_t{tiles.tiles});
        return;
    }
    const auto sums = task.work_space(tiles.runs * size);
    task.launch(*program, "reduce_runs", cl::Range::groups(tiles.runs, tiles.group), request.in, sums,
                uint64_t{request.n}, uint64_t{tiles.tiles});
    const size_t rest = ceil_div(tiles.runs, tiles.group * tiles.items);
    task.launch(*program, "reduce_runs", one, sums, request.out, uint64_t{tiles.runs}, uint64_t{rest});
}

std::string refuses(cl::Task &task, const Request &) { return refuses_tiles(task.context()); }

} // namespace

const Algorithm kTree = {{"tree", "one work-group reduces a run of tiles, then one the sums; for GPUs",
                          "Harris, Optimizing Parallel Reduction in CUDA, 2007", false, Suits::kGpu},
                         refuses,
                         run};

} // namespace gpcl::reduce

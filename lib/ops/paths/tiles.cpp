// Shortest paths, and their predecessors, by tiles. Host side of kernels/paths/tiles.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/paths/paths.h"

#include <array>

namespace gpcl::paths {
namespace {

const Parameter kEdge = {GP_PATHS,   "tiles",    "edge", "work-items along the edge of a work-group that has a tile",
                         {1, 8, 16}, widest_edge};
constexpr std::array kParameters = {&kEdge};

constexpr uint64_t kEach = 4; // elements along the edge of a work-item

// Work-items, across and down, of a tile away from the band. Measured on an H200, float32, n = 8192
// with predecessors: 16 x 16 152 ms, 16 x 8 197, 8 x 8 that compare after each node 244; chunks of
// 16 nodes instead of 8, 16 x 8, 281. Without predecessors 8 x 8 88 ms.
struct Rest {
    uint64_t x, y;
};

Rest rest_of(const Request &r, uint64_t edge) {
    if (edge == 1) return {1, 1};
    if (edge == 8) return {8, 8};
    if (r.wants_predecessors) return {16, 16};
    return gpcl::dtype(r.dtype).size == 8 ? Rest{16, 8} : Rest{8, 8};
}

void run(cl::Task &task, const Request &r) {
    const uint64_t edge = edge_of(task.context(), r.dtype, kEdge), side = tile_side(edge, kEach);
    const Rest rest = rest_of(r, edge);
    const auto program = task.program(
        {"paths/tiles.cl", options(r.dtype) + text(" -DGP_MINIMUM_BUILTIN -DGP_EDGE=", edge, " -DGP_REST_X=", rest.x,
                                                   " -DGP_REST_Y=", rest.y, " -DGP_SIDE=", side,
                                                   r.wants_predecessors ? " -DGP_PREDECESSORS" : "")});
    const uint64_t tiles = ceil_div(r.n, side), pitch = tiles * side;
    const size_t elements = multiply(pitch, side, "n");
    const size_t bytes = multiply(elements, gpcl::dtype(r.dtype).size, "n");
    const cl::Operand up = task.work_space(bytes), left = task.work_space(bytes);
    cl::Operand up_nodes;
    if (r.wants_predecessors) up_nodes = task.work_space(multiply(elements, sizeof(int32_t), "n"));
    const auto launch = [&](const char *kernel, const cl::Range &range, const auto &...more) {
        if (r.wants_predecessors)
            task.launch(*program, kernel, range, r.out, r.ld_out, r.n, up, left, pitch, r.predecessors,
                        r.ld_predecessors, up_nodes, more...);
        else
            task.launch(*program, kernel, range, r.out, r.ld_out, r.n, up, left, pitch, more...);
    };
    begin(task, r, r.out, r.ld_out);
    const uint64_t others = tiles - 1;
    for (uint64_t block = 0; block < tiles && (block == 0 || !task.is_plan()); ++block) {
        launch("paths_band", cl::Range::groups({1, 1, 1}, {edge, edge, 1}), block, uint32_t{1});
        if (others == 0) continue;
        launch("paths_band", cl::Range::groups({2 * others, 1, 1}, {edge, edge, 1}), block, uint32_t{0});
        launch("paths_rest", cl::Range::groups({others, others, 1}, {rest.x, rest.y, 1}), block);
    }
    end(task, r);
}

Refusal refuses(const cl::Context &, const Request &) { return {}; }

} // namespace

const Algorithm kTiles = {{"tiles", "tiles in registers, with predecessors, the sums of three nested loops",
                           "Venkataraman, Sahni and Mukhopadhyaya, A Blocked All-Pairs Shortest-Paths Algorithm, 2003",
                           false},
                          refuses,
                          run,
                          nullptr,
                          kParameters};

} // namespace gpcl::paths

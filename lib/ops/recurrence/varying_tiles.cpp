// Recurrence with coefficients that vary, for GPUs. Host side of kernels/recurrence/varying_tiles.cl.
// SPDX-License-Identifier: MIT
#include "core/dtype.h"
#include "ops/recurrence/varying.h"
#include "ops/tiles.h"

namespace gpcl::recurrence {
namespace {

void run(cl::Task &task, const Request &request) {
    constexpr size_t kShort = 32; // rows that are not worth a work-group
    const Tiles tiles = divide_tiles(task.context(), request.n, dtype(request.dtype).size, request.batch);
    Varying varying(task, request, "recurrence/varying_tiles.cl", tiles.options());
    if (request.n > kShort)
        varying.run_parts(tiles.tiles, tiles.runs, tiles.group);
    else
        varying.run_rows(1, tiles.group);
}

Refusal refuses(const cl::Context &context, const Request &) { return refuses_tiles(context); }

} // namespace

const Algorithm kVaryingTiles = {{"tiles", "work-groups scan tiles of maps, from what the tiles before make; for GPUs",
                                  "Blelloch, Prefix Sums and Their Applications, 1990", false, Suits::kGpu},
                                 refuses,
                                 run};

} // namespace gpcl::recurrence

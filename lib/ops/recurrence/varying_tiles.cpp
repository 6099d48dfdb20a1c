// Recurrence with coefficients that vary, for GPUs. Host side of
// kernels/recurrence/varying_tiles.cl.
// SPDX-License-Identifier: MIT
#include "core/dtype.h"
#include "ops/recurrence/varying.h"
#include "ops/tiles.h"

namespace gpcl::recurrence {
namespace {

const TileParameters kTiles(GP_RECURRENCE_VARYING, "tiles");
constexpr std::array kParameters = {&kTiles.group, &kTiles.per_unit};

void run(cl::Task &task, const Request &request) {
    constexpr size_t kShort = 32; // rows that are not worth a work-group
    const Tiles tiles =
        divide_tiles(task.context(), kTiles, request.dtype, request.n, dtype(request.dtype).size, request.batch);
    Varying varying(task, request, "recurrence/varying_tiles.cl", tiles.options());
    if (request.n > kShort)
        varying.run_parts(tiles.tiles, tiles.runs, tiles.group);
    else
        varying.run_rows(1, tiles.group);
}

Refusal refuses(const cl::Context &context, const Request &request) {
    return refuses_tiles(context, kTiles, request.dtype);
}

} // namespace

const Algorithm kVaryingTiles = {{"tiles", "work-groups scan tiles of maps, from what the tiles before make; for GPUs",
                                  "Blelloch, Prefix Sums and Their Applications, 1990", false, Suits::kGpu},
                                 refuses,
                                 run,
                                 nullptr,
                                 kParameters};

} // namespace gpcl::recurrence

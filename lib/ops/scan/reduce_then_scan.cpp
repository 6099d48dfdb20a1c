// Scan for GPUs: one work-group a run of tiles. Host side of kernels/scan/reduce_then_scan.cl.
// SPDX-License-Identifier: MIT
#include "ops/scan/scan.h"
#include "ops/tiles.h"

namespace gpcl::scan {
namespace {

const TileParameters kTiles(GP_SCAN, "reduce-then-scan");
constexpr std::array kParameters = {&kTiles.group, &kTiles.per_unit};

void run(cl::Task &task, const Request &request) {
    const size_t size = dtype(request.dtype).size;
    const Tiles tiles = divide_tiles(task.context(), kTiles, request.from, request.n, size);
    const auto program =
        task.program({"scan/reduce_then_scan.cl", request.options() + tiles.options(), request.combine.preamble()});
    const auto groups = cl::Range::groups(tiles.runs, tiles.group);
    const auto sums = task.work_space(tiles.runs * size);
    const bool many = tiles.runs > 1;
    if (many) {
        task.launch(*program, "reduce_runs", groups, request.in, sums, uint64_t{request.n}, uint64_t{tiles.tiles},
                    uint32_t{request.reverse}, request.counted.argument());
        task.launch(*program, "scan_sums", cl::Range::groups(1, tiles.group), sums, uint64_t{tiles.runs});
    }
    request.launch(task, *program, "scan_runs", groups, request.in, request.out, sums, uint64_t{request.n},
                   uint64_t{tiles.tiles}, uint32_t{many}, uint32_t{request.exclusive}, uint32_t{request.reverse});
}

Refusal refuses(const cl::Context &context, const Request &request) {
    const Refusal why = refuses_tiles(context, kTiles, request.from);
    return why ? why : refuses_rows(request);
}

} // namespace

const Algorithm kReduceThenScan = {{"reduce-then-scan", "one work-group scans a run of tiles in local memory; for GPUs",
                                    "Dotsenko et al., Fast Scan Algorithms on Graphics Processors, 2008", false,
                                    Suits::kGpu},
                                   refuses,
                                   run,
                                   nullptr,
                                   kParameters,
                                   kTakesCounted};

} // namespace gpcl::scan

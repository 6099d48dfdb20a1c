// Scan of rows and segments for GPUs. Host side of kernels/scan/segments.cl.
// SPDX-License-Identifier: MIT
#include "ops/scan/scan.h"
#include "ops/tiles.h"

namespace gpcl::scan {
namespace {

const TileParameters kTiles(GP_SCAN, "segments");
constexpr std::array kParameters = {&kTiles.group, &kTiles.per_unit};

void run(cl::Task &task, const Request &r) {
    const size_t size = dtype(r.dtype).size;
    const Rows &in = r.rows_in, &out = r.rows_out;
    const Tiles tiles = divide_tiles(task.context(), kTiles, r.from, multiply(r.n, r.batch(), "n elements"), size);
    const auto program = task.program({"scan/segments.cl", r.options() + tiles.options(), r.combine.preamble()});
    const auto groups = cl::Range::groups(tiles.runs, tiles.group);
    const auto heads = r.segmented ? r.heads : cl::Operand{};
    const bool many = tiles.runs > 1;
    cl::Operand sums;
    if (many) {
        sums = task.work_space(tiles.runs * size);
        const auto begins = task.work_space(tiles.runs);
        r.launch(task, *program, "reduce_runs", groups, r.in, heads, sums, begins, uint64_t{r.n}, uint64_t{r.batch()},
                 uint64_t{in.stride}, uint64_t{in.step}, uint64_t{tiles.tiles}, uint32_t{r.reverse});
        task.launch(*program, "scan_sums", cl::Range::groups(1, tiles.group), sums, begins, uint64_t{tiles.runs});
    }
    r.launch(task, *program, "scan_runs", groups, r.in, heads, r.out, sums, uint64_t{r.n}, uint64_t{r.batch()},
             uint64_t{in.stride}, uint64_t{in.step}, uint64_t{out.stride}, uint64_t{out.step}, uint64_t{tiles.tiles},
             uint32_t{many}, uint32_t{r.exclusive}, uint32_t{r.reverse});
}

Refusal refuses(const cl::Context &context, const Request &r) { return refuses_tiles(context, kTiles, r.from); }

} // namespace

const Algorithm kSegments = {{"segments", "as reduce-then-scan, for rows and segments one after the other; for GPUs",
                              "Blelloch, Prefix Sums and Their Applications, 1990", false, Suits::kGpu},
                             refuses,
                             run,
                             nullptr,
                             kParameters};

} // namespace gpcl::scan

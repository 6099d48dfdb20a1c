// Sorting networks in the registers of a warp for each row, for GPUs. Host side of
// kernels/sort/segment_warps.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/bins.h"

#include <bit>
#include <cmath>

namespace gpcl::sort {
namespace {

const Parameter kMost = {GP_SORT,       "row-warps", "most", "keys of a row; for more, another algorithm pays",
                         {32, 64, 128}, always<128>};
constexpr std::array kParameters = {&kMost};

WarpShape shape(const Request &r) { return {std::max(std::bit_ceil(r.n) / 32, size_t{1})}; }

Refusal refuses(const cl::Context &context, const Request &r) {
    const size_t most = tuned(context, r.dtype, kMost);
    if (r.n > most) return {"it sorts rows of up to ", most, " of these keys, and n is ", r.n};
    return refuses_shape(context, WarpShape::kGroup, shape(r).local_bytes(r));
}

// Is it the fastest? The estimates are picoseconds for a row, within a tenth or so of what 2^24
// keys take on an H200. Warps take as long for any row of up to 32 keys, twice as long up to 64,
// and some four times up to 128. Networks take a time for each key, more in wide ones; tiles a
// power of n; bins hardly more for long rows than for short ones. Gkey/s of rows of 24, 32, 64 and
// 100 keys: uint32 by warps 128, 183, 195, 156, by networks 146, 150, 93, none, by bins 31, 41, 70,
// 88; float32 by warps 73, 90, 92, 66, by tiles 94, 87, 63, 47, by bins 28, 37, 66, 69; uint8 by
// warps 96, 123, 130, 94, by networks 214, 224, 150, none, by bins 34, 45, 82, 112.
bool fits(const cl::Context &, const Request &r) {
    const size_t size = dtype(r.dtype).size, items = shape(r).items;
    if (size < 4) return false;
    const auto n = static_cast<double>(r.n);
    const bool wide = size == 8, stable = is_stable(r), moves = r.value_size != 0;
    const double times = items == 4 ? (wide || stable ? 4.6 : 3.8) : static_cast<double>(items);
    const double warps =
        times * (170 + (wide ? 90 : 0) + (stable ? 160 : 0) + (moves ? 70 : 0) + (wide && moves ? 60 : 0));
    const double tiles = std::pow(n, 1.4) * (wide && moves ? 4.2 : wide || moves ? 3.7 : 3.0);
    const double bins = 720 + (wide ? 230 : 0) + (stable ? 130 : 0) + n * (stable ? 5.7 : 3.7);
    const double networks = stable || r.n > (wide ? 32 : 64) ? bins
                                                             : n * (wide        ? 12.5
                                                                    : r.n <= 16 ? 5.2
                                                                    : r.n <= 32 ? 6.7
                                                                                : 10.8);
    return warps < std::min({tiles, bins, networks});
}

void run(cl::Task &task, const Request &r) {
    const auto program = task.program({"sort/segment_warps.cl", shape(r).options(task.context(), r) + " -DGP_ROWS"});
    launch_in_place(task, *program, "sort_row_warps", WarpShape::range(task.context(), r.batch), r, uint64_t{r.batch},
                    uint64_t{r.stride});
}

} // namespace

const Algorithm kRowWarps = {{"row-warps", "a warp sorts each row of up to 128 keys by a network in its registers",
                              "Batcher, \"Sorting Networks and their Applications\", 1968", false, Suits::kByName, 0,
                              kShuffle},
                             refuses,
                             run,
                             fits,
                             kParameters};

} // namespace gpcl::sort

// Sorting networks in the registers of a warp for each row, for GPUs. Host side of
// kernels/sort/segment_warps.cl.
// SPDX-License-Identifier: MIT
#include "ops/sort/bins.h"

#include <bit>

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
                             nullptr,
                             kParameters};

} // namespace gpcl::sort

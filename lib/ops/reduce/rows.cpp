// Reduction of many rows on GPUs: several work-items a row. Host side of kernels/reduce/rows.cl.
// SPDX-License-Identifier: MIT
#include "ops/reduce/reduce.h"
#include "ops/shape.h"
#include "ops/tiles.h"

#include <array>
#include <bit>

namespace gpcl::reduce {
namespace {

const Parameter kGroup = {GP_REDUCE,
                          "rows",
                          "group",
                          "work-items of a work-group",
                          {1, 16, 32, 64, 128, 256},
                          [](const cl::Context &context, gp_dtype) {
                              const size_t most = context.info().work_group_size;
                              return most < 16 ? size_t{1} : std::min(size_t{256}, std::bit_floor(most));
                          }};
const Parameter kElements = {
    GP_REDUCE, "rows", "elements", "elements of a row that are worth a work-item", {1, 2, 4, 8, 16, 32, 64}, always<8>};
constexpr std::array kParameters = {&kGroup, &kElements};

void run(cl::Task &task, const Request &r) {
    const size_t group = tuned(task.context(), r.from, kGroup);
    const auto program =
        task.program({"reduce/rows.cl", text(r.options(), " -DGP_GROUP=", group), r.combine.preamble()});
    const size_t lanes = std::min(group, std::bit_ceil(ceil_div(r.n, tuned(task.context(), r.from, kElements))));
    task.launch(*program, "reduce_rows", cl::Range::groups(ceil_div(r.batch(), group / lanes), group), r.in, r.out,
                uint64_t{r.n}, uint64_t{r.batch()}, static_cast<uint32_t>(lanes), uint64_t{r.rows.stride},
                uint64_t{r.rows.step}, uint64_t{r.stride_out});
}

Refusal refuses(const cl::Context &context, const Request &r) {
    return refuses_shape(context, tuned(context, r.from, kGroup), 0);
}

// Enough rows to fill the device, or too little in a row for more than one work-group.
bool fits(const cl::Context &context, const Request &r) {
    return r.batch() > 1 && (tile_group(context, kTreeTiles, r.from) == 0 ||
                             divide_tiles(context, kTreeTiles, r.from, r.n, 4, r.batch()).runs <= 1);
}

} // namespace

const Algorithm kRows = {{"rows", "a few work-items reduce a row, several rows a work-group; for GPUs",
                          "Harris, Optimizing Parallel Reduction in CUDA, 2007", false, Suits::kGpu},
                         refuses,
                         run,
                         fits,
                         kParameters};

} // namespace gpcl::reduce

// Counting of what comes before each key, for short rows on GPUs. Host side of
// kernels/sort/row_tiles.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/shape.h"
#include "ops/sort/ranks.h"

#include <bit>

namespace gpcl::sort {
namespace {

const Parameter kGroup = {GP_SORT,
                          "row-tiles",
                          "group",
                          "work-items of a work-group",
                          {64, 128, 256},
                          [](const cl::Context &context, gp_dtype) {
                              return std::clamp(std::bit_floor(context.info().work_group_size), size_t{64},
                                                size_t{128});
                          }};
const Parameter kItems = {GP_SORT,    "row-tiles", "items", "keys for each of these work-items, where rows are short",
                          {4, 8, 16}, always<8>};
constexpr std::array kParameters = {&kGroup, &kItems};

// Up to how many keys a work-group has room for a row that is longer than the parameters say.
constexpr size_t kMost = 2048;

RanksShape shape_of(const cl::Context &context, const Request &r) {
    const size_t group = tuned(context, r.dtype, kGroup), items = tuned(context, r.dtype, kItems);
    return {group, std::clamp(std::bit_ceil(r.n), group * items, std::max(group * items, kMost))};
}

Refusal refuses(const cl::Context &context, const Request &r) {
    const RanksShape shape = shape_of(context, r);
    if (r.n > shape.room) return {"it sorts rows of up to ", shape.room, " of these keys, and n is ", r.n};
    return refuses_shape(context, shape.group, shape.local_bytes(r));
}

void run(cl::Task &task, const Request &r) {
    const RanksShape shape = shape_of(task.context(), r);
    const auto program = task.program({"sort/row_tiles.cl", shape.options(r)});
    const size_t rows = std::min(shape.room / RanksShape::slots_of(r.n), shape.group);
    launch_in_place(task, *program, "sort_row_tiles", cl::Range::groups(ceil_div(r.batch, rows), shape.group), r,
                    uint64_t{r.batch}, uint64_t{r.stride}, static_cast<uint32_t>(rows));
}

} // namespace

const Algorithm kRowTiles = {{"row-tiles", "counts what comes before each key; several short rows in a work-group",
                              "Knuth, \"The Art of Computer Programming\", volume 3, 5.2", false, Suits::kByName},
                             refuses,
                             run,
                             nullptr,
                             kParameters};

} // namespace gpcl::sort

// Counting of what comes before each key, for short rows on GPUs. Host side of
// kernels/sort/row_tiles.cl.
// SPDX-License-Identifier: MIT
#include "ops/shape.h"
#include "ops/sort/passes.h"

#include <bit>

namespace gpcl::sort {
namespace {

const Parameter kGroup = {GP_SORT,
                          "row-tiles",
                          "group",
                          "work-items of a work-group",
                          {64, 128, 256, 512},
                          [](const cl::Context &context, gp_dtype) {
                              return std::clamp(std::bit_floor(context.info().work_group_size), size_t{64},
                                                size_t{256});
                          }};
const Parameter kItems = {
    GP_SORT,       "row-tiles",
    "items",       "keys of each of these work-items",
    {2, 4, 8, 16}, [](const cl::Context &, gp_dtype type) {
                              return dtype(type).size == 8 ? size_t{4} : size_t{8}; }};
const Parameter kMost = {GP_SORT,
                         "row-tiles",
                         "most",
                         "keys of a row; for more, another algorithm pays where the device has what it needs",
                         {16, 32, 64, 128, 256, 512, 1024, 2048},
                         always<32>};
constexpr std::array kParameters = {&kGroup, &kItems, &kMost};

constexpr size_t kVector = 4; // keys that are looked at together

struct Shape {
    size_t group, items;
    size_t keys() const { return group * items; }
};

Shape shape(const cl::Context &context, gp_dtype type) {
    return {tuned(context, type, kGroup), tuned(context, type, kItems)};
}

Refusal refuses(const cl::Context &context, const Request &r) {
    const Shape tile = shape(context, r.dtype);
    if (r.n > tile.keys()) return {"it sorts rows of up to ", tile.keys(), " of these keys, and n is ", r.n};
    return refuses_shape(context, tile.group, tile.keys() * (dtype(r.dtype).size + sizeof(uint16_t)));
}

// Without shuffles there is nothing better but row after row.
bool fits(const cl::Context &context, const Request &r) {
    return r.n <= tuned(context, r.dtype, kMost) || context.features().shuffles_in_local_memory();
}

void run(cl::Task &task, const Request &r) {
    const Shape tile = shape(task.context(), r.dtype);
    const auto program = task.program({"sort/row_tiles.cl", text(key_options_alone(r), " -DGP_GROUP=", tile.group,
                                                                 " -DGP_ITEMS=", tile.items, word_options(r))});
    const size_t together = tile.keys() / round_up(r.n, kVector);
    const uint64_t inverse = ceil_div(uint64_t{1} << 32, uint64_t{r.n});
    launch_in_place(task, *program, "sort_row_tiles", cl::Range::groups(ceil_div(r.batch, together), tile.group), r,
                    uint64_t{r.batch}, uint64_t{r.stride}, static_cast<uint32_t>(together),
                    static_cast<uint32_t>(inverse));
}

} // namespace

const Algorithm kRowTiles = {{"row-tiles", "counts what comes before each key; several short rows in a work-group",
                              "Knuth, \"The Art of Computer Programming\", volume 3, 5.2", false, Suits::kByName},
                             refuses,
                             run,
                             fits,
                             kParameters};

} // namespace gpcl::sort

// Merge for GPUs: a work-group a tile of the result. Host side of kernels/merge/tiles.cl.
// SPDX-License-Identifier: MIT
#include "ops/merge/merge.h"
#include "ops/shape.h"

#include <bit>

namespace gpcl::merge {
namespace {

struct Shape {
    size_t group;
    size_t items, pair_items; // keys of a work-item, alone and with values; an odd number keeps writes apart
};

// H200, 2^28 uint32 with 256 x 21: 3620 GB/s read and written; 256 x 15: 3556; 512 x 15: 3609; 128 x 23:
// 3411. 2^27 uint64: 3806; 3714; 3611; 3708. 2^27 uint32 with values of 4 bytes, 256 x 15: 3521; 256 x
// 19: 3352; 512 x 15: 3477.
constexpr std::array<Row<Shape>, 4> kShapes = {{
    {{256, 44 << 10, 8}, {256, 21, 15}},
    {{256, 30 << 10}, {256, 11, 11}},
    {{64, 14 << 10}, {64, 15, 15}},
    {{}, {16, 11, 11}},
}};

const Parameter kGroup = {GP_MERGE,
                          "tiles",
                          "group",
                          "work-items of a work-group",
                          {16, 32, 64, 128, 256, 512},
                          of_row<kShapes, &Shape::group>};
const Parameter kItems = {GP_MERGE,
                          "tiles",
                          "items",
                          "keys of each work-item, without values",
                          {5, 7, 8, 9, 11, 13, 15, 16, 17, 19, 21, 23},
                          of_row<kShapes, &Shape::items>};
const Parameter kPairItems = {GP_MERGE,
                              "tiles",
                              "pair-items",
                              "keys of each work-item, with values",
                              {5, 7, 8, 9, 11, 13, 15, 16, 17, 19, 21, 23},
                              of_row<kShapes, &Shape::pair_items>};
const Parameter kOwn = {GP_MERGE,
                        "tiles",
                        "own",
                        "tiles for each compute unit up to which each work-group finds its part by itself",
                        {1, 2, 4, 8, 16},
                        always<4>};
const Parameter kLanes = {
    GP_MERGE,         "tiles",
    "lanes",          "most work-items that look for a tile's part, where they are a kernel of their own",
    {1, 2, 4, 8, 16}, always<8>};
constexpr std::array kParameters = {&kGroup, &kItems, &kPairItems, &kOwn, &kLanes};

struct Tiles {
    size_t group, items;
    bool numbers;      // what stays in local memory of merged keys; else they go through registers
    size_t staged = 0; // bytes of a value that goes through local memory

    Tiles(const cl::Context &context, const Request &r)
        : group(tuned(context, r.dtype, kGroup)),
          items(tuned(context, r.dtype, r.value_size == 0 ? kItems : kPairItems)), numbers(r.value_size != 0) {
        if (numbers && r.value_size == r.word() &&
            has_room(context, group, local_bytes(dtype(r.dtype).size) + tile() * r.value_size))
            staged = r.value_size;
    }
    size_t tile() const { return group * items; }
    size_t local_bytes(size_t key) const {
        return (tile() + items + 1) * key + tile() * ((numbers ? sizeof(uint16_t) : 0) + staged) + 9 * group +
               3 * sizeof(uint64_t);
    }
};

void run(cl::Task &task, const Request &r) {
    const Tiles how(task.context(), r);
    const size_t tiles = ceil_div(r.n(), how.tile()), units = task.context().info().compute_units;
    const bool search = tiles > units * tuned(task.context(), r.dtype, kOwn);
    const auto program = task.program(
        {"merge/tiles.cl", text(r.options(task.context()), " -DGP_GROUP=", how.group, " -DGP_ITEMS=", how.items,
                                " -DGP_OWN=", search ? 0 : 1, " -DGP_STAGED=", how.staged != 0 ? 1 : 0)});
    if (!search) return launch(task, *program, "merge_tiles", cl::Range::groups(tiles, how.group), r, r.out);
    const cl::Operand splits = task.work_space(tiles + 1, sizeof(uint64_t));
    const size_t lanes = path_lanes(task.context(), tuned(task.context(), r.dtype, kLanes), tiles, how.group);
    launch(task, *program, "merge_splits", cl::Range::groups(ceil_div((tiles + 1) * lanes, how.group), how.group), r,
           uint64_t{tiles + 1}, static_cast<uint32_t>(lanes), splits);
    launch(task, *program, "merge_tiles", cl::Range::groups(tiles, how.group), r, splits);
}

Refusal refuses(const cl::Context &context, const Request &r) {
    const Tiles how(context, r);
    return refuses_shape(context, how.group, how.local_bytes(dtype(r.dtype).size));
}

} // namespace

const Algorithm kTiles = {{"tiles", "a work-group makes a tile of the result in local memory; for GPUs",
                           "Green, McColl and Bader, \"GPU Merge Path\", 2012", false, Suits::kGpu},
                          refuses,
                          run,
                          nullptr,
                          kParameters};

} // namespace gpcl::merge

// Merge for GPUs: a work-group a tile of the result. Host side of kernels/merge/tiles.cl.
// SPDX-License-Identifier: MIT
#include "ops/merge/merge.h"
#include "ops/shape.h"

#include <cstdlib>

namespace gpcl::merge {
namespace {

struct Shape {
    size_t group, items, registers;

    size_t tile() const { return group * items; }
    size_t local_bytes(size_t key, bool numbers) const {
        return (tile() + items + 1) * key + tile() * (numbers ? 2 : 0) + 24;
    }
};

// An odd number of keys a work-item keeps its writes to local memory apart.
constexpr std::array<Row<Shape>, 5> kShapes = {{
    {{256, 46 << 10, 8}, {256, 21, 2}},
    {{256, 30 << 10, 4}, {256, 15, 2}},
    {{256, 30 << 10}, {256, 11, 2}},
    {{64, 14 << 10}, {64, 15, 2}},
    {{}, {16, 11, 2}},
}};

const Parameter kGroup = {
    GP_MERGE, "tiles", "group", "work-items of a work-group", {64, 128, 256, 512}, of_row<kShapes, &Shape::group>};
const Parameter kItems = {GP_MERGE,
                          "tiles",
                          "items",
                          "keys of each work-item",
                          {5, 7, 8, 9, 11, 13, 15, 16, 17, 19, 21, 23},
                          of_row<kShapes, &Shape::items>};
const Parameter kRegisters = {GP_MERGE,    "tiles",
                              "registers", "2: merged keys without values stay in registers; 1: their numbers are kept",
                              {1, 2},      of_row<kShapes, &Shape::registers>};
const Parameter kOwn = {GP_MERGE,
                        "tiles",
                        "own",
                        "tiles for each compute unit up to which each work-group finds its part by itself",
                        {1, 2, 4, 8, 16},
                        always<4>};
constexpr std::array kParameters = {&kGroup, &kItems, &kRegisters, &kOwn};

size_t thrown(const char *name, size_t value) {
    const char *text = getenv(name);
    return text != nullptr ? static_cast<size_t>(atoi(text)) : value;
}

Shape shape(const cl::Context &context, const Request &r) {
    if (getenv("GP_M_GROUP") != nullptr)
        return {thrown("GP_M_GROUP", 256), thrown("GP_M_ITEMS", 15),
                r.value_size == 0 ? thrown("GP_M_REG", 1) : size_t{0}};
    const bool in_registers = r.value_size == 0 && tuned(context, r.dtype, kRegisters) == 2;
    return {tuned(context, r.dtype, kGroup), tuned(context, r.dtype, kItems), in_registers ? size_t{1} : 0};
}

void run(cl::Task &task, const Request &r) {
    const Shape how = shape(task.context(), r);
    const auto program =
        task.program({"merge/tiles.cl", text(r.options(task.context()), " -DGP_GROUP=", how.group,
                                             " -DGP_ITEMS=", how.items, " -DGP_REGISTERS=", how.registers)});
    const size_t tiles = ceil_div(r.n(), how.tile());
    const bool search =
        tiles > task.context().info().compute_units * thrown("GP_M_OWN", tuned(task.context(), r.dtype, kOwn));
    const cl::Operand splits = search ? task.work_space(tiles + 1, sizeof(uint64_t)) : r.out;
    if (search)
        launch(task, *program, "merge_splits", cl::Range::groups(ceil_div(tiles + 1, how.group), how.group), r,
               uint64_t{tiles + 1}, splits);
    launch(task, *program, "merge_tiles", cl::Range::groups(tiles, how.group), r, uint32_t{search}, splits);
}

Refusal refuses(const cl::Context &context, const Request &r) {
    const Shape how = shape(context, r);
    return refuses_shape(context, how.group, how.local_bytes(dtype(r.dtype).size, how.registers == 0));
}

} // namespace

const Algorithm kTiles = {{"tiles", "a work-group makes a tile of the result in local memory; for GPUs",
                           "Green, McColl and Bader, \"GPU Merge Path\", 2012", false, Suits::kGpu},
                          refuses,
                          run,
                          nullptr,
                          kParameters};

} // namespace gpcl::merge

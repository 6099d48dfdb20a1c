// Repeats for GPUs: a work-group a tile of the output. Host side of kernels/repeat/tiles.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/repeat/repeat.h"
#include "ops/shape.h"

namespace gpcl::repeat {
namespace {

struct Shape {
    size_t group, items;
};

// By the bytes of an element. Not measured on a GPU yet.
constexpr std::array<Row<Shape>, 3> kShapes = {{{{.group = 256, .local_bytes = 16 << 10, .most_bytes = 4}, {256, 11}},
                                                {{.group = 256, .local_bytes = 16 << 10}, {256, 7}},
                                                {{}, {64, 7}}}};

const Parameter kGroup = {
    GP_REPEAT, "tiles", "group", "work-items of a work-group", {64, 128, 256, 512}, of_row<kShapes, &Shape::group>};
const Parameter kItems = {GP_REPEAT,
                          "tiles",
                          "items",
                          "elements of a work-item in a tile",
                          {3, 5, 7, 9, 11, 13, 15},
                          of_row<kShapes, &Shape::items>};
constexpr std::array kParameters = {&kGroup, &kItems};

Shape shape(const cl::Context &context, const Request &r) {
    return {tuned(context, r.type(), kGroup), tuned(context, r.type(), kItems)};
}

void run(cl::Task &task, const Request &r) {
    const auto &context = task.context();
    const auto [group, items] = shape(context, r);
    const cl::Operand ends = scan_repeats(task, r);
    const auto program = task.program({"repeat/tiles.cl", text(r.options(), " -DGP_GROUP=", group,
                                                               " -DGP_ITEMS=", items, context.features().options())});
    const size_t tiles = ceil_div(r.capacity, group * items);
    const cl::Operand starts = task.work_space((tiles + 1) * sizeof(uint32_t));
    launch(task, *program, "repeat_starts", cl::Range::groups(ceil_div(tiles + 1, group), group), r, ends, starts,
           uint64_t{tiles});
    if (tiles > 0) launch(task, *program, "repeat_tiles", cl::Range::groups(tiles, group), r, ends, starts);
}

Refusal refuses(const cl::Context &context, const Request &r) {
    constexpr size_t kOther = 128; // of local memory beside the places
    const Shape needed = shape(context, r);
    const size_t local_bytes =
        needed.group * needed.items * sizeof(uint32_t) + lanes_bytes(context, needed.group) + kOther;
    if (const Refusal why = refuses_shape(context, needed.group, local_bytes)) return why;
    if (r.n > UINT32_MAX) return {"it counts elements in 32 bits, and n is ", r.n};
    return {};
}

} // namespace

const Algorithm kTiles = {{"tiles", "a scan of the repeats, then a work-group writes a tile of the output; for GPUs",
                           "Green, McColl and Bader, GPU Merge Path, 2012", false, Suits::kGpu},
                          refuses,
                          run,
                          nullptr,
                          kParameters};

} // namespace gpcl::repeat

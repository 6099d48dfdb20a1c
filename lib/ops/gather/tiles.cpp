// Gather and scatter for GPUs: a work-group a tile of positions. Host side of
// kernels/gather/tiles.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/gather/gather.h"
#include "ops/shape.h"

namespace gpcl::gather {
namespace {

constexpr size_t kLeastGroup = 16;

const Parameter kGroup = {GP_GATHER,
                          "tiles",
                          "group",
                          "work-items of a work-group",
                          {16, 32, 64, 128, 256, 512, 1024},
                          [](const cl::Context &context, gp_dtype) {
                              const size_t most = std::bit_floor(context.info().work_group_size);
                              return std::clamp(most, kLeastGroup, size_t{256});
                          }};
const Parameter kItems = {GP_GATHER,        "tiles",  "items", "rows of a work-item, under way together",
                          {1, 2, 4, 8, 16}, always<8>};
constexpr std::array kParameters = {&kGroup, &kItems};

void run(cl::Task &task, const Request &r) {
    const cl::Context &context = task.context();
    const size_t group = tuned(context, r.type(), kGroup), items = tuned(context, r.type(), kItems);
    const size_t team = std::min(std::bit_ceil(r.words()), group), rows = group / team * items;
    const auto program = task.program(
        {"gather/tiles.cl", text("-DGP_WORD_BYTES=", r.word, " -DGP_GROUP=", group, " -DGP_ITEMS=", items)});
    launch(task, *program, "gather_tiles", cl::Range::groups(ceil_div(r.m, rows), group), r, rows,
           static_cast<uint32_t>(std::countr_zero(team)));
}

Refusal refuses(const cl::Context &context, const Request &r) {
    return refuses_shape(context, tuned(context, r.type(), kGroup), 0);
}

} // namespace

const Algorithm kTiles = {{"tiles", "work-items have several rows under way at a time; for GPUs",
                           "He, Govindaraju, Luo and Smith, Efficient Gather and Scatter Operations on Graphics "
                           "Processors, 2007",
                           false, Suits::kGpu},
                          refuses,
                          run,
                          nullptr,
                          kParameters};

} // namespace gpcl::gather

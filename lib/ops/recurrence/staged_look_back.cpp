// Recurrence in a single pass with tiles copied ahead. Host side of
// kernels/recurrence/staged_look_back.cl.
// SPDX-License-Identifier: MIT
#include "ops/recurrence/tiles.h"

#include "core/dtype.h"
#include "ops/shape.h"

namespace gpcl::recurrence {
namespace {

constexpr size_t kLargeBytes = 227 << 10; // of local memory, which these take
constexpr size_t kSmallBytes = 96 << 10;
constexpr FeatureSet kNeeds = kLookBackNeeds | kBulkCopy;

struct Shape {
    size_t group, units, stages;
};

// Measured on an H200, float32, n = 2^27, Gelem/s at order 1, 2, 4 and 8, group x units x stages:
// 384 x 9 x 4: 500, 494, 419, 143. Before plain loads of a row's last tile 493, 441, 404, 143; then
// without a look ahead orders 4 and 8 266 and 104, and with one order 2 427. Before windows of 32
// tiles 454, 427, 338, 127; at order 1 and 2 512 x 7 x 4: 451, 427; 384 x 7 x 5: 377, 326; 512 x 5
// x 5: 376, 353; 512 x 9 x 3: 418, 357.
constexpr std::array<Row<Shape>, 3> kShapes = {{{{.group = 384, .local_bytes = kLargeBytes}, {384, 9, 4}},
                                                {{.group = 256, .local_bytes = kSmallBytes}, {256, 5, 3}},
                                                {{}, {64, 3, 3}}}};

const Parameter kGroup = {GP_RECURRENCE,
                          "staged-look-back",
                          "group",
                          "work-items of a work-group",
                          {64, 128, 256, 384, 512},
                          of_row<kShapes, &Shape::group>};
const Parameter kUnits = {GP_RECURRENCE, "staged-look-back",
                          "units",       "vectors of 16 bytes of a work-item in a tile",
                          {3, 5, 7, 9},  of_row<kShapes, &Shape::units>};
const Parameter kStages = {GP_RECURRENCE, "staged-look-back",
                           "stages",      "tiles in local memory; 3 at most where states are longer than 16 bytes",
                           {3, 4, 5, 6},  of_row<kShapes, &Shape::stages>};
constexpr std::array kParameters = {&kGroup, &kUnits, &kStages};

LookBack kernel(const cl::Context &context, const Request &request) {
    const gp_dtype type = request.dtype;
    Shape shape = {tuned(context, type, kGroup), tuned(context, type, kUnits), tuned(context, type, kStages)};
    // Four stages leave 11 KB for tables and states, which float64 of order 8 exceeds.
    if (request.order * dtype(type).size > 16) shape.stages = std::min(shape.stages, size_t{3});
    return {"recurrence/staged_look_back.cl",
            "recurrence_staged_look_back",
            shape.group,
            shape.units,
            1,
            shape.stages,
            text(" -DGP_STAGES=", shape.stages),
            true};
}

void run(cl::Task &task, const Request &request) { run_look_back(task, request, kernel(task.context(), request)); }
void run_fallback(cl::Task &task, const Request &request) {
    LookBack fallback = kernel(task.context(), request);
    fallback.options += " -DGP_FALLBACK_ONLY";
    run_look_back(task, request, fallback);
}

Refusal refuses(const cl::Context &context, const Request &request) {
    return refuses_look_back(context, request, kernel(context, request));
}

// Bulk copies go forward, between addresses that are multiples of 16. (A buffer's own address is
// one.) Rows begin anywhere and end amid a tile, so several are left to look-back.
bool fits(const cl::Context &context, const Request &request) {
    const LookBack one = kernel(context, request);
    const size_t size = dtype(request.dtype).size;
    const auto is_aligned = [&](const cl::Operand &operand) { return operand.offset * size % 16 == 0; };
    return request.batch == 1 && !request.reverse && request.n >= one.group * items_of(request, one.units) &&
           (!request.has_in || is_aligned(request.in)) && is_aligned(request.out);
}

} // namespace

const Algorithm kStagedLookBack = {
    {"staged-look-back", "as look-back, with tiles copied ahead",
     "Maleki and Burtscher, Automatic Hierarchical Parallelization of Linear Recurrences, 2018", false, Suits::kGpu,
     kNeeds},
    refuses,
    run,
    fits,
    kParameters};

const Algorithm kStagedLookBackFallback = {
    {"staged-look-back-fallback", "as staged-look-back, but every state is found by all who need it; a test of that",
     "Smith, Levien and Owens, Decoupled Fallback, 2024", false, Suits::kByName, kNeeds, 0, "staged-look-back-no-wait"},
    refuses,
    run_fallback};

} // namespace gpcl::recurrence

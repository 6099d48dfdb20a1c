// Recurrence in a single pass with tiles copied ahead. Host side of
// kernels/recurrence/staged_look_back.cl.
// SPDX-License-Identifier: MIT
#include "ops/recurrence/tiles.h"

#include "core/dtype.h"
#include "ops/shape.h"

namespace gpcl::recurrence {
namespace {

constexpr size_t kGroup = 384;
constexpr size_t kUnits = 9;
constexpr size_t kLargeBytes = 227 << 10; // of local memory, which these take
constexpr size_t kSmallBytes = 96 << 10;
constexpr FeatureSet kNeeds = kLookBackNeeds | kBulkCopy;

struct Shape {
    size_t group, units, stages;
};

// Measured on an H200, float32, n = 2^27, Gelem/s at order 1, 2, 4 and 8, group x units x stages: 384 x 9 x 4: 489, 485, 332, 142
// (order 4 and 8 without a look ahead 266, 104; order 2 with one 450). Before windows of 32 tiles 454, 427, 338, 127; at order 1
// and 2 512 x 7 x 4: 451, 427; 384 x 7 x 5: 377, 326; 512 x 5 x 5: 376, 353; 512 x 9 x 3: 418, 357.
LookBack kernel(const cl::Context &context, const Request &request) {
    // Four stages leave 11 KB for tables and states, which float64 of order 8 exceeds.
    const bool is_large = request.order * dtype(request.dtype).size > 16;
    const Shape shape = has_room(context, kGroup, kLargeBytes) ? Shape{kGroup, kUnits, is_large ? size_t{3} : size_t{4}}
                        : has_room(context, 256, kSmallBytes) ? Shape{256, 5, 3}
                                                               : Shape{64, 3, 3};
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

// Bulk copies go forward, between addresses that are multiples of 16. (A buffer's own address is one.) Rows begin anywhere and
// end amid a tile, so several are left to look-back.
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
    fits};

const Algorithm kStagedLookBackFallback = {
    {"staged-look-back-fallback", "as staged-look-back, but every state is found by all who need it; a test of that",
     "Smith, Levien and Owens, Decoupled Fallback, 2024", false, Suits::kByName, kNeeds, 0, "staged-look-back-no-wait"},
    refuses,
    run_fallback};

} // namespace gpcl::recurrence

// Recurrence with coefficients that vary in a single pass, for GPUs that keep work-groups running
// side by side. Host side of kernels/recurrence/varying_look_back.cl.
// SPDX-License-Identifier: MIT
#include "core/dtype.h"
#include "core/size.h"
#include "ops/recurrence/varying.h"
#include "ops/shape.h"

namespace gpcl::recurrence {
namespace {

struct Shape {
    size_t group, groups_per_unit; // work-items of a group, groups that a compute unit holds
    size_t bytes;                  // of a work-item's elements and one more, of which there is an even number
    size_t items(const Request &request) const { return bytes / dtype(request.dtype).size - 1; }
};

// Measured on an H200, float32, n = 2^27, Gelem/s, group x items, groups a unit: 256 x 35, 3: 191;
// 256 x 47, 2: 178; 320 x 43, 2: 174; 512 x 23, 2: 164; 384 x 31, 2: 161; 256 x 31, 2: 151; 512 x
// 31, 1: 134. Other GPUs may have no more than 48 KB of local memory for a group.
constexpr size_t kLargeBytes = size_t{3} * 73 * 1024; // of local memory: three groups a unit
constexpr size_t kSmallBytes = size_t{48} * 1024;
constexpr FeatureSet kNeeds = kForwardProgress | kShuffle;

constexpr std::array<Row<Shape>, 3> kShapes = {{{{.group = 256, .local_bytes = kLargeBytes}, {256, 3, 144}},
                                                {{.group = 256, .local_bytes = kSmallBytes}, {256, 4, 64}},
                                                {{}, {64, 4, 64}}}};

const Parameter kGroup = {
    GP_RECURRENCE_VARYING,         "look-back", "group", "work-items of a work-group", {64, 128, 256, 384, 512},
    of_row<kShapes, &Shape::group>};
const Parameter kGroupsPerUnit = {GP_RECURRENCE_VARYING,
                                  "look-back",
                                  "groups",
                                  "work-groups that a compute unit holds",
                                  {1, 2, 3, 4, 5, 6, 8},
                                  of_row<kShapes, &Shape::groups_per_unit>};
const Parameter kBytes = {GP_RECURRENCE_VARYING,
                          "look-back",
                          "bytes",
                          "bytes of a work-item's elements in a tile, and of one more",
                          {32, 48, 64, 80, 96, 112, 128, 144, 160, 192, 256},
                          of_row<kShapes, &Shape::bytes>};
constexpr std::array kParameters = {&kGroup, &kGroupsPerUnit, &kBytes};

bool has_large_tiles(const cl::Context &context) { return has_room(context, 256, kLargeBytes); }

Shape shape_of(const cl::Context &context, const Request &request) {
    const gp_dtype type = request.dtype;
    return {tuned(context, type, kGroup), tuned(context, type, kGroupsPerUnit), tuned(context, type, kBytes)};
}

size_t tiles_of(const Shape &shape, const Request &request) {
    return ceil_div(request.n, shape.group * shape.items(request));
}

void run_with(cl::Task &task, const Request &request, const char *option) {
    const cl::Context &context = task.context();
    const auto &features = context.features();
    const Shape shape = shape_of(context, request);
    Varying varying(task, request, "recurrence/varying_look_back.cl",
                    text(" -DGP_GROUP=", shape.group, " -DGP_ITEMS=", shape.items(request),
                         " -DGP_SPIN_LIMIT=", features.spin_limit(), features.options(), option));
    varying.run_look_back(tiles_of(shape, request), shape.group, shape.groups_per_unit);
}

void run(cl::Task &task, const Request &request) { run_with(task, request, ""); }
void run_fallback(cl::Task &task, const Request &request) { run_with(task, request, " -DGP_FALLBACK_ONLY"); }

Refusal refuses(const cl::Context &context, const Request &request) {
    constexpr size_t kMostTiles = size_t{1} << 31;
    const Shape shape = shape_of(context, request);
    const size_t local_bytes =
        shape.group * (2 * shape.items(request) * dtype(request.dtype).size + 4) + lanes_bytes(context, shape.group);
    if (const Refusal why = refuses_shape(context, shape.group, local_bytes)) return why;
    if (tiles_of(shape, request) >= kMostTiles / request.batch) return "it counts tiles in 32 bits";
    return {};
}

// Shorter rows leave part of a work-group idle; smaller tiles are no faster than `tiles`.
bool fits(const cl::Context &context, const Request &request) {
    const Shape shape = shape_of(context, request);
    return has_large_tiles(context) && request.n >= shape.group * shape.items(request);
}

} // namespace

const Algorithm kVaryingLookBack = {
    {"look-back", "one pass: tiles publish their maps and compose those before them",
     "Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016", false, Suits::kGpu,
     kNeeds},
    refuses,
    run,
    fits,
    kParameters};

const Algorithm kVaryingLookBackFallback = {
    {"look-back-fallback", "as look-back, but every map is found by all who need it; a test of that",
     "Smith, Levien and Owens, Decoupled Fallback, 2024", false, Suits::kByName, kNeeds, 0, "look-back-no-wait"},
    refuses,
    run_fallback};

} // namespace gpcl::recurrence

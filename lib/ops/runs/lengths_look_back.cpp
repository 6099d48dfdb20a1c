// Run lengths in a single pass. Host side of kernels/runs/lengths_look_back.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/runs/runs.h"
#include "ops/shape.h"

namespace gpcl::runs {
namespace {

constexpr FeatureSet kNeeds = kForwardProgress;
constexpr size_t kVectorBytes = 16, kMostItems = 32; // a bit each

struct Shape {
    size_t group, vectors, groups_per_unit, window;
    size_t items(const Request &r) const { return std::min(vectors * kVectorBytes / r.key_bytes(), kMostItems); }
};

// As many groups as there is local memory for on an H100 and an H200. Measured on an H100, n =
// 2^28, runs of 1, 10 and 1000 uint32 and of 10 uint64, × of CUB, group x vectors x groups, window
// 128: 256 x 4 x 4: 1.19, 1.27, 1.46, 1.07; 512 x 4 x 2: 1.22, 1.31, 1.53, 1.09; 256 x 8 x 2: 1.19,
// 1.29, 1.58, 1.10; 256 x 4 x 3: 1.18, 1.14, 1.30, 0.92; 256 x 2 x 8: 0.92, 0.95, 1.03, 0.78.
// Windows of 32 and 256 with the first: 1.22, 1.26, 1.39, 1.05 and 1.15, 1.25, 1.44, 1.05. Types of
// 1 and 2 bytes were not measured.
constexpr std::array<Row<Shape>, 6> kShapes = {
    {{{.group = 256, .local_bytes = 68 << 10, .most_bytes = 2}, {256, 4, 3, 128}},
     {{.group = 512, .local_bytes = 100 << 10, .most_bytes = 4}, {512, 4, 2, 128}},
     {{.group = 256, .local_bytes = 100 << 10}, {256, 8, 2, 128}},
     {{.group = 256, .local_bytes = 68 << 10}, {256, 4, 4, 128}},
     {{.group = 128, .local_bytes = 36 << 10}, {128, 4, 4, 128}},
     {{}, {64, 2, 4, 64}}}};

const Parameter kGroup = {GP_RUN_LENGTHS,
                          "look-back",
                          "group",
                          "work-items of a work-group",
                          {64, 128, 256, 512},
                          of_row<kShapes, &Shape::group>};
const Parameter kVectors = {GP_RUN_LENGTHS, "look-back",
                            "vectors",      "vectors of 16 bytes of a work-item in a tile; up to 32 elements",
                            {1, 2, 4, 8},   of_row<kShapes, &Shape::vectors>};
const Parameter kGroups = {GP_RUN_LENGTHS,
                           "look-back",
                           "groups",
                           "work-groups that a compute unit holds",
                           {1, 2, 3, 4, 5, 6, 8},
                           of_row<kShapes, &Shape::groups_per_unit>};
const Parameter kWindow = {
    GP_RUN_LENGTHS,     "look-back",
    "window",           "tiles that a work-group looks at in one go, no more than its work-items",
    {32, 64, 128, 256}, of_row<kShapes, &Shape::window>};
constexpr std::array kParameters = {&kGroup, &kVectors, &kGroups, &kWindow};

Shape shape(const cl::Context &context, const Request &r) {
    const size_t group = tuned(context, r.key, kGroup);
    return {group, tuned(context, r.key, kVectors), tuned(context, r.key, kGroups),
            std::min(tuned(context, r.key, kWindow), group)};
}

void run_with(cl::Task &task, const Request &r, const char *option) {
    const auto &context = task.context();
    const auto &features = context.features();
    const Shape how = shape(context, r);
    const size_t items = how.items(r), tiles = std::max(ceil_div(r.n, how.group * items), size_t{1});
    const auto program =
        task.program({"runs/lengths_look_back.cl",
                      text(r.options(), " -DGP_GROUP=", how.group, " -DGP_ITEMS=", items, " -DGP_WINDOW=", how.window,
                           " -DGP_SPIN_LIMIT=", features.spin_limit(), features.options(), option),
                      r.combine.preamble(), how.groups_per_unit});
    constexpr size_t kStateUlongs = 2; // of a tile, and of all
    cl::Operand state = r.count;
    if (tiles > 1) state = task.cleared_space((tiles + 1) * kStateUlongs * sizeof(uint64_t));
    const size_t groups = std::min(tiles, how.groups_per_unit * context.info().compute_units);
    launch(task, *program, "runs_lengths", cl::Range::groups(groups, how.group), r, state);
}

void run(cl::Task &task, const Request &r) { run_with(task, r, ""); }
void run_fallback(cl::Task &task, const Request &r) { run_with(task, r, " -DGP_FALLBACK_ONLY"); }

Refusal refuses(const cl::Context &context, const Request &r) {
    constexpr size_t kPlace = sizeof(uint16_t), kOther = 1024; // of local memory beside keys and places
    const Shape how = shape(context, r);
    const size_t local_bytes =
        2 * how.group * how.items(r) * (r.key_bytes() + kPlace) + lanes_bytes(context, how.group) + kOther;
    if (const Refusal why = refuses_shape(context, how.group, local_bytes)) return why;
    if (r.n > UINT32_MAX) return {"it counts elements in 32 bits, and n is ", r.n};
    return {};
}

} // namespace

const Algorithm kLengthsLookBack = {
    {"look-back", "one pass: tiles publish how many runs begin in them, and where the last one does",
     "Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016", false, Suits::kGpu,
     kNeeds},
    refuses,
    run,
    nullptr,
    kParameters};

const Algorithm kLengthsLookBackFallback = {
    {"look-back-fallback", "as look-back, but what tiles publish is computed by all who need it; a test of that",
     "Smith, Levien and Owens, Decoupled Fallback, 2024", false, Suits::kByName, kNeeds},
    refuses,
    run_fallback};

} // namespace gpcl::runs

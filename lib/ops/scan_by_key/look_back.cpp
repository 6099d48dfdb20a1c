// Scans by key in a single pass. Host side of kernels/scan_by_key/look_back.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/scan_by_key/scan_by_key.h"
#include "ops/shape.h"

namespace gpcl::scan_by_key {
namespace {

constexpr FeatureSet kNeeds = kForwardProgress;

struct Shape {
    size_t group, items, groups_per_unit;
};

// By the bytes of a value. As runs' look-back; not measured on a GPU yet.
constexpr std::array<Row<Shape>, 3> kShapes = {
    {{{.group = 256, .local_bytes = 24 << 10, .most_bytes = 4}, {256, 13, 3}},
     {{.group = 256, .local_bytes = 24 << 10}, {256, 9, 3}},
     {{}, {64, 7, 4}}}};

const Parameter kGroup = {GP_SCAN_BY_KEY,
                          "look-back",
                          "group",
                          "work-items of a work-group",
                          {64, 128, 256, 512},
                          of_row<kShapes, &Shape::group>};
const Parameter kItems = {GP_SCAN_BY_KEY,
                          "look-back",
                          "items",
                          "elements of a work-item in a tile",
                          {3, 5, 7, 9, 11, 13, 15, 17, 19, 23},
                          of_row<kShapes, &Shape::items>};
const Parameter kGroupsPerUnit = {GP_SCAN_BY_KEY,
                                  "look-back",
                                  "groups",
                                  "work-groups that a compute unit holds",
                                  {1, 2, 3, 4, 5, 6, 8},
                                  of_row<kShapes, &Shape::groups_per_unit>};
constexpr std::array kParameters = {&kGroup, &kItems, &kGroupsPerUnit};

Shape shape(const cl::Context &context, const Request &r) {
    return {tuned(context, r.from, kGroup), tuned(context, r.from, kItems), tuned(context, r.from, kGroupsPerUnit)};
}

void run_with(cl::Task &task, const Request &r, const char *option) {
    const auto &context = task.context();
    const auto &features = context.features();
    const auto [group, items, groups_per_unit] = shape(context, r);
    const auto program = task.program({"scan_by_key/look_back.cl",
                                       text(r.options(), " -DGP_GROUP=", group, " -DGP_ITEMS=", items,
                                            " -DGP_SPIN_LIMIT=", features.spin_limit(), features.options(), option),
                                       r.combine.preamble(), groups_per_unit});
    const size_t tiles = ceil_div(r.n, group * items);
    cl::Operand state = r.out;
    if (tiles > 1) state = task.cleared_space(16 + tiles * 2 * dtype(r.dtype).size);
    const size_t groups = std::min(tiles, groups_per_unit * context.info().compute_units);
    launch(task, *program, "scan_by_key_look_back", cl::Range::groups(groups, group), r, state);
}

void run(cl::Task &task, const Request &r) { run_with(task, r, ""); }
void run_fallback(cl::Task &task, const Request &r) { run_with(task, r, " -DGP_FALLBACK_ONLY"); }

Refusal refuses(const cl::Context &context, const Request &r) {
    constexpr size_t kOther = 1536; // of local memory beside the elements
    const Shape needed = shape(context, r);
    const size_t tile = needed.group * needed.items;
    const size_t local_bytes = tile * dtype(r.dtype).size + tile / 8 + 2 * lanes_bytes(context, needed.group) + kOther;
    if (const Refusal why = refuses_shape(context, needed.group, local_bytes)) return why;
    return r.n / tile >= UINT32_MAX ? Refusal{"it counts tiles in 32 bits"} : Refusal{};
}

} // namespace

const Algorithm kLookBack = {{"look-back", "one pass: tiles publish their sums and add up those before them",
                              "Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016",
                              false, Suits::kGpu, kNeeds},
                             refuses,
                             run,
                             nullptr,
                             kParameters};

const Algorithm kLookBackFallback = {
    {"look-back-fallback", "as look-back, but what tiles publish is computed by all who need it; a test of that",
     "Smith, Levien and Owens, Decoupled Fallback, 2024", false, Suits::kByName, kNeeds},
    refuses,
    run_fallback};

} // namespace gpcl::scan_by_key

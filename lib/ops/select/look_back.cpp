// Select in a single pass, for GPUs that keep work-groups running side by side. Host side of
// kernels/select/look_back.cl.
// SPDX-License-Identifier: MIT
#include "ops/select/select.h"
#include "ops/shape.h"

namespace gpcl::select {
namespace {

constexpr FeatureSet kNeeds = kForwardProgress | kShuffle;

struct Shaped {
    size_t group, items, groups_per_unit, window;
};

constexpr std::array<Row<Shaped>, 4> kShapes = {
    {{{.group = 256, .local_bytes = 34 << 10, .most_bytes = 4}, {256, 32, 3, 64}},
     {{.group = 256, .local_bytes = 66 << 10}, {256, 16, 3, 64}},
     {{.group = 128, .local_bytes = 34 << 10}, {128, 16, 3, 64}},
     {{}, {64, 8, 3, 64}}}};

const Parameter kGroup = {GP_SELECT,
                          "look-back",
                          "group",
                          "work-items of a work-group",
                          {64, 128, 256, 512},
                          of_row<kShapes, &Shaped::group>};
const Parameter kItems = {GP_SELECT,   "look-back",
                          "items",     "elements of each work-item in a tile; a vector of 16 bytes at least",
                          {8, 16, 32}, of_row<kShapes, &Shaped::items>};
const Parameter kGroups = {GP_SELECT,
                           "look-back",
                           "groups",
                           "work-groups that a compute unit holds",
                           {1, 2, 3, 4, 5, 6, 8},
                           of_row<kShapes, &Shaped::groups_per_unit>};
const Parameter kWindow = {
    GP_SELECT,          "look-back",
    "window",           "tiles that a work-group looks at in one go, no more than its work-items",
    {32, 64, 128, 256}, of_row<kShapes, &Shaped::window>};
constexpr std::array kParameters = {&kGroup, &kItems, &kGroups, &kWindow};

// Elements or keys that a work-item decides about are in registers, so many bytes of them.
Shape shape(const cl::Context &context, const Request &r) {
    constexpr size_t kDecided = 64;
    const size_t decided = r.has_text() ? r.elements.size : dtype(r.key_type).size;
    const size_t items = std::min(tuned(context, r.type, kItems), std::max(kDecided / decided, size_t{8}));
    return {tuned(context, r.type, kGroup), std::max(items, r.width())};
}

size_t most_groups(const cl::Context &context, const Request &r) {
    return tuned(context, r.type, kGroups) * context.info().compute_units;
}

void run_with(cl::Task &task, const Request &r, const char *option) {
    const auto &context = task.context();
    const Shape how = shape(context, r);
    const size_t tiles = std::max(ceil_div(r.n, how.tile()), size_t{1});
    const size_t window = std::min(tuned(context, r.type, kWindow), how.group);
    const auto program =
        task.program({"select/look_back.cl",
                      text(r.options(), how.options(), " -DGP_WINDOW=", window,
                           " -DGP_SPIN_LIMIT=", context.features().spin_limit(), context.features().options(), option),
                      r.source, tuned(context, r.type, kGroups)});
    const auto state = task.cleared_space((2 + tiles) * sizeof(uint64_t));
    const size_t groups = std::min(most_groups(context, r), tiles);
    launch_with_outputs(task, *program, "select_look_back", cl::Range::groups(groups, how.group), r, state);
}

void run(cl::Task &task, const Request &r) { run_with(task, r, ""); }
void run_fallback(cl::Task &task, const Request &r) { run_with(task, r, " -DGP_FALLBACK_ONLY"); }

Refusal refuses(const cl::Context &context, const Request &r) {
    const Shape how = shape(context, r);
    if (const size_t most = most_groups(context, r) * how.tile(); r.rest && r.n > most)
        return {"where the others begin is known after a pass; it takes up to ", most,
                " elements, whose tiles all run side by side"};
    if (r.n / how.tile() >= uint32_t(-1)) return "it counts tiles in 32 bits";
    constexpr size_t kTiles = 2, kOther = 512; // one of them where elements follow flags
    return refuses_shape(context, how.group, kTiles * how.tile_bytes(r) + lanes_bytes(context, how.group) + kOther);
}

} // namespace

const Algorithm kLookBack = {{"look-back", "one pass: tiles publish their counts and add up those before them",
                              "Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016",
                              false, Suits::kGpu, kNeeds},
                             refuses,
                             run,
                             nullptr,
                             kParameters};

const Algorithm kLookBackFallback = {
    {"look-back-fallback", "as look-back, but every count is computed by all who need it; a test of that",
     "Smith, Levien and Owens, Decoupled Fallback, 2024", false, Suits::kByName, kNeeds},
    refuses,
    run_fallback};

} // namespace gpcl::select

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

// Measured on an H100, n = 2^28, uint32, × of CUB: flags with none, 1/1000, 1/2 and all kept, a
// text, and positions of float32, items x groups, window 128: 16 x 4: 1.88, 1.77, 1.22, 1.17, 1.12,
// 1.12; 32 x 3: 2.61, 2.40, 1.26, 1.19, 1.12, 1.02; 16 x 5: 1.88, 1.83, 0.94, 0.92, 1.12, 1.15
// (flags' elements spill). The first with a window of 32: 1.71, 1.64, 1.26, 1.21, 1.18, 1.17. 32 x
// 3 with that window was not measured, nor were other types. On another H100 the shapes of now:
// 2.52, 2.42, 1.33, 1.23, 1.16, 1.17. A partition in one launch takes 8.4 us of 2^17 and 2^18
// elements of 4 bytes, 9.5 of 2^20 and 12.2 of 2^21, in two launches 10.7 to 11.4.
constexpr std::array<Row<Shaped>, 4> kShapes = {
    {{{.group = 256, .local_bytes = 34 << 10, .most_bytes = 4}, {256, 32, 3, 32}},
     {{.group = 256, .local_bytes = 66 << 10}, {256, 16, 3, 32}},
     {{.group = 128, .local_bytes = 34 << 10}, {128, 16, 3, 32}},
     {{}, {64, 8, 3, 32}}}};

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

struct How {
    Shape shape;
    size_t groups_per_unit;
};

// Elements or keys that a work-item decides about are in registers, so many bytes of them. Where
// that means fewer items, there are registers for one more group.
How divide(const cl::Context &context, const Request &r) {
    constexpr size_t kDecided = 64, kLeast = 8;
    const size_t decided = r.has_text() ? r.elements.size : dtype(r.key_type).size;
    const size_t wanted = tuned(context, r.type, kItems),
                 items = std::min(wanted, std::max(kDecided / decided, kLeast));
    return {{tuned(context, r.type, kGroup), std::max(items, r.width())},
            tuned(context, r.type, kGroups) + (items < wanted ? 1 : 0)};
}

// Of two tiles: the one that is moved, and the next one. Where elements follow flags, of one.
size_t local_bytes(const cl::Context &context, const Request &r, const Shape &how) {
    constexpr size_t kOther = 512;
    const size_t tiles = r.goes_by_words() && !r.has_text() ? 1 : 2;
    return tiles * how.tile_bytes(r) + lanes_bytes(context, how.group) + kOther;
}

// Up to how many elements all tiles run side by side. Registers and local memory limit that, and
// the first are known with NVIDIA's instructions only.
size_t most_side_by_side(const cl::Context &context, const Request &r, const How &how) {
    const auto &features = context.features();
    if (features.ptx == 0 && !features.is_forced) return 0;
    constexpr size_t kReserved = 1024; // of each group, by the device
    const size_t room = features.local_bytes / (local_bytes(context, r, how.shape) + kReserved);
    return std::min(how.groups_per_unit, room) * context.info().compute_units * how.shape.tile();
}

void run_with(cl::Task &task, const Request &r, const char *option) {
    const auto &context = task.context();
    const auto [how, per_unit] = divide(context, r);
    const size_t tiles = std::max(ceil_div(r.n, how.tile()), size_t{1});
    const size_t window = std::min(tuned(context, r.type, kWindow), how.group);
    const auto program =
        task.program({"select/look_back.cl",
                      text(r.options(), how.options(), " -DGP_WINDOW=", window,
                           " -DGP_SPIN_LIMIT=", context.features().spin_limit(), context.features().options(), option),
                      r.source, per_unit});
    const auto state = task.cleared_space((2 + tiles) * sizeof(uint64_t));
    const size_t groups = std::min(per_unit * context.info().compute_units, tiles);
    launch_with_outputs(task, *program, "select_look_back", cl::Range::groups(groups, how.group), r, state);
}

void run(cl::Task &task, const Request &r) { run_with(task, r, ""); }
void run_fallback(cl::Task &task, const Request &r) { run_with(task, r, " -DGP_FALLBACK_ONLY"); }

Refusal refuses(const cl::Context &context, const Request &r) {
    const How how = divide(context, r);
    if (const size_t most = most_side_by_side(context, r, how); r.rest && r.n > most)
        return {"where the others begin is known after a pass; it takes up to ", most,
                " elements, whose tiles all run side by side"};
    if (r.n / how.shape.tile() >= uint32_t(-1)) return "it counts tiles in 32 bits";
    return refuses_shape(context, how.shape.group, local_bytes(context, r, how.shape));
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

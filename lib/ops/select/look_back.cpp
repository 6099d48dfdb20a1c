// Select in a single pass, for GPUs that keep work-groups running side by side. Host side of
// kernels/select/look_back.cl.
// SPDX-License-Identifier: MIT
#include "ops/select/select.h"
#include "ops/shape.h"

namespace gpcl::select {
namespace {

constexpr FeatureSet kNeeds = kForwardProgress | kShuffle;

// Not measured. Of flags a work-item has two vectors of 16 bytes on their way. On NVIDIA GPUs kernels take up to 40
// registers, with six work-groups of 256 on a compute unit there are 42.
const Parameter kGroup = {GP_SELECT,           "look-back", "group", "work-items of a work-group",
                          {64, 128, 256, 512}, always<256>};
const Parameter kItems = {GP_SELECT, "look-back",
                          "items",   "elements of each work-item in a tile; with a text no more than 16",
                          {16, 32},  always<32>};
const Parameter kGroups = {
    GP_SELECT, "look-back", "groups", "work-groups that a compute unit holds", {1, 2, 3, 4, 5, 6, 8}, always<6>};
constexpr std::array kParameters = {&kGroup, &kItems, &kGroups};

// A text takes registers of its own, and looks at elements one by one.
Shape shape(const cl::Context &context, const Request &r) {
    constexpr size_t kWithText = 16;
    const size_t items = tuned(context, r.type, kItems);
    return {tuned(context, r.type, kGroup), r.has_text() ? std::min(items, kWithText) : items};
}

void run_with(cl::Task &task, const Request &r, const char *option) {
    const auto &context = task.context();
    const Shape how = shape(context, r);
    const size_t per_unit = tuned(context, r.type, kGroups), tiles = ceil_div(r.n, how.tile());
    const auto program =
        task.program({"select/look_back.cl",
                      text(r.options(), how.options(), " -DGP_SPIN_LIMIT=", context.features().spin_limit(),
                           context.features().options(), option),
                      r.source, per_unit});
    const auto state = task.cleared_space((2 + tiles) * sizeof(uint64_t));
    const size_t groups = std::clamp<size_t>(per_unit * context.info().compute_units, 1, std::max<size_t>(tiles, 1));
    launch_with_outputs(task, *program, "select_look_back", cl::Range::groups(groups, how.group), r, state);
}

void run(cl::Task &task, const Request &r) { run_with(task, r, ""); }
void run_fallback(cl::Task &task, const Request &r) { run_with(task, r, " -DGP_FALLBACK_ONLY"); }

Refusal refuses(const cl::Context &context, const Request &r) {
    const Shape how = shape(context, r);
    if (r.rest) return "what follows the kept elements is known after a pass";
    if (r.n / how.tile() >= uint32_t(-1)) return "it counts tiles in 32 bits";
    return refuses_shape(context, how.group, how.local_bytes(context));
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

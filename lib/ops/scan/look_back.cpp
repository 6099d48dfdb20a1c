// Scan in a single pass, for GPUs that keep work-groups running side by side. Host side of
// kernels/scan/look_back.cl.
// SPDX-License-Identifier: MIT
#include "ops/scan/scan.h"

#include "core/size.h"
#include "ops/shape.h"

namespace gpcl::scan {
namespace {

constexpr size_t kVectorBytes = 16;
constexpr FeatureSet kNeeds = kForwardProgress | kShuffle;

// Vectors of a work-item, and groups that a compute unit holds. Measured on an H200 in GB/s, int32,
// n = 2^28: 4 and 4: 3483; 6 and 3: 3368; 8 and 3: 3243; 4 and 5: 3344. int64, n = 2^27: 6 and 3:
// 3291; 4 and 4: 3094; 8 and 3: 3045. Groups of 512, or 128, are slower.
struct Shape {
    size_t group, vectors, groups_per_unit;
};

// Where words are exchanged in local memory, on an H200: int32, n = 2^26: 8 vectors 2708, 4 2610;
// float64, n = 2^25: 8 and 4: 2382, 6 and 3: 2228.
constexpr std::array<Row<Shape>, 3> kShapes = {
    {{{.local_bytes = 24 << 10, .in_room = true}, {256, 8, 4}}, {{.most_bytes = 4}, {256, 4, 4}}, {{}, {256, 6, 3}}}};

const Parameter kGroup = {GP_SCAN,
                          "look-back",
                          "group",
                          "work-items of a work-group",
                          {64, 128, 256, 512, 1024},
                          of_row<kShapes, &Shape::group>};
const Parameter kVectors = {GP_SCAN,
                            "look-back",
                            "vectors",
                            "vectors of 16 bytes of a work-item in a tile",
                            {1, 2, 3, 4, 6, 8},
                            of_row<kShapes, &Shape::vectors>};
const Parameter kGroupsPerUnit = {GP_SCAN,
                                  "look-back",
                                  "groups",
                                  "work-groups that a compute unit holds",
                                  {1, 2, 3, 4, 5, 6, 8},
                                  of_row<kShapes, &Shape::groups_per_unit>};
constexpr std::array kParameters = {&kGroup, &kVectors, &kGroupsPerUnit};

Shape shape(const cl::Context &context, const Request &r) {
    return {tuned(context, r.from, kGroup), tuned(context, r.from, kVectors), tuned(context, r.from, kGroupsPerUnit)};
}

void run_with(cl::Task &task, const Request &r, const char *option) {
    auto &context = task.context();
    const auto &features = context.features();
    const size_t size = dtype(r.dtype).size;
    const auto [group, vectors, groups_per_unit] = shape(context, r);
    const auto program =
        task.program({"scan/look_back.cl",
                      text(r.combine.options(r.dtype), " -DGP_GROUP=", group, " -DGP_VECTORS=", vectors,
                           " -DGP_SPIN_LIMIT=", features.spin_limit(), features.options(), r.more_options(), option),
                      r.combine.preamble(), groups_per_unit});
    const size_t tiles = ceil_div(r.n, group * vectors * (kVectorBytes / size));
    const size_t state_bytes = 16 + tiles * 2 * size;
    const auto state = task.work_space(state_bytes);
    if (tiles > 1) {
        const uint32_t zero = 0;
        task.fill(state.memory, 0, state_bytes, &zero, sizeof zero);
    }
    const size_t groups = std::min(tiles, groups_per_unit * context.info().compute_units);
    r.launch(task, *program, "scan_look_back", cl::Range::groups(groups, group), r.in, r.out, state, uint64_t{r.n},
             uint32_t{r.exclusive}, uint32_t{r.reverse});
}

void run(cl::Task &task, const Request &r) { run_with(task, r, ""); }
void run_fallback(cl::Task &task, const Request &r) { run_with(task, r, " -DGP_FALLBACK_ONLY"); }

Refusal refuses(const cl::Context &context, const Request &request) {
    const auto [group, vectors, groups_per_unit] = shape(context, request);
    const size_t size = dtype(request.dtype).size, words = group * vectors / 32 * 33 * size;
    const bool in_room = context.features().shuffles_in_local_memory();
    constexpr size_t kOther = 1024;
    const size_t local_bytes = warps_bytes(context, group, size) + (in_room ? words : 0) + kOther;
    if (const Refusal why = refuses_shape(context, group, local_bytes)) return why;
    if (request.n / group > uint32_t(-1)) return "it counts tiles in 32 bits";
    return refuses_all_but_plain(request);
}

} // namespace

const Algorithm kLookBack = {{"look-back", "one pass: tiles publish their sums and add up those before them",
                              "Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016",
                              false, Suits::kGpu, kNeeds, 0, "waves"},
                             refuses,
                             run,
                             nullptr,
                             kParameters,
                             kTakesCounted};

const Algorithm kLookBackFallback = {
    {"look-back-fallback", "as look-back, but every sum is computed by all who need it; a test of that",
     "Smith, Levien and Owens, Decoupled Fallback, 2024", false, Suits::kByName, kNeeds, 0, "waves-no-wait"},
    refuses,
    run_fallback,
    nullptr,
    {},
    kTakesCounted};

} // namespace gpcl::scan

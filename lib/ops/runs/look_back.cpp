// Reductions by key in a single pass. Host side of kernels/runs/look_back.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/look_back_shape.h"
#include "ops/runs/runs.h"

namespace gpcl::runs {
namespace {

constexpr FeatureSet kNeeds = kForwardProgress;

// By the bytes of values. As scan's look-back-segments, with room for keys beside values, and as
// many groups as ptxas has registers for (96 to 98). On an H200, n = 2^20, sums of float32 by key,
// runs of 10: 911 GB/s; with 9 elements 803, with 7 760, with groups of 128 685.
constexpr std::array<Row<LookBackShape>, 3> kShapes = {
    {{{.group = 256, .local_bytes = 48 << 10, .most_bytes = 4}, {256, 13, 3}},
     {{.group = 256, .local_bytes = 48 << 10}, {256, 9, 2}},
     {{}, {64, 7, 4}}}};

const LookBackParameters<kShapes> kTuned(GP_REDUCE_BY_KEY, "look-back");
constexpr std::array kParameters = {&kTuned.group, &kTuned.items, &kTuned.groups};

LookBackShape shape_of(const cl::Context &context, const Request &r) {
    return kTuned.shape(context, r.result_bytes() > dtype(r.from).size ? r.dtype : r.from);
}

void run_with(cl::Task &task, const Request &r, const char *option) {
    const auto &context = task.context();
    const LookBackShape how = shape_of(context, r);
    const auto program = task.program({"runs/look_back.cl", text(r.options(), how.options(context), option),
                                       r.combine.preamble(), how.groups_per_unit});
    const size_t tiles = std::max(ceil_div(r.n, how.tile()), size_t{1});
    cl::Operand state = r.count;
    if (tiles > 1) state = task.cleared_space(16 + tiles * 2 * r.result_bytes());
    launch(task, *program, "runs_look_back", how.range(context, tiles), r, state);
}

void run(cl::Task &task, const Request &r) { run_with(task, r, ""); }
void run_fallback(cl::Task &task, const Request &r) { run_with(task, r, " -DGP_FALLBACK_ONLY"); }

Refusal refuses(const cl::Context &context, const Request &r) {
    constexpr size_t kOther = 1536; // of local memory beside the elements
    const LookBackShape needed = shape_of(context, r);
    const size_t local_bytes = needed.tile() * (r.key_bytes() + r.result_bytes()) +
                               part_warps_bytes(context, needed.group, r.result_bytes()) + kOther;
    if (const Refusal why = refuses_shape(context, needed.group, local_bytes)) return why;
    if (r.n > UINT32_MAX) return {"it counts elements in 32 bits, and n is ", r.n};
    return {};
}

} // namespace

const Algorithm kByKeyLookBack = {
    {"look-back", "one pass: tiles publish their runs and add up those before them",
     "Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016", false, Suits::kGpu,
     kNeeds},
    refuses,
    run,
    nullptr,
    kParameters};

const Algorithm kByKeyLookBackFallback = {
    {"look-back-fallback", "as look-back, but what tiles publish is computed by all who need it; a test of that",
     "Smith, Levien and Owens, Decoupled Fallback, 2024", false, Suits::kByName, kNeeds},
    refuses,
    run_fallback};

} // namespace gpcl::runs

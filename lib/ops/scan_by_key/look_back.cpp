// Scans by key in a single pass. Host side of kernels/scan_by_key/look_back.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/look_back_shape.h"
#include "ops/scan_by_key/scan_by_key.h"

namespace gpcl::scan_by_key {
namespace {

constexpr FeatureSet kNeeds = kForwardProgress;

// By the bytes of a value. As runs' look-back; not measured on a GPU yet.
constexpr std::array<Row<LookBackShape>, 3> kShapes = {
    {{{.group = 256, .local_bytes = 24 << 10, .most_bytes = 4}, {256, 13, 3}},
     {{.group = 256, .local_bytes = 24 << 10}, {256, 9, 3}},
     {{}, {64, 7, 4}}}};

const LookBackParameters<kShapes> kTuned(GP_SCAN_BY_KEY, "look-back");
constexpr std::array kParameters = {&kTuned.group, &kTuned.items, &kTuned.groups};

void run_with(cl::Task &task, const Request &r, const char *option) {
    const auto &context = task.context();
    const LookBackShape how = kTuned.shape(context, r.from);
    const auto program = task.program({"scan_by_key/look_back.cl", text(r.options(), how.options(context), option),
                                       r.combine.preamble(), how.groups_per_unit});
    const size_t tiles = ceil_div(r.n, how.tile());
    cl::Operand state = r.out;
    if (tiles > 1) state = task.cleared_space(16 + tiles * 2 * dtype(r.dtype).size);
    launch(task, *program, "scan_by_key_look_back", how.range(context, tiles), r, state);
}

void run(cl::Task &task, const Request &r) { run_with(task, r, ""); }
void run_fallback(cl::Task &task, const Request &r) { run_with(task, r, " -DGP_FALLBACK_ONLY"); }

Refusal refuses(const cl::Context &context, const Request &r) {
    constexpr size_t kOther = 1536; // of local memory beside the elements
    const LookBackShape needed = kTuned.shape(context, r.from);
    const size_t tile = needed.tile();
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

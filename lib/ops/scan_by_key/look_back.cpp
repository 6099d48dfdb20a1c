// Scans by key in a single pass. Host side of kernels/scan_by_key/look_back.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/look_back_shape.h"
#include "ops/scan_by_key/scan_by_key.h"

namespace gpcl::scan_by_key {
namespace {

constexpr FeatureSet kNeeds = kForwardProgress;

// By the bytes of a value. Measured on an H200, uint64, n = 2^26: 23 elements and 4 groups 3239
// GB/s, 1.26 times as fast as 9 and 3; where words are exchanged in local memory, float32, n =
// 2^24: 23 elements 1671, 1.16 times as fast as 13.
constexpr std::array<Row<LookBackShape>, 5> kShapes = {
    {{{.group = 256, .local_bytes = 36 << 10, .most_bytes = 4, .in_room = true}, {256, 23, 3}},
     {{.group = 256, .local_bytes = 24 << 10, .most_bytes = 4}, {256, 13, 3}},
     {{.group = 256, .local_bytes = 60 << 10}, {256, 23, 4}},
     {{.group = 256, .local_bytes = 32 << 10}, {256, 9, 3}},
     {{}, {64, 7, 4}}}};

const LookBackParameters<kShapes> kTuned(GP_SCAN_BY_KEY, "look-back");
constexpr std::array kParameters = {&kTuned.group, &kTuned.items, &kTuned.groups};

// Tiles of values of 8 bytes are smaller where there are fewer than two for each compute unit.
LookBackShape shape_of(const cl::Context &context, const Request &r) {
    constexpr size_t kFewItems = 9;
    const size_t size = dtype(r.dtype).size;
    LookBackShape how = kTuned.shape(context, size > dtype(r.from).size ? r.dtype : r.from);
    const bool few = r.n < size_t{2} * context.info().compute_units * how.tile();
    if (few && size == sizeof(uint64_t)) how.items = std::min(how.items, kFewItems);
    return how;
}

void run_with(cl::Task &task, const Request &r, const char *option) {
    const auto &context = task.context();
    const LookBackShape how = shape_of(context, r);
    const auto program = task.program({"scan_by_key/look_back.cl", text(r.options(), how.options(context), option),
                                       r.combine.preamble(), how.groups_per_unit});
    const size_t tiles = ceil_div(r.n, how.tile());
    cl::Operand state;
    if (tiles > 1) state = task.cleared_space(16 + tiles * 2 * dtype(r.dtype).size);
    launch(task, *program, "scan_by_key_look_back", how.range(context, tiles), r, state);
}

void run(cl::Task &task, const Request &r) { run_with(task, r, ""); }
void run_fallback(cl::Task &task, const Request &r) { run_with(task, r, " -DGP_FALLBACK_ONLY"); }

Refusal refuses(const cl::Context &context, const Request &r) {
    constexpr size_t kOther = 1536; // of local memory beside the elements
    const LookBackShape needed = shape_of(context, r);
    const size_t tile = needed.tile(), size = dtype(r.dtype).size;
    const size_t heads = context.features().shuffles_in_local_memory() ? tile : tile / 8;
    const size_t local_bytes = tile * size + heads + part_warps_bytes(context, needed.group, size) + kOther;
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

// Scan of rows and segments in a single pass, wherever their elements lie. Host side of
// kernels/scan/look_back_segments.cl.
// SPDX-License-Identifier: MIT
#include "ops/scan/scan.h"

#include "core/size.h"
#include "ops/look_back_shape.h"

namespace gpcl::scan {
namespace {

constexpr FeatureSet kLookBackNeeds = kForwardProgress;

// With elements of 8 bytes and flags.
size_t local_bytes(const cl::Context &context, const LookBackShape &shape) {
    return shape.tile() * 9 + 2 * part_warps_bytes(context, shape.group) + 1536;
}

// Measured on an H200 in GB/s, int32, 2^26 elements, group x items x groups a compute unit, rows of
// 64, 1000 and 2^20: 256 x 15 x 4: 3131, 2560, 2131; 256 x 15 x 3: 2913, 2442, 1895; 256 x 11 x 6:
// 2915, 2275, 1903; 512 x 15 x 2: 2580, 2431, 1852. Flags: 2100. The rows below are for less local
// memory.
constexpr std::array<Row<LookBackShape>, 4> kShapes = {
    {{{.group = 256, .local_bytes = 45 << 10, .most_bytes = 4}, {256, 15, 4}},
     {{.group = 256, .local_bytes = 31 << 10}, {256, 9, 4}},
     {{.group = 128, .local_bytes = 23 << 10}, {128, 15, 4}},
     {{}, {64, 7, 4}}}};

const LookBackParameters<kShapes> kTuned(GP_SCAN, "look-back-segments");
constexpr std::array kParameters = {&kTuned.group, &kTuned.items, &kTuned.groups};

// How many positions a tile takes: whole rows, where that leaves no more than a quarter of it empty
// or no tile may wait for another.
size_t tile_length(const cl::Context &context, const Request &r, size_t tile) {
    const size_t rows = r.n > 0 ? tile / r.n * r.n : 0;
    const bool waits = context.features().all(kLookBackNeeds);
    return rows > 0 && (!waits || rows >= tile / 4 * 3) ? rows : tile;
}

bool takes_whole_rows(const Request &r, size_t length) { return length % r.n == 0; }

void run_with(cl::Task &task, const Request &r, const char *option) {
    auto &context = task.context();
    const LookBackShape how = kTuned.shape(context, r.from);
    const Rows &in = r.rows_in, &out = r.rows_out;
    const size_t length = tile_length(context, r, how.tile());
    const bool whole = takes_whole_rows(r, length);
    const auto program = task.program(
        {"scan/look_back_segments.cl",
         text(r.options(), r.index_option(how.tile()), how.options(context), whole ? " -DGP_WHOLE_ROWS" : option),
         r.combine.preamble(), how.groups_per_unit});
    const size_t tiles = ceil_div(multiply(r.n, r.batch(), "n elements"), length);
    cl::Operand state;
    if (!whole && tiles > 1) {
        const size_t state_bytes = 16 + tiles * 2 * dtype(r.dtype).size;
        const uint32_t zero = 0;
        state = task.work_space(state_bytes);
        task.fill(state.memory, 0, state_bytes, &zero, sizeof zero);
    }
    const auto range = whole ? cl::Range::groups(tiles, how.group) : how.range(context, tiles);
    r.launch(task, *program, "scan_look_back_segments", range, r.in, r.segmented ? r.heads : cl::Operand{}, r.out,
             state, uint64_t{r.n}, uint64_t{r.batch()}, uint64_t{in.stride}, uint64_t{in.step}, uint64_t{out.stride},
             uint64_t{out.step}, uint32_t(length), uint32_t{r.exclusive}, uint32_t{r.reverse});
}

void run(cl::Task &task, const Request &r) { run_with(task, r, ""); }
void run_fallback(cl::Task &task, const Request &r) { run_with(task, r, " -DGP_FALLBACK_ONLY"); }

Refusal refuses(const cl::Context &context, const Request &r) {
    const LookBackShape needed = kTuned.shape(context, r.from);
    if (const Refusal why = refuses_shape(context, needed.group, local_bytes(context, needed))) return why;
    const size_t length = tile_length(context, r, needed.tile());
    if (multiply(r.n, r.batch(), "n elements") / length >= uint32_t(-1)) return "it counts tiles in 32 bits";
    const FeatureSet missing = kLookBackNeeds & ~context.features().has;
    if (missing != 0 && r.n > 0 && r.n * r.batch() > length && !takes_whole_rows(r, length))
        return {"it needs ", name_of_first(missing), " for long rows, which the device does not have"};
    return {};
}

} // namespace

const Algorithm kLookBackSegments = {
    {"look-back-segments", "as look-back, for rows and segments, whatever their strides",
     "Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016", false, Suits::kGpu},
    refuses,
    run,
    nullptr,
    kParameters};

const Algorithm kLookBackSegmentsFallback = {
    {"look-back-segments-fallback",
     "as look-back-segments, but every sum is computed by all who need it; a test of that",
     "Smith, Levien and Owens, Decoupled Fallback, 2024", false, Suits::kByName},
    refuses,
    run_fallback};

} // namespace gpcl::scan

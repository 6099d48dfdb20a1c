// Scans by key in a single pass with tiles copied ahead. Host side of
// kernels/scan_by_key/staged_look_back.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/scan_by_key/scan_by_key.h"
#include "ops/shape.h"

namespace gpcl::scan_by_key {
namespace {

constexpr size_t kVectorBytes = 16;
constexpr FeatureSet kNeeds = kForwardProgress | kShuffle | kBulkCopy;

struct Shape {
    size_t group, vectors, stages;

    size_t tile(const Request &r) const { return group * vectors * (kVectorBytes / dtype(r.dtype).size); }
    size_t local_bytes(const cl::Context &context) const {
        constexpr size_t kOther = 1024, kMostItems = 32; // beside the tiles; of a work-item, a bit each
        return group * vectors * kVectorBytes * stages + group / 32 * kMostItems * 4 + kOther +
               2 * part_warps_bytes(context, group);
    }
};

// Measured on an H200, n = 2^26: float32, groups of 384 3004 GB/s, 1.08 times as fast as 512;
// uint64, 512 2817.
constexpr std::array<Row<Shape>, 4> kShapes = {
    {{{}, {384, 7, 4}}, {{}, {256, 5, 4}}, {{}, {256, 3, 3}}, {{}, {64, 3, 3}}}};

const Parameter kGroup = {GP_SCAN_BY_KEY,
                          "staged-look-back",
                          "group",
                          "work-items of a work-group",
                          {64, 128, 256, 384, 512},
                          of_row<kShapes, &Shape::group>};
const Parameter kVectors = {GP_SCAN_BY_KEY, "staged-look-back",
                            "vectors",      "vectors of 16 bytes of a work-item in a tile",
                            {1, 3, 5, 7},   of_row<kShapes, &Shape::vectors>};
const Parameter kStages = {GP_SCAN_BY_KEY, "staged-look-back",
                           "stages",       "tiles in local memory, most of them on their way",
                           {3, 4, 5, 6},   of_row<kShapes, &Shape::stages>};
constexpr std::array kParameters = {&kGroup, &kVectors, &kStages};

Shape shape_of(const cl::Context &context, const Request &r) {
    return {tuned(context, r.from, kGroup), tuned(context, r.from, kVectors), tuned(context, r.from, kStages)};
}

void run_with(cl::Task &task, const Request &r, const char *option) {
    const auto &context = task.context();
    const Shape shape = shape_of(context, r);
    const auto program = task.program(
        {"scan_by_key/staged_look_back.cl",
         text(r.options(), " -DGP_GROUP=", shape.group, " -DGP_VECTORS=", shape.vectors, " -DGP_STAGES=", shape.stages,
              " -DGP_SPIN_LIMIT=", context.features().spin_limit(), context.features().options(), option),
         r.combine.preamble()});
    const size_t tiles = ceil_div(r.n, shape.tile(r));
    cl::Operand state;
    if (tiles > 1) state = task.cleared_space(16 + tiles * 2 * dtype(r.dtype).size);
    const size_t groups = std::min(tiles, size_t{context.info().compute_units});
    launch(task, *program, "scan_by_key_staged_look_back", cl::Range::groups(groups, shape.group), r, state);
}

void run(cl::Task &task, const Request &r) { run_with(task, r, ""); }
void run_fallback(cl::Task &task, const Request &r) { run_with(task, r, " -DGP_FALLBACK_ONLY"); }

Refusal refuses(const cl::Context &context, const Request &r) {
    if (r.from != r.dtype) return "it has no accumulator of another type";
    const Shape shape = shape_of(context, r);
    if (const Refusal why = refuses_shape(context, shape.group, shape.local_bytes(context))) return why;
    return r.n / shape.tile(r) >= UINT32_MAX ? Refusal{"it counts tiles in 32 bits"} : Refusal{};
}

// Bulk copies go between multiples of 16 bytes; and there is a tile for each compute unit. On an
// H100, in us, of look-back and this: float32 n = 1.3e6, 0.9 tiles a unit, 10.4 and 11.6; 2^21 14.5
// and 14.2; 2^24 98 and 78; 2^27 732 and 538. uint64 5e5 8.9 and 9.1; 7e5, one tile a unit, 10.7
// and 9.6; 2^24 146 and 127; 2^27 996 and 916.
bool fits(const cl::Context &context, const Request &r) {
    const auto is_aligned = [](const cl::Operand &x, gp_dtype type) {
        return x.offset * dtype(type).size % kVectorBytes == 0;
    };
    if (dtype(r.dtype).size < sizeof(uint32_t)) return false;
    return is_aligned(r.values, r.from) && is_aligned(r.out, r.dtype) &&
           r.n >= shape_of(context, r).tile(r) * context.info().compute_units;
}

} // namespace

const Algorithm kStagedLookBack = {
    {"staged-look-back", "as look-back, with tiles that are copied ahead",
     "Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016", false, Suits::kGpu,
     kNeeds},
    refuses,
    run,
    fits,
    kParameters};

const Algorithm kStagedLookBackFallback = {
    {"staged-look-back-fallback", "as staged-look-back, but every sum is computed by all who need it; a test of that",
     "Smith, Levien and Owens, Decoupled Fallback, 2024", false, Suits::kByName, kNeeds},
    refuses,
    run_fallback};

} // namespace gpcl::scan_by_key

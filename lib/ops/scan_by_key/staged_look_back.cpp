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
    size_t local_bytes(const cl::Context &context, const Request &r) const {
        constexpr size_t kOther = 1536;  // of local memory beside the tiles
        constexpr size_t kMostLeft = 32; // bytes of keys before a tile's own
        const size_t stage = tile(r) * (dtype(r.dtype).size + dtype(r.key).size) + kMostLeft;
        return stages * stage + 2 * lanes_bytes(context, group) + kOther;
    }
};

// Measured on an H100 in GB/s, n = 2^27, keys of 32 bits with float32; with uint64, group x vectors
// x stages: 512 x 3 x 4: 2754; 2170. 384 x 5 x 3: 2329; 2015. 512 x 3 x 3: 2117; 1697. 256 x 5 x 5:
// 2601; 2362. Two and three smaller work-groups a compute unit: 384 x 3 x 3 2705; 2327, 256 x 3 x 4
// 2649; 2275, 256 x 3 x 3 2621; 2259, all others below 2240. So there are four stages at least.
constexpr std::array<Row<Shape>, 3> kShapes = {{{{.group = 512, .local_bytes = 200 << 10}, {512, 3, 4}},
                                                {{.group = 256, .local_bytes = 90 << 10}, {256, 3, 4}},
                                                {{}, {64, 3, 3}}}};

const Parameter kGroup = {GP_SCAN_BY_KEY,
                          "staged-look-back",
                          "group",
                          "work-items of a work-group",
                          {64, 128, 256, 384, 512},
                          of_row<kShapes, &Shape::group>};
const Parameter kVectors = {
    GP_SCAN_BY_KEY, "staged-look-back",
    "vectors",      "vectors of 16 bytes of a work-item in a tile, or fewer where keys leave no room",
    {1, 3, 5, 7},   of_row<kShapes, &Shape::vectors>};
const Parameter kStages = {GP_SCAN_BY_KEY, "staged-look-back",
                           "stages",       "tiles in local memory, most of them on their way; more where there is room",
                           {3, 4, 5, 6},   of_row<kShapes, &Shape::stages>};
constexpr std::array kParameters = {&kGroup, &kVectors, &kStages};

// The widest tile, up to the one that is set, of which the set number of stages has room with its
// keys; then as many stages as there is room for.
Shape divide(const cl::Context &context, const Request &r) {
    constexpr size_t kLeastGroup = 64, kMostStages = 6;
    Shape shape = {tuned(context, r.from, kGroup), tuned(context, r.from, kVectors), tuned(context, r.from, kStages)};
    const auto fits = [&](const Shape &one) { return has_room(context, one.group, one.local_bytes(context, r)); };
    while (!fits(shape) && (shape.group > kLeastGroup || shape.vectors > 1))
        if (shape.vectors > 3 || shape.group == kLeastGroup)
            shape.vectors -= 2;
        else
            shape.group = std::max(shape.group / 2, kLeastGroup);
    while (shape.stages < kMostStages && fits({shape.group, shape.vectors, shape.stages + 1})) ++shape.stages;
    return shape;
}

void run_with(cl::Task &task, const Request &r, const char *option) {
    const auto &context = task.context();
    const Shape shape = divide(context, r);
    const auto program = task.program(
        {"scan_by_key/staged_look_back.cl",
         text(r.options(), " -DGP_GROUP=", shape.group, " -DGP_VECTORS=", shape.vectors, " -DGP_STAGES=", shape.stages,
              " -DGP_SPIN_LIMIT=", context.features().spin_limit(), context.features().options(), option),
         r.combine.preamble()});
    const size_t tiles = ceil_div(r.n, shape.tile(r));
    cl::Operand state = r.out;
    if (tiles > 1) state = task.cleared_space(16 + tiles * 2 * dtype(r.dtype).size);
    const size_t groups = std::min(tiles, size_t{context.info().compute_units});
    launch(task, *program, "scan_by_key_staged_look_back", cl::Range::groups(groups, shape.group), r, state);
}

void run(cl::Task &task, const Request &r) { run_with(task, r, ""); }
void run_fallback(cl::Task &task, const Request &r) { run_with(task, r, " -DGP_FALLBACK_ONLY"); }

Refusal refuses(const cl::Context &context, const Request &r) {
    if (r.from != r.dtype) return "it has no accumulator of another type";
    const Shape shape = divide(context, r);
    if (const Refusal why = refuses_shape(context, shape.group, shape.local_bytes(context, r))) return why;
    return r.n / shape.tile(r) >= UINT32_MAX ? Refusal{"it counts tiles in 32 bits"} : Refusal{};
}

// Bulk copies go between multiples of 16 bytes; and there are several tiles to copy ahead. In calls
// that follow each other, on an H100 and as a part of CUB's time: 2^20 elements, fewer than two
// tiles a unit, 1.09, look-back 0.97; 2^24 0.92 and 1.09, 2^28 0.95 and 1.20. With values of 8
// bytes both take 1.24 to 1.3.
bool fits(const cl::Context &context, const Request &r) {
    constexpr size_t kTiles = 4; // of a unit
    const auto is_aligned = [](const cl::Operand &x, gp_dtype type) {
        return x.offset * dtype(type).size % kVectorBytes == 0;
    };
    return is_aligned(r.keys, r.key) && is_aligned(r.values, r.from) && is_aligned(r.out, r.dtype) &&
           r.n >= kTiles * divide(context, r).tile(r) * context.info().compute_units;
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

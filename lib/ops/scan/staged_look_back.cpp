// Scan in a single pass with tiles copied ahead. Host side of kernels/scan/staged_look_back.cl.
// SPDX-License-Identifier: MIT
#include "ops/scan/scan.h"

#include "core/size.h"
#include "ops/shape.h"

namespace gpcl::scan {
namespace {

constexpr size_t kVectorBytes = 16;
constexpr FeatureSet kNeeds = kForwardProgress | kShuffle | kBulkCopy;

struct Shape {
    size_t group, vectors, stages;
    size_t local_bytes(const cl::Context &context) const {
        return group * vectors * kVectorBytes * stages + 2 * warps_bytes(context, group) + 1024;
    }
};

// Measured on an H200 in GB/s, int32, n = 2^28, group x vectors x stages x groups a compute unit:
// 512 x 7 x 4 x 1: 4065; 256 x 7 x 4 x 2: 4005; 384 x 9 x 4 x 1: 3986; 512 x 5 x 5 x 1: 3832; 256 x
// 9 x 3 x 2: 3706; 512 x 9 x 3 x 1: 3230. The rows below are for less local memory.
constexpr std::array<Row<Shape>, 3> kShapes = {{{{}, {512, 7, 4}}, {{}, {256, 7, 3}}, {{}, {64, 7, 3}}}};

const Parameter kGroup = {GP_SCAN,
                          "staged-look-back",
                          "group",
                          "work-items of a work-group",
                          {64, 128, 256, 384, 512, 1024},
                          of_row<kShapes, &Shape::group>};
const Parameter kVectors = {GP_SCAN,
                            "staged-look-back",
                            "vectors",
                            "vectors of 16 bytes of a work-item in a tile, at most",
                            {1, 3, 5, 7, 9, 11},
                            of_row<kShapes, &Shape::vectors>};
const Parameter kStages = {GP_SCAN,
                           "staged-look-back",
                           "stages",
                           "tiles in local memory, most of them on their way",
                           {2, 3, 4, 5, 6, 8},
                           of_row<kShapes, &Shape::stages>};
constexpr std::array kParameters = {&kGroup, &kVectors, &kStages};

// Tiles are smaller where each compute unit then has one at most. In us, on an H100, by 5 and 7
// vectors: int32 2^20 7.5 and 8.2, 1.3e6 8.0 and 8.7, 1.7e6, more than one tile of 5, 9.8 and 8.8;
// int64 4e5 7.6 and 9.7, 7e5 10.3 and 9.8.
Shape shape(const cl::Context &context, const Request &r) {
    constexpr size_t kFewVectors = 5;
    Shape how = {tuned(context, r.from, kGroup), tuned(context, r.from, kVectors), tuned(context, r.from, kStages)};
    const size_t few = how.group * kFewVectors * (kVectorBytes / dtype(r.dtype).size);
    if (r.n <= few * context.info().compute_units) how.vectors = std::min(how.vectors, kFewVectors);
    return how;
}

void run_with(cl::Task &task, const Request &r, const char *option) {
    auto &context = task.context();
    const auto &features = context.features();
    const auto [group, vectors, stages] = shape(context, r);
    const size_t size = dtype(r.dtype).size;
    const auto program = task.program(
        {"scan/staged_look_back.cl",
         text(r.combine.options(r.dtype), " -DGP_GROUP=", group, " -DGP_VECTORS=", vectors, " -DGP_STAGES=", stages,
              " -DGP_SPIN_LIMIT=", features.spin_limit(), features.options(), r.more_options(), option),
         r.combine.preamble()});
    const size_t tiles = ceil_div(r.n, group * vectors * (kVectorBytes / size));
    const size_t state_bytes = 16 + tiles * 2 * size;
    const auto state = tiles > 1 ? task.cleared_space(state_bytes) : task.work_space(state_bytes);
    const size_t groups = std::min(tiles, size_t{context.info().compute_units});
    r.launch(task, *program, "scan_staged_look_back", cl::Range::groups(groups, group), r.in, r.out, state,
             uint64_t{r.n}, uint32_t{r.exclusive}, uint32_t{r.reverse});
}

void run(cl::Task &task, const Request &r) { run_with(task, r, ""); }
void run_fallback(cl::Task &task, const Request &r) { run_with(task, r, " -DGP_FALLBACK_ONLY"); }

Refusal refuses(const cl::Context &context, const Request &request) {
    const Shape needed = shape(context, request);
    if (const Refusal why = refuses_shape(context, needed.group, needed.local_bytes(context))) return why;
    if (request.n / needed.group > uint32_t(-1)) return "it counts tiles in 32 bits";
    return refuses_all_but_plain(request);
}

// Bulk copies go between addresses that are multiples of 16. (A buffer's own address is one.)
bool fits(const cl::Context &, const Request &r) {
    const size_t size = dtype(r.dtype).size, end = r.reverse ? r.n : 0;
    return (r.in.offset + end) * size % kVectorBytes == 0 && (r.out.offset + end) * size % kVectorBytes == 0;
}

} // namespace

const Algorithm kStagedLookBack = {
    {"staged-look-back", "as look-back, with tiles copied ahead",
     "Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016", false, Suits::kGpu, kNeeds,
     0, "staged-waves"},
    refuses,
    run,
    fits,
    kParameters,
    kTakesCounted};

const Algorithm kStagedLookBackFallback = {
    {"staged-look-back-fallback", "as staged-look-back, but every sum is computed by all who need it; a test of that",
     "Smith, Levien and Owens, Decoupled Fallback, 2024", false, Suits::kByName, kNeeds, 0, "staged-waves-no-wait"},
    refuses,
    run_fallback,
    nullptr,
    {},
    kTakesCounted};

} // namespace gpcl::scan

// Scan of rows in a single pass with tiles copied ahead, wherever their elements lie. Host side of
// kernels/scan/staged_strides.cl.
// SPDX-License-Identifier: MIT
#include "ops/scan/scan.h"

#include "core/size.h"
#include "ops/shape.h"

namespace gpcl::scan {
namespace {

constexpr size_t kVectorBytes = 16;
constexpr FeatureSet kNeeds = kForwardProgress | kShuffle | kAsyncCopy;

struct Shape {
    size_t group, vectors, stages;
    size_t local_bytes(const cl::Context &context) const {
        return group * vectors * kVectorBytes * stages + 2 * lanes_bytes(context, group) + 1536;
    }
};

// The first for 227 KiB of local memory, the second for 163.
constexpr std::array<Row<Shape>, 4> kShapes = {
    {{{}, {512, 7, 4}}, {{}, {512, 5, 3}}, {{}, {256, 7, 3}}, {{}, {64, 7, 3}}}};

const Parameter kGroup = {GP_SCAN,
                          "staged-strides",
                          "group",
                          "work-items of a work-group",
                          {64, 128, 256, 384, 512, 1024},
                          of_row<kShapes, &Shape::group>};
const Parameter kVectors = {GP_SCAN,      "staged-strides",
                            "vectors",    "elements of a work-item in a tile, as vectors of 16 bytes",
                            {1, 3, 5, 7}, of_row<kShapes, &Shape::vectors>};
const Parameter kStages = {GP_SCAN,         "staged-strides",
                           "stages",        "tiles in local memory, most of them on their way",
                           {3, 4, 5, 6, 8}, of_row<kShapes, &Shape::stages>};
constexpr std::array kParameters = {&kGroup, &kVectors, &kStages};

Shape shape(const cl::Context &context, const Request &r) {
    return {tuned(context, r.from, kGroup), tuned(context, r.from, kVectors), tuned(context, r.from, kStages)};
}

void run_with(cl::Task &task, const Request &r, const char *option) {
    auto &context = task.context();
    const auto &features = context.features();
    const auto [group, vectors, stages] = shape(context, r);
    const Rows &in = r.rows_in, &out = r.rows_out;
    const size_t size = dtype(r.dtype).size, tile = group * vectors * (kVectorBytes / size);
    const auto program = task.program(
        {"scan/staged_strides.cl",
         text(r.options(), r.index_option(tile), " -DGP_GROUP=", group, " -DGP_VECTORS=", vectors,
              " -DGP_STAGES=", stages, " -DGP_SPIN_LIMIT=", features.spin_limit(), features.options(), option),
         r.combine.preamble()});
    const size_t tiles = ceil_div(multiply(r.n, r.batch(), "n elements"), tile);
    const size_t state_bytes = 16 + tiles * 2 * size;
    const auto state = tiles > 1 ? task.cleared_space(state_bytes) : task.work_space(state_bytes);
    const size_t groups = std::min(tiles, size_t{context.info().compute_units});
    r.launch(task, *program, "scan_staged_strides", cl::Range::groups(groups, group), r.in, r.out, state, uint64_t{r.n},
             uint64_t{r.batch()}, uint64_t{in.stride}, uint64_t{in.step}, uint64_t{out.stride}, uint64_t{out.step},
             uint32_t{r.exclusive}, uint32_t{r.reverse});
}

void run(cl::Task &task, const Request &r) { run_with(task, r, ""); }
void run_fallback(cl::Task &task, const Request &r) { run_with(task, r, " -DGP_FALLBACK_ONLY"); }

Refusal refuses(const cl::Context &context, const Request &r) {
    const Shape needed = shape(context, r);
    if (const Refusal why = refuses_shape(context, needed.group, needed.local_bytes(context))) return why;
    if (multiply(r.n, r.batch(), "n elements") / needed.group > uint32_t(-1) / 2) return "it counts tiles in 32 bits";
    if (r.segmented) return "it takes no flags";
    return r.from != r.dtype ? "it has no accumulator of another type" : Refusal{};
}

} // namespace

const Algorithm kStagedStrides = {
    {"staged-strides", "as staged-rows, whatever the strides",
     "Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016", false, Suits::kGpu,
     kNeeds},
    refuses,
    run,
    nullptr,
    kParameters};

const Algorithm kStagedStridesFallback = {
    {"staged-strides-fallback", "as staged-strides, but every sum is computed by all who need it; a test of that",
     "Smith, Levien and Owens, Decoupled Fallback, 2024", false, Suits::kByName, kNeeds},
    refuses,
    run_fallback};

} // namespace gpcl::scan

// Matrix product in one launch, from the matrices as they lie. Host side of
// kernels/matmul/direct_tiles.cl.
// SPDX-License-Identifier: MIT
#include "ops/matmul/matmul.h"
#include "ops/matmul/split_k.h"
#include "ops/shape.h"

#include <array>

namespace gpcl::matmul {
namespace {

const Parameter kItems = {GP_MATMUL,        "direct-tiles", "items", "work-items that work on a compute unit at a time",
                          {256, 512, 1024}, always<512>};
const Parameter kSlices = slices_parameter("direct-tiles");
constexpr std::array kParameters = {&kItems, &kSlices};

// As in direct_tiles.cl.
struct Shape {
    uint64_t warps_m, warps_n, warps_k, depth, stages, quads;
    uint64_t group() const { return 32 * warps_m * warps_n * warps_k; }
    uint64_t tile_m() const { return 32 * warps_m; }
    uint64_t tile_n() const { return 32 * quads * warps_n; }
    uint64_t local_bytes() const { return stages * depth * (tile_m() + tile_n() + 8) * 4; }
    uint64_t tiles(const Request &request) const {
        return multiply(ceil_div(request.m, tile_m()) * ceil_div(request.n, tile_n()), request.batch, "tiles");
    }
};

// 128 x 128, 128 x 64, 64 x 128 by 4 and by 16 warps, 64 x 64 and 32 x 64 elements of C; by warps
// of 32 x 32, 32 x 32 by one warp and by 4, and 64 x 64. On an H200, in us, those and the best of
// the others: 10000 products of 32 x 32 42, 123; 5000 of 33 x 33 63, 91; 4000 of 64 x 64 81, 100;
// one of 256 9.1, 12; of 512 13.6, 16.
constexpr Shape kShapes[] = {{4, 2, 1, 16, 4, 2}, {4, 1, 2, 16, 3, 2}, {2, 2, 1, 16, 3, 2},
                             {2, 2, 4, 32, 3, 2}, {2, 1, 4, 32, 3, 2}, {1, 1, 8, 32, 3, 2},
                             {1, 1, 1, 32, 2, 1}, {1, 1, 4, 32, 3, 1}, {2, 2, 1, 16, 3, 1}};

constexpr uint64_t kPairs = 128; // that a compute unit multiplies in a cycle

// The time of a product but for its launch, `items` working on a compute unit at a time. Its
// constants are multiples of the time in which a unit multiplies a pair of numbers. Fitted to times
// on an H200, which it gives within 10 % from n = 1000 on: besides its products a tile takes time
// to begin and to end, which other tiles on the unit hide, and to bring its lines, more where they
// lie along k and come word by word. Nothing hides the waits of a work-group that is alone on its
// unit.
Join time_of(const cl::Context &context, const Request &request, uint64_t items, const Shape &shape, uint64_t slices) {
    constexpr uint64_t kTile = 372000, kElement = 21, kLine = 11, kLineAlongK = 23;
    constexpr uint64_t kJoin = 1400000, kSum = 6; // another launch; a sum written and read
    const uint64_t groups = ceil_div<uint64_t>(shape.tiles(request) * slices, context.info().compute_units); // at most
    const uint64_t together = std::max(items / shape.group(), uint64_t{1});
    const uint64_t alone = together == 1 ? groups : groups % together == 1;
    const uint64_t elements = shape.tile_m() * shape.tile_n(), depth = ceil_div(request.k, slices);
    const uint64_t step = (request.semiring == GP_PLUS_TIMES ? 1 : 2) * elements +
                          (request.a.column_stride == 1 ? kLineAlongK : kLine) * shape.tile_m() +
                          (request.b.row_stride == 1 ? kLineAlongK : kLine) * shape.tile_n();
    const uint64_t product = groups * (kTile / together + kElement * elements + step * depth) +
                             alone * (elements * (9 + 2 * together) / 80 * depth);
    return join_of(product / kPairs, (kJoin + kSum * groups * elements) / kPairs, slices, shape.tiles(request),
                   elements * 4, context.info().compute_units);
}

// The fastest; depends on the device and the form of the product alone, so that results don't
// change from run to run.
Division<Shape> find_division(const cl::Context &context, const Request &request, uint64_t items, uint64_t set) {
    constexpr uint64_t kMostSlices = 64;
    Division<Shape> best{kShapes[0], 1};
    for (const Shape &shape : kShapes) {
        if (shape.local_bytes() > context.features().local_bytes) continue;
        const auto [slices, join] = cut(set, kMostSlices, ceil_div(request.k, shape.depth),
                                        [&](uint64_t count) { return time_of(context, request, items, shape, count); });
        if (join.cycles < best.cycles) best = {shape, slices, join.in_launch, join.cycles};
    }
    return best;
}

Division<Shape> division_of(const cl::Context &context, const Request &r) {
    const uint64_t items = tuned(context, r.dtype, kItems), set = tuned(context, r.dtype, kSlices);
    const std::array<uint64_t, 11> key = {context.info().compute_units,
                                          context.features().local_bytes,
                                          r.m,
                                          r.n,
                                          r.k,
                                          r.batch,
                                          r.semiring == GP_PLUS_TIMES,
                                          r.a.column_stride == 1,
                                          r.b.row_stride == 1,
                                          items,
                                          set};
    return remember(key, [&] { return find_division(context, r, items, set); });
}

bool is_aligned(const Matrix &x, uint64_t line_stride) {
    return x.data.offset % 4 == 0 && line_stride % 4 == 0 && x.batch_stride % 4 == 0;
}

void run(cl::Task &task, const Request &request) {
    auto &context = task.context();
    const Matrix &a = request.a, &b = request.b;
    const auto [shape, count, joins, cycles] = division_of(context, request);
    std::string options = semiring_options(request, 4) +
                          text(" -DGP_MINIMUM_BUILTIN -DGP_WARPS_M=", shape.warps_m, " -DGP_WARPS_N=", shape.warps_n,
                               " -DGP_WARPS_K=", shape.warps_k, " -DGP_DEPTH=", shape.depth,
                               " -DGP_STAGES=", shape.stages, " -DGP_QUADS=", shape.quads);
    options += context.features().options();
    const size_t groups_per_unit =
        context.features().pay(kAsyncCopy) ? tuned(context, request.dtype, kItems) / shape.group() : 0;
    // Memory that is shared with the host may begin anywhere.
    const bool may_align = !context.shares_memory();
    if (a.column_stride == 1)
        options += " -DGP_A_ALONG_K";
    else if (may_align && is_aligned(a, a.column_stride))
        options += " -DGP_A_ALIGNED";
    if (b.row_stride == 1)
        options += " -DGP_B_ALONG_K";
    else if (may_align && is_aligned(b, b.row_stride))
        options += " -DGP_B_ALIGNED";
    const Slices slices(task, request, count, 4, joins ? shape.tiles(request) : 0);
    options += join_option(joins);
    const auto program = task.program({"matmul/direct_tiles.cl", options, request.preamble, groups_per_unit});
    launch_on_matrices(task, *program, "matmul_direct_tiles",
                       cl::Range::groups({shape.tiles(request), count, 1}, {shape.group(), 1, 1}), request, count,
                       slices.sums, slices.ended);
    if (slices.need_launch()) add_slices(task, *program, request, slices);
}

Refusal refuses(const cl::Context &context, const Request &request) {
    if (request.dtype != GP_INT32 && request.dtype != GP_FLOAT32) return "it computes with int32 and float32";
    if (request.k == 0) return "k is 0";
    const Shape shape = division_of(context, request).shape;
    return refuses_shape(context, shape.group(), shape.local_bytes());
}

// Where the launches and the packing of the others take longer than their multiplying is faster. On
// an H200, in us, this and the best of the others: float32 n = 256 9.4, 20; n = 512 12.9, 22.4; n =
// 1000 60, 49; 1000 x 3000 x 77 19, 32.6; 4096 x 64 x 4096 66, 96; 64 x 4096 x 4096 64, 130; 4096 x
// 4096 x 64 71, 78; 127 x 131 x 8000 21.8, 36.8; min-plus n = 1000 99, and 96 to 109 with the
// numbers' signs; n = 4000 6000, 4200. int32 is not measured. In portable form, whose copies are
// no faster than loads: n = 256 21, 39; 512 27, 45; 1000 89, 108; 1500 225, 337.
bool fits(const cl::Context &context, const Request &request) {
    if (request.dtype != GP_FLOAT32) return false;
    if (is_for_warp_groups(context, request)) return true; // and they are not faster
    const bool on_units = request.semiring == GP_PLUS_TIMES;
    const double m = static_cast<double>(request.m), n = static_cast<double>(request.n);
    const double k = static_cast<double>(request.k) * static_cast<double>(request.batch);
    if (!context.features().pay(kAsyncCopy)) return m * n * k < 5e9;
    if (!context.features().pay(kBulkCopy)) return false;
    return request.k < 256 || m * n * k < (on_units ? 3e8 : 8e8) + 120 * (m + n) * k;
}

} // namespace

double cycles_of_direct_tiles(const cl::Context &context, const Request &request) {
    return static_cast<double>(division_of(context, request).cycles);
}

const Algorithm kDirectTiles = {{"direct-tiles",
                                 "tiles of the matrices as they lie, by asynchronous copies: one launch",
                                 "Lai and Seznec, Performance Upper Bound Analysis and Optimization of SGEMM, 2013",
                                 false, Suits::kGpu, 0, 0, nullptr, kAsyncCopy},
                                refuses,
                                run,
                                fits,
                                kParameters};

} // namespace gpcl::matmul

// Product of float64, float16 or bfloat16 through matrix units in one launch, from the matrices as
// they lie. Host side of kernels/matmul/direct_units.cl.
// SPDX-License-Identifier: MIT
#include "ops/matmul/matmul.h"
#include "ops/matmul/split_k.h"
#include "ops/shape.h"

#include <array>

namespace gpcl::matmul {
namespace {

const Parameter kSlices = slices_parameter("direct-units");
constexpr std::array kParameters = {&kSlices};

// As in direct_units.cl.
struct Shape {
    uint64_t warp_m, warps_m, warps_n, warps_k, depth, stages;
    uint64_t group() const { return 32 * warps_m * warps_n * warps_k; }
    uint64_t tile_m() const { return warp_m * warps_m; }
    uint64_t tile_n() const { return 32 * warps_n; }
    uint64_t stage_bytes() const { return (depth + 4) * (tile_m() + tile_n()) * 8; }
    // The portable form takes 6 doubles of each work-item more.
    uint64_t local_bytes() const { return stages * stage_bytes() + 6 * group() * 8; }
    // Work-groups of a compute unit at a time: by their registers, and as seen.
    uint64_t beside() const { return std::clamp<uint64_t>(256 / group(), 1, 6); }
    uint64_t tiles(const Request &request) const {
        return multiply(ceil_div(request.m, tile_m()) * ceil_div(request.n, tile_n()), request.batch, "tiles");
    }
};

// 128 x 128, 128 x 64, 128 x 32, 64 x 64, and 32 x 32 elements of C by 4 warps and by one; `depth`
// is that of doubles, `stages` the fewest. The first is for doubles, of which a cache does not
// bring enough to smaller tiles: n = 2048 47 TFLOP/s, the others 37 (H100).
constexpr Shape kShapes[] = {{64, 2, 4, 1, 16, 2}, {32, 4, 2, 1, 16, 3}, {32, 4, 1, 1, 16, 2},
                             {32, 2, 2, 1, 16, 3}, {32, 1, 1, 4, 32, 3}, {32, 1, 1, 1, 16, 3}};

// The same with as many stages as local memory holds, up to six, where a work-group has more steps
// of k than the fewest: where few work-groups are on a unit, they wait for what is on its way.
Shape with_stages(const cl::Context &context, Shape shape, uint64_t steps) {
    constexpr uint64_t kMost = 6, kReserved = 1024;
    if (!context.features().pay(kAsyncCopy) || steps <= shape.stages) return shape;
    const uint64_t bytes = context.features().local_bytes / shape.beside();
    if (bytes > kReserved + shape.local_bytes())
        shape.stages = std::min(kMost, shape.stages + (bytes - kReserved - shape.local_bytes()) / shape.stage_bytes());
    return shape;
}

uint64_t depth_of(const Request &request, const Shape &shape) {
    return shape.depth * (request.dtype == GP_FLOAT64 ? 1 : 2);
}

// How many elements begin at multiples of their size, of 16 bytes at most, wherever a line of x
// does. `stride` is from one line to the next.
uint64_t width_of(const cl::Context &context, const Request &request, const Matrix &x, uint64_t stride) {
    if (context.shares_memory()) return 1; // memory that is shared with the host may begin anywhere
    uint64_t result = 16 / dtype(request.dtype).size;
    while ((x.data.offset | stride | x.batch_stride) % result != 0) result /= 2;
    return result;
}

uint64_t width_of_a(const cl::Context &context, const Request &request) {
    const Matrix &a = request.a;
    return width_of(context, request, a, a.column_stride == 1 ? a.row_stride : a.column_stride);
}

uint64_t width_of_b(const cl::Context &context, const Request &request) {
    const Matrix &b = request.b;
    return width_of(context, request, b, b.row_stride == 1 ? b.column_stride : b.row_stride);
}

// Do pairs of neighbours in rows of C begin at multiples of their size?
bool has_pairs(const cl::Context &context, const Matrix &c) {
    return !context.shares_memory() && (c.data.offset | c.row_stride | c.batch_stride) % 2 == 0;
}

// The time of a product but for its launch, in cycles of a compute unit. A unit multiplies 118
// pairs of doubles a cycle, or 900 of halves, begins nine copies and writes 14 bytes of C. Copies
// bring 31 bytes a cycle to one unit and 16 to each of all. What is asked for comes 1500 cycles
// later, several stages at a time. Fitted to 64 times of float64 and float16 in four shapes on an
// H100, from which it then was 21 % off in the mean. What doubles take more was set later, by n =
// 512 to 2048 on an H200: more where a unit has less than eight warps.
Join time_of(const cl::Context &context, const Request &request, const Shape &shape, uint64_t slices) {
    const bool doubles = request.dtype == GP_FLOAT64;
    const double kPairs = doubles ? 118 : 900, kBytes = doubles ? 8 : 2;
    constexpr double kCached = 16, kOwn = 31, kCopies = 9, kLatency = 1500, kBegin = 1000, kTile = 4850, kWritten = 14,
                     kAlone = 1.08, kDoubles = 1.3, kFewWarps = 1.85;
    constexpr uint64_t kJoin = 6000; // another launch
    const uint64_t units = context.info().compute_units, tiles = shape.tiles(request);
    const double all = static_cast<double>(units), groups = static_cast<double>(tiles * slices);
    const double busiest = static_cast<double>(ceil_div(tiles * slices, units));
    const double rounds = static_cast<double>(ceil_div(ceil_div(tiles * slices, units), shape.beside()));
    const double tile_m = static_cast<double>(shape.tile_m()), tile_n = static_cast<double>(shape.tile_n());
    const uint64_t steps = ceil_div(ceil_div(request.k, depth_of(request, shape)), slices);
    const double deep = static_cast<double>(steps * depth_of(request, shape)),
                 bytes = (tile_m + tile_n) * deep * kBytes;
    const uint64_t a_width = width_of_a(context, request), b_width = width_of_b(context, request);
    const double copies = (tile_m / static_cast<double>(a_width) + tile_n / static_cast<double>(b_width)) * deep;
    const bool asynchronous = std::min(a_width, b_width) * dtype(request.dtype).size >= 4;
    const double at_a_time = asynchronous ? static_cast<double>(shape.stages - 1) : 1;
    const uint64_t warps = shape.group() / 32 * std::min(ceil_div(tiles * slices, units), shape.beside());
    const double slower = doubles ? (warps < 8 ? kFewWarps : kDoubles) : shape.beside() == 1 ? kAlone : 1;
    const double products = std::max(
        {slower * busiest * tile_m * tile_n * deep / kPairs, groups * bytes / (kCached * all), busiest * bytes / kOwn,
         busiest * copies / kCopies, rounds * static_cast<double>(steps) * kLatency / at_a_time});
    const double written = busiest * std::min(tile_m, static_cast<double>(request.m)) *
                           std::min(tile_n, static_cast<double>(request.n)) * kBytes / kWritten;
    constexpr double kMost = 1e18; // fits uint64_t
    const uint64_t product = static_cast<uint64_t>(std::min(products + kBegin + written + kTile * (rounds - 1), kMost));
    const uint64_t tile_bytes = shape.tile_m() * shape.tile_n() * value_size(request);
    const uint64_t by_launch = kJoin + 2 * slices * tiles * tile_bytes / (18 * units);
    return join_of(product, by_launch, slices, tiles, tile_bytes, units);
}

// The fastest; depends on the device and the form of the product alone, so that results don't
// change from run to run.
Division<Shape> find_division(const cl::Context &context, const Request &request, size_t set) {
    constexpr uint64_t kMostSlices = 264, kMostGroups = 8; // of a compute unit
    Division<Shape> best{std::end(kShapes)[-1], 1};
    for (const Shape &fewest : kShapes) {
        if (request.dtype != GP_FLOAT64 && fewest.warp_m > 32) continue;
        if (refuses_shape(context, fewest.group(), fewest.local_bytes())) continue;
        const uint64_t steps = ceil_div(request.k, depth_of(request, fewest));
        const uint64_t enough =
            kMostGroups * context.info().compute_units / std::max<uint64_t>(fewest.tiles(request), 1);
        const auto shape_of = [&](uint64_t slices) { return with_stages(context, fewest, ceil_div(steps, slices)); };
        const auto [slices, join] = cut(set, std::min(kMostSlices, enough), steps, [&](uint64_t count) {
            return time_of(context, request, shape_of(count), count);
        });
        if (join.cycles < best.cycles) best = {shape_of(slices), slices, join.in_launch, join.cycles};
    }
    return best;
}

Division<Shape> division_of(const cl::Context &context, const Request &r) {
    const size_t set = tuned(context, r.dtype, kSlices);
    const std::array<uint64_t, 13> key = {context.info().compute_units,
                                          context.info().work_group_size,
                                          context.features().local_bytes,
                                          context.features().pay(kAsyncCopy),
                                          r.m,
                                          r.n,
                                          r.k,
                                          r.batch,
                                          r.dtype == GP_FLOAT64,
                                          value_size(r),
                                          width_of_a(context, r),
                                          width_of_b(context, r),
                                          set};
    return remember(key, [&] { return find_division(context, r, set); });
}

void run(cl::Task &task, const Request &request) {
    auto &context = task.context();
    const Matrix &a = request.a, &b = request.b;
    const auto [shape, count, joins, cycles] = division_of(context, request);
    std::string options =
        semiring_options(request, 2) + text(" -DGP_WARP_M=", shape.warp_m, " -DGP_WARPS_M=", shape.warps_m,
                                            " -DGP_WARPS_N=", shape.warps_n, " -DGP_WARPS_K=", shape.warps_k,
                                            " -DGP_DEPTH=", depth_of(request, shape), " -DGP_STAGES=", shape.stages,
                                            context.features().options());
    if (a.column_stride == 1) options += " -DGP_A_ALONG_K";
    if (b.row_stride == 1) options += " -DGP_B_ALONG_K";
    options += text(" -DGP_A_WIDTH=", width_of_a(context, request), " -DGP_B_WIDTH=", width_of_b(context, request));
    if (is_half(request.of_c()) && has_pairs(context, request.c)) options += " -DGP_WORD_STORES";
    const Slices slices(task, request, count, 2, joins ? shape.tiles(request) : 0);
    options += join_option(joins);
    const auto program = task.program({"matmul/direct_units.cl", options, request.preamble});
    launch_on_matrices_with_struct(task, *program, "matmul_direct_units",
                                   cl::Range::groups({shape.tiles(request), count, 1}, {shape.group(), 1, 1}), request,
                                   count, slices.sums, slices.ended);
    if (slices.need_launch()) add_slices(task, *program, request, slices);
}

Refusal refuses(const cl::Context &context, const Request &request) {
    if ((request.dtype != GP_FLOAT64 && !is_half(request.dtype)) || request.semiring != GP_PLUS_TIMES)
        return "it computes ordinary products of float16, bfloat16 and float64";
    if (request.k == 0) return "k is 0";
    const Shape shape = division_of(context, request).shape;
    return refuses_shape(context, shape.group(), shape.local_bytes());
}

// Where the packing of matrix-units takes longer than its multiplying is faster. On an H200, in us,
// float64 of n = 1000 59 and 74, of n = 2048 438 and 356.
bool fits(const cl::Context &, const Request &request) {
    const double m = static_cast<double>(request.m), n = static_cast<double>(request.n);
    const double k = static_cast<double>(request.k);
    return std::min(m, n) <= 256 || k <= 256 || m * n * k < 2e9;
}

} // namespace

double cycles_of_direct_units(const cl::Context &context, const Request &request) {
    return static_cast<double>(division_of(context, request).cycles);
}

const Algorithm kDirectUnits = {
    {"direct-units",
     "matrix units on tiles of float64, float16 or bfloat16 as they lie, by asynchronous copies: one launch",
     "NVIDIA, Parallel Thread Execution ISA, mma.sync", false, Suits::kGpu, 0, Feature::kMatrixUnits | kAsyncCopy},
    refuses,
    run,
    fits,
    kParameters};

} // namespace gpcl::matmul

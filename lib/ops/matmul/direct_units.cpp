// Product of float64, float16 or bfloat16 through matrix units in one launch, from the matrices as
// they lie. Host side of kernels/matmul/direct_units.cl.
// SPDX-License-Identifier: MIT
#include "ops/matmul/matmul.h"
#include "ops/matmul/split_k.h"
#include "ops/shape.h"

#include <array>

namespace gpcl::matmul {
namespace {

// As in direct_units.cl.
struct Shape {
    uint64_t warps_m, warps_n, warps_k, depth, stages;
    uint64_t group() const { return 32 * warps_m * warps_n * warps_k; }
    uint64_t tile_m() const { return 32 * warps_m; }
    uint64_t tile_n() const { return 32 * warps_n; }
    // The portable form takes 6 doubles of each work-item more.
    uint64_t local_bytes() const { return stages * depth * (tile_m() + tile_n() + 16) * 8 + 6 * group() * 8; }
    uint64_t tiles(const Request &request) const {
        return multiply(ceil_div(request.m, tile_m()) * ceil_div(request.n, tile_n()), request.batch, "tiles");
    }
};

// 128 x 64, 64 x 64, and 32 x 32 elements of C by 4 warps and by one; `depth` is that of doubles.
// On an H200, in us, float64: n = 256 19, 12, 7.9, -; n = 1000 58.6, 60.9, 117, - (matrix-units
// 73.5); 10000 products of 32 x 32 -, 151, 111, 67.5; 1000 of 128 x 128 -, 146, 272, 217. 64 x 32
// and 32 x 64 were never the fastest.
constexpr Shape kShapes[] = {{4, 2, 1, 16, 3}, {2, 2, 1, 16, 4}, {1, 1, 4, 32, 3}, {1, 1, 1, 16, 3}};

uint64_t depth_of(const Request &request, const Shape &shape) {
    return shape.depth * (request.dtype == GP_FLOAT64 ? 1 : 2);
}

struct Division {
    Shape shape;
    uint64_t slices; // of k
};

// The time of a product but for its launch, in cycles of a compute unit; reckoned from an H200's
// rates. A unit multiplies 128 pairs a cycle; the caches bring 24 bytes a cycle to each, memory 18.
double time_of(const cl::Context &context, const Request &request, const Division &division) {
    const bool doubles = request.dtype == GP_FLOAT64;
    const double kPairs = doubles ? 128 : 1024, kBytes = doubles ? 8 : 2;
    constexpr double kCached = 24, kMemory = 18, kTile = 3000, kJoin = 6000;
    const auto &[shape, slices] = division;
    const double units = context.info().compute_units;
    const uint64_t groups = shape.tiles(request) * slices;
    const double busiest = static_cast<double>(ceil_div<uint64_t>(groups, context.info().compute_units));
    const double m = static_cast<double>(request.m), n = static_cast<double>(request.n);
    const double k = static_cast<double>(request.k), batch = static_cast<double>(request.batch);
    const double tile_m = static_cast<double>(shape.tile_m()), tile_n = static_cast<double>(shape.tile_n());
    const double deep = k / static_cast<double>(slices);
    // Seen: tiles of one warp each, or of many, keep the units less busy.
    const uint64_t warps = shape.warps_m * shape.warps_n;
    const double pairs = busiest * tile_m * tile_n * deep / kPairs * (warps == 1 ? 2.5 : warps > 4 ? 1.1 : 1);
    const double cached = static_cast<double>(groups) * (tile_m + tile_n) * deep * kBytes / (kCached * units);
    const double memory = (m * k + k * n + m * n) * batch * kBytes / (kMemory * units);
    const double sums =
        slices > 1 ? kJoin + 2 * static_cast<double>(slices) * m * n * batch * 8 / (kMemory * units) : 0;
    // Tiles on one unit hide what each waits for.
    const uint64_t beside = std::max<uint64_t>(512 / shape.group(), 1); // groups of a compute unit
    const double together = std::min(busiest, static_cast<double>(beside));
    return std::max({pairs, cached, memory}) + kTile * busiest / together + sums;
}

// The fastest; depends on the device and the form of the product alone, so that results don't
// change from run to run.
Division division_of(const cl::Context &context, const Request &request) {
    constexpr uint64_t kMostSlices = 264;
    Division best{kShapes[0], 1};
    double least = 1e300;
    for (const Shape &shape : kShapes) {
        for (uint64_t slices = 1; slices <= std::min(kMostSlices, ceil_div(request.k, depth_of(request, shape)));
             ++slices) {
            const double time = time_of(context, request, {shape, slices});
            if (time >= least) continue;
            best = {shape, slices};
            least = time;
        }
    }
    return best;
}

void run(cl::Task &task, const Request &request) {
    auto &context = task.context();
    const Matrix &a = request.a, &b = request.b;
    const auto [shape, count] = division_of(context, request);
    std::string options =
        semiring_options(request, 2) + text(" -DGP_WARPS_M=", shape.warps_m, " -DGP_WARPS_N=", shape.warps_n,
                                            " -DGP_WARPS_K=", shape.warps_k, " -DGP_DEPTH=", depth_of(request, shape),
                                            " -DGP_STAGES=", shape.stages, context.features().options());
    // Memory that is shared with the host may begin anywhere.
    const bool may_align = !context.shares_memory();
    const uint64_t most = 16 / dtype(request.dtype).size;
    // The most elements that begin at multiples of their size wherever a line does.
    const auto width = [&](const Matrix &x, uint64_t stride) {
        if (!may_align) return uint64_t{1};
        uint64_t result = most;
        while ((x.data.offset | stride | x.batch_stride) % result != 0) result /= 2;
        return result == 4 ? uint64_t{2} : result; // of halves
    };
    if (a.column_stride == 1) options += " -DGP_A_ALONG_K";
    if (b.row_stride == 1) options += " -DGP_B_ALONG_K";
    options += text(" -DGP_A_WIDTH=", width(a, a.column_stride == 1 ? a.row_stride : a.column_stride),
                    " -DGP_B_WIDTH=", width(b, b.row_stride == 1 ? b.column_stride : b.row_stride));
    const auto program = task.program({"matmul/direct_units.cl", options, request.preamble});
    const Slices slices(task, request, count, 2);
    launch_on_matrices(task, *program, "matmul_direct_units",
                       cl::Range::groups({shape.tiles(request), count, 1}, {shape.group(), 1, 1}), request, count,
                       slices.sums);
    if (count > 1) add_slices(task, *program, request, slices);
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

const Algorithm kDirectUnits = {
    {"direct-units",
     "matrix units on tiles of float64, float16 or bfloat16 as they lie, by asynchronous copies: one launch",
     "NVIDIA, Parallel Thread Execution ISA, mma.sync", false, Suits::kGpu, 0, Feature::kMatrixUnits | kAsyncCopy},
    refuses,
    run,
    fits};

} // namespace gpcl::matmul

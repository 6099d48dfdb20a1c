// Matrix product through NVIDIA's matrix units. Host side of kernels/matmul/matrix_units.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/matmul/matmul.h"

#include <bit>

namespace gpcl::matmul {
namespace {

// As in matrix_units.cl.
constexpr uint64_t kLines = 64;
constexpr uint64_t kChunk = 512;
constexpr uint64_t kVector = 16; // bytes
constexpr uint64_t kBlockBytes = 512 * kVector;

// How the product is divided. Measured on an H200 at n = 4096, kernel alone, in TFLOP/s: float32 in full 122 with these, 107
// with 2 x 4 warps, 86 with warps of 64 columns (they spill); fast 368, and 356 with 2 x 2 warps; float64 57.7, and 55 with
// 2 x 4 warps.
struct Shape {
    uint64_t parts, warps_m, warps_n, warp_n, stages;
    uint64_t depth; // of k, in a block
    uint64_t tile_m() const { return 64 * warps_m; }
    uint64_t tile_n() const { return warp_n * warps_n; }
    uint64_t group() const { return 32 * warps_m * warps_n; }
};

Shape shape_of(const Request &request) {
    if (request.dtype == GP_FLOAT64) return {1, 2, 2, 32, 3, 16};
    if (request.dtype == GP_FLOAT32 && request.precision == GP_FULL) return {2, 2, 2, 32, 3, 32};
    return {1, 2, 4, 64, 4, 64};
}

// An operand as the units want it: rows of A or columns of B, in blocks.
struct Lines {
    const Matrix &matrix;
    uint64_t stride, k_stride, count;
    uint64_t padded; // a multiple of the tile's
    bool is_b;
};

uint64_t packed_bytes(uint64_t padded, uint64_t depths) {
    return multiply(padded / kLines * depths, kBlockBytes, "blocks");
}

// The words that matrix_units_range counts in: the report, then those of each line of A and B.
constexpr uint64_t kReportWords = 4;

void run(cl::Task &task, const Request &request) {
    constexpr uint64_t kWorkSpaceBytes = 256 << 20; // for several products; one may take more
    const Shape shape = shape_of(request);
    const bool is_float32 = request.dtype == GP_FLOAT32;
    const auto program = task.context().program(
        "matmul/matrix_units.cl",
        semiring_options(request, 4) + text(" -DPARTS=", shape.parts, " -DWARPS_M=", shape.warps_m, " -DWARPS_N=",
                                            shape.warps_n, " -DWARP_N=", shape.warp_n, " -DSTAGES=", shape.stages));
    const Lines a{request.a,
                  request.a.row_stride,
                  request.a.column_stride,
                  request.m,
                  round_up<uint64_t>(request.m, shape.tile_m()),
                  false};
    const Lines b{request.b,
                  request.b.column_stride,
                  request.b.row_stride,
                  request.n,
                  round_up<uint64_t>(request.n, shape.tile_n()),
                  true};
    const uint64_t depths = ceil_div(request.k, shape.depth);
    const uint64_t a_bytes = packed_bytes(a.padded, depths), b_bytes = packed_bytes(b.padded, depths);
    const uint64_t together = std::clamp<uint64_t>(kWorkSpaceBytes / (a_bytes + b_bytes), 1, request.batch);
    const auto packed_a = task.work_space(together * a_bytes), packed_b = task.work_space(together * b_bytes);
    const uint64_t words = kReportWords + (is_float32 ? 2 * together * (a.padded + b.padded) : 0);
    const auto report = task.work_space(words * sizeof(uint32_t));
    const auto a_ranges = report + (is_float32 ? kReportWords : 0);
    const auto b_ranges = a_ranges + (is_float32 ? 2 * together * a.padded : 0);
    // Numbers further apart than this lose more to the halves than float32's own sums of k terms do.
    const uint32_t span =
        request.precision == GP_FULL ? 24 + static_cast<uint32_t>(std::bit_width(request.k)) - 1 : 254;

    for (uint64_t first = 0; first < request.batch; first += together) {
        Request part = request;
        part.batch = std::min(together, request.batch - first);
        part.a.data = request.a.data + first * request.a.batch_stride;
        part.b.data = request.b.data + first * request.b.batch_stride;
        part.c.data = request.c.data + first * request.c.batch_stride;
        if (is_float32) {
            const uint32_t zero = 0;
            task.fill(report.memory, 0, words * sizeof zero, &zero, sizeof zero);
        }
        const auto prepare = [&](const Lines &x, const cl::Operand &from, const cl::Operand &ranges,
                                 const cl::Operand &packed) {
            if (is_float32)
                task.launch(
                    *program, "matrix_units_range",
                    cl::Range::groups({ceil_div(request.k, kChunk), x.padded / kLines, part.batch}, {256, 1, 1}), from,
                    x.stride, x.k_stride, x.matrix.batch_stride, x.count, request.k, ranges);
            task.launch(*program, "matrix_units_pack",
                        cl::Range::groups({depths, x.padded / kLines, part.batch}, {256, 1, 1}), from, x.stride,
                        x.k_stride, x.matrix.batch_stride, x.count, request.k, uint32_t{x.is_b}, span, ranges, report,
                        packed);
        };
        prepare(a, part.a.data, a_ranges, packed_a);
        prepare(b, part.b.data, b_ranges, packed_b);
        request.with_scalars([&](auto alpha, auto beta) {
            task.launch(*program, "matmul_matrix_units",
                        cl::Range::groups(
                            multiply(a.padded / shape.tile_m() * (b.padded / shape.tile_n()), part.batch, "tiles"),
                            shape.group()),
                        packed_a, packed_b, a_ranges, b_ranges, report, part.c.data, request.c.row_stride,
                        request.c.batch_stride, request.m, request.n, depths, alpha, beta, uint32_t{request.reads_c});
        });
        if (is_float32) run_wide_tiles(task, part, &report);
    }
}

std::string refuses(cl::Task &task, const Request &request) {
    if (!task.context().is_hopper()) return "it is written for NVIDIA's Hopper GPUs";
    if (request.semiring != GP_PLUS_TIMES || !is_float(request.dtype))
        return "it computes ordinary products of floating-point matrices";
    if (request.k == 0) return "k is 0";
    const Shape shape = shape_of(request);
    const uint64_t depths = ceil_div(request.k, shape.depth);
    const uint64_t largest = std::max(packed_bytes(round_up<uint64_t>(request.m, shape.tile_m()), depths),
                                      packed_bytes(round_up<uint64_t>(request.n, shape.tile_n()), depths));
    if (largest > task.context().info().allocation_bytes)
        return text("its copy of a or b takes ", largest, " bytes, more than the device allocates at once");
    return {};
}

// Where k is small, so are the sums' errors, below those of the halves; and packing costs as much as multiplying. Where there
// are few tiles, smaller ones are better.
bool fits(cl::Task &task, const Request &request) {
    const Shape shape = shape_of(request);
    const uint64_t tiles = ceil_div(request.m, shape.tile_m()) * ceil_div(request.n, shape.tile_n()) * request.batch;
    return request.k >= 256 && request.m >= 64 && request.n >= 64 && 2 * tiles >= task.context().info().compute_units;
}

} // namespace

const Algorithm kMatrixUnits = {
    {"matrix-units", "matrix units; float32 in two halves, or one where precision is fast; for NVIDIA Hopper",
     "Ootomo and Yokota, Recovering single precision accuracy from Tensor Cores, 2022", false, Suits::kNvidia},
    refuses,
    run,
    fits};

} // namespace gpcl::matmul

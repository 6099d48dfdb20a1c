// Matrix product through NVIDIA's matrix units. Host side of kernels/matmul/matrix_units.cl.
// SPDX-License-Identifier: MIT
#include "ops/matmul/packed.h"

#include <bit>

namespace gpcl::matmul {
namespace {

// As in matrix_units.cl.
constexpr uint64_t kLines = 64;
constexpr uint64_t kChunk = 512;
constexpr uint64_t kBlockBytes = 8192;

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

uint64_t tiles(const Request &request, const Shape &shape) {
    return ceil_div(request.m, shape.tile_m()) * ceil_div(request.n, shape.tile_n()) * request.batch;
}

Shape shape_of(const cl::Context &context, const Request &request) {
    if (request.dtype == GP_FLOAT64) return {1, 2, 2, 32, 3, 16};
    if (request.dtype == GP_FLOAT32 && request.precision == GP_FULL) return {2, 2, 2, 32, 3, 32};
    const Shape large{1, 2, 4, 64, 4, 64};
    return tiles(request, large) >= context.info().compute_units ? large : Shape{1, 2, 2, 32, 4, 64};
}

uint64_t packed_bytes(uint64_t padded, uint64_t depths) {
    return multiply(padded / kLines * depths, kBlockBytes, "blocks");
}

// The words that matrix_units_range counts in: the report, then two of each line of A and B.
constexpr uint64_t kReportWords = 4;

void run(cl::Task &task, const Request &request) {
    const Shape shape = shape_of(task.context(), request);
    const bool is_float32 = request.dtype == GP_FLOAT32;
    const auto program = task.context().program(
        "matmul/matrix_units.cl",
        semiring_options(request, 4) + text(" -DPARTS=", shape.parts, " -DWARPS_M=", shape.warps_m, " -DWARPS_N=",
                                            shape.warps_n, " -DWARP_N=", shape.warp_n, " -DSTAGES=", shape.stages));
    const uint64_t m = round_up(request.m, shape.tile_m()), n = round_up(request.n, shape.tile_n());
    const uint64_t depths = ceil_div(request.k, shape.depth);
    const uint64_t a_bytes = packed_bytes(m, depths), b_bytes = packed_bytes(n, depths);
    const uint64_t together = products_together(request, a_bytes + b_bytes);
    const auto packed_a = task.work_space(together * a_bytes), packed_b = task.work_space(together * b_bytes);
    const uint64_t words = kReportWords + (is_float32 ? 2 * together * (m + n) : 0);
    const auto report = task.work_space(words * sizeof(uint32_t));
    const auto a_ranges = report + (is_float32 ? kReportWords : 0);
    const auto b_ranges = a_ranges + (is_float32 ? 2 * together * m : 0);
    // Numbers further apart than this lose more to the halves than float32's own sums of k terms do.
    const uint32_t span =
        request.precision == GP_FULL ? 24 + static_cast<uint32_t>(std::bit_width(request.k)) - 1 : 254;

    for_each_part(request, together, [&](const Request &part) {
        const auto prepare = [&](const Lines &x, bool is_b, const cl::Operand &ranges, const cl::Operand &packed) {
            const size_t blocks = x.padded / kLines;
            if (is_float32)
                task.launch(*program, "matrix_units_range",
                            cl::Range::groups({ceil_div(part.k, kChunk), blocks, part.batch}, {256, 1, 1}), x.data,
                            x.stride, x.k_stride, x.batch_stride, x.count, part.k, ranges);
            task.launch(*program, "matrix_units_pack", cl::Range::groups({depths, blocks, part.batch}, {256, 1, 1}),
                        x.data, x.stride, x.k_stride, x.batch_stride, x.count, part.k, uint32_t{is_b}, span, ranges,
                        report, packed);
        };
        const uint32_t zero = 0;
        if (is_float32) task.fill(report.memory, 0, words * sizeof zero, &zero, sizeof zero);
        prepare(rows_of_a(part, shape.tile_m()), false, a_ranges, packed_a);
        prepare(columns_of_b(part, shape.tile_n()), true, b_ranges, packed_b);
        const size_t tiles = multiply(m / shape.tile_m() * (n / shape.tile_n()), part.batch, "tiles");
        part.with_scalars([&](auto alpha, auto beta) {
            task.launch(*program, "matmul_matrix_units", cl::Range::groups(tiles, shape.group()), packed_a, packed_b,
                        a_ranges, b_ranges, report, part.c.data, part.c.row_stride, part.c.batch_stride, part.m, part.n,
                        depths, alpha, beta, uint32_t{part.reads_c});
        });
        if (is_float32) run_wide_tiles(task, part, &report);
    });
}

std::string refuses(cl::Task &task, const Request &request) {
    if (!task.context().is_hopper()) return "it is written for NVIDIA's Hopper GPUs";
    if (request.semiring != GP_PLUS_TIMES || !is_float(request.dtype))
        return "it computes ordinary products of floating-point matrices";
    if (request.k == 0) return "k is 0";
    const Shape shape = shape_of(task.context(), request);
    const uint64_t depths = ceil_div(request.k, shape.depth);
    const uint64_t largest = std::max(packed_bytes(round_up<uint64_t>(request.m, shape.tile_m()), depths),
                                      packed_bytes(round_up<uint64_t>(request.n, shape.tile_n()), depths));
    if (largest > task.context().info().allocation_bytes)
        return text("its copy of a or b takes ", largest, " bytes, more than the device allocates at once");
    return {};
}

// Where k is small, so are the errors of float32's sums, below those of the halves; and packing costs as much as multiplying.
// Where there are few tiles, smaller ones are better. Measured on an H200 in TFLOP/s, beside wide-tiles: n = 512 float32 3.5
// and 4.0, float16 8.5 and 3.3; n = 1024 float32 27 and 18.
bool fits(cl::Task &task, const Request &request) {
    const uint64_t worth = (request.dtype == GP_FLOAT16 ? 8 : 2) * tiles(request, shape_of(task.context(), request));
    return request.k >= 256 && request.m >= 64 && request.n >= 64 && worth >= task.context().info().compute_units;
}

} // namespace

const Algorithm kMatrixUnits = {
    {"matrix-units", "matrix units; float32 in two halves, or one where precision is fast; for NVIDIA Hopper",
     "Ootomo and Yokota, Recovering single precision accuracy from Tensor Cores, 2022", false, Suits::kNvidia},
    refuses,
    run,
    fits};

} // namespace gpcl::matmul

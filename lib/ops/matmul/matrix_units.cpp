// Matrix product through matrix units. Host side of kernels/matmul/matrix_units.cl.
// SPDX-License-Identifier: MIT
#include "ops/matmul/halves.h"
#include "ops/matmul/packed.h"
#include "ops/matmul/split_k.h"
#include "ops/shape.h"

namespace gpcl::matmul {
namespace {

constexpr uint64_t kLines = 64;
constexpr uint64_t kBlockBytes = 8192;

// How the product is divided. Measured on an H200 at n = 4096, kernel alone, in TFLOP/s: float32 in
// full 122 with these, 107 with 2 x 4 warps, 86 with warps of 64 columns (they spill); fast 368,
// and 356 with 2 x 2 warps; float64 57.7, and 55 with 2 x 4 warps.
struct Shape {
    uint64_t parts, warps_m, warps_n, warp_n, stages;
    uint64_t depth; // of k, in a block
    uint64_t tile_m() const { return 64 * warps_m; }
    uint64_t tile_n() const { return warp_n * warps_n; }
    uint64_t group() const { return 32 * warps_m * warps_n; }
    uint64_t local_bytes() const { return stages * (tile_m() + tile_n()) / kLines * kBlockBytes + 1024; }
};

uint64_t tiles(const Request &request, const Shape &shape) {
    return ceil_div(request.m, shape.tile_m()) * ceil_div(request.n, shape.tile_n()) * request.batch;
}

Shape shape_of(const cl::Context &context, const Request &request) {
    if (request.dtype == GP_FLOAT64) return {1, 2, 2, 32, 3, 16};
    if (request.dtype == GP_FLOAT32 && request.precision == GP_FULL) return {2, 2, 2, 32, 3, 32};
    const Shape large{1, 2, 4, 64, 4, 64};
    const bool has_room = large.local_bytes() <= context.features().local_bytes;
    return has_room && tiles(request, large) >= context.info().compute_units ? large : Shape{1, 2, 2, 32, 4, 64};
}

uint64_t packed_bytes(uint64_t padded, uint64_t depths) {
    return multiply(padded / kLines * depths, kBlockBytes, "blocks");
}

// Of `together` products. Writing and adding up a slice of a tile takes about as long as four of
// its blocks of k; reckoned.
Slices slices_for(cl::Task &task, Request request, uint64_t together, const Shape &shape) {
    constexpr uint64_t kSums = 4;
    request.batch = together;
    const uint64_t depths = ceil_div(request.k, shape.depth);
    return {task, request, slices_of_tiles(task.context(), tiles(request, shape), depths, kSums), 4};
}

void run(cl::Task &task, const Request &request) {
    const Shape shape = shape_of(task.context(), request);
    const bool is_float32 = request.dtype == GP_FLOAT32;
    const auto program = task.program(
        {"matmul/matrix_units.cl",
         semiring_options(request, 4) + text(" -DGP_LINES=", kLines, " -DGP_DEPTH=", shape.depth,
                                             " -DGP_PARTS=", shape.parts, " -DGP_WARPS_M=", shape.warps_m,
                                             " -DGP_WARPS_N=", shape.warps_n, " -DGP_WARP_N=", shape.warp_n,
                                             " -DGP_STAGES=", shape.stages, task.context().features().options()),
         request.preamble});
    const uint64_t m = round_up(request.m, shape.tile_m()), n = round_up(request.n, shape.tile_n());
    const uint64_t depths = ceil_div(request.k, shape.depth);
    const uint64_t a_bytes = packed_bytes(m, depths), b_bytes = packed_bytes(n, depths);
    const uint64_t together = products_together(request, a_bytes + b_bytes);
    const auto packed_a = task.work_space(together * a_bytes), packed_b = task.work_space(together * b_bytes);
    const Slices slices = slices_for(task, request, together, shape);
    Request whole = request;
    whole.batch = together;
    const auto scales = is_float32 ? std::optional<Scales>(std::in_place, task, whole, rows_of_a(whole, shape.tile_m()),
                                                           columns_of_b(whole, shape.tile_n()))
                                   : std::nullopt;

    for_each_part(request, together, [&](const Request &part) {
        const Lines a = rows_of_a(part, shape.tile_m()), b = columns_of_b(part, shape.tile_n());
        const auto launch = [&](const char *kernel, uint64_t steps, const auto &...more) {
            const size_t blocks = multiply((m + n) / kLines, steps, "blocks");
            launch_on_lines(task, *program, kernel, cl::Range::groups({blocks, part.batch, 1}, {256, 1, 1}), a, kLines,
                            b, kLines, part.k, more...);
        };
        const auto range = cl::Range::groups(multiply(tiles(part, shape), slices.count, "tiles"), shape.group());
        const auto product = [&](const auto &...more) {
            part.with_scalars([&](auto alpha, auto beta) {
                task.launch(*program, "matmul_matrix_units", range, packed_a, packed_b, part.c.data, part.c.row_stride,
                            part.c.batch_stride, part.m, part.n, depths, slices.count, slices.sums, more..., alpha,
                            beta, uint32_t{part.reads_c}, part.finish_arguments(alpha));
            });
        };
        const auto sums = [&](const auto &...more) {
            if (slices.count > 1) add_slices(task, *program, part, slices, more...);
        };
        if (scales) {
            scales->find(task, *program, part, a, b);
            launch("matrix_units_pack", depths, packed_a, packed_b, scales->chunks, scales->span, scales->ranges,
                   scales->shifts, scales->report);
            product(scales->shifts, scales->report);
            sums(scales->report);
            run_wide_tiles(task, part, &scales->report);
        } else {
            launch("matrix_units_pack", depths, packed_a, packed_b);
            product();
            sums();
        }
    });
}

Refusal refuses(const cl::Context &context, const Request &request) {
    if (request.semiring != GP_PLUS_TIMES || !is_float(request.dtype))
        return "it computes ordinary products of floating-point matrices";
    if (request.k == 0) return "k is 0";
    const Shape shape = shape_of(context, request);
    if (const Refusal why = refuses_shape(context, shape.group(), shape.local_bytes())) return why;
    const uint64_t depths = ceil_div(request.k, shape.depth);
    const uint64_t largest = std::max(packed_bytes(round_up<uint64_t>(request.m, shape.tile_m()), depths),
                                      packed_bytes(round_up<uint64_t>(request.n, shape.tile_n()), depths));
    if (largest > context.info().allocation_bytes)
        return {"its copy of a or b takes ", largest, " bytes, more than the device allocates at once"};
    return {};
}

// Where k is small, so are the errors of float32's sums, below those of the halves; and packing
// costs as much as multiplying. float32 takes more launches than bulk-tiles, which small products
// feel. Measured on an H200 in TFLOP/s: n = 512 float32 9.1, bulk-tiles 12.1; n = 1000 float32 40.4
// and 30.0; n = 512 float16 13.8, float64 11.6; 1000 x 3000 x 77 12.4 and 14.2.
bool fits(const cl::Context &context, const Request &request) {
    const uint64_t worth = (request.dtype == GP_FLOAT32 ? 4 : 8) * tiles(request, shape_of(context, request));
    return request.k >= 256 && request.m >= 64 && request.n >= 64 && worth >= context.info().compute_units;
}

} // namespace

const Algorithm kMatrixUnits = {{"matrix-units", "matrix units; float32 in two halves, or one where precision is fast",
                                 "Ootomo and Yokota, Recovering single precision accuracy from Tensor Cores, 2022",
                                 false, Suits::kGpu, Feature::kMatrixUnits | kBulkCopy},
                                refuses,
                                run,
                                fits};

} // namespace gpcl::matmul

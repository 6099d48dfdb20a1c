// Matrix product of packed blocks by bulk copies. Host side of kernels/matmul/bulk_tiles.cl.
// SPDX-License-Identifier: MIT
#include "ops/matmul/packed.h"
#include "ops/shape.h"

#include <array>

namespace gpcl::matmul {
namespace {

constexpr uint64_t kGroup = 256;
constexpr size_t kGroupsPerUnit = 2;
constexpr uint64_t kTileM = 128;
constexpr uint64_t kLines = 128, kDepth = 32; // of a block

// Vectors of columns of a work-item, and blocks of k in local memory. Of 2 and 3, 2 and 2, and 4
// and 4 on an H200, float32, n = 4096, 2 and 3 were the fastest, by 4 and 12 %.
constexpr uint64_t kColumns = 2;
const Parameter kStages = {GP_MATMUL,       "bulk-tiles", "stages", "blocks of k in local memory",
                           {2, 3, 4, 5, 6}, always<3>};
constexpr std::array kParameters = {&kStages};

size_t local_bytes(size_t stages) { return stages * (1 + kColumns / 2) * kLines * kDepth * 4 + 1024; }

uint64_t in_word(const Request &request) { return request.computed() == GP_INT16 ? 2 : 1; }
uint64_t tile_n(const Request &request) { return 64 * kColumns * in_word(request); }

uint64_t tiles(const Request &request) {
    return multiply(ceil_div(request.m, kTileM) * ceil_div(request.n, tile_n(request)), request.batch, "tiles");
}

// Of one product's A, and of its B.
std::array<uint64_t, 2> packed_bytes(const Request &request) {
    const uint64_t line_bytes = ceil_div(request.k, kDepth) * kDepth * 4; // of words
    return {multiply(round_up(request.m, kTileM), line_bytes, "blocks"),
            multiply(round_up(request.n, tile_n(request)) / in_word(request), line_bytes, "blocks")};
}

// Which work-groups compute which tiles, so that all compute units end at about the same time. Two
// work-groups share a unit; as long as there are tiles for all, each takes one. The blocks of k of
// the tiles that are left are dealt out evenly. On an H200, float32, n = 4096, that gains 7 % over
// slices of k.
struct Division {
    uint64_t tiles, whole, span, others; // span: blocks of each of the other work-groups

    Division(const cl::Context &context, const Request &request) : tiles(matmul::tiles(request)) {
        constexpr uint64_t kLeast = 2; // blocks
        constexpr uint64_t kJoin = 4;  // in whose time the sums of a tile's parts are written and added up; reckoned
        const uint64_t depths = ceil_div(request.k, kDepth), groups = uint64_t{2} * context.info().compute_units;
        const uint64_t left = tiles % groups * depths;
        span = std::max(ceil_div(left, groups), kLeast);
        const bool deal = span + kJoin <= depths;
        whole = deal ? tiles - tiles % groups : tiles;
        others = deal ? ceil_div(left, span) : 0;
    }
};

constexpr uint64_t kTileBytes = kTileM * 64 * kColumns * 4; // of sums

void run(cl::Task &task, const Request &request) {
    const auto program = task.program(
        {"matmul/bulk_tiles.cl",
         semiring_options(request, 4) + text(" -DGP_MINIMUM_BUILTIN -DGP_TILE_M=", kTileM, " -DGP_LINES=", kLines,
                                             " -DGP_DEPTH=", kDepth, " -DGP_COLUMNS=", kColumns,
                                             " -DGP_STAGES=", tuned(task.context(), request.dtype, kStages),
                                             task.context().features().options()),
         request.preamble, kGroupsPerUnit});
    const auto [a_bytes, b_bytes] = packed_bytes(request);
    const uint64_t together = products_together(request, a_bytes + b_bytes);
    const auto packed_a = task.work_space(together * a_bytes), packed_b = task.work_space(together * b_bytes);
    const auto sums = task.work_space(uint64_t{4} * task.context().info().compute_units * kTileBytes);
    const auto negative = task.work_space(together * (a_bytes + b_bytes) / (kLines * kDepth)); // a word for each block
    for_each_part(request, together, [&](const Request &part) {
        const Lines a = rows_of_a(part, kTileM), b = columns_of_b(part, tile_n(part));
        const uint64_t b_lines = kLines * in_word(part);
        const size_t blocks = multiply(a.padded / kLines + b.padded / b_lines, ceil_div(part.k, kDepth), "blocks");
        launch_on_lines(task, *program, "bulk_tiles_pack", cl::Range::groups({blocks, part.batch, 1}, {256, 1, 1}), a,
                        kLines, b, b_lines, part.k, packed_a, packed_b, negative);
        const Division division(task.context(), part);
        part.with_scalars([&](auto alpha, auto beta) {
            task.launch(*program, "matmul_bulk_tiles", cl::Range::groups(division.whole + division.others, kGroup),
                        packed_a, packed_b, negative, part.c.data, part.c.row_stride, part.c.batch_stride, part.m,
                        part.n, part.k, part.batch, division.whole, division.span, sums, alpha, beta,
                        uint32_t{part.reads_c}, part.finish_arguments(alpha));
            if (division.others > 0)
                task.launch(
                    *program, "bulk_tiles_join",
                    cl::Range::groups((division.tiles - division.whole) * (kTileM * tile_n(part) / 4 / kGroup), kGroup),
                    sums, part.c.data, part.c.row_stride, part.c.batch_stride, part.m, part.n, part.k, division.whole,
                    division.span, alpha, beta, uint32_t{part.reads_c}, part.finish_arguments(alpha));
        });
    });
}

Refusal refuses(const cl::Context &context, const Request &request) {
    const size_t bytes = local_bytes(tuned(context, request.dtype, kStages));
    if (const Refusal why = refuses_shape(context, kGroup, bytes)) return why;
    if (value_size(request) != 4 && (request.dtype != GP_INT16 || request.semiring == GP_PLUS_TIMES))
        return "it computes with numbers of four bytes, and with int16 in other semirings than plus-times";
    if (request.dtype == GP_INT16 && request.semiring == kCallersSemiring)
        return "it computes with two int16 at a time, not by a text";
    if (request.k == 0) return "k is 0";
    const auto [a_bytes, b_bytes] = packed_bytes(request);
    const uint64_t largest = std::max(a_bytes, b_bytes);
    if (largest > context.info().allocation_bytes)
        return {"its copy of a or b takes ", largest, " bytes, more than the device allocates at once"};
    return {};
}

// Packing is worth its time where much is multiplied; where even parts of tiles are few, or tiles
// are mostly padding, smaller ones are better. Measured on an H200 in Top/s: plus-times n = 8192
// 51.7 (cuBLAS 51.2), n = 4096 50.7 (50.9), n = 2048 47.0 (49.4), n = 512 11.0; min-plus n = 6300
// 31.5 where all numbers are positive, 31.0 where some are not (wide-tiles 22.6), n = 1000 20.8 and
// 18.3; n = 4000 of int16 56, of int32 30.
bool fits(const cl::Context &context, const Request &request) {
    return request.k >= 256 && request.m >= 96 && request.n >= 96 * in_word(request) &&
           tiles(request) * ceil_div(request.k, kDepth) >= context.info().compute_units;
}

} // namespace

const Algorithm kBulkTiles = {{"bulk-tiles",
                               "128 x 128 elements of C, or 128 x 256 of int16, a work-group from packed blocks",
                               "Lai and Seznec, Performance Upper Bound Analysis and Optimization of SGEMM, 2013",
                               false, Suits::kGpu, kShuffle | kBulkCopy},
                              refuses,
                              run,
                              fits,
                              kParameters};

} // namespace gpcl::matmul

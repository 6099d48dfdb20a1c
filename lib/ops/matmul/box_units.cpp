// Product of float64 through matrix units in one launch, from boxes of the matrices as they lie.
// Host side of kernels/matmul/box_units.cl.
// SPDX-License-Identifier: MIT
#include "ops/matmul/boxes.h"

#include <array>

namespace gpcl::matmul {
namespace {

constexpr uint64_t kDeep = 16; // of k, in a step

const Parameter kSlices = slices_parameter("box-units");
constexpr std::array kParameters = {&kSlices};

// As in box_units.cl.
struct Shape {
    uint64_t warp_m, warps_m, warps_n, stages;
    uint64_t beside; // work-groups of a compute unit at a time
    uint64_t warps() const { return warps_m * warps_n; }
    uint64_t group(bool roles) const { return 32 * warps() + (roles ? 128 : 0); }
    uint64_t tile_m() const { return warp_m * warps_m; }
    uint64_t tile_n() const { return 32 * warps_n; }
    uint64_t stage_bytes() const { return (tile_m() + tile_n()) * 8 * kDeep; }
    // The portable form takes 6 doubles of each work-item more.
    uint64_t local_bytes(bool roles) const {
        return stages * stage_bytes() + kBesideStages + (roles ? 0 : warps() * 32 * 48);
    }
    uint64_t tiles(const Request &request) const {
        return multiply(ceil_div(request.m, tile_m()) * ceil_div(request.n, tile_n()), request.batch, "tiles");
    }
};

// 32 x 64, the smallest, 64 x 32, and 64 x 64 by four warps and by eight; 96 x 64, 128 x 64, 64 x
// 128 and 128 x 128.
constexpr Shape kShapes[] = {{16, 2, 2, 8, 2}, {16, 4, 1, 8, 2}, {32, 2, 2, 6, 2}, {16, 4, 2, 8, 1},
                             {16, 6, 2, 6, 1}, {32, 4, 2, 8, 1}, {32, 2, 4, 8, 1}, {64, 2, 4, 6, 1}};

// Works of the unit that has the most: where two are under way at a time, the last of an odd number
// is alone. Where many units have one more, some were seen to have two.
struct Works {
    uint64_t all, alone;
};
Works works_of(uint64_t all, uint64_t units, uint64_t beside) {
    if (beside == 1) return {ceil_div(all, units), 0};
    const uint64_t pairs = all / (2 * units), rest = all % (2 * units);
    if (rest == 0) return {2 * pairs, 0};
    if (rest <= (pairs > 0 ? units / 2 : units)) return {2 * pairs + 1, 1};
    return {2 * pairs + 2, 0};
}

// The time of a product in cycles of a compute unit, but for its launch. A unit multiplies 128
// pairs of doubles a cycle at best. A step takes a cycle more for each 700 bytes that warps read of
// local memory and boxes write there; 11 % more where warps are so large that registers hold no
// second step; 130 cycles more of four warps alone. Boxes bring 36 bytes a cycle to each unit where
// all are busy. Fitted to 138 times of six shapes on an H200, from which it then was 7 % off in the
// mean; kWaits to 87 times of all shapes on another, where tiles of 128 x 128 took 36 us for 200
// products of 128 x 128 and others 28 to 31.
Join time_of(const cl::Context &context, const Request &request, const Shape &shape, uint64_t slices) {
    constexpr uint64_t kPairs = 128, kLocal = 700, kAlone = 130, kAll = 36, kWritten = 23;
    constexpr uint64_t kBegin = 2300, kOfTile = 1000, kJoin = 8000;
    constexpr uint64_t kWaits = 600; // of a tile, where no other work-group hides them
    const uint64_t units = context.info().compute_units, tiles = shape.tiles(request);
    const uint64_t elements = shape.tile_m() * shape.tile_n(), bytes = elements * 8;
    const uint64_t steps = ceil_div(ceil_div(request.k, kDeep), slices);
    const uint64_t best = elements * kDeep / kPairs, read = shape.warps() * (shape.warp_m + 32) * 8 * kDeep;
    const uint64_t step = shape.warp_m > 32 ? best * 111 / 100 : best + (read + shape.stage_bytes()) / kLocal;
    const auto [works, alone] = works_of(tiles * slices, units, shape.beside);
    const uint64_t products = (works * step + alone * kAlone) * steps;
    const uint64_t brought = tiles * slices * steps * shape.stage_bytes() / (kAll * units);
    const uint64_t of_tile = kOfTile + (shape.beside == 1 ? kWaits : 0) + bytes / kWritten;
    const uint64_t product = kBegin + std::max(products, brought) + works * of_tile;
    return join_of(product, kJoin + works * bytes / 8, slices, tiles, bytes, units);
}

Division<Shape> division_of(const cl::Context &context, const Request &r) {
    const uint64_t set = tuned(context, r.dtype, kSlices);
    const std::array<uint64_t, 9> key = {context.info().compute_units,
                                         context.info().work_group_size,
                                         context.features().local_bytes,
                                         has_roles(context),
                                         r.m,
                                         r.n,
                                         r.k,
                                         r.batch,
                                         set};
    return remember(key, [&] {
        return fastest_of<Shape>(
            context, kShapes, set, ceil_div(r.k, kDeep), [](const Shape &) { return true; },
            [&](const Shape &shape, uint64_t count) { return time_of(context, r, shape, count); });
    });
}

// `more` are arguments before the scalars.
template <class... More> void launch(cl::Task &task, const Request &request, const Division<Shape> &division,
                                     const char *option, const More &...more) {
    const cl::Context &context = task.context();
    const Shape &shape = division.shape;
    const uint64_t count = division.slices;
    const Lines lines_of_a = rows_of_a(request, 1), lines_of_b = columns_of_b(request, 1);
    const bool a_by_lines = !is_along_k(lines_of_a), b_by_lines = !is_along_k(lines_of_b);
    const uint64_t width = b_by_lines ? 2 : 1, tiles = shape.tiles(request);
    const auto program = task.program(
        {"matmul/box_units.cl",
         semiring_options(request, width) + text(" -DGP_WARP_M=", shape.warp_m, " -DGP_WARPS_M=", shape.warps_m,
                                                 " -DGP_WARPS_N=", shape.warps_n, " -DGP_STAGES=", shape.stages,
                                                 " -DGP_BESIDE=", shape.beside, " -DGP_A_BY_LINES=", int{a_by_lines},
                                                 " -DGP_B_BY_LINES=", int{b_by_lines}, join_option(division.joins),
                                                 option, context.features().options()),
         request.preamble, shape.beside});
    const Slices slices(task, request, count, width, division.joins ? tiles * shape.warps() : 0); // a warp each
    const uint64_t groups = groups_of(context, tiles * count, shape.beside);
    const auto maps = task.work_space(groups * 2 * kMapBytes);
    const Rows a = rows_of(request, lines_of_a), b = rows_of(request, lines_of_b);
    request.with_scalars([&](auto alpha, auto beta) {
        task.launch(*program, "matmul_box_units", cl::Range::groups(groups, shape.group(has_roles(context))), maps,
                    a.data, a.pitch, a.plane, a.planes, b.data, b.pitch, b.plane, b.planes, request.c.data,
                    request.c.row_stride, request.c.batch_stride, request.m, request.n, request.k, request.batch,
                    slices.count, slices.sums, slices.ended, more..., alpha, beta, uint32_t{request.reads_c},
                    request.finish_arguments(alpha));
    });
    if (slices.need_launch()) add_slices(task, *program, request, slices);
}

void run(cl::Task &task, const Request &request) { launch(task, request, division_of(task.context(), request), ""); }

Refusal refuses(const cl::Context &context, const Request &request) {
    if (request.semiring != GP_PLUS_TIMES || request.dtype != GP_FLOAT64)
        return "it computes ordinary products of float64";
    if (request.k == 0) return "k is 0";
    if (!are_short(request)) return "a side is longer than 2^31";
    if (!come_as_boxes(context, request, rows_of_a(request, 1)) ||
        !come_as_boxes(context, request, columns_of_b(request, 1)))
        return "rows of A or B don't begin at multiples of 16 bytes";
    const auto [shape, slices, joins, cycles] = division_of(context, request);
    if (const Refusal why = refuses_works(shape.tiles(request), slices)) return why;
    return refuses_shape(context, shape.group(has_roles(context)), shape.local_bytes(has_roles(context)));
}

// On an H200, in us, of this and matrix-units: n = 1000 42 and 74, 2048 300 and 350, 4096 2367 and
// 2782, 8192 20949 and 21555.
bool fits(const cl::Context &context, const Request &request) {
    if (!context.features().all(Feature::kMatrixUnits | Feature::kWarpGroups) || refuses(context, request))
        return false;
    return cycles_of_box_units(context, request) < cycles_of_direct_units(context, request);
}

} // namespace

double cycles_of_box_units(const cl::Context &context, const Request &request) {
    return static_cast<double>(division_of(context, request).cycles);
}

// By the largest tiles, in one slice, so that few programs serve all sizes.
bool run_box_units_if(cl::Task &task, const Request &request, const cl::Operand &report) {
    // PoCL 3.1 loses work-items in the kernel without roles where it may return at once.
    const Shape &largest = std::end(kShapes)[-1];
    if (!has_roles(task.context()) || refuses(task.context(), request) ||
        refuses_shape(task.context(), largest.group(true), largest.local_bytes(true)))
        return false;
    launch(task, request, {largest, 1}, " -DGP_IF_REPORTED", report);
    return true;
}

const Algorithm kBoxUnits = {{"box-units",
                              "matrix units on tiles of float64 that other warps bring, as they lie: one launch",
                              "NVIDIA, Parallel Thread Execution ISA, mma.sync and cp.async.bulk.tensor", false,
                              Suits::kGpu, Feature::kWarpGroups},
                             refuses,
                             run,
                             fits,
                             kParameters};

} // namespace gpcl::matmul

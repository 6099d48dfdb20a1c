// Product of float32 in fast precision through matrix units for groups of warps, in one launch,
// from the matrices as they lie. Host side of kernels/matmul/direct_groups.cl.
// SPDX-License-Identifier: MIT
#include "ops/matmul/boxes.h"

#include <array>

namespace gpcl::matmul {
namespace {

constexpr uint64_t kDeep = 32; // of k, in a step

const Parameter kSlices = slices_parameter("direct-groups");
constexpr std::array kParameters = {&kSlices};

// As in direct_groups.cl.
struct Shape {
    uint64_t groups, tile_n, stages;
    uint64_t beside; // work-groups of a compute unit at a time, which hide what each waits for
    uint64_t first_lines() const { return 128 * groups; }
    uint64_t stage_bytes() const { return (first_lines() + tile_n) * 4 * kDeep; }
    uint64_t group(bool roles) const { return 128 * (groups + (roles ? 1 : 0)); }
    uint64_t local_bytes(bool) const { return stages * stage_bytes() + kBesideStages; }
};

constexpr Shape kShapes[] = {{1, 64, 4, 2}, {1, 128, 6, 1}, {2, 128, 4, 1}}; // the smallest first

// The operand that the units take from registers, the first, and the other, whose lines are rows.
struct Operands {
    Lines first, second;
    bool first_is_b, first_by_lines; // a row of the first is a step of k
};

// None where both operands' rows are steps of k.
std::optional<Operands> operands_of(const Request &request) {
    const Lines a = rows_of_a(request, 1), b = columns_of_b(request, 1);
    if (is_along_k(b)) return Operands{a, b, false, !is_along_k(a)};
    if (is_along_k(a)) return Operands{b, a, true, true};
    return std::nullopt;
}

uint64_t tiles(const Request &request, const Shape &shape, bool first_is_b) {
    const uint64_t first = first_is_b ? request.n : request.m, second = first_is_b ? request.m : request.n;
    return ceil_div(first, shape.first_lines()) * ceil_div(second, shape.tile_n) * request.batch;
}

// The time of a product in cycles of a compute unit, but for its launch. An instruction multiplies
// 64 x 8 by 8 x tile_n numbers; it takes longer where a warp group has the units for itself, which
// then wait for what it reads. Boxes bring 48 bytes a cycle to one unit and 36 to each of all.
// Fitted to 14 times on an H200.
Join time_of(const cl::Context &context, const Request &request, const Shape &shape, bool first_is_b, uint64_t slices) {
    constexpr uint64_t kBegin = 5000, kOfTile = 2500, kJoin = 8000;
    const uint64_t elements = shape.first_lines() * shape.tile_n, units = context.info().compute_units;
    const uint64_t all = tiles(request, shape, first_is_b), works = ceil_div(all * slices, units); // of one
    const bool shared = shape.groups > 1 || std::min(shape.beside, works) > 1;
    const uint64_t instruction = shared ? 31 + shape.tile_n * 3 / 8 : 80 + shape.tile_n * 15 / 64;
    const uint64_t step = std::max(shape.groups * 8 * instruction, shape.stage_bytes() / 48);
    const uint64_t steps = ceil_div(ceil_div(request.k, kDeep), slices);
    const uint64_t product = kBegin +
                             std::max(works * steps * step, all * slices * steps * shape.stage_bytes() / (36 * units)) +
                             ceil_div(works, shape.beside) * (kOfTile + elements / 16);
    return join_of(product, kJoin + works * elements / 2, slices, all, elements * 4, units);
}

Division<Shape> division_of(const cl::Context &context, const Request &r, bool first_is_b) {
    const uint64_t set = tuned(context, r.dtype, kSlices);
    const std::array<uint64_t, 10> key = {context.info().compute_units,
                                          context.info().work_group_size,
                                          context.features().local_bytes,
                                          has_roles(context),
                                          r.m,
                                          r.n,
                                          r.k,
                                          r.batch,
                                          first_is_b,
                                          set};
    return remember(key, [&] {
        return fastest_of<Shape>(
            context, kShapes, set, ceil_div(r.k, kDeep), [](const Shape &) { return true; },
            [&](const Shape &shape, uint64_t count) { return time_of(context, r, shape, first_is_b, count); });
    });
}

void run(cl::Task &task, const Request &request) {
    const cl::Context &context = task.context();
    const auto [first, second, first_is_b, by_lines] = *operands_of(request);
    const Division<Shape> division = division_of(context, request, first_is_b);
    const Shape &shape = division.shape;
    const uint64_t count = division.slices;
    const uint64_t width = first_is_b ? 4 : 2, all = tiles(request, shape, first_is_b);
    const auto program = task.program(
        {"matmul/direct_groups.cl",
         semiring_options(request, width) + text(" -DGP_FIRST_IS_B=", int{first_is_b}, " -DGP_GROUPS=", shape.groups,
                                                 " -DGP_TILE_N=", shape.tile_n, " -DGP_STAGES=", shape.stages,
                                                 " -DGP_BESIDE=", shape.beside, " -DGP_A_BY_LINES=", int{by_lines},
                                                 join_option(division.joins), context.features().options()),
         request.preamble, shape.beside});
    const Slices slices(task, request, count, width, division.joins ? all * 4 * shape.groups : 0); // a warp each
    const uint64_t groups = groups_of(context, all * count, shape.beside);
    const auto maps = task.work_space(groups * 2 * kMapBytes);
    const Rows of_first = rows_of(request, first), of_second = rows_of(request, second);
    request.with_scalars([&](auto alpha, auto beta) {
        task.launch(*program, "matmul_direct_groups", cl::Range::groups(groups, shape.group(has_roles(context))), maps,
                    of_first.data, of_first.pitch, of_first.plane, of_first.planes, of_second.data, of_second.pitch,
                    of_second.plane, of_second.planes, request.c.data, request.c.row_stride, request.c.batch_stride,
                    request.m, request.n, request.k, request.batch, slices.count, slices.sums, slices.ended, alpha,
                    beta, uint32_t{request.reads_c}, request.finish_arguments(alpha));
    });
    if (slices.need_launch()) add_slices(task, *program, request, slices);
}

Refusal refuses(const cl::Context &context, const Request &request) {
    if (request.semiring != GP_PLUS_TIMES || request.dtype != GP_FLOAT32 || request.precision != GP_FAST)
        return "it computes ordinary products of float32 in fast precision";
    if (request.k == 0) return "k is 0";
    if (!are_short(request)) return "a side is longer than 2^31";
    const auto operands = operands_of(request);
    if (!operands) return "neighbours along k are neighbours in memory neither of A nor of B";
    if (!come_as_boxes(context, request, operands->first) || !come_as_boxes(context, request, operands->second))
        return "rows of A or B don't begin at multiples of 16 bytes";
    const auto [shape, slices, joins, cycles] = division_of(context, request, operands->first_is_b);
    if (const Refusal why = refuses_works(tiles(request, shape, operands->first_is_b), slices)) return why;
    return refuses_shape(context, shape.group(has_roles(context)), shape.local_bytes(has_roles(context)));
}

// On an H200, in us, of this and warp-groups, whose halves are packed: n = 512 10, 26; 1000 16, 31;
// 2048 49, 92; 4096 350, 407; 8192 3060, 2330; 4096 x 4096 x 64 28.
bool fits(const cl::Context &context, const Request &request) {
    if (!context.features().all(Feature::kMatrixUnits | Feature::kWarpGroups) || refuses(context, request))
        return false;
    const auto cycles = static_cast<double>(division_of(context, request, operands_of(request)->first_is_b).cycles);
    return cycles < cycles_of_direct_tiles(context, request) &&
           (!is_for_warp_groups(context, request) || cycles < cycles_of_warp_groups(context, request));
}

} // namespace

const Algorithm kDirectGroups = {
    {"direct-groups", "matrix units for groups of warps, on tiles of float32 as they lie, in tf32: one launch",
     "NVIDIA, Parallel Thread Execution ISA, wgmma", false, Suits::kGpu, Feature::kWarpGroups},
    refuses,
    run,
    fits,
    kParameters};

} // namespace gpcl::matmul

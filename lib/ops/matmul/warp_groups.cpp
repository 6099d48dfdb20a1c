// Matrix product through matrix units for groups of warps. Host side of
// kernels/matmul/warp_groups.cl.
// SPDX-License-Identifier: MIT
#include "ops/matmul/boxes.h"
#include "ops/matmul/halves.h"
#include "ops/matmul/residues.h"

#include <array>

namespace gpcl::matmul {
namespace {

constexpr uint64_t kLines = 64;      // of a block
constexpr uint64_t kStepBytes = 128; // of a line, in a step of k
constexpr uint64_t kPacked = 256;    // of k, by a work-group that packs

struct Shape {
    uint64_t groups, tile_n, stages, parts;
    uint64_t beside; // work-groups of a compute unit at a time, which hide what each waits for
    uint64_t tile_m() const { return 64 * groups; }
    uint64_t stage_bytes() const { return parts * (tile_m() + tile_n) * kStepBytes; }
    uint64_t group(bool roles) const { return 128 * (groups + (roles ? 1 : 0)); }
    uint64_t local_bytes(bool) const { return stages * stage_bytes() + groups * 4 * 4096 + kBesideStages; }
};

constexpr Shape kShapes[] = {{1, 64, 5, 1, 2}, {1, 128, 8, 1, 1}, {2, 128, 6, 1, 1}, {2, 256, 4, 1, 1},
                             {1, 64, 6, 2, 1}, {1, 128, 4, 2, 1}, {2, 128, 3, 2, 1}}; // the smallest first

constexpr size_t kReckoned = 1;
const Parameter kTile = {GP_MATMUL,
                         "warp-groups",
                         "tile",
                         "elements of a tile of C; 1: what is reckoned to be the fastest",
                         {kReckoned, 4096, 8192, 16384, 32768},
                         always<kReckoned>};
const Parameter kSlices = slices_parameter("warp-groups");
constexpr std::array kParameters = {&kTile, &kSlices};

// Of a number of a tile: float32 is multiplied as halves.
uint64_t number_bytes(const Request &request) { return dtype(request.dtype).size == 1 ? 1 : 2; }

uint64_t deep_of(const Request &request) { return kStepBytes / number_bytes(request); }

uint64_t parts_of(const Request &request) {
    return request.dtype == GP_FLOAT32 && request.precision == GP_FULL ? 2 : 1;
}

uint64_t tiles(const Request &request, const Shape &shape) {
    return ceil_div(request.m, shape.tile_m()) * ceil_div(request.n, shape.tile_n) * request.batch;
}

// Are results rounded to halves on their way to C, by warps, rather than finished one by one?
bool writes_halves(const Request &request) {
    return number_bytes(request) == 2 && dtype(request.of_c()).size == 2 && !request.finish.has_value() &&
           !request.reads_c;
}

// What a tile takes, in cycles of a compute unit: bytes that a cycle brings; a tile, beside its
// steps and results; its results. Fitted to 44 times of 11 batches of float16 in four shapes on an
// H100, from which it then was 9 % off in the mean. What results of 4 bytes take was set by
// products of 4096 x 4096 x 64. The halves of float32 are reckoned.
struct Pace {
    uint64_t brought, of_tile, written;
};
Pace pace_of(const Request &request, const Shape &shape) {
    const uint64_t elements = shape.tile_m() * shape.tile_n;
    if (shape.parts == 2) return {48, 2500, elements / 16};
    return {75, 1750, writes_halves(request) ? elements / 10 : elements * 4 / 13};
}

// Bytes of A, B and C.
uint64_t bytes_of(const Request &request) {
    const uint64_t a_and_b = request.m * request.k + request.k * request.n;
    return (a_and_b * number_bytes(request) + request.m * request.n * dtype(request.of_c()).size) * request.batch;
}

// The time of a product in cycles of a compute unit, but for what comes before. A step multiplies
// 2048 pairs of numbers a cycle, or 4096 of bytes, and waits for what it brings. Halves that the
// cache does not hold come at 11 bytes a cycle for each unit, and part of the last tile ends after
// them: there small tiles win.
Join time_of(const cl::Context &context, const Request &request, const Shape &shape, uint64_t slices) {
    constexpr uint64_t kJoin = 8000, kCache = 40'000'000, kMemory = 11, kEnd = 5; // a fifth of the last tile
    const Pace pace = pace_of(request, shape);
    const uint64_t products = shape.parts == 2 ? 3 : 1, elements = shape.tile_m() * shape.tile_n;
    const uint64_t step = std::max(products * elements * kStepBytes / 4096, shape.stage_bytes() / pace.brought);
    const uint64_t units = context.info().compute_units,
                   steps = ceil_div(ceil_div(request.k, deep_of(request)), slices);
    const uint64_t works = ceil_div<uint64_t>(tiles(request, shape) * slices, units); // of one
    uint64_t product =
        works * steps * step + ceil_div(works, shape.beside) * (pace.of_tile + shape.beside * pace.written);
    const uint64_t bytes = bytes_of(request), last = steps * step + pace.of_tile + pace.written;
    if (writes_halves(request) && bytes > kCache) product = std::max(product, bytes / (units * kMemory) + last / kEnd);
    return join_of(product, kJoin + works * elements / 4, slices, tiles(request, shape), elements * 4, units);
}

Division<Shape> division_of(const cl::Context &context, const Request &r) {
    const uint64_t tile = tuned(context, r.dtype, kTile), set = tuned(context, r.dtype, kSlices);
    const std::array<uint64_t, 14> key = {context.info().compute_units,
                                          context.info().work_group_size,
                                          context.features().local_bytes,
                                          has_roles(context),
                                          r.m,
                                          r.n,
                                          r.k,
                                          r.batch,
                                          number_bytes(r),
                                          dtype(r.of_c()).size,
                                          writes_halves(r),
                                          parts_of(r),
                                          tile,
                                          set};
    return remember(key, [&] {
        constexpr uint64_t kMostOfTwo = 16384; // of two parts
        const uint64_t parts = parts_of(r), elements = parts == 2 ? std::min(tile, kMostOfTwo) : tile;
        return fastest_of<Shape>(
            context, kShapes, set, ceil_div(r.k, deep_of(r)),
            [&](const Shape &shape) {
                return shape.parts == parts && (elements == kReckoned || elements == shape.tile_m() * shape.tile_n);
            },
            [&](const Shape &shape, uint64_t count) { return time_of(context, r, shape, count); });
    });
}

// Numbers of one operand as the kernel takes them: rows, `pitch` apart, of planes.
struct Planes {
    uint64_t row;         // numbers that rows are multiples of
    bool by_lines;        // a row is a step of k
    uint64_t inner, rows; // of a plane
    cl::Operand data{};
    uint64_t pitch, plane, count; // numbers between rows and planes, and planes

    uint64_t packed_pitch() const { return round_up(inner, row); }
    uint64_t packed_plane() const { return multiply(packed_pitch(), rows, "numbers"); }
};

Planes planes_of(const Request &request, const Lines &lines) {
    Planes planes{};
    planes.row = kRowBytes / number_bytes(request);
    planes.by_lines = lines.k_stride != 1 && number_bytes(request) > 1;
    planes.inner = planes.by_lines ? lines.count : request.k;
    planes.rows = planes.by_lines ? request.k : lines.count;
    return planes;
}

// Numbers may stay where they are if rows begin at multiples of 16 bytes; bytes, if rows are lines.
bool stays(const cl::Context &context, const Request &request, const Lines &lines) {
    const uint64_t pitch = lines.k_stride != 1 ? lines.k_stride : lines.stride;
    const uint64_t row = kRowBytes / number_bytes(request);
    const bool neighbours = lines.k_stride == 1 || (lines.stride == 1 && row == 8);
    return request.dtype != GP_FLOAT32 && neighbours &&
           are_aligned(context, lines.data, pitch, lines.batch_stride, number_bytes(request));
}

void set_planes(Planes &planes, const Lines &lines, uint64_t batch) {
    planes.data = lines.data;
    planes.pitch = planes.by_lines ? lines.k_stride : lines.stride;
    const bool shared = batch == 1 || lines.batch_stride == 0;
    planes.plane = shared ? planes.pitch : lines.batch_stride;
    planes.count = shared ? 1 : batch;
}

void set_packed(Planes &planes, const cl::Operand &packed, uint64_t count) {
    planes.data = packed;
    planes.pitch = planes.packed_pitch();
    planes.plane = planes.packed_plane();
    planes.count = count;
}

std::string options_of(const cl::Context &context, const Request &request, const Division<Shape> &division,
                       bool a_by_lines, bool b_by_lines) {
    const Shape &shape = division.shape;
    return semiring_options(request, 4) +
           text(" -DGP_PARTS=", shape.parts, " -DGP_GROUPS=", shape.groups, " -DGP_TILE_N=", shape.tile_n,
                " -DGP_STAGES=", shape.stages, " -DGP_BESIDE=", shape.beside, " -DGP_A_BY_LINES=", int{a_by_lines},
                " -DGP_B_BY_LINES=", int{b_by_lines},
                writes_halves(request) && division.slices == 1 ? " -DGP_WRITES_NUMBERS" : "",
                join_option(division.joins), context.features().options());
}

// Launches the kernel. `more` are its arguments before the scalars.
template <class... More> void launch_products(cl::Task &task, cl::Program &program, const Request &part,
                                              const Shape &shape, const cl::Operand &maps, uint64_t groups,
                                              const Planes &a, const Planes &b, const Slices &slices,
                                              const More &...more) {
    const uint64_t works = tiles(part, shape) * slices.count;
    part.with_scalars([&](auto alpha, auto beta) {
        task.launch(program, "matmul_warp_groups",
                    cl::Range::groups(std::min(works, groups), shape.group(has_roles(task.context()))), maps, a.data,
                    a.pitch, a.plane, a.count, b.data, b.pitch, b.plane, b.count, part.c.data, part.c.row_stride,
                    part.c.batch_stride, part.m, part.n, part.k, part.batch, slices.count, slices.sums, slices.ended,
                    more..., alpha, beta, uint32_t{part.reads_c}, part.finish_arguments(alpha));
    });
}

void run(cl::Task &task, const Request &request) {
    const cl::Context &context = task.context();
    const Division<Shape> division = division_of(context, request);
    const Shape &shape = division.shape;
    const uint64_t count = division.slices;
    const bool is_float32 = request.dtype == GP_FLOAT32;
    const uint64_t size = number_bytes(request);
    Lines a = rows_of_a(request, kLines), b = columns_of_b(request, kLines);
    Planes a_planes = planes_of(request, a), b_planes = planes_of(request, b);
    const auto program = task.program({"matmul/warp_groups.cl",
                                       options_of(context, request, division, a_planes.by_lines, b_planes.by_lines),
                                       request.preamble, shape.beside});
    const bool packs_a = !stays(context, request, a), packs_b = !stays(context, request, b);
    const uint64_t a_bytes = packs_a ? shape.parts * a_planes.packed_plane() * size : 0;
    const uint64_t b_bytes = packs_b ? shape.parts * b_planes.packed_plane() * size : 0;
    const uint64_t together = packs_a || packs_b ? products_together(request, a_bytes + b_bytes) : request.batch;
    const auto packed_a = task.work_space(std::max<uint64_t>(together * a_bytes, 16));
    const auto packed_b = task.work_space(std::max<uint64_t>(together * b_bytes, 16));
    Request whole = request;
    whole.batch = together;
    const Slices slices(task, whole, count, 4,
                        division.joins ? tiles(whole, shape) * 4 * shape.groups : 0); // a warp each
    const uint64_t groups = groups_of(context, tiles(whole, shape) * count, shape.beside);
    const auto maps = task.work_space(groups * 2 * kMapBytes);
    const auto scales = is_float32 ? std::optional<Scales>(std::in_place, task, whole, a, b) : std::nullopt;

    for_each_part(request, together, [&](const Request &part) {
        a = rows_of_a(part, kLines), b = columns_of_b(part, kLines);
        const auto set = [&](Planes &planes, Lines &lines, bool packs, const cl::Operand &packed) {
            if (packs)
                set_packed(planes, packed, shape.parts * part.batch);
            else
                set_planes(planes, lines, part.batch), lines.padded = 0;
        };
        set(a_planes, a, packs_a, packed_a);
        set(b_planes, b, packs_b, packed_b);
        const auto with_scales = [&](auto &&launch) {
            if (scales)
                launch(scales->shifts, scales->report);
            else
                launch();
        };
        if (packs_a || packs_b) {
            if (scales) scales->find(task, *program, part, a, b);
            const size_t blocks = multiply((a.padded + b.padded) / kLines, ceil_div(part.k, kPacked), "blocks");
            const auto pack = [&](const auto &...more) {
                launch_on_lines(task, *program, "warp_groups_pack",
                                cl::Range::groups({blocks, part.batch, 1}, {256, 1, 1}), a, kLines, b, kLines, part.k,
                                packed_a, a_planes.pitch, a_planes.plane, packed_b, b_planes.pitch, b_planes.plane,
                                more...);
            };
            if (scales)
                pack(scales->chunks, scales->span, scales->ranges, scales->shifts, scales->report);
            else
                pack();
        }
        with_scales([&](const auto &...more) {
            launch_products(task, *program, part, shape, maps, groups, a_planes, b_planes, slices, more...);
        });
        if (slices.need_launch()) {
            if (scales)
                add_slices(task, *program, part, slices, scales->report);
            else
                add_slices(task, *program, part, slices);
        }
        if (scales) run_wide_tiles(task, part, &scales->report);
    });
}

Refusal refuses(const cl::Context &context, const Request &request) {
    const bool takes = is_half(request.dtype) || request.dtype == GP_FLOAT32 || number_bytes(request) == 1;
    if (request.semiring != GP_PLUS_TIMES || !takes)
        return "it computes ordinary products of float16, bfloat16, float32, int8 and uint8";
    if (request.k == 0) return "k is 0";
    if (request.dtype == GP_FLOAT32 && !context.features().all(Feature::kMatrixUnits))
        return "it splits float32 on devices with matrix units";
    if (std::max({request.m, request.n, request.k}) > (uint64_t{1} << 31)) return "a side is longer than 2^31";
    const auto [shape, slices, joins, cycles] = division_of(context, request);
    if (const Refusal why = refuses_works(tiles(request, shape), slices)) return why;
    if (const Refusal why =
            refuses_shape(context, shape.group(has_roles(context)), shape.local_bytes(has_roles(context))))
        return why;
    for (const Lines &lines : {rows_of_a(request, kLines), columns_of_b(request, kLines)}) {
        if (stays(context, request, lines)) continue;
        const uint64_t bytes = number_bytes(request) * shape.parts * planes_of(request, lines).packed_plane();
        if (bytes > context.info().allocation_bytes)
            return {"its copy of a or b takes ", bytes, " bytes, more than the device allocates at once"};
    }
    return {};
}

// Measured on an H200, in TFLOP/s, beside cuBLAS: float16 n = 1024 209 (314), 2048 584 (650), 4096
// 681 (713), 8192 684 (696); float32 n = 1024 65 (38; matrix-units 43), 2048 131 (50), 4096 181
// (51), 8192 208 (50); fast n = 1000 63 (119; matrix-units 53), 2048 184 (342; matrix-units 138),
// 4096 338 (371), 8192 471 (394). int8 on an H100, in Top/s, beside bulk-tiles, register-tiles and
// cuBLAS: n = 64 0.04, 0.03, 0.04, 0.05; 128 0.38, 0.15, 0.20, 0.41; 256 3.0, 1.3, 0.9, 3.5; 4096
// 1292 (1425), with B in rows 1034 (124); 8192 1495 (1358).
bool fits(const cl::Context &context, const Request &request) {
    if (!is_for_warp_groups(context, request)) return false;
    if (number_bytes(request) == 1) return true;
    return cycles_of_warp_groups(context, request) < (request.dtype == GP_FLOAT32
                                                          ? cycles_of_direct_tiles(context, request)
                                                          : cycles_of_direct_units(context, request));
}

// The division of a product of residues, which stays in one slice, and its cycles. So many products
// of bytes make the chip slower: on an H200 a step of 128 x 256 took 1340 cycles in place of 1024,
// as 4096 x 4096 products of k = 1024 and 4096 told; one of 64 x 128, for k = 16384, 520.
Division<Shape> division_of_bytes(const cl::Context &context, const Request &request) {
    constexpr uint64_t kOneSlice = 1, kBrought = 47, kOfTile = 1750, kWritten = 19;
    return fastest_of<Shape>(
        context, kShapes, kReckonedSlices, kOneSlice, [](const Shape &shape) { return shape.parts == 1; },
        [&](const Shape &shape, uint64_t) {
            const uint64_t elements = shape.tile_m() * shape.tile_n;
            const uint64_t step = std::max(elements / 24, shape.stage_bytes() / kBrought);
            const uint64_t works = ceil_div<uint64_t>(tiles(request, shape), context.info().compute_units);
            const uint64_t steps = ceil_div(request.k, deep_of(request));
            return Join{false, works * steps * step +
                                   ceil_div(works, shape.beside) * (kOfTile + shape.beside * elements / kWritten)};
        });
}

Planes planes_of(const BytePlanes &bytes, uint64_t count) {
    Planes planes{};
    planes.data = bytes.data;
    planes.pitch = bytes.pitch;
    planes.plane = bytes.plane;
    planes.count = count;
    return planes;
}

template <class... More> void multiply_bytes(cl::Task &task, const ByteProduct &product, const BytePlanes &c,
                                             const char *option, const More &...more) {
    const cl::Context &context = task.context();
    Request request = request_of(product);
    request.c.data = c.data;
    request.c.row_stride = c.pitch;
    request.c.batch_stride = c.plane;
    const Division<Shape> division = division_of_bytes(context, request);
    const Shape &shape = division.shape;
    const auto program =
        task.program({"matmul/warp_groups.cl", options_of(context, request, division, false, false) + option,
                      request.preamble, shape.beside});
    const Slices slices(task, request, 1, 4, 0);
    const uint64_t groups = groups_of(context, tiles(request, shape), shape.beside);
    const auto maps = task.work_space(groups * 2 * kMapBytes);
    launch_products(task, *program, request, shape, maps, groups, planes_of(product.a, product.products),
                    planes_of(product.b, product.products), slices, more...);
}

} // namespace

Request request_of(const ByteProduct &product) {
    Request request{};
    request.dtype = GP_INT8;
    request.m = product.m, request.n = product.n, request.k = product.k, request.batch = product.products;
    request.a = {product.a.data, product.a.pitch, 1, product.a.plane};
    request.b = {product.b.data, 1, product.b.pitch, product.b.plane};
    request.alpha = int32_t{1}, request.beta = int32_t{0};
    return request;
}

void run_residues(cl::Task &task, const ByteProduct &product, const BytePlanes &c, const cl::Operand &report) {
    multiply_bytes(task, product, c, " -DGP_RESIDUES", report);
}

void run_probes(cl::Task &task, const ByteProduct &product, const cl::Operand &norms, uint64_t b_norms, float most,
                const cl::Operand &report) {
    multiply_bytes(task, product, {}, " -DGP_PROBES", norms, b_norms, most, report);
}

Refusal refuses_bytes(const cl::Context &context, const ByteProduct &product) {
    const Request request = request_of(product);
    const Shape shape = division_of_bytes(context, request).shape;
    if (const Refusal why = refuses_works(tiles(request, shape), 1)) return why;
    return refuses_shape(context, shape.group(has_roles(context)), shape.local_bytes(has_roles(context)));
}

double cycles_of_residues(const cl::Context &context, const ByteProduct &product) {
    return static_cast<double>(division_of_bytes(context, request_of(product)).cycles);
}

// Cycles of a compute unit, as cycles_of_direct_units counts them. Beside the product there are
// maps of the matrices and, where numbers are packed, that and another launch; for float32 four.
// Fitted to times on an H100, in us, of this and direct-tiles: float32 n = 768 40, 38; 1000 42, 63;
// 64 x 4096 x 4096 163, 74; 256 x 4096 x 4096 199, 227; 512 x 4096 x 4096 220, 424; 200 products of
// 256 x 256 270, 177. Of this and direct-units: float16 64 x 4096 x 4096 14, 35; 16 x 4096 x 4096
// 21, 18; n = 256 8.1, 7.3; 1000 products of 128 x 128 43, 100; 2000 of 100 x 100, packed, 255,
// 113.
double cycles_of_warp_groups(const cl::Context &context, const Request &request) {
    constexpr double kMaps = 3000, kLaunch = 5000, kLaunchesOfFloats = 25000; // which overlap
    constexpr double kPackedFloat = 1.87, kPackedHalf = 0.8, kElement = 0.37; // times the units
    const double units = static_cast<double>(context.info().compute_units);
    const double m = static_cast<double>(request.m), n = static_cast<double>(request.n);
    const double k = static_cast<double>(request.k), batch = static_cast<double>(request.batch);
    const double product = static_cast<double>(division_of(context, request).cycles) + kMaps;
    if (request.dtype == GP_FLOAT32)
        return product + kLaunchesOfFloats + batch * (kPackedFloat * (m + n) * k + kElement * m * n) / units;
    double packed = 0; // lines
    for (const Lines &lines : {rows_of_a(request, kLines), columns_of_b(request, kLines)})
        packed += stays(context, request, lines) ? 0 : static_cast<double>(lines.padded);
    return product + (packed > 0 ? kLaunch + kPackedHalf * batch * packed * k / units : 0);
}

bool is_for_warp_groups(const cl::Context &context, const Request &request) {
    // Where k is small, errors of float32's sums are below those of the halves.
    const uint64_t least = is_half(request.dtype) ? 16 : 64, least_k = request.dtype == GP_FLOAT32 ? 256 : least;
    return context.features().all(Feature::kMatrixUnits | Feature::kWarpGroups) &&
           std::min(request.m, request.n) >= least && request.k >= least_k && !refuses(context, request);
}

const Algorithm kWarpGroups = {
    {"warp-groups", "matrix units for groups of warps, whose tiles other warps bring; float32 in halves",
     "NVIDIA, Parallel Thread Execution ISA, wgmma; Ootomo and Yokota, Recovering single precision accuracy from "
     "Tensor Cores, 2022",
     false, Suits::kGpu, Feature::kWarpGroups},
    refuses,
    run,
    fits,
    kParameters};

} // namespace gpcl::matmul

// Product of float64 through products of bytes: integers, by what they leave modulo 15 small
// numbers. Host side of kernels/matmul/residues.cl.
// SPDX-License-Identifier: MIT
#include "ops/matmul/residues.h"

#include "ops/matmul/boxes.h"
#include "ops/matmul/packed.h"

#include <bit>
#include <cmath>

namespace gpcl::matmul {
namespace {

constexpr uint64_t kModuli = 15;
constexpr double kLogOfProduct = 117.78;              // of 2
constexpr uint64_t kLines = 64;                       // of a block
constexpr uint64_t kGroup = 256, kLocalBytes = 40064; // of residues_pack
constexpr uint64_t kGroups = 4;                       // of a compute unit at a time
constexpr uint64_t kPacked = 256;                     // of k, by a work-group that packs
constexpr uint64_t kRow = 128;                        // bytes that rows of bytes are multiples of: a box' lines
// Sums of products of residues are up to 2^14 k, and how often they hold a modulus, 64 k. That a
// float with 1.5 * 2^23 more tells, to 2^22.
constexpr uint64_t kMostDeep = 65535;

// The integers' bits: products of k of them are below half of the moduli's product, by more than a
// sixth.
uint32_t integer_bits(uint64_t k) {
    const double bits = (kLogOfProduct - 1.25 - std::log2(static_cast<double>(k))) / 2;
    return std::min<uint32_t>(static_cast<uint32_t>(bits), 54);
}

// Of how many steps of k one is probed: few enough that 512 of 1024 and more are.
uint32_t probed(uint64_t k) { return std::clamp<uint32_t>(static_cast<uint32_t>(std::bit_floor(k / 512)), 1, 8); }

// A part of C, and its bytes.
struct Panel {
    uint64_t m, n, k;
    uint64_t pitch() const { return round_up<uint64_t>(k, kRow); }
    uint64_t probes() const { return ceil_div<uint64_t>(k, probed(k)); }
    uint64_t probes_pitch() const { return round_up<uint64_t>(probes(), kRow); }
    uint64_t c_pitch() const { return round_up<uint64_t>(n, kRow); }
    uint64_t a_bytes() const { return kModuli * m * pitch(); }
    uint64_t b_bytes() const { return kModuli * n * pitch(); }
    uint64_t c_bytes() const { return kModuli * m * c_pitch(); }
    uint64_t bytes() const { return a_bytes() + b_bytes() + c_bytes() + (m + n) * probes_pitch(); }
    ByteProduct residues() const { return {m, n, k, kModuli, {{}, pitch(), m * pitch()}, {{}, pitch(), n * pitch()}}; }
    ByteProduct magnitudes() const {
        return {m, n, probes(), 1, {{}, probes_pitch(), m * probes_pitch()}, {{}, probes_pitch(), n * probes_pitch()}};
    }
};

// The largest panels whose work space is a small part of the device's memory.
Panel panel_of(const cl::Context &context, const Request &request) {
    constexpr uint64_t kPart = 16, kLeast = 256, kMostRows = 32768;
    const uint64_t most = context.info().global_bytes / kPart;
    Panel panel{std::min(request.m, kMostRows), std::min(request.n, kMostRows), request.k};
    while (panel.bytes() > most && std::max(panel.m, panel.n) > kLeast) {
        uint64_t &side = panel.m >= panel.n ? panel.m : panel.n;
        side = round_up<uint64_t>(ceil_div<uint64_t>(side, 2), 256);
    }
    return panel;
}

// C's elements from (i, j) on, of one product.
Request part_of(const Request &one, uint64_t i, uint64_t j, const Panel &panel) {
    Request part = one;
    part.m = std::min(panel.m, one.m - i);
    part.n = std::min(panel.n, one.n - j);
    part.a.data = one.a.data + i * one.a.row_stride;
    part.b.data = one.b.data + j * one.b.column_stride;
    part.c.data = one.c.data + (i * one.c.row_stride + j);
    if (part.finish) {
        part.finish->row += i;
        part.finish->column += j;
    }
    return part;
}

// Memory for the largest panel.
struct Space {
    cl::Operand a, b, c, probes_a, probes_b, largest, shifts, norms, report;
};

void run_panel(cl::Task &task, const Request &part, const Space &space) {
    const Panel panel{part.m, part.n, part.k};
    const uint32_t bits = integer_bits(part.k);
    const auto program =
        task.program({"matmul/residues.cl", semiring_options(part, 4) + task.context().features().options(),
                      part.preamble, kGroups});
    ByteProduct residues = panel.residues(), magnitudes = panel.magnitudes();
    residues.a.data = space.a, residues.b.data = space.b;
    magnitudes.a.data = space.probes_a, magnitudes.b.data = space.probes_b;
    const Lines a = rows_of_a(part, kLines), b = columns_of_b(part, kLines);
    const auto range = cl::Range::groups((a.padded + b.padded) / kLines * ceil_div(part.k, kPacked), kGroup);
    launch_on_lines(task, *program, "residues_range", range, a, kLines, b, kLines, part.k, space.largest, space.norms,
                    space.report);
    launch_on_lines(task, *program, "residues_pack", range, a, kLines, b, kLines, part.k, bits, probed(part.k), space.a,
                    residues.a.plane, space.b, residues.b.plane, residues.a.pitch, space.probes_a, space.probes_b,
                    magnitudes.a.pitch, space.largest, space.shifts, space.norms, space.report);
    // A quarter of k 2^-53 times the sum of the products' magnitudes may be lost; ordinary sums may
    // lose four times that.
    const auto most = static_cast<float>(std::ldexp(static_cast<double>(part.k), static_cast<int>(bits) - 54));
    run_probes(task, magnitudes, space.norms, a.padded, most, space.report);
    const BytePlanes c{space.c, panel.c_pitch(), part.m * panel.c_pitch()};
    run_residues(task, residues, c, space.report);
    part.with_scalars([&](auto alpha, auto beta) {
        task.launch(*program, "residues_join",
                    cl::Range::groups({ceil_div<uint64_t>(part.n, 4 * kGroup), part.m, 1}, {kGroup, 1, 1}), c.data,
                    c.pitch, c.plane, space.shifts, a.padded, space.report, part.c.data, part.c.row_stride, part.n,
                    alpha, beta, uint32_t{part.reads_c}, part.finish_arguments(alpha));
    });
    if (!run_box_units_if(task, part, space.report)) run_wide_tiles(task, part, &space.report);
}

void run(cl::Task &task, const Request &request) {
    const Panel panel = panel_of(task.context(), request);
    const uint64_t lines = round_up<uint64_t>(panel.m, kLines) + round_up<uint64_t>(panel.n, kLines);
    Space space;
    space.a = task.work_space(panel.a_bytes());
    space.b = task.work_space(panel.b_bytes());
    space.c = task.work_space(panel.c_bytes());
    space.probes_a = task.work_space(panel.m * panel.probes_pitch());
    space.probes_b = task.work_space(panel.n * panel.probes_pitch());
    space.largest = task.work_space(lines * ceil_div(panel.k, kPacked) * sizeof(uint32_t));
    space.shifts = task.work_space(lines * sizeof(int32_t));
    space.norms = task.work_space(lines * sizeof(uint32_t));
    space.report = task.work_space(sizeof(uint32_t));
    for (uint64_t g = 0; g < request.batch; ++g) {
        const Request one = request.some(g, 1);
        for (uint64_t j = 0; j < one.n; j += panel.n)
            for (uint64_t i = 0; i < one.m; i += panel.m) run_panel(task, part_of(one, i, j, panel), space);
    }
}

Refusal refuses(const cl::Context &context, const Request &request) {
    if (request.semiring != GP_PLUS_TIMES || request.dtype != GP_FLOAT64)
        return "it computes ordinary products of float64";
    if (request.k == 0) return "k is 0";
    if (request.k > kMostDeep) return {"k is ", request.k, "; it takes at most ", kMostDeep};
    if (!are_short(request)) return "a side is longer than 2^31";
    if (const Refusal why = refuses_shape(context, kGroup, kLocalBytes)) return why;
    const Panel panel = panel_of(context, request);
    if (std::max({panel.a_bytes(), panel.b_bytes(), panel.c_bytes()}) > context.info().allocation_bytes)
        return "its residues take more than the device allocates at once";
    if (const Refusal why = refuses_bytes(context, panel.magnitudes())) return why;
    return refuses_bytes(context, panel.residues());
}

constexpr double kLaunches = 70000; // cycles of a compute unit, of a panel

// The time of a product in cycles of a compute unit. Fitted to times on an H200.
double cycles_of(const cl::Context &context, const Request &request) {
    constexpr double kRead = 1.7, kPack = 0.52, kJoined = 0.44; // elements a cycle
    const Panel panel = panel_of(context, request);
    const double units = context.info().compute_units;
    const double m = static_cast<double>(panel.m), n = static_cast<double>(panel.n), k = static_cast<double>(panel.k);
    const auto panels = static_cast<double>(ceil_div(request.m, panel.m) * ceil_div(request.n, panel.n));
    const double lines = (m + n) * k * (1 / kRead + 1 / kPack), joined = m * n / kJoined;
    const double products =
        cycles_of_residues(context, panel.residues()) + cycles_of_residues(context, panel.magnitudes());
    return static_cast<double>(request.batch) * panels * (kLaunches + products + (lines + joined) / units);
}

// In us on an H200, of this, box-units and cuBLAS: n = 2048 324, 301, 309; 4096 1871, 2367, 2356;
// 8192 13200, 20949, 19600; 8192 x 8192 x 1024 2569, 2423, 2501; 4096 x 4096 x 2048 1025, -, 1174.
bool fits(const cl::Context &context, const Request &request) {
    constexpr double kClear = 0.97;
    const bool is_for = request.dtype == GP_FLOAT64 && request.semiring == GP_PLUS_TIMES && request.k > 0;
    if (!is_for || !context.features().all(Feature::kMatrixUnits | Feature::kWarpGroups)) return false;
    const double others = kClear * (kBoxUnits.refuses(context, request) ? cycles_of_direct_units(context, request)
                                                                        : cycles_of_box_units(context, request));
    // Small products end here, before anything is reckoned that is not remembered.
    return kLaunches < others && !refuses(context, request) && cycles_of(context, request) < others;
}

} // namespace

const Algorithm kResidues = {{"residues", "float64 as integers, which 15 products of bytes through matrix units tell",
                              "Ozaki, Uchino and Imamura, Ozaki Scheme II: A GEMM-oriented emulation of floating-point "
                              "matrix multiplication using an integer modular technique, 2025",
                              false, Suits::kGpu, Feature::kWarpGroups},
                             refuses,
                             run,
                             fits};

} // namespace gpcl::matmul

// Matrix product for CPUs: packed panels, register tiles. Host side of kernels/matmul/panels.cl.
// SPDX-License-Identifier: MIT
#include "core/size.h"
#include "ops/matmul/matmul.h"

#include <bit>

namespace gpcl::matmul {
namespace {

// A tile's sums, its share of a row of B and one factor of A fill the vector registers: 32 of 64
// bytes hold 28 sums, or 24 where a product is not added by the instruction that multiplies; 16
// smaller ones 12.
size_t tile_rows(const cl::Context &context, gp_dtype type) {
    const auto floats = context.info().vector_float;
    return floats >= 16 ? (is_float(type) ? 14 : 12) : floats >= 4 ? 6 : 4;
}

size_t tile_vectors(const cl::Context &context, gp_dtype) { return context.info().vector_float >= 4 ? 2 : 4; }

const Parameter kTileRows = {
    GP_MATMUL, "panels", "rows", "rows of C that a work-item sums in registers", {2, 3, 4, 5, 6, 7, 8, 10, 12, 14},
    tile_rows};
const Parameter kTileVectors = {GP_MATMUL,    "panels",    "vectors", "vectors of each of these rows",
                                {1, 2, 3, 4}, tile_vectors};
// For caches of 32 KiB and 512 KiB, of which half the first holds a panel of B, and half the second
// the block's panels of A.
const Parameter kPanelDepth = {
    GP_MATMUL,  "panels", "depth", "how much of k is multiplied at a time", {64, 128, 192, 256, 384, 512, 768},
    always<256>};
const Parameter kBlockRows = {GP_MATMUL,
                              "panels",
                              "block-rows",
                              "rows of A that a work-item keeps in its cache",
                              {24, 48, 96, 144, 192, 288, 384},
                              always<192>};
const Parameter kBlockKib = {
    GP_MATMUL, "panels", "block-kib", "KiB of sums of C that it keeps there", {16, 32, 64, 128, 256}, always<128>};
constexpr std::array kParameters = {&kTileRows, &kTileVectors, &kPanelDepth, &kBlockRows, &kBlockKib};

// A tile of C that fits the vector registers: `rows` rows of `vectors` vectors of `width` elements.
struct Tile {
    uint64_t rows, vectors, width;
    uint64_t columns() const { return vectors * width; }
    uint64_t bytes(const Request &request) const { return rows * columns() * value_size(request); }
};

Tile tile_for(const cl::Context &context, const Request &request) {
    const gp_dtype type = request.dtype;
    const uint64_t floats = std::clamp<uint64_t>(std::bit_floor(context.info().vector_float), 1, 16);
    const uint64_t width = std::clamp<uint64_t>(floats * 4 / value_size(request), 1, 16);
    return {tuned(context, type, kTileRows), tuned(context, type, kTileVectors), width};
}

// The panels of one product.
struct Panels {
    uint64_t rows, columns;    // panels of A, of B
    size_t a_values, b_values; // with their padding
    size_t bytes;
};

Panels panels_of(const Request &request, const Tile &tile) {
    Panels panels{ceil_div(request.m, tile.rows), ceil_div(request.n, tile.columns()), 0, 0, 0};
    panels.a_values = multiply(panels.rows * tile.rows, request.k, "panels of a");
    panels.b_values = multiply(panels.columns * tile.columns(), request.k, "panels of b");
    panels.bytes = multiply(add(panels.a_values, panels.b_values, "panels"), value_size(request), "panels");
    return panels;
}

// How C is divided among work-items: blocks of so many tiles each way.
struct Blocks {
    uint64_t rows, columns;
    uint64_t down, across; // how many
};

// A block's panels of A, `depth` of them, stay in a core's own cache while it goes over panels of
// B; its sums are in local memory; a few blocks for each core.
Blocks divide(const cl::Context &context, const Request &request, const Tile &tile, const Panels &panels,
              uint64_t batch) {
    constexpr uint64_t kBlocksPerUnit = 8;
    const gp_dtype type = request.dtype;
    const uint64_t bytes = std::min<uint64_t>(context.info().local_bytes, tuned(context, type, kBlockKib) << 10);
    const uint64_t tiles = std::max<uint64_t>(bytes / tile.bytes(request), 1);
    const uint64_t rows = std::max<uint64_t>(tuned(context, type, kBlockRows) / tile.rows, 1);
    Blocks blocks{std::min({rows, tiles, panels.rows}), 0, 0, 0};
    blocks.columns = std::clamp<uint64_t>(tiles / blocks.rows, 1, panels.columns);
    for (;;) {
        blocks.down = ceil_div(panels.rows, blocks.rows);
        blocks.across = ceil_div(panels.columns, blocks.columns);
        const bool enough = blocks.down * blocks.across * batch >= context.info().compute_units * kBlocksPerUnit;
        if (enough || (blocks.rows == 1 && blocks.columns == 1)) return blocks;
        uint64_t &larger = blocks.rows >= blocks.columns ? blocks.rows : blocks.columns;
        larger = ceil_div<uint64_t>(larger, 2);
    }
}

constexpr size_t kWorkSpaceBytes = 64 << 20; // for the panels of several products; those of one may take more

void run(cl::Task &task, const Request &request) {
    constexpr uint64_t kPart = 64; // columns that a work-item packs; divides every depth
    const Matrix &a = request.a, &b = request.b, &c = request.c;
    const Tile tile = tile_for(task.context(), request);
    const auto program =
        task.program({"matmul/panels.cl",
                      semiring_options(request, tile.width) + text(" -DGP_MR=", tile.rows, " -DGP_NV=", tile.vectors),
                      request.preamble});

    const size_t size = value_size(request);
    const Panels panels = panels_of(request, tile);
    const uint64_t together =
        std::clamp<uint64_t>(kWorkSpaceBytes / std::max<uint64_t>(panels.bytes, 1), 1, request.batch);
    const uint64_t a_count = a.batch_stride == 0 ? 1 : together; // a shared matrix is packed once
    const uint64_t b_count = b.batch_stride == 0 ? 1 : together;
    const auto packed_a = task.work_space(std::max<size_t>(a_count * panels.a_values * size, size));
    const auto packed_b = task.work_space(std::max<size_t>(b_count * panels.b_values * size, size));

    const Blocks blocks = divide(task.context(), request, tile, panels, together);
    const cl::LocalMemory sums{blocks.rows * blocks.columns * tile.bytes(request)};
    const uint64_t depth = tuned(task.context(), request.dtype, kPanelDepth);
    const uint64_t parts = ceil_div(request.k, kPart);
    for (uint64_t first = 0; first < request.batch; first += together) {
        const uint64_t count = std::min(together, request.batch - first);
        if (parts > 0 && (first == 0 || a.batch_stride != 0)) {
            task.launch(*program, "pack_a", cl::Range::groups(panels.rows * parts * std::min(a_count, count), 1),
                        a.data + first * a.batch_stride, a.row_stride, a.column_stride, a.batch_stride, request.m,
                        request.k, depth, kPart, packed_a);
        }
        if (parts > 0 && (first == 0 || b.batch_stride != 0)) {
            task.launch(*program, "pack_b", cl::Range::groups(panels.columns * parts * std::min(b_count, count), 1),
                        b.data + first * b.batch_stride, b.column_stride, b.row_stride, b.batch_stride, request.n,
                        request.k, depth, kPart, packed_b);
        }
        request.with_scalars([&](auto alpha, auto beta) {
            task.launch(*program, "matmul_panels", cl::Range::groups(blocks.across * blocks.down * count, 1), packed_a,
                        a_count > 1 ? panels.a_values : 0, packed_b, b_count > 1 ? panels.b_values : 0,
                        c.data + first * c.batch_stride, c.row_stride, c.batch_stride, request.m, request.n, request.k,
                        depth, blocks.rows, blocks.columns, alpha, beta, uint32_t{request.reads_c},
                        request.finish_arguments(alpha, first), sums);
        });
    }
}

Refusal refuses(const cl::Context &context, const Request &request) {
    const Tile tile = tile_for(context, request);
    const Panels panels = panels_of(request, tile);
    const size_t local_bytes = tile.bytes(request);
    if (context.info().local_bytes < local_bytes)
        return {"it needs ", local_bytes, " bytes of local memory; the device has ", context.info().local_bytes};
    const size_t real = (request.m + request.n) * request.k * value_size(request);
    if (panels.bytes <= kWorkSpaceBytes || panels.bytes / 4 <= real) return {};
    return {"with so few rows and columns its panels would be mostly padding, ", panels.bytes, " bytes"};
}

} // namespace

const Algorithm kPanels = {{"panels", "register tiles over packed panels, with vectors; for CPUs",
                            "Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008", false,
                            Suits::kCpu},
                           refuses,
                           run,
                           nullptr,
                           kParameters};

} // namespace gpcl::matmul

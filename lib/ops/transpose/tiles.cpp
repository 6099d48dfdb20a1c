// Transposes for GPUs: a work-group a tile. Host side of kernels/transpose/tiles.cl.
// SPDX-License-Identifier: MIT
#include "ops/shape.h"
#include "ops/transpose/transpose.h"

namespace gpcl::transpose {
namespace {

constexpr size_t kCells = 1024; // of a tile
constexpr size_t kLeastGroup = 16;
constexpr size_t kWordsSide = 16; // elements of a tile's side, where they have several words
constexpr size_t kSquare = 32;    // cells of a square tile's side
constexpr size_t kThin = 16;      // cells of a matrix' shorter side up to which tiles have its shape

const Parameter kGroup = {GP_TRANSPOSE_MATRIX,
                          "tiles",
                          "group",
                          "work-items of a work-group",
                          {16, 32, 64, 128, 256, 512, 1024},
                          [](const cl::Context &context, gp_dtype) {
                              const size_t most = std::bit_floor(context.info().work_group_size);
                              return std::clamp(most, kLeastGroup, size_t{256});
                          }};
// Chosen so that a warp's loads and stores are of 128 bytes and more, and local memory of 17 KiB at
// most.
const Parameter kSide = {GP_TRANSPOSE_MATRIX,
                         "tiles",
                         "side",
                         "elements of a side of the square that a work-item turns round, where memory is aligned",
                         {1, 2, 4},
                         [](const cl::Context &, gp_dtype type) {
                             const size_t size = dtype(type).size;
                             return size == 1 ? size_t{4} : size <= 4 ? size_t{2} : size_t{1};
                         }};
constexpr std::array kParameters = {&kGroup, &kSide};

struct Tile {
    size_t side;       // elements of a cell's side
    size_t wide, high; // cells
    size_t local_bytes;
    bool anywhere; // vectors begin at any element
};

Tile tile_of(const cl::Context &context, const Request &r) {
    if (r.words() > 1) return {1, kWordsSide, kWordsSide, kWordsSide * (kWordsSide + 1) * r.size, false};
    constexpr size_t kLargestVector = 16, kLeastVector = 4;
    const size_t wanted = tuned(context, r.type(), kSide);
    size_t side = wanted;
    const size_t lines = r.in.ld | r.in.stride | r.out.ld | r.out.stride;
    while (side > 1 &&
           (side * r.size > kLargestVector || alignment_of(lines) < side || alignment_of(r.begin) < side * r.size))
        side /= 2;
    // Small elements whose rows begin anywhere are put together to words of 4 bytes.
    const bool anywhere = side * r.size < kLeastVector && wanted * r.size >= kLeastVector;
    if (anywhere) side = kLeastVector / r.size;
    const size_t across = ceil_div(r.columns, side), down = ceil_div(r.rows, side);
    Tile tile{side, kSquare, kSquare, 0, anywhere};
    if (across <= kThin && down > kSquare)
        tile.wide = std::bit_ceil(across), tile.high = kCells / tile.wide;
    else if (down <= kThin && across > kSquare)
        tile.high = std::bit_ceil(down), tile.wide = kCells / tile.high;
    const size_t pitch = tile.wide == 1 ? 1 : tile.wide + 1;
    tile.local_bytes = side * side * tile.high * pitch * r.size;
    return tile;
}

void run(cl::Task &task, const Request &r) {
    const size_t group = tuned(task.context(), r.type(), kGroup);
    const Tile tile = tile_of(task.context(), r);
    const auto program = task.program(
        {"transpose/tiles.cl",
         text("-DGP_WORD_BYTES=", r.word, " -DGP_WORDS=", r.words(), " -DGP_GROUP=", group, " -DGP_SIDE=", tile.side,
              " -DGP_WIDE=", tile.wide, " -DGP_HIGH=", tile.high, tile.anywhere ? " -DGP_ANYWHERE" : "")});
    launch(task, *program, "transpose_tiles", r, group, tile.high * tile.side, tile.wide * tile.side);
}

Refusal refuses(const cl::Context &context, const Request &r) {
    const Tile tile = tile_of(context, r);
    if (const Refusal refusal = refuses_tiles(r, tile.high * tile.side, tile.wide * tile.side)) return refusal;
    return refuses_shape(context, tuned(context, r.type(), kGroup), tile.local_bytes);
}

} // namespace

const Algorithm kTiles = {{"tiles", "a work-group turns a tile round in local memory; for GPUs",
                           "Ruetsch and Micikevicius, Optimizing Matrix Transpose in CUDA, 2009", false, Suits::kGpu},
                          refuses,
                          run,
                          nullptr,
                          kParameters};

} // namespace gpcl::transpose

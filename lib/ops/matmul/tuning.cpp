// The parameters of the matrix product's algorithms, and what was measured of them.
// SPDX-License-Identifier: MIT
#include "ops/matmul/tuning.h"

#include "core/dtype.h"

#include <array>

namespace gpcl::matmul {
namespace {

// A tile's sums, its share of a row of B and one factor of A fill the vector registers: 32 of 64 bytes hold 28 sums, or 24
// where a product is not added by the instruction that multiplies; 16 smaller ones 12.
size_t tile_rows(const cl::Context &context, gp_dtype dtype) {
    const auto floats = context.info().vector_float;
    return floats >= 16 ? (is_float(dtype) ? 14 : 12) : floats >= 4 ? 6 : 4;
}

size_t tile_vectors(const cl::Context &context, gp_dtype) { return context.info().vector_float >= 4 ? 2 : 4; }

// For caches of 32 KiB and 512 KiB, of which half the first holds a panel of B, and half the second the block's panels of A.
size_t panel_depth(const cl::Context &, gp_dtype) { return 256; }
size_t block_rows(const cl::Context &, gp_dtype) { return 192; }
size_t block_kib(const cl::Context &, gp_dtype) { return 128; }

size_t register_depth(const cl::Context &, gp_dtype) { return 16; }

} // namespace

const Parameter kTileRows = {
    GP_MATMUL, "panels", "rows", "rows of C that a work-item sums in registers", {2, 3, 4, 5, 6, 7, 8, 10, 12, 14},
    tile_rows};
const Parameter kTileVectors = {GP_MATMUL,    "panels",    "vectors", "vectors of each of these rows",
                                {1, 2, 3, 4}, tile_vectors};
const Parameter kPanelDepth = {
    GP_MATMUL,  "panels", "depth", "how much of k is multiplied at a time", {64, 128, 192, 256, 384, 512, 768},
    panel_depth};
const Parameter kBlockRows = {GP_MATMUL,
                              "panels",
                              "block-rows",
                              "rows of A that a work-item keeps in its cache",
                              {24, 48, 96, 144, 192, 288, 384},
                              block_rows};
const Parameter kBlockKib = {
    GP_MATMUL, "panels", "block-kib", "KiB of sums of C that it keeps there", {16, 32, 64, 128, 256}, block_kib};
const Parameter kRegisterDepth = {GP_MATMUL,   "register-tiles", "depth", "how much of k a tile in local memory holds",
                                  {8, 16, 32}, register_depth};

std::span<const Parameter *const> parameters() {
    static constexpr std::array list = {&kTileRows,  &kTileVectors, &kPanelDepth,
                                        &kBlockRows, &kBlockKib,    &kRegisterDepth};
    return list;
}

std::span<const Preset> presets() {
    static const std::array list = {
        // device, dtype, parameter, value
        Preset{"H200", GP_FLOAT32, &kRegisterDepth, 32}, // 28.3 TFLOP/s at n = 4096, 5 % more than 16
    };
    return list;
}

} // namespace gpcl::matmul

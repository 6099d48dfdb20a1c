// The parameters of the matrix product's algorithms.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/tuning.h"

namespace gpcl::matmul {

extern const Parameter kTileRows;      // panels: rows of a tile of C
extern const Parameter kTileVectors;   // panels: vectors of columns
extern const Parameter kPanelDepth;    // panels: how much of k at a time
extern const Parameter kBlockRows;     // panels: rows of A that a work-item keeps in its cache
extern const Parameter kBlockKib;      // panels: sums that it keeps in local memory
extern const Parameter kRegisterDepth; // register-tiles: how much of k a tile in local memory holds

std::span<const Parameter *const> parameters();
std::span<const Preset> presets();

inline size_t tuned(const cl::Context &context, gp_dtype dtype, const Parameter &parameter) {
    return gpcl::tuned(context, dtype, parameter, presets());
}

} // namespace gpcl::matmul

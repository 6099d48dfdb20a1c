// How work is divided where a work-group works on tiles in local memory.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/context.h"
#include "core/size.h"
#include "ops/refusal.h"

#include <bit>

namespace gpcl {

struct Tiles {
    size_t group; // work-items of a work-group, a power of two
    size_t items; // elements a work-item takes of each tile
    size_t runs;  // work-groups of each row
    size_t tiles; // consecutive tiles of each run
    std::string options() const { return text(" -DGP_GROUP=", group, " -DGP_ITEMS=", items); }
};

// The work-group size that tile algorithms use here; 0 where work-groups or local memory are too small for them.
inline size_t tile_group(const cl::Context &context) {
    constexpr size_t kWanted = 256;
    constexpr size_t kLeast = 16;
    constexpr size_t kLocalBytes = 24 << 10; // the most that a tile algorithm takes
    const size_t group = std::min(kWanted, std::bit_floor(context.info().work_group_size));
    return group >= kLeast && context.info().local_bytes >= kLocalBytes ? group : 0;
}

// Enough runs to fill the device, few enough for one work-group to scan their sums. The division depends on the device and
// n and batch only, so floating-point results do not change from run to run.
inline Tiles divide_tiles(const cl::Context &context, size_t n, size_t element_bytes, size_t batch = 1) {
    constexpr size_t kRunsPerUnit = 8;
    Tiles result{};
    result.group = tile_group(context);
    result.items = element_bytes <= 4 ? 16 : element_bytes <= 8 ? 8 : 4;
    const size_t tiles = ceil_div(n, result.group * result.items);
    const size_t wanted = ceil_div(size_t{context.info().compute_units} * kRunsPerUnit, batch);
    const size_t runs = std::min(tiles, wanted);
    result.tiles = std::max(ceil_div(tiles, std::max(runs, size_t{1})), size_t{1});
    result.runs = ceil_div(tiles, result.tiles);
    return result;
}

// Why a tile algorithm refuses the device; nothing when it does not.
inline Refusal refuses_tiles(const cl::Context &context) {
    if (tile_group(context) != 0) return {};
    return {"it needs work-groups of 16 and 24 KiB of local memory; the device has ", context.info().work_group_size,
            " and ", context.info().local_bytes >> 10, " KiB"};
}

} // namespace gpcl

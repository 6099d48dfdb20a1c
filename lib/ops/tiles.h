// How work is divided where a work-group works on tiles in local memory.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/context.h"
#include "core/size.h"
#include "ops/refusal.h"
#include "ops/tuning.h"

#include <bit>

namespace gpcl {

struct Tiles {
    size_t group; // work-items of a work-group, a power of two
    size_t items; // elements a work-item takes of each tile
    size_t runs;  // work-groups of each row
    size_t tiles; // consecutive tiles of each run
    std::string options() const { return text(" -DGP_GROUP=", group, " -DGP_ITEMS=", items); }
};

inline constexpr size_t kLeastTileGroup = 16;

// The largest work-groups that tile algorithms may have here; 0 where work-groups or local memory
// are too small for them.
inline size_t most_tile_group(const cl::Context &context) {
    constexpr size_t kWanted = 256;
    constexpr size_t kLocalBytes = 24 << 10;       // the most that a tile algorithm takes with work-groups of that size
    constexpr size_t kEach = 96, kFixed = 2 << 10; // and with smaller ones: for each work-item, and beside that
    const size_t there = context.info().local_bytes;
    const size_t room = there >= kLocalBytes ? kWanted : (std::max(there, kFixed) - kFixed) / kEach;
    const size_t group = std::bit_floor(std::min({kWanted, room, size_t{context.info().work_group_size}}));
    return group >= kLeastTileGroup ? group : 0;
}

// What may be tuned of an algorithm whose work is divided so.
struct TileParameters {
    Parameter group;
    Parameter per_unit; // enough runs to fill the device, few enough for one work-group to scan their sums

    TileParameters(gp_operation operation, const char *algorithm,
                   size_t (*computed)(const cl::Context &, gp_dtype) = computed_group)
        : group{operation, algorithm, "group", "work-items of a work-group", {16, 32, 64, 128, 256}, computed},
          per_unit{operation,
                   algorithm,
                   "groups",
                   "work-groups for each compute unit, where there are enough tiles",
                   {1, 2, 4, 8, 16, 32, 64},
                   always<8>} {}

    static size_t computed_group(const cl::Context &context, gp_dtype) {
        return std::max(most_tile_group(context), kLeastTileGroup);
    }
};

// The work-group size; `type` is what the call was given. 0: refuses_tiles tells.
inline size_t tile_group(const cl::Context &context, const TileParameters &parameters, gp_dtype type) {
    const size_t group = tuned(context, type, parameters.group);
    return group <= most_tile_group(context) ? group : 0;
}

inline Tiles divide_tiles(const cl::Context &context, size_t group, size_t groups_per_unit, size_t n,
                          size_t element_bytes, size_t batch) {
    Tiles result{};
    result.group = group;
    result.items = element_bytes <= 4 ? 16 : element_bytes <= 8 ? 8 : 4;
    const size_t tiles = ceil_div(n, result.group * result.items);
    const size_t wanted = ceil_div(context.info().compute_units * groups_per_unit, batch);
    const size_t runs = std::min(tiles, wanted);
    result.tiles = std::max(ceil_div(tiles, std::max(runs, size_t{1})), size_t{1});
    result.runs = ceil_div(tiles, result.tiles);
    return result;
}

// Of a type that is not refused. The division depends on the device, its parameters, n and batch
// only, so floating-point results do not change from run to run.
inline Tiles divide_tiles(const cl::Context &context, const TileParameters &parameters, gp_dtype type, size_t n,
                          size_t element_bytes, size_t batch = 1) {
    const size_t group = std::min(tuned(context, type, parameters.group), most_tile_group(context));
    return divide_tiles(context, group, tuned(context, type, parameters.per_unit), n, element_bytes, batch);
}

// Why a tile algorithm refuses the device; nothing when it does not.
inline Refusal refuses_tiles(const cl::Context &context, const TileParameters &parameters, gp_dtype type) {
    if (tile_group(context, parameters, type) != 0) return {};
    const size_t wanted = most_tile_group(context) == 0 ? kLeastTileGroup : tuned(context, type, parameters.group);
    return {"it needs work-groups of ",
            wanted,
            " and local memory for them; the device has ",
            context.info().work_group_size,
            " and ",
            context.info().local_bytes >> 10,
            " KiB"};
}

} // namespace gpcl

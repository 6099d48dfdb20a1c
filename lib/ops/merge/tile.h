// A tile of a merge: how many keys a work-group makes of the result. Host side of
// kernels/merge/tile.cl.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/shape.h"

#include <bit>

namespace gpcl::merge {

struct TileShape {
    size_t group;
    size_t items, pair_items; // keys of a work-item, alone and with values; an odd number keeps writes apart
};

// H200, 2^28 uint32 with 256 x 21: 3620 GB/s read and written; 256 x 15: 3556; 512 x 15: 3609; 128
// x 23:
// 3411. 2^27 uint64: 3806; 3714; 3611; 3708. 2^27 uint32 with values of 4 bytes, 256 x 15: 3521;
// 256 x 19: 3352; 512 x 15: 3477.
inline constexpr std::array<Row<TileShape>, 4> kTileShapes = {{
    {{256, 44 << 10, 8}, {256, 21, 15}},
    {{256, 30 << 10}, {256, 11, 11}},
    {{64, 14 << 10}, {64, 15, 15}},
    {{}, {16, 11, 11}},
}};

// What may be tuned of a merge by tiles.
struct PathParameters {
    Parameter group, items, pair_items;
    Parameter own;
    Parameter lanes;

    PathParameters(gp_operation operation, const char *algorithm)
        : group{operation,
                algorithm,
                "group",
                "work-items of a work-group",
                {16, 32, 64, 128, 256, 512},
                of_row<kTileShapes, &TileShape::group>},
          items{operation,
                algorithm,
                "items",
                "keys of each work-item, without values",
                {5, 7, 8, 9, 11, 13, 15, 16, 17, 19, 21, 23},
                of_row<kTileShapes, &TileShape::items>},
          pair_items{operation,
                     algorithm,
                     "pair-items",
                     "keys of each work-item, with values",
                     {5, 7, 8, 9, 11, 13, 15, 16, 17, 19, 21, 23},
                     of_row<kTileShapes, &TileShape::pair_items>},
          own{operation,
              algorithm,
              "own",
              "tiles for each compute unit up to which each work-group finds its part by itself",
              {1, 2, 4, 8, 16},
              always<4>},
          lanes{operation,        algorithm,
                "lanes",          "most work-items that look for a tile's part, where they are a kernel of their own",
                {1, 2, 4, 8, 16}, always<8>} {}
};

struct Tiles {
    size_t group, items;
    bool numbers;      // what stays in local memory of merged keys; else they go through registers
    size_t staged = 0; // bytes of a value that goes through local memory

    // Of keys with values of `value_size` bytes, which are moved by words of `word`; 0 and 0
    // without.
    Tiles(const cl::Context &context, const PathParameters &parameters, gp_dtype type, size_t value_size, size_t word)
        : group(tuned(context, type, parameters.group)),
          items(tuned(context, type, value_size == 0 ? parameters.items : parameters.pair_items)),
          numbers(value_size != 0), key_(dtype(type).size) {
        if (numbers && value_size == word && has_room(context, group, local_bytes() + tile() * value_size))
            staged = value_size;
    }
    size_t tile() const { return group * items; }
    size_t local_bytes() const {
        return (tile() + items + 1) * key_ + tile() * ((numbers ? sizeof(uint16_t) : 0) + staged) + 9 * group +
               3 * sizeof(uint64_t);
    }
    std::string options(bool own) const {
        return text(" -DGP_GROUP=", group, " -DGP_ITEMS=", items, " -DGP_OWN=", own ? 1 : 0,
                    " -DGP_STAGED=", staged != 0 ? 1 : 0);
    }
    Refusal refuses(const cl::Context &context) const { return refuses_shape(context, group, local_bytes()); }

  private:
    size_t key_;
};

} // namespace gpcl::merge

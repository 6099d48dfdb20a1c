// How work is divided where work-groups scan tiles in one pass and look back at what those before
// them published (kernels/common/look_back.cl), and what may be tuned of that.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/shape.h"

namespace gpcl {

struct LookBackShape {
    size_t group, items; // work-items of a work-group, and elements of each in a tile
    size_t groups_per_unit;

    size_t tile() const { return group * items; }
    std::string options(const cl::Context &context) const {
        return text(" -DGP_GROUP=", group, " -DGP_ITEMS=", items, " -DGP_SPIN_LIMIT=", context.features().spin_limit(),
                    context.features().options());
    }
    // Of tiles that work-groups take one after the other.
    cl::Range range(const cl::Context &context, size_t tiles) const {
        return cl::Range::groups(std::min(tiles, groups_per_unit * context.info().compute_units), group);
    }
};

// kShapes: an array of Row<LookBackShape>.
template <const auto &kShapes> struct LookBackParameters {
    Parameter group, items, groups;

    LookBackParameters(gp_operation operation, const char *algorithm)
        : group{operation,
                algorithm,
                "group",
                "work-items of a work-group",
                {64, 128, 256, 512},
                of_row<kShapes, &LookBackShape::group>},
          items{operation,
                algorithm,
                "items",
                "elements of a work-item in a tile",
                {3, 5, 7, 9, 11, 13, 15, 17, 19, 23},
                of_row<kShapes, &LookBackShape::items>},
          groups{operation,
                 algorithm,
                 "groups",
                 "work-groups that a compute unit holds",
                 {1, 2, 3, 4, 5, 6, 8},
                 of_row<kShapes, &LookBackShape::groups_per_unit>} {}

    LookBackShape shape(const cl::Context &context, gp_dtype type) const {
        return {tuned(context, type, group), tuned(context, type, items), tuned(context, type, groups)};
    }
};

} // namespace gpcl

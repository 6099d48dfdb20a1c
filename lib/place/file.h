// The file of the model: what was measured, by device.
// SPDX-License-Identifier: MIT
#pragma once

#include "place/link.h"
#include "place/sample.h"

#include <compare>
#include <map>
#include <string>

namespace gpcl::place {

// Calls of a kind on a type were timed at works of powers of 4, each the exponent of a grid point.
constexpr size_t kFirstGrid = 3; // smaller calls take as long
constexpr size_t kLastGrid = 24;
using Points = std::map<size_t, Point>; // by grid point

struct PointsKey {
    std::string kind;
    gp_dtype dtype;
    auto operator<=>(const PointsKey &) const = default; // NOLINT(modernize-use-nullptr): of clang-tidy 14's own making
};

struct Measured {
    LinkTimes link;
    std::map<PointsKey, Points> points;
};

// GPCL_PLACES, else gpcl/places in the XDG configuration folder; "" when it is off.
std::string places_file();

// What the file says under a heading, "[...]". Lines that make no sense are passed over. A link is
// taken whole or not at all.
Measured read_places(const std::string &file, const std::string &heading);

// Replaces what the file says under the heading. One that is none of ours stays as it is.
void write_places(const std::string &file, const std::string &heading, const Measured &measured);

} // namespace gpcl::place

// How rows are divided where lanes, a power of two of a GPU's work-items, take each row, or each
// part of a long one.
// SPDX-License-Identifier: MIT
#pragma once

#include "cl/task.h"
#include "core/rows.h"
#include "ops/refusal.h"
#include "ops/shape.h"
#include "ops/tuning.h"

#include <bit>

namespace gpcl {

inline constexpr size_t kVectorBytes = 16; // what a work-item reads at once

// How many vectors a work-item reads at a time: up to `most`, and up to 32 elements, each of which
// takes a register.
template <size_t most> size_t loads_of(const cl::Context &, gp_dtype type) {
    return std::min(most, 32 * dtype(type).size / kVectorBytes);
}

// The largest work-groups of a power of two that a device has, up to `wanted`; 1 for simulators
// that have less than 16.
inline size_t power_group(const cl::Context &context, size_t wanted) {
    const size_t most = context.info().work_group_size;
    return most < 16 ? 1 : std::bit_floor(std::min(most, wanted));
}

// In how many parts each of `sets` is cut so that work-groups, `slots` of which run at a time, end
// together: as many as a single round has room for, where they leave few slots empty, as all that
// run share the memory's speed; else the fewest with which they come near a whole number of rounds.
inline size_t parts_of_each(size_t slots, size_t sets) {
    constexpr size_t kRounds = 8;
    constexpr double kNear = 0.95, kNearOne = 0.85;
    const size_t of_one = slots / sets * sets; // work-groups that a single round has room for
    if (static_cast<double>(of_one) >= kNearOne * static_cast<double>(slots)) return of_one / sets;
    size_t best = 1;
    double most = 0;
    for (size_t parts = 1; parts == 1 || parts * sets <= kRounds * slots; ++parts) {
        const size_t groups = parts * sets;
        const double used = static_cast<double>(groups) / static_cast<double>(round_up(groups, slots));
        if (used <= most) continue;
        best = parts;
        most = used;
        if (used >= kNear) break;
    }
    return best;
}

struct Lanes {
    size_t group; // work-items of a work-group
    size_t loads; // vectors that each reads at a time
    size_t width; // elements of a vector
    size_t lanes; // of a row or a part
    size_t share; // elements of a part
    size_t parts; // of a row

    std::string options(const cl::Context &context) const {
        return text(" -DGP_GROUP=", group, " -DGP_LOADS=", loads, " -DGP_WIDTH=", width, context.features().options());
    }
    cl::Range range(size_t batch) const {
        return cl::Range::groups({ceil_div(batch, group / lanes), parts, 1}, {group, 1, 1});
    }
};

// What may be tuned of any algorithm whose work-items read vectors, `most` of them at a time.
template <size_t wanted = 256> Parameter group_parameter(gp_operation operation, const char *algorithm) {
    return {operation,
            algorithm,
            "group",
            "work-items of a work-group",
            {1, 16, 32, 64, 128, 256, 512, 1024},
            [](const cl::Context &context, gp_dtype) { return power_group(context, wanted); }};
}
template <size_t most> Parameter loads_parameter(gp_operation operation, const char *algorithm) {
    return {operation,    algorithm,     "loads", "vectors of 16 bytes that a work-item reads at a time",
            {1, 2, 4, 8}, loads_of<most>};
}

// What an algorithm begins with of its parameters.
template <size_t group_, size_t loads_, size_t groups_> struct LaneDefaults {};

// What may be tuned of an algorithm whose work is divided so.
struct LaneParameters {
    Parameter group;
    Parameter loads;
    Parameter items;
    Parameter groups;

    template <size_t group_ = 256, size_t loads_ = 4, size_t groups_ = 4>
    LaneParameters(gp_operation operation, const char *algorithm, LaneDefaults<group_, loads_, groups_> = {})
        : group(group_parameter<group_>(operation, algorithm)), loads(loads_parameter<loads_>(operation, algorithm)),
          items{operation,
                algorithm,
                "items",
                "work-items for each compute unit, where rows are long enough",
                {64, 1024, 2048, 4096, 8192, 16384},
                always<8192>},
          groups{operation,
                 algorithm,
                 "groups",
                 "work-groups for each compute unit, where rows are cut",
                 {1, 2, 4, 8, 16, 32, 64},
                 always<groups_>} {}
};

// The division depends on the device, its parameters and the rows only, so floating-point results
// do not change from run to run. `type` is what the call was given.
inline Lanes divide_lanes(const cl::Context &context, const LaneParameters &parameters, gp_dtype type,
                          const Rows &rows) {
    constexpr size_t kWarp = 32;                 // lanes that exchange what they have without a barrier
    constexpr size_t kLongest = size_t{1} << 30; // positions within a part have 32 bits
    const size_t units = context.info().compute_units, size = dtype(type).size;
    Lanes result{};
    result.group = tuned(context, type, parameters.group);
    result.loads = tuned(context, type, parameters.loads);
    result.width = rows.step == 1 ? std::max(kVectorBytes / size, size_t{1}) : 1;
    // The most lanes that all have something to read, the fewest that keep the device busy, and no
    // less than a warp of the former.
    const size_t reads = result.loads * result.width;
    const size_t most = std::min(result.group, std::bit_ceil(std::max(ceil_div(rows.n, reads), size_t{1})));
    const size_t busy = std::bit_ceil(ceil_div(units * tuned(context, type, parameters.items), rows.batch));
    result.lanes = rows.n > kLongest ? result.group : std::min(most, std::max(busy, kWarp));
    const size_t step = result.lanes * reads;
    const size_t blocks = std::max(ceil_div(rows.n, step), size_t{1});
    const size_t slots = units * tuned(context, type, parameters.groups);
    const size_t wanted = result.lanes < result.group ? 1 : parts_of_each(slots, rows.batch);
    result.share = std::min(ceil_div(blocks, std::min(blocks, wanted)) * step, kLongest / step * step);
    result.parts = std::max(ceil_div(rows.n, result.share), size_t{1});
    return result;
}

// The same of columns: rows side by side.
struct ColumnLanes {
    size_t group;  // work-items of a work-group
    size_t loads;  // vectors that each reads at a time
    size_t width;  // rows that a vector has elements of
    size_t across; // work-items side by side
    size_t blocks; // work-groups side by side
    size_t part;   // positions of a part
    size_t parts;  // of a row

    std::string options(const cl::Context &context) const {
        return text(" -DGP_GROUP=", group, " -DGP_LOADS=", loads, " -DGP_WIDTH=", width, context.features().options());
    }
    cl::Range range() const { return cl::Range::groups({blocks, parts, 1}, {group, 1, 1}); }
};

struct ColumnLaneParameters {
    Parameter group;
    Parameter loads;
    Parameter across;
    Parameter groups;

    ColumnLaneParameters(gp_operation operation, const char *algorithm)
        : group(group_parameter(operation, algorithm)), loads(loads_parameter<8>(operation, algorithm)),
          across{operation, algorithm, "across", "work-items side by side", {1, 8, 16, 32, 64, 128}, always<32>},
          groups{operation,
                 algorithm,
                 "groups",
                 "work-groups for each compute unit, where there are enough positions",
                 {1, 2, 3, 4, 8, 16, 32},
                 always<2>} {}
};

// As divide_lanes; `aligned`: the first element lies at a multiple of a vector's size.
inline ColumnLanes divide_columns(const cl::Context &context, const ColumnLaneParameters &parameters, gp_dtype type,
                                  const Rows &rows, bool aligned) {
    const size_t size = dtype(type).size, width = kVectorBytes / size;
    constexpr size_t kLongest = size_t{1} << 30; // positions within a part have 32 bits
    constexpr size_t kBusy = 1024;               // work-items for each compute unit
    constexpr size_t kMost = 4;
    ColumnLanes result{};
    result.group = tuned(context, type, parameters.group);
    result.loads = tuned(context, type, parameters.loads);
    result.width = aligned && rows.stride == 1 && rows.step % width == 0 ? width : 1;
    const size_t vectors = ceil_div(rows.batch, result.width);
    // Work-items below each other: no more than all have something to read, nor than keep the
    // device busy. Of two widths the one that leaves fewer of those side by side without a column.
    const size_t units = context.info().compute_units, wide = tuned(context, type, parameters.across);
    const size_t half = std::max(wide / 2, size_t{1});
    const size_t across = round_up(vectors, half) < round_up(vectors, wide) ? half : wide;
    const size_t deep = std::bit_ceil(std::max(ceil_div(rows.n, result.loads), size_t{1}));
    const size_t busy = std::bit_ceil(ceil_div(units * kBusy, vectors));
    const size_t least_across = std::max(result.group / std::min({result.group, deep, busy}), across);
    result.across = std::min({result.group, std::bit_ceil(vectors), least_across});
    result.blocks = ceil_div(vectors, result.across);
    // Without vectors more work-groups have as many bytes on their way.
    const size_t slots =
        units * tuned(context, type, parameters.groups) * (result.width == 1 ? std::min(width, kMost) : 1);
    const size_t wanted = parts_of_each(slots, result.blocks);
    const size_t least = result.group / result.across * result.loads;
    const size_t most = std::max(ceil_div(rows.n, least), size_t{1});
    result.part = std::min(std::max(ceil_div(rows.n, std::min(most, wanted)), size_t{1}), kLongest);
    result.parts = std::max(ceil_div(rows.n, result.part), size_t{1});
    return result;
}

} // namespace gpcl

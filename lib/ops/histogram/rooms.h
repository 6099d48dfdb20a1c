// How algorithms with counters in local memory divide bins and elements among work-groups. The
// kernels' part is kernels/histogram/counters.cl.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/size.h"
#include "ops/histogram/histogram.h"

#include <bit>

namespace gpcl::histogram {

// Counters of a work-group in local memory; the last one whose work-groups have room is taken where
// no other holds all bins.
inline constexpr std::array<size_t, 4> kRoomWords = {8192, 16384, 28672, 57344};
inline constexpr size_t kMostCopies = 32;              // one for each bank of local memory
inline constexpr size_t kMostPlaces = size_t{1} << 21; // bins that a float's bits tell apart

// Measured on an H200 in GB/s, float32, n = 2^26, 16, 256 and 16384 even bins and 256 edges by
// group, at-once, groups: 1024, 2, 2: 3842, 3743, 2841, 2056; 1024, 4, 1: 3840, 3775, 2493, 2113;
// 512, 4, 3: 3887, 3774, 2562, 1927; 1024, 1, 2: 3673, 3601, 2715, 2065; 1024, 4, 2, for which
// registers do not suffice: 2433, 2378, 1769, 2044.
struct RoomParameters {
    Parameter group, at_once, per_unit, ranges, least;

    explicit RoomParameters(const char *algorithm)
        : group{GP_HISTOGRAM,  algorithm, "group", "work-items of a work-group", {32, 64, 128, 256, 512, 1024},
                computed_group},
          at_once{GP_HISTOGRAM, algorithm, "at-once", "vectors of 16 bytes that a work-item loads together",
                  {1, 2, 4, 8}, always<2>},
          per_unit{GP_HISTOGRAM, algorithm, "groups", "work-groups for each compute unit", {1, 2, 3, 4, 6}, always<2>},
          ranges{GP_HISTOGRAM,
                 algorithm,
                 "ranges",
                 "times that all elements may be read for as many ranges of bins",
                 {1, 2, 4, 8, 16, 32, 64, 128},
                 always<64>},
          least{GP_HISTOGRAM, algorithm,
                "least",      "vectors of 16 bytes of a work-item, before there are more work-groups",
                {1, 2, 4, 8}, always<2>} {}

    // On CPUs, where work-items run one after another, large work-groups only cost.
    static size_t computed_group(const cl::Context &context, gp_dtype) {
        const size_t wanted = context.is_cpu() ? 32 : 1024;
        return std::max(std::bit_floor(std::min(wanted, context.info().work_group_size)), size_t{32});
    }
};

// The division of one call.
struct Rooms {
    size_t group, at_once, per_unit, words, ranges;
    uint32_t width, copies, sharers;

    std::string options(const cl::Context &context) const {
        return text(" -DGP_GROUP=", group, " -DGP_AT_ONCE=", at_once, " -DGP_ROOM=", words,
                    context.features().options());
    }
    // A copy for each bank, as in any room of these sizes with few bins.
    bool has_fixed_copies() const { return copies == kMostCopies && words <= kRoomWords[1]; }
    cl::Range range() const { return cl::Range::groups(ranges * sharers, group); }
    // Totals of all bins, then a number for each range.
    cl::Operand state(cl::Task &task, const Request &r) const {
        return sharers == 1 ? r.counts : task.cleared_space((r.bins->count + ranges) * sizeof(uint32_t));
    }
};

// Words of local memory for each of so many work-groups of a compute unit; the hardware keeps a KiB
// of each for itself.
inline size_t words_for(const cl::Context &context, size_t per_unit) {
    constexpr size_t kKept = 1024;
    const size_t all = context.features().local_bytes;
    if (per_unit == 1) return all / sizeof(uint32_t);
    const size_t share = (all + kKept) / per_unit;
    return share > kKept ? (share - kKept) / sizeof(uint32_t) : 0;
}

// The most words that a work-group can have.
inline size_t most_words(const cl::Context &context) {
    size_t most = 0;
    for (const size_t words : kRoomWords)
        if (words <= words_for(context, 1)) most = words;
    return most;
}

// `table`: words of local memory that the algorithm takes beside the counters; with one, there is a
// single range.
inline Rooms divide_rooms(const cl::Context &context, const RoomParameters &p, const Request &r, size_t size,
                          size_t table = 0) {
    Rooms rooms{};
    rooms.group = tuned(context, r.dtype, p.group);
    rooms.at_once = tuned(context, r.dtype, p.at_once);
    rooms.per_unit = tuned(context, r.dtype, p.per_unit);
    while (rooms.per_unit > 1 && rooms.group * rooms.per_unit > 2048) --rooms.per_unit;
    // The smallest with a copy for each bank, else the largest with as many work-groups as wanted,
    // else with fewer.
    const size_t bins = r.bins->count;
    for (;; --rooms.per_unit) {
        const size_t most = words_for(context, rooms.per_unit);
        rooms.words = kRoomWords.front();
        for (const size_t words : kRoomWords)
            if (words <= most && rooms.words < table + bins * kMostCopies) rooms.words = words;
        if (rooms.words >= table + bins || rooms.per_unit == 1) break;
    }
    rooms.ranges = ceil_div(bins, rooms.words - table);
    rooms.width = static_cast<uint32_t>(ceil_div(bins, rooms.ranges));
    rooms.copies = static_cast<uint32_t>(std::bit_floor(std::min((rooms.words - table) / rooms.width, kMostCopies)));
    const size_t useful =
        ceil_div(std::min(r.n, kLargestPart) * size, rooms.group * 16 * tuned(context, r.dtype, p.least));
    const size_t there = std::max(rooms.per_unit * context.info().compute_units / rooms.ranges, size_t{1});
    rooms.sharers = static_cast<uint32_t>(std::clamp(useful, size_t{1}, there));
    return rooms;
}

// Calls launch(in, n, adds) for each part of a call; `adds` for all but the first.
template <class F> void for_each_part(const Request &r, F &&launch) {
    for (size_t first = 0; first < r.n; first += kLargestPart)
        launch(r.in + first, std::min(kLargestPart, r.n - first), first > 0);
}

inline Refusal refuses_rooms(const cl::Context &context, const RoomParameters &p, const Request &r) {
    const size_t bytes = kRoomWords.front() * sizeof(uint32_t), group = tuned(context, r.dtype, p.group);
    if (context.features().local_bytes < bytes) return {"it needs ", bytes, " bytes of local memory"};
    if (context.info().work_group_size < group) return {"it needs work-groups of ", group};
    return {};
}

inline bool fits_rooms(const cl::Context &context, const RoomParameters &p, const Request &r) {
    return divide_rooms(context, p, r, dtype(r.dtype).size).ranges <= tuned(context, r.dtype, p.ranges);
}

} // namespace gpcl::histogram

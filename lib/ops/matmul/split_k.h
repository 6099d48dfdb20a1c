// Products cut along k, for small C and large k. Host side of kernels/matmul/split_k.cl.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/size.h"
#include "ops/matmul/matmul.h"
#include "ops/tuning.h"

#include <array>
#include <optional>

namespace gpcl::matmul {

// Into how many slices to cut k, at least `least` long, so that `groups` work-groups for each fill
// the device. Depends on the device and the shape alone, so that results don't change from run to
// run.
uint64_t slices_of(const cl::Context &context, uint64_t groups, uint64_t k, uint64_t least);

// The same for large tiles, of which a compute unit holds few: so that all units end at about the
// same time. A tile takes `steps` along k; writing and adding up one slice of it takes as long as
// `sums` of them.
uint64_t slices_of_tiles(const cl::Context &context, uint64_t tiles, uint64_t steps, uint64_t sums);

constexpr uint64_t kMostJoined = 16; // slices of a tile

// How the sums of slices come together. Where a product is short, the last work-group of a tile
// adds up its slices in the launch that computes them; else another launch does, by all of the
// device. Cycles are a compute unit's, seen on an H100: two launches take at least 20000 in a chain
// of calls; a work-group reads 25 bytes a cycle; each unit writes and reads sums at 14.
struct Join {
    bool in_launch;
    uint64_t cycles; // with the product's
};
constexpr Join join_of(uint64_t product, uint64_t by_launch, uint64_t slices, uint64_t tiles, uint64_t tile_bytes,
                       uint64_t units) {
    constexpr uint64_t kTwoLaunches = 20000;
    if (slices == 1) return {false, product};
    const uint64_t bytes = slices * tile_bytes;
    const uint64_t joined = product + ceil_div(tiles, units) * (2000 + bytes / 25) + 2 * tiles * bytes / (14 * units);
    if (slices <= kMostJoined && joined < kTwoLaunches) return {true, joined};
    return {false, std::max(product + by_launch, kTwoLaunches)};
}

// The parameter "slices" of algorithms that do either.
constexpr size_t kReckonedSlices = 1;
inline Parameter slices_parameter(const char *algorithm) {
    return {GP_MATMUL,
            algorithm,
            "slices",
            "slices of k, up to 16 of which are added up in one launch; 1: what is reckoned to be the fastest",
            {kReckonedSlices, 2, 3, 8, 20},
            always<kReckonedSlices>};
}

// The fastest of a shape's slices; `reckon` gives the Join of so many.
struct Cut {
    uint64_t slices;
    Join join;
};
template <class Reckon> Cut cut(size_t set, uint64_t most, uint64_t steps, const Reckon &reckon) {
    if (set != kReckonedSlices) {
        const uint64_t slices = std::min<uint64_t>(set, steps);
        return {slices, {slices > 1 && slices <= kMostJoined, reckon(slices).cycles}};
    }
    Cut best{1, reckon(1)};
    for (uint64_t slices = 2; slices <= std::min(most, steps); slices += 1 + slices / 16) { // not all of many
        const Join join = reckon(slices);
        if (join.cycles < best.join.cycles) best = {slices, join};
    }
    return best;
}

// How an algorithm divides a product: by work-groups of a shape, in slices of k.
template <class Shape> struct Division {
    Shape shape;
    uint64_t slices;
    bool joins = false;           // are they added up in the same launch?
    uint64_t cycles = UINT64_MAX; // of a compute unit; as each algorithm reckons them
};

// What f gives, which depends on the key alone. Each thread remembers the latest result of each f:
// one call asks several times, and the next one often asks the same.
template <size_t N, class F> auto remember(const std::array<uint64_t, N> &key, const F &f) {
    thread_local std::optional<std::pair<std::array<uint64_t, N>, decltype(f())>> last;
    if (!last || last->first != key) last.emplace(key, f());
    return last->second;
}

// The option of a kernel that adds up slices.
constexpr const char *join_option(bool joins) { return joins ? " -DGP_JOINS" : ""; }

// A product's slices, and memory for the sums of each; none where there is but one slice.
// matmul_add_split_k takes `width` neighbours at a time. `parts` are those of C whose slices the
// kernel adds up, each by itself; 0: it does not.
struct Slices {
    Slices(cl::Task &task, const Request &request, uint64_t count, uint64_t width, uint64_t parts = 0);

    uint64_t count, width;
    uint64_t pitch; // of a row of sums
    cl::Operand sums;
    cl::Arguments<cl::Operand> ended; // a word for each part, of a kernel that adds them up

    bool need_launch() const { return count > 1 && !ended; }
};

// Adds them up and finishes C. `more` are arguments before the scalars.
template <class... More> void add_slices(cl::Task &task, cl::Program &program, const Request &request,
                                         const Slices &slices, const More &...more) {
    const size_t group = std::min<size_t>(task.context().info().work_group_size, slices.width > 1 ? 256 : 64);
    const size_t items = request.m * request.batch * (slices.pitch / slices.width);
    const Matrix &c = request.c;
    request.with_scalars([&](auto alpha, auto beta) {
        task.launch_with_struct(program, "matmul_add_split_k", cl::Range::groups(ceil_div(items, group), group),
                                slices.sums, slices.count, slices.pitch, slices.width, c.data, c.row_stride,
                                c.batch_stride, request.m, request.n, request.batch, more..., alpha, beta,
                                uint32_t{request.reads_c}, request.finish_arguments(alpha));
    });
}

} // namespace gpcl::matmul

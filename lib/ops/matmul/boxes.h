// Matrices that come to local memory as boxes. Host side of kernels/device/boxes.cl, for products
// from the matrices as they lie.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/matmul/packed.h"
#include "ops/matmul/split_k.h"
#include "ops/shape.h"

namespace gpcl::matmul {

constexpr uint64_t kMapBytes = 128; // a box' matrix is described in so many
constexpr uint64_t kRowBytes = 16;  // that rows are multiples of
// Local memory beside the stages: what aligns them, their barriers, and two maps in the making.
constexpr uint64_t kBesideStages = 2560;

// Does one part of a work-group bring tiles while others multiply? Else all do both, one stage at a
// time.
inline bool has_roles(const cl::Context &context) { return context.features().ptx != 0; }

// Are neighbours along k neighbours in memory? Else rows are steps of k.
inline bool is_along_k(const Lines &lines) { return lines.k_stride == 1; }

// Rows of numbers as kernels take them: `pitch` from one to the next, `plane` from one product's to
// the next one's; one plane where all products share it.
struct Rows {
    cl::Operand data;
    uint64_t pitch, plane, planes;
};

inline Rows rows_of(const Request &request, const Lines &lines) {
    const uint64_t pitch = is_along_k(lines) ? lines.stride : lines.k_stride;
    const bool shared = request.batch == 1 || lines.batch_stride == 0;
    return {lines.data, pitch, shared ? pitch : lines.batch_stride, shared ? 1 : request.batch};
}

// Do rows of numbers of `size` bytes begin at multiples of 16 bytes, which bulk copies need? Memory
// that is shared with the host may begin anywhere.
inline bool are_aligned(const cl::Context &context, const cl::Operand &data, uint64_t pitch, uint64_t plane,
                        uint64_t size) {
    constexpr uint64_t kMost = uint64_t{1} << 35;
    const uint64_t row = kRowBytes / size;
    return !context.shares_memory() && data.offset % row == 0 && pitch % row == 0 && plane % row == 0 &&
           pitch < kMost && plane < kMost;
}

// Neighbours in a row are neighbours in memory, and bulk copies take the rows.
inline bool come_as_boxes(const cl::Context &context, const Request &request, const Lines &lines) {
    const auto [data, pitch, plane, planes] = rows_of(request, lines);
    if (!is_along_k(lines) && lines.stride != 1) return false;
    return !has_roles(context) || are_aligned(context, data, pitch, plane, dtype(request.dtype).size);
}

// Are sides too long for boxes, which count them in 32 bits?
inline bool are_short(const Request &request) {
    return std::max({request.m, request.n, request.k, request.batch}) <= uint64_t{1} << 31;
}

// Kernels count works, of which there is one for each slice of each tile, in 32 bits.
inline Refusal refuses_works(uint64_t tiles, uint64_t slices) {
    constexpr uint64_t kMost = uint64_t{1} << 31;
    if (tiles > kMost / slices) return {"it takes at most ", kMost, " tiles of C, and has ", tiles};
    return {};
}

// The fastest division of a product among shapes, of which the first is the smallest. It depends on
// the device and the form of the product alone, so that results don't change from run to run. A
// product takes `steps` along k; `takes` tells whether a shape may be taken, and `reckon` gives the
// Join of one with so many slices.
template <class Shape, class Takes, class Reckon>
Division<Shape> fastest_of(const cl::Context &context, std::span<const Shape> shapes, uint64_t set, uint64_t steps,
                           const Takes &takes, const Reckon &reckon) {
    constexpr uint64_t kMostSlices = 64;
    const bool roles = has_roles(context);
    Division<Shape> best{};
    for (Shape shape : shapes) {
        if (!takes(shape)) continue;
        if (!roles) shape.stages = 1;
        if (best.slices > 0 && refuses_shape(context, shape.group(roles), shape.local_bytes(roles))) continue;
        const auto [slices, join] = cut(set, kMostSlices, steps, [&](uint64_t count) { return reckon(shape, count); });
        if (join.cycles < best.cycles) best = {shape, slices, join.in_launch, join.cycles};
    }
    return best;
}

// Work-groups for so many works: with roles, as many as compute units hold.
inline uint64_t groups_of(const cl::Context &context, uint64_t works, uint64_t beside) {
    return has_roles(context) ? std::min(works, context.info().compute_units * beside) : works;
}

} // namespace gpcl::matmul

// Matrices that come to local memory as boxes. Host side of kernels/device/boxes.cl, for products
// from the matrices as they lie.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/matmul/packed.h"

namespace gpcl::matmul {

constexpr uint64_t kMapBytes = 128; // a box' matrix is described in so many
constexpr uint64_t kRowBytes = 16;  // that rows are multiples of

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

// Neighbours in a row are neighbours in memory, and rows begin at multiples of 16 bytes, which bulk
// copies need; memory that is shared with the host may begin anywhere.
inline bool come_as_boxes(const cl::Context &context, const Request &request, const Lines &lines) {
    constexpr uint64_t kMost = uint64_t{1} << 35;
    const auto [data, pitch, plane, planes] = rows_of(request, lines);
    const uint64_t row = kRowBytes / dtype(request.dtype).size;
    if (!is_along_k(lines) && lines.stride != 1) return false;
    return !has_roles(context) || (!context.shares_memory() && data.offset % row == 0 && pitch % row == 0 &&
                                   plane % row == 0 && pitch < kMost && plane < kMost);
}

// Are sides too long for boxes, which count them in 32 bits?
inline bool are_short(const Request &request) {
    return std::max({request.m, request.n, request.k, request.batch}) <= uint64_t{1} << 31;
}

} // namespace gpcl::matmul

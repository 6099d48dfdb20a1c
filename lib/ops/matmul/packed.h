// What the algorithms share that pack A and B into blocks before they multiply.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/size.h"
#include "ops/matmul/matmul.h"

namespace gpcl::matmul {

// One operand's lines, rows of A or columns of B, as kernels take them: element (line, p) of
// product g is data[g * batch_stride + line * stride + p * k_stride].
struct Lines {
    cl::Operand data;
    uint64_t stride, k_stride, batch_stride;
    uint64_t count;
    uint64_t padded; // up to a whole tile
};

inline Lines rows_of_a(const Request &request, uint64_t tile) {
    const Matrix &a = request.a;
    return {a.data, a.row_stride, a.column_stride, a.batch_stride, request.m, round_up<uint64_t>(request.m, tile)};
}

inline Lines columns_of_b(const Request &request, uint64_t tile) {
    const Matrix &b = request.b;
    return {b.data, b.column_stride, b.row_stride, b.batch_stride, request.n, round_up<uint64_t>(request.n, tile)};
}

// Launches a kernel that takes the lines of both, in blocks of so many, as
// kernels/matmul/operands.cl has them.
template <class... More> void launch_on_lines(cl::Task &task, cl::Program &program, const char *kernel,
                                              const cl::Range &range, const Lines &a, uint64_t a_block, const Lines &b,
                                              uint64_t b_block, const More &...more) {
    task.launch(program, kernel, range, a.data, a.stride, a.k_stride, a.batch_stride, a.count, a.padded / a_block,
                b.data, b.stride, b.k_stride, b.batch_stride, b.count, b.padded / b_block, more...);
}

// How many products of a batch are packed together, each into so many bytes.
inline uint64_t products_together(const Request &request, uint64_t bytes) {
    constexpr uint64_t kWorkSpaceBytes = 256 << 20; // those of one product may take more
    return std::clamp<uint64_t>(kWorkSpaceBytes / std::max<uint64_t>(bytes, 1), 1, request.batch);
}

// Calls f with each so many products of the batch.
template <class F> void for_each_part(const Request &request, uint64_t together, F &&f) {
    for (uint64_t first = 0; first < request.batch; first += together) {
        f(request.some(first, std::min(together, request.batch - first)));
    }
}

} // namespace gpcl::matmul

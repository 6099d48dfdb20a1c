// The request of gather and scatter, and the algorithms there are.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "ops/operation.h"

namespace gpcl::gather {

// A checked call; m and row_bytes are not 0.
struct Request {
    bool scatters = false;
    bool moves = true; // false: positions are only looked at
    bool from_end = false;
    bool is_right = false; // on "host": no position is wrong
    gp_dtype index = GP_UINT64;
    size_t n = 0;         // rows that positions name
    size_t m = 1;         // positions
    size_t row_bytes = 1; // of a row
    size_t word = 1;      // 1, 2, 4, 8 or 16, which divides row_bytes and the addresses of in and out
    cl::Operand in, out;  // in words; where there is nothing to move: positions
    cl::Operand positions;
    bool wants_first = false;
    cl::Operand first; // receives the first wrong place
    bool is_counted = false;
    cl::Operand count; // how many positions there are, at most m

    size_t words() const { return row_bytes / word; }
    // By which parameters know the size of a row.
    gp_dtype type() const {
        return row_bytes == 1 ? GP_UINT8 : row_bytes == 2 ? GP_UINT16 : row_bytes <= 4 ? GP_UINT32 : GP_UINT64;
    }
    uint32_t flags() const; // of kernels/gather/moves.cl
};

using Algorithm = gpcl::Algorithm<Request>;

extern const Algorithm kTiles;  // tiles.cpp: a work-group a tile of positions, for GPUs
extern const Algorithm kChunks; // chunks.cpp: one work-item a chunk of positions, for CPUs
extern const Algorithm kHost;   // host.cpp: lib/host

std::span<const Algorithm> algorithms();

extern const Operation kOperation;
// place.cpp
extern const std::array<const place::Kind *, 2> kKinds; // of gathers, of scatters

// Launches a kernel of gather/ behind GP_MOVES of moves.cl, which notes blocks of `rows` positions,
// and then finds the first wrong place, where that is wanted.
template <class... Args> void launch(cl::Task &task, cl::Program &program, const char *kernel, const cl::Range &range,
                                     const Request &r, size_t rows, const Args &...args) {
    const cl::Operand wrong = r.wants_first ? task.cleared_space(sizeof(uint32_t)) : r.positions;
    const auto start = [&](const char *name, const cl::Range &items, const auto &...rest) {
        task.launch(program, name, items, r.flags(), uint64_t{r.n}, uint64_t{r.m}, uint64_t{r.moves ? r.words() : 0},
                    r.positions, r.is_counted ? r.count : r.positions, wrong, r.in, r.out, rest...);
    };
    start(kernel, range, args...);
    if (r.wants_first) start("gather_first", cl::Range::groups(1, 1), uint64_t{rows}, r.first);
}

} // namespace gpcl::gather

// The request of transposes and the algorithms there are.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "core/size.h"
#include "ops/operation.h"

namespace gpcl::transpose {

// Matrices in memory, counted in elements.
struct Matrices {
    size_t ld = 0, stride = 0; // from one row, and from one matrix, to the next
    cl::Operand array;         // its offset counts words
};

// A checked call; no dimension is 0.
struct Request {
    size_t size = 1;  // of an element, in bytes
    size_t word = 1;  // 1, 2, 4, 8 or 16, which divides the size and the addresses of both arrays
    size_t begin = 0; // what divides the addresses of both arrays, in bytes; a power of two
    size_t rows = 1, columns = 1, batch = 1;
    Matrices in, out;

    size_t words() const { return size / word; }
    // By which parameters know the size of an element.
    gp_dtype type() const { return size == 1 ? GP_UINT8 : size == 2 ? GP_UINT16 : size <= 4 ? GP_UINT32 : GP_UINT64; }
    // How many tiles of so many rows and columns there are.
    size_t across(size_t wide) const { return ceil_div(columns, wide); }
    size_t down(size_t high) const { return ceil_div(rows, high); }
    size_t tiles(size_t high, size_t wide) const { return across(wide) * down(high) * batch; }
};

using Algorithm = gpcl::Algorithm<Request>;

extern const Algorithm kTiles;  // tiles.cpp: a work-group a tile, through local memory, for GPUs
extern const Algorithm kBlocks; // blocks.cpp: one work-item a block, for CPUs
extern const Algorithm kHost;   // host.cpp: lib/host

std::span<const Algorithm> algorithms();

extern const Operation kOperation;
extern const place::Kind kKind; // place.cpp

// Launches a kernel of transpose/ behind GP_MATRICES of matrices.cl: a work-group a tile.
template <class... Args> void launch(cl::Task &task, cl::Program &program, const char *kernel, const Request &r,
                                     size_t group, size_t high, size_t wide, const Args &...args) {
    const size_t words = r.words();
    task.launch(program, kernel, cl::Range::groups(r.tiles(high, wide), group), uint64_t{r.rows}, uint64_t{r.columns},
                static_cast<uint32_t>(r.across(wide)), static_cast<uint32_t>(r.down(high)), r.in.array,
                uint64_t{r.in.ld * words}, uint64_t{r.in.stride * words}, r.out.array, uint64_t{r.out.ld * words},
                uint64_t{r.out.stride * words}, args...);
}

// Why a request has too many tiles; nothing where it has not.
inline Refusal refuses_tiles(const Request &r, size_t high, size_t wide) {
    constexpr size_t kMost = (size_t{1} << 31) - 1;
    if (r.across(wide) > kMost || r.down(high) > kMost || r.across(wide) * r.down(high) > kMost / r.batch)
        return {"it takes 2^31 - 1 tiles of ", high, " x ", wide, " elements at most"};
    return {};
}

} // namespace gpcl::transpose

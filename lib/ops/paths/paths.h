// The request of shortest paths and the algorithms there are.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"
#include "ops/operation.h"

namespace gpcl::paths {

// A checked call; element (i, j) of a matrix is number i * its leading dimension + j.
struct Request {
    gp_dtype dtype = GP_FLOAT32;
    uint64_t n = 0;
    uint64_t ld_in = 0, ld_out = 0, ld_predecessors = 0;
    bool wants_predecessors = false;
    bool wants_negative = false; // whether there is a cycle of negative length
    cl::Operand in, out;         // may be the same
    cl::Operand predecessors;    // of int32
    cl::Operand negative;        // one uint64
};

using Algorithm = gpcl::Algorithm<Request>;

extern const Algorithm kProducts; // products.cpp: Floyd and Warshall's algorithm by blocks and products
extern const Algorithm kTiles;    // tiles.cpp: the same in the order of three loops, with predecessors
extern const Algorithm kHost;     // host.cpp: lib/host
extern const Algorithm kSquaring; // squaring.cpp: by squares of the matrix, by name only

std::span<const Algorithm> algorithms();

extern const Operation kOperation;
extern const place::Kind kKind; // place.cpp

// The -D options of kernels/paths/lengths.cl.
std::string options(gp_dtype dtype);

// What comes before and after the search (ends.cpp): begin brings the lengths to `to`, and makes
// the predecessors of single edges; end takes marks away from the result and looks for negative
// cycles.
void begin(cl::Task &task, const Request &request, const cl::Operand &to, uint64_t ld);
void end(cl::Task &task, const Request &request);

// Copies a matrix of rows x columns elements.
void copy(cl::Task &task, gp_dtype dtype, const cl::Operand &from, uint64_t ld_from, const cl::Operand &to,
          uint64_t ld_to, uint64_t rows, uint64_t columns);

// Matrices of a min-plus product (products.cpp).
struct Factor {
    cl::Operand data;
    uint64_t ld;
};

// C = A B, or the lesser of that and C; A is m x k, and C lies apart from both.
void min_plus_product(cl::Task &task, gp_dtype dtype, uint64_t m, uint64_t n, uint64_t k, const Factor &a,
                      const Factor &b, const Factor &c, bool keeps_lesser);

// How many nodes a tile of one work-group of `edge` x `edge` work-items has, each of which holds
// `each` x `each` elements in registers; a work-item that is alone holds them elsewhere.
inline uint64_t tile_side(uint64_t edge, uint64_t each) { return edge == 1 ? 32 : edge * each; }

// Parameter::computed of such an edge: what the device can launch, and 1 on CPUs.
size_t widest_edge(const cl::Context &context, gp_dtype dtype);

// The edge that is set, or as wide a one as the device can launch.
size_t edge_of(const cl::Context &context, gp_dtype dtype, const Parameter &edge);

} // namespace gpcl::paths

// Products of bytes whose sums are residues, or probes. Host side of kernels/matmul/warp_groups.cl,
// for residues.cpp.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/matmul/matmul.h"

namespace gpcl::matmul {

// Planes of bytes, in rows that begin at multiples of 16 bytes: of a factor, rows are its lines; of
// C, its rows.
struct BytePlanes {
    cl::Operand data;
    uint64_t pitch, plane;
};

// `products` products of int8, of as many planes each.
struct ByteProduct {
    uint64_t m, n, k, products;
    BytePlanes a, b;
};

// The Request that warp-groups sees.
Request request_of(const ByteProduct &product);

// Each product's sums go to its plane of C as residues modulo its number of moduli.cl; nothing is
// done where *report is not 0.
void run_residues(cl::Task &task, const ByteProduct &product, const BytePlanes &c, const cl::Operand &report);

// *report becomes 1 where what rounding adds is more than `most` times a sum. norms: those of A's
// lines, and from number b_norms on of B's.
void run_probes(cl::Task &task, const ByteProduct &product, const cl::Operand &norms, uint64_t b_norms, float most,
                const cl::Operand &report);

// Why a device can't compute that; and its cycles of a compute unit.
Refusal refuses_bytes(const cl::Context &context, const ByteProduct &product);
double cycles_of_residues(const cl::Context &context, const ByteProduct &product);

} // namespace gpcl::matmul

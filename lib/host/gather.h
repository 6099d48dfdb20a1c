// Gather and scatter on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"

#include <cstddef>

namespace gpcl::host {

struct Moves {
    bool scatters;    // row i of `in` goes to positions[i] of `out`; else row positions[i] goes to i
    bool from_end;    // negative positions count from the end
    gp_dtype index;   // the type of positions: an integer of 32 or 64 bits
    size_t n, m;      // rows that positions name; positions
    size_t row_bytes; // of a row
    size_t word;      // 1, 2, 4, 8 or 16, which divides row_bytes and the addresses of in and out
    const void *positions, *in;
    void *out;
    bool is_right = false; // no position is wrong, as first_wrong has told
};

// The least i whose position names no row; UINT64_MAX where there is none.
uint64_t first_wrong(const Moves &moves);

// Moves the rows whose positions are right. A gather fills the others with zeros.
void move(const Moves &moves);

} // namespace gpcl::host

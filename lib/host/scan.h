// Scan on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/rows.h"

namespace gpcl::host {

// What comes before each row and what its end hands on: an element of the type of sums a row. The
// same memory may serve both.
struct Carries {
    const void *initial = nullptr; // NULL: identities
    void *last = nullptr;          // NULL: not wanted
};

// Running combinations of n elements; in == out is allowed.
void scan(gp_dtype dtype, gp_operator op, size_t n, const void *in, void *out, bool exclusive, bool reverse,
          const Carries &carries = {});

// Whether scan_wider() takes elements of type `from` for running combinations of type dtype.
bool scan_widens(gp_dtype from, gp_dtype dtype);

// scan() of n >= 1 elements of another type, which share no memory with `out`.
void scan_wider(gp_dtype dtype, gp_operator op, gp_dtype from, size_t n, const void *in, void *out, bool exclusive,
                bool reverse, const Carries &carries = {});

// The same by one loop in one thread.
void scan_loop(gp_dtype dtype, gp_operator op, size_t n, const void *in, void *out, bool exclusive, bool reverse,
               const Carries &carries = {});

// The same of every row of a batch, read as `from` and combined as `dtype`. Where heads, which lie
// as `in` does, is not NULL, a flag begins a segment. Rows without elements hand on what comes
// before them.
void scan_rows(gp_dtype dtype, gp_operator op, gp_dtype from, const Rows &rows_in, const void *in, const Rows &rows_out,
               void *out, const uint8_t *heads, bool exclusive, bool reverse, const Carries &carries = {});

} // namespace gpcl::host

// Where an element lies: positions count in scan order; in reverse, position p lies at n - 1 - p.
//
// Gives: GP_AT(p), for kernels with arguments n and reverse
// SPDX-License-Identifier: MIT
#define GP_AT(p) (reverse ? n - 1 - (p) : (p))

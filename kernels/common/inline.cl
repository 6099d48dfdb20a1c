// Functions whose arrays and structures are to stay in registers.
//
// Gives: GP_INLINE
// SPDX-License-Identifier: MIT
#define GP_INLINE __attribute__((always_inline))

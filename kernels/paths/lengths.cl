// Lengths of paths. Of integers, "no path" is half of the type's largest value here, so that no sum
// of two overflows, and what is greater than a sixth of that value at the end is one that such an
// edge takes part in.
//
// Macros: those of semiring.cl, with GP_SEMIRING 1 and GP_WIDTH 1
// Gives:  those of semiring.cl, GP_NO_PATH, GP_NO_NODE
// SPDX-License-Identifier: MIT
#include "common/semiring.cl"
#if GP_SEMIRING != GP_MIN_PLUS || GP_WIDTH != 1 || GP_DTYPE == GP_DTYPE_FLOAT16
#error "GP_SEMIRING must be min-plus, GP_WIDTH 1 and GP_DTYPE none of float16"
#endif

#if GP_IS_FLOAT
#define GP_NO_PATH INFINITY
#else
#define GP_NO_PATH (GP_LARGEST / 2)
#define GP_LONGEST (GP_LARGEST / 6)
#endif

#define GP_NO_NODE (-9999) // a predecessor where there is none

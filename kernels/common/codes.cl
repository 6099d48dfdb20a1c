// What gpcl.h calls types, semirings and activations, for programs that are built for one of them.
//
// Macros: GP_DTYPE, a gp_dtype
// Gives:  GP_DTYPE_*, the semirings and the activations, with the values of gpcl.h; GP_IS_FLOAT
// SPDX-License-Identifier: MIT
#define GP_DTYPE_INT8 1
#define GP_DTYPE_INT16 2
#define GP_DTYPE_INT32 3
#define GP_DTYPE_UINT8 5
#define GP_DTYPE_FLOAT16 9
#define GP_DTYPE_FLOAT32 10
#define GP_DTYPE_FLOAT64 11
#define GP_DTYPE_BFLOAT16 12
#define GP_IS_FLOAT (GP_DTYPE >= GP_DTYPE_FLOAT16)

#define GP_PLUS_TIMES 0
#define GP_MIN_PLUS 1
#define GP_MAX_PLUS 2
#define GP_MAX_MIN 3
#define GP_OR_AND 4
#define GP_SEMIRING_TEXT 5 // the caller's

#define GP_RELU 1
#define GP_GELU 2
#define GP_GELU_TANH 3
#define GP_CLAMP 4

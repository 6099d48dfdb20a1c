// Where the result of a line lies in C, in products of a matrix and a vector.
//
// Macros: GP_C_IS_ROW, where C has one row instead of one column
// Gives:  GP_C_ROW(line), GP_C_COLUMN(line)
// SPDX-License-Identifier: MIT
#ifdef GP_C_IS_ROW
#define GP_C_ROW(line) 0
#define GP_C_COLUMN(line) (line)
#else
#define GP_C_ROW(line) (line)
#define GP_C_COLUMN(line) 0
#endif

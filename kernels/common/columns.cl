// Several neighbouring rows of a batch for each work-item.
//
// Macros: GP_COLUMNS, the rows; more than 1 lie 1 element apart
// Gives:  GP_COLUMN(c, stride), where row c of them begins
// SPDX-License-Identifier: MIT
#ifndef GP_COLUMNS
#error "GP_COLUMNS must be defined: rows a work-item"
#endif

#if GP_COLUMNS > 1
#define GP_COLUMN(c, stride) (c)
#else
#define GP_COLUMN(c, stride) ((c) * (stride))
#endif

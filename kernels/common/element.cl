// The element type.
//
// Macros: T, the element type; GP_FLOAT64, defined when it is double
// SPDX-License-Identifier: MIT
#ifdef GP_FLOAT64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifndef T
#error "T must be defined: the element type"
#endif

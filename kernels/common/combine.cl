// The operator of scan and reduce on one type.
//
// Macros: T             the element type
//         GP_TYPE_SIZE  its bytes, 4 or 8
//         GP_FLOAT64    defined when T is double
//         GP_IN         the type of the elements in memory, if not T; GP_IN_HALF: it is half
//         one of GP_ADD, GP_MULTIPLY, GP_MINIMUM, GP_MAXIMUM with GP_IDENTITY; or GP_OPERATOR_TEXT,
//         and then the program begins with the functions gp_combine and gp_identity
//         (lib/ops/combine.cpp writes them)
// Gives:  GP_READ(in, i), an element as a T; GP_COMBINE(a, b); GP_ZERO, the identity;
//         GP_VECTORIZES, for our own operators: GP_COMBINE works on vectors too, and operands may
//         change places
// SPDX-License-Identifier: MIT
#include "common/element.cl"
#include "common/paste.cl"
#if GP_TYPE_SIZE != 4 && GP_TYPE_SIZE != 8
#error "GP_TYPE_SIZE must be 4 or 8"
#endif

#ifdef GP_IN_HALF
#define GP_READ(in, i) ((T)vload_half(i, in))
#else
#define GP_READ(in, i) ((T)(in)[i])
#endif
#ifndef GP_IN
#define GP_IN T
#define GP_READS_T // elements are read as they are
#endif

#ifdef GP_OPERATOR_TEXT
#define GP_COMBINE(a, b) gp_combine(a, b)
#define GP_ZERO gp_identity()
#else
#ifndef GP_IDENTITY
#error "GP_IDENTITY must be defined"
#endif
#define GP_ZERO ((T)(GP_IDENTITY))
#define GP_VECTORIZES
#if defined(GP_ADD)
#define GP_COMBINE(a, b) ((a) + (b))
#elif defined(GP_MULTIPLY)
#define GP_COMBINE(a, b) ((a) * (b))
// NaN wins, whichever side it is on, so the operator stays associative.
#elif defined(GP_MINIMUM)
#define GP_COMBINE(a, b) ((((a) < (b)) | ((a) != (a))) ? (a) : (b))
#elif defined(GP_MAXIMUM)
#define GP_COMBINE(a, b) ((((a) > (b)) | ((a) != (a))) ? (a) : (b))
#else
#error "no operator is defined"
#endif
#endif

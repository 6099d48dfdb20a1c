// What an element of C goes through before it is stored: a bias and an activation, or the caller's
// text. finish() of semiring.cl is the only place that calls this.
//
// Macros: those of semiring.cl; GP_FINISH, where there is a finish; GP_BIAS, 1 where an element of
//         the bias belongs to a column of C as the kernel sees it, 2 where to a row; GP_ACTIVATION,
//         one of codes.cl, or GP_FINISH_TEXT, where the program begins with T gp_finish_text(T x, T
//         b, ulong i, ulong j); GP_TRANSPOSED, where the kernel's rows are the caller's columns
// Gives:  GP_FINISH_PARAMETERS, which a kernel's parameters have behind reads_c; or, of a kernel
//         whose numbers are a struct (given.cl), GP_BIAS_MEMORY, behind its memory, and
//         GP_OF_FINISH, the last of the numbers, from alpha and beta on; GP_FINISH_AT(g, i, j),
//         which finish()'s arguments have behind reads_c: product, row and column of the first
//         element; GP_FINISH_PLACE, finish()'s parameter, and GP_FINISHED(x, count). All but
//         GP_OF_FINISH are nothing without GP_FINISH
// SPDX-License-Identifier: MIT
#include "common/codes.cl"
#include "common/given.cl"
#ifdef GP_FINISH
#ifndef GP_ACTIVATION
#error "GP_ACTIVATION is not defined"
#endif

// Of the type that the caller computes in: kernels compute int32 and int16 in unsigned numbers
// where they wrap.
#if GP_COMPUTED == GP_DTYPE_INT32
#define Finished int
#define GP_UNSIGNED uint
#elif GP_COMPUTED == GP_DTYPE_INT16
#define Finished short
#define GP_UNSIGNED ushort
#else
#define Finished Value
#endif
#define F GP_VECTOR(Finished)
#define GP_AS_FINISHED(x) GP_VECTOR(GP_JOIN(as_, Finished))(x)
#define GP_AS_VALUE(x) GP_VECTOR(GP_JOIN(as_, Value))(x)

#if GP_DTYPE == GP_DTYPE_FLOAT64
#define GP_SQRT_HALF 0.70710678118654752440
#define GP_SQRT_2_OVER_PI 0.79788456080286535588
#define GP_CUBIC 0.044715
#else
#define GP_SQRT_HALF 0.70710678f
#define GP_SQRT_2_OVER_PI 0.79788456f
#define GP_CUBIC 0.044715f
#endif

typedef struct {
    global const Result *bias;
    ulong row, column;
    Finished low, high;
} Place;

Place place_of(global const Result *bias, ulong row, ulong column, Finished low, Finished high) {
    Place place;
    place.bias = bias;
    place.row = row;
    place.column = column;
    place.low = low;
    place.high = high;
    return place;
}

// first_row and first_column: where the matrix that the kernel computes begins in the caller's C.
#define GP_FINISH_PARAMETERS                                                                                           \
    , global const Result *bias, ulong bias_offset, ulong bias_stride, ulong first_row, ulong first_column,            \
        Finished clamp_low, Finished clamp_high
#define GP_BIAS_MEMORY , global const Result *bias
#define GP_OF_FINISH(X)                                                                                                \
    X(Value, alpha)                                                                                                    \
    X(Value, beta)                                                                                                     \
    X(uint, reads_c)                                                                                                   \
    X(ulong, bias_offset)                                                                                              \
    X(ulong, bias_stride)                                                                                              \
    X(ulong, first_row)                                                                                                \
    X(ulong, first_column)                                                                                             \
    X(Finished, clamp_low)                                                                                             \
    X(Finished, clamp_high)
#define GP_FINISH_AT(g, i, j)                                                                                          \
    , place_of(bias + bias_offset + (g)*bias_stride, first_row + (i), first_column + (j), clamp_low, clamp_high)
#define GP_FINISH_PLACE , Place place
#define GP_FINISHED(x, count) finish_vector(x, count, place)

// The elements of the bias for the first `count` elements; what is behind them is not used.
V bias_of(Place place, uint count) {
#if !defined(GP_BIAS)
    return (V)(0);
#elif GP_BIAS == 2
    return (V)(c_element(place.bias, place.row));
#else
    Value elements[GP_WIDTH];
#pragma unroll
    for (uint q = 0; q < GP_WIDTH; ++q) elements[q] = q < count ? c_element(place.bias, place.column + q) : 0;
    return GP_READ(0, elements);
#endif
}

// The first `count` elements; what is behind them is not used.
V finish_vector(V x, uint count, Place place) {
    const V b = bias_of(place, count);
#ifdef GP_FINISH_TEXT
    Finished elements[GP_WIDTH], bias[GP_WIDTH];
    GP_WRITE(GP_AS_FINISHED(x), 0, elements);
    GP_WRITE(GP_AS_FINISHED(b), 0, bias);
#pragma unroll
    for (uint q = 0; q < GP_WIDTH; ++q)
#ifdef GP_TRANSPOSED
        elements[q] = gp_finish_text(elements[q], bias[q], place.column + q, place.row);
#else
        elements[q] = gp_finish_text(elements[q], bias[q], place.row, place.column + q);
#endif
    return GP_AS_VALUE(GP_READ(0, elements));
#else
#ifndef GP_BIAS
    const F y = GP_AS_FINISHED(x);
#elif GP_IS_FLOAT
    const F y = x + b;
#else // wraps
    const F y = GP_AS_FINISHED(
        (GP_VECTOR(GP_UNSIGNED))(GP_VECTOR(GP_JOIN(as_, GP_UNSIGNED))(x) + GP_VECTOR(GP_JOIN(as_, GP_UNSIGNED))(b)));
#endif
#if GP_ACTIVATION == GP_RELU
    const F result = y < (F)(0) ? (F)(0) : y;
#elif GP_ACTIVATION == GP_GELU
    const F result = y / 2 * erfc(-y * GP_SQRT_HALF);
#elif GP_ACTIVATION == GP_GELU_TANH // 1 + tanh(z) = 2 / (1 + exp(-2 z))
    const F result = y / (1 + exp(-2 * GP_SQRT_2_OVER_PI * (y + GP_CUBIC * (y * y * y))));
#elif GP_ACTIVATION == GP_CLAMP
    const F low = (F)(place.low), high = (F)(place.high), above = y < low ? low : y;
    const F result = above > high ? high : above;
#else
    const F result = y;
#endif
    return GP_AS_VALUE(result);
#endif
}
#else
#define GP_FINISH_PARAMETERS
#define GP_BIAS_MEMORY
#define GP_OF_FINISH(X)                                                                                                \
    X(Value, alpha)                                                                                                    \
    X(Value, beta)                                                                                                     \
    X(uint, reads_c)
#define GP_FINISH_AT(g, i, j)
#define GP_FINISH_PLACE
#define GP_FINISHED(x, count) (x)
#endif

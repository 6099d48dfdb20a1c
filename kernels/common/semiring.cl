// The arithmetic of a matrix product: what is stored, what is computed in, and a semiring's plus
// and times.
//
// Macros: GP_DTYPE, of A and B, one of the GP_DTYPE_* of codes.cl; GP_C_DTYPE, of C and the bias,
//         where that is another one; GP_SEMIRING, one of the semirings there; GP_WIDTH, elements of
//         a vector V: 1, 2, 4, 8 or 16; GP_MINIMUM_BUILTIN, if fmin is faster than a comparison;
//         GP_VECTOR_STORES, to store vectors at once where they begin at multiples of their size
//         and Result is Value; GP_WORD_STORES, where GP_WIDTH is 2 and vectors of C that finish
//         stores begin at multiples of 4 bytes; those of finish.cl; GP_ALPHA_ONE, where alpha is
//         the one of the caller's semiring. With GP_SEMIRING_TEXT the program begins with
//         gp_plus_text, gp_times_text, gp_zero_text and gp_one_text; GP_REVERSED says that factors
//         come in the other order than the caller's
// Gives: Stored, of A and B, Result, of C, Value (what is computed in), V; GP_COMPUTED, the
//         GP_DTYPE_* of Value; load, load_vector, of A and B, load_c, store, store_vector, of C;
//         c_element; GP_READ, GP_WRITE; GP_FACTOR; GP_ZERO, times, accumulate, accumulate_some,
//         plus; finish
// SPDX-License-Identifier: MIT
#include "common/codes.cl"
#ifndef GP_DTYPE
#error "GP_DTYPE is not defined"
#endif
#ifndef GP_SEMIRING
#error "GP_SEMIRING is not defined"
#endif
#ifndef GP_WIDTH
#error "GP_WIDTH is not defined"
#endif

#pragma OPENCL FP_CONTRACT ON // a * b + c is one instruction where there is one

#ifndef GP_C_DTYPE
#define GP_C_DTYPE GP_DTYPE
#endif
#if GP_DTYPE == GP_DTYPE_FLOAT16 || GP_DTYPE == GP_DTYPE_BFLOAT16
#define GP_COMPUTED GP_DTYPE_FLOAT32
#elif GP_DTYPE == GP_DTYPE_INT8 || GP_DTYPE == GP_DTYPE_UINT8 || GP_C_DTYPE == GP_DTYPE_INT32
#define GP_COMPUTED GP_DTYPE_INT32
#else
#define GP_COMPUTED GP_DTYPE
#endif
#if GP_COMPUTED == GP_DTYPE_FLOAT32
#define Value float
#elif GP_COMPUTED == GP_DTYPE_FLOAT64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define Value double
#elif GP_COMPUTED == GP_DTYPE_INT32 && GP_SEMIRING == GP_PLUS_TIMES
#define Value uint // wraps, and the bits are those of int
#elif GP_COMPUTED == GP_DTYPE_INT32
#define Value int
#elif GP_COMPUTED == GP_DTYPE_INT16 && GP_SEMIRING == GP_PLUS_TIMES
#define Value ushort
#elif GP_COMPUTED == GP_DTYPE_INT16
#define Value short
#else
#error "GP_DTYPE is none that a matrix product takes"
#endif
#if GP_DTYPE == GP_COMPUTED
#define Stored Value
#elif GP_DTYPE == GP_DTYPE_FLOAT16
#define Stored half
#elif GP_DTYPE == GP_DTYPE_BFLOAT16
#define Stored ushort // the bits
#elif GP_DTYPE == GP_DTYPE_INT8
#define Stored char
#elif GP_DTYPE == GP_DTYPE_UINT8
#define Stored uchar
#else
#define Stored short
#endif
#if GP_C_DTYPE == GP_DTYPE
#define Result Stored
#else
#define Result Value
#endif

#if GP_COMPUTED == GP_DTYPE_INT16
#define GP_LARGEST SHRT_MAX
#define GP_LOWEST SHRT_MIN
#elif GP_COMPUTED == GP_DTYPE_INT32
#define GP_LARGEST INT_MAX
#define GP_LOWEST INT_MIN
#else
#define GP_LARGEST INFINITY
#define GP_LOWEST (-INFINITY)
#endif
#if !GP_IS_FLOAT
#define GP_IS_NAN(x) 0
#else
#define GP_IS_NAN(x) ((x) != (x))
#endif

#define GP_JOIN_(a, b) a##b
#define GP_JOIN(a, b) GP_JOIN_(a, b)
#if GP_WIDTH == 1
#define GP_VECTOR(name) name
#else
#define GP_VECTOR(name) GP_JOIN(name, GP_WIDTH)
#endif
#define V GP_VECTOR(Value)

// Factors are changed as they are loaded, so that plus and times need no special cases. In or-and,
// whatever is not 0 becomes 1. In max-min a NaN becomes the lowest value, so that its term does not
// count. alpha and beta are changed before they become vectors: Oclgrind made 255 of vectors' true.
#if GP_SEMIRING == GP_OR_AND
#define GP_FACTOR(TYPE, x) ((x) != (TYPE)(0) ? (TYPE)(1) : (TYPE)(0))
#elif GP_SEMIRING == GP_MAX_MIN && GP_IS_FLOAT
#define GP_FACTOR(TYPE, x) (GP_IS_NAN(x) ? (TYPE)(GP_LOWEST) : (x))
#else
#define GP_FACTOR(TYPE, x) (x)
#endif

// The upper halves of floats whose bits are these, rounded to nearest, ties to even.
#define GP_ROUNDED(bits)                                                                                               \
    (((((bits)&0x7fffffffu) > 0x7f800000u) ? (bits) | 0x400000u : (bits) + 0x7fffu + ((bits) >> 16 & 1u)) >> 16)

// One element, and GP_WIDTH of them.
Value element(global const Stored *from, ulong i) {
#if GP_DTYPE == GP_DTYPE_FLOAT16
    return vload_half(i, from);
#elif GP_DTYPE == GP_DTYPE_BFLOAT16
    return as_float((uint)from[i] << 16);
#else
    return (Value)from[i];
#endif
}

Value load(global const Stored *from, ulong i) {
    const Value x = element(from, i);
    return GP_FACTOR(Value, x);
}

Value c_element(global const Result *from, ulong i) {
#if GP_C_DTYPE == GP_DTYPE
    return element(from, i);
#else
    return from[i];
#endif
}

Value load_c(global const Result *from, ulong i) {
    const Value x = c_element(from, i);
    return GP_FACTOR(Value, x);
}

void store(global Result *to, ulong i, Value x) {
#if GP_C_DTYPE == GP_DTYPE_FLOAT16
    vstore_half_rte(x, i, to);
#elif GP_C_DTYPE == GP_DTYPE_BFLOAT16
    to[i] = (ushort)GP_ROUNDED(as_uint(x));
#elif GP_C_DTYPE == GP_DTYPE_INT8
    to[i] = as_char((uchar)x);
#else
    to[i] = (Result)x;
#endif
}

// Vector number i of an array of Value, in any address space.
#if GP_WIDTH == 1
#define GP_READ(i, from) ((from)[i])
#define GP_WRITE(x, i, to) ((to)[i] = (x))
#define load_vector load
#define load_c_vector load_c
#define store_vector store
#else
#define GP_READ(i, from) GP_VECTOR(vload)(i, from)
#define GP_WRITE(x, i, to) GP_VECTOR(vstore)(x, i, to)
// Halves go through a variable: vload_half8 of PoCL 3.1 wants 16-byte alignment where OpenCL C asks
// for that of half.
V elements(global const Stored *from, ulong i) {
#if GP_DTYPE == GP_DTYPE_FLOAT16
    GP_VECTOR(ushort) bits = GP_VECTOR(vload)(0, (global const ushort *)from + i);
    return GP_VECTOR(vload_half)(0, (half *)&bits);
#elif GP_DTYPE == GP_DTYPE_BFLOAT16
    return GP_VECTOR(as_float)(GP_VECTOR(convert_uint)(GP_VECTOR(vload)(0, from + i)) << 16);
#elif GP_DTYPE != GP_COMPUTED
    return GP_VECTOR(as_uint)(GP_VECTOR(convert_int)(GP_VECTOR(vload)(0, from + i)));
#else
    return GP_VECTOR(vload)(0, from + i);
#endif
}

V load_vector(global const Stored *from, ulong i) {
    const V x = elements(from, i);
    return GP_FACTOR(V, x);
}

V load_c_vector(global const Result *from, ulong i) {
#if GP_C_DTYPE == GP_DTYPE
    return load_vector(from, i);
#else
    const V x = GP_VECTOR(vload)(0, from + i);
    return GP_FACTOR(V, x);
#endif
}

#if GP_C_DTYPE == GP_DTYPE_FLOAT16
GP_VECTOR(ushort) halves(V x) {
    GP_VECTOR(ushort) bits;
    GP_JOIN(GP_VECTOR(vstore_half), _rte)(x, 0, (half *)&bits);
    return bits;
}
#elif GP_C_DTYPE == GP_DTYPE_BFLOAT16
GP_VECTOR(ushort) halves(V x) {
    const GP_VECTOR(uint) bits = GP_VECTOR(as_uint)(x);
    return GP_VECTOR(convert_ushort)(GP_ROUNDED(bits));
}
#endif

void store_vector(global Result *to, ulong i, V x) {
#if GP_C_DTYPE == GP_DTYPE_FLOAT16 || GP_C_DTYPE == GP_DTYPE_BFLOAT16
    GP_VECTOR(vstore)(halves(x), 0, (global ushort *)to + i);
#elif GP_C_DTYPE != GP_COMPUTED // the low bytes
    GP_VECTOR(vstore)(GP_VECTOR(GP_JOIN(as_, Result))(GP_VECTOR(convert_uchar)(x)), 0, to + i);
#else
    GP_VECTOR(vstore)(x, 0, to + i);
#endif
}
#endif

#if GP_SEMIRING == GP_SEMIRING_TEXT
#define GP_ZERO ((V)(gp_zero_text()))
#elif GP_SEMIRING == GP_PLUS_TIMES || GP_SEMIRING == GP_OR_AND
#define GP_ZERO ((V)(0))
#elif GP_SEMIRING == GP_MIN_PLUS
#define GP_ZERO ((V)(GP_LARGEST))
#else
#define GP_ZERO ((V)(GP_LOWEST))
#endif

#if GP_SEMIRING == GP_SEMIRING_TEXT
// The caller's text takes an element at a time. GP_EACH gives a vector of what F gives for each.
#if GP_WIDTH == 1
#define GP_OF(x, e) x
#define GP_EACH(F) F()
#else
#define GP_OF(x, e) x.e
#if GP_WIDTH == 2
#define GP_EACH(F) (V)(F(s0), F(s1))
#elif GP_WIDTH == 4
#define GP_EACH(F) (V)(F(s0), F(s1), F(s2), F(s3))
#elif GP_WIDTH == 8
#define GP_EACH(F) (V)(F(s0), F(s1), F(s2), F(s3), F(s4), F(s5), F(s6), F(s7))
#else
#define GP_EACH(F)                                                                                                     \
    (V)(F(s0), F(s1), F(s2), F(s3), F(s4), F(s5), F(s6), F(s7), F(s8), F(s9), F(sa), F(sb), F(sc), F(sd), F(se), F(sf))
#endif
#endif

V times(V a, V b) {
#define GP_TIMES(e) gp_times_text(GP_OF(a, e), GP_OF(b, e))
    return GP_EACH(GP_TIMES);
}

// sum + a * b, a of A and b of B.
V accumulate(V sum, V a, V b) {
#ifdef GP_REVERSED
#define GP_TERM(e) gp_times_text(GP_OF(b, e), GP_OF(a, e))
#else
#define GP_TERM(e) gp_times_text(GP_OF(a, e), GP_OF(b, e))
#endif
#define GP_ADDED(e) gp_plus_text(GP_OF(sum, e), GP_TERM(e))
    return GP_EACH(GP_ADDED);
}

// The same of the first `count` elements alone.
V accumulate_some(V sum, V a, V b, ulong count) {
    Value some[GP_WIDTH], all[GP_WIDTH];
    GP_WRITE(sum, 0, some);
    const V added = accumulate(sum, a, b);
    GP_WRITE(added, 0, all);
    for (uint i = 0; i < GP_WIDTH && i < count; ++i) some[i] = all[i];
    return GP_READ(0, some);
}

V plus(V a, V b) {
#define GP_PLUS(e) gp_plus_text(GP_OF(a, e), GP_OF(b, e))
    return GP_EACH(GP_PLUS);
}

#ifdef GP_ALPHA_ONE
#define GP_ALPHA(alpha) ((V)(gp_one_text()))
#endif
#else
// The lesser, or greater, of a and b; a if b is NaN. Of float64, GPUs have no minimum: on an H200,
// min-plus, n = 1000, took 540 us with fmin, 438 us with a comparison.
#if defined(GP_MINIMUM_BUILTIN) && GP_IS_FLOAT && GP_DTYPE != GP_DTYPE_FLOAT64
#define GP_LESSER(a, b) fmin(a, b)
#define GP_GREATER(a, b) fmax(a, b)
#elif !GP_IS_FLOAT
#define GP_LESSER(a, b) min(a, b)
#define GP_GREATER(a, b) max(a, b)
#else
#define GP_LESSER(a, b) ((b) < (a) ? (b) : (a))
#define GP_GREATER(a, b) ((b) > (a) ? (b) : (a))
#endif

#if GP_COMPUTED == GP_DTYPE_INT16 && GP_WIDTH == 1
#define GP_PRODUCT(a, b) ((uint)(a) * (b)) // not as int, which would overflow
#else
#define GP_PRODUCT(a, b) ((a) * (b))
#endif

V times(V a, V b) {
#if GP_SEMIRING == GP_PLUS_TIMES
    return (V)GP_PRODUCT(a, b);
#elif GP_SEMIRING == GP_MAX_MIN || GP_SEMIRING == GP_OR_AND
    return GP_LESSER(a, b);
#elif GP_COMPUTED == GP_DTYPE_INT32
    return GP_VECTOR(as_int)(GP_VECTOR(as_uint)(a) + GP_VECTOR(as_uint)(b)); // wraps
#elif GP_COMPUTED == GP_DTYPE_INT16
    return GP_VECTOR(as_short)((GP_VECTOR(ushort))(GP_VECTOR(as_ushort)(a) + GP_VECTOR(as_ushort)(b)));
#else
    return a + b;
#endif
}

// sum + a * b. The sum is never NaN, except in plus-times.
V accumulate(V sum, V a, V b) {
#if GP_SEMIRING == GP_PLUS_TIMES
    return (V)(GP_PRODUCT(a, b) + sum);
#elif GP_SEMIRING == GP_MIN_PLUS
    const V term = times(a, b);
    return GP_LESSER(sum, term);
#else
    const V term = times(a, b);
    return GP_GREATER(sum, term);
#endif
}

// Where a factor behind the end is the semiring's zero, its term changes no sum.
#define accumulate_some(sum, a, b, count) accumulate(sum, a, b)

// a + b where either may be NaN.
V plus(V a, V b) {
#if GP_SEMIRING == GP_PLUS_TIMES
    return a + b;
#elif GP_SEMIRING == GP_MIN_PLUS
    return GP_IS_NAN(a) ? b : GP_LESSER(a, b);
#else
    return GP_IS_NAN(a) ? b : GP_GREATER(a, b);
#endif
}
#endif
#ifndef GP_ALPHA
#define GP_ALPHA(alpha) (alpha)
#endif

#include "matmul/finish.cl"

// Elements `at` and on of C, at most GP_WIDTH and at most `count`, become alpha * sum + beta * C,
// and what finish.cl makes of that.
void finish(global Result *c, ulong at, uint count, V sum, V alpha, V beta, uint reads_c GP_FINISH_PLACE) {
    V result = times(GP_ALPHA(alpha), sum);
    if (count >= GP_WIDTH) {
        if (reads_c) result = plus(result, times(beta, load_c_vector(c, at)));
        result = GP_FINISHED(result, GP_WIDTH);
#if defined(GP_VECTOR_STORES) && GP_C_DTYPE == GP_COMPUTED
        if ((size_t)(c + at) % sizeof(V) == 0) {
            *(global V *)(c + at) = result;
            return;
        }
#elif defined(GP_WORD_STORES) && (GP_C_DTYPE == GP_DTYPE_FLOAT16 || GP_C_DTYPE == GP_DTYPE_BFLOAT16)
        *(global uint *)(c + at) = as_uint(halves(result));
        return;
#endif
        store_vector(c, at, result);
        return;
    }
    Value edge[GP_WIDTH];
    GP_WRITE(GP_ZERO, 0, edge);
    if (reads_c) {
        for (uint i = 0; i < count; ++i) edge[i] = load_c(c, at + i);
        result = plus(result, times(beta, GP_READ(0, edge)));
    }
    result = GP_FINISHED(result, count);
    GP_WRITE(result, 0, edge);
    for (uint i = 0; i < count; ++i) store(c, at + i, edge[i]);
}

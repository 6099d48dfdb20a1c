// The arithmetic of a matrix product: what is stored, what is computed in, and a semiring's plus and times.
//
// Macros: DTYPE: 2, 3, 9, 10 or 11 (GP_INT16, GP_INT32, GP_FLOAT16, GP_FLOAT32, GP_FLOAT64 of gpcl.h); SEMIRING: 0 to 4, a
//         gp_semiring; WIDTH: elements of a vector V, 1, 2, 4, 8 or 16; MINIMUM_BUILTIN, if fmin is faster than a comparison;
//         VECTOR_STORES, where STORED is VALUE: to store vectors at once where they begin at multiples of their size
// Gives:  STORED, VALUE (what is computed in), V; load, store, load_vector, store_vector, READ, WRITE; FACTOR; ZERO, times,
//         accumulate, plus; finish
// SPDX-License-Identifier: MIT
#ifndef DTYPE
#error "DTYPE is not defined"
#endif
#ifndef SEMIRING
#error "SEMIRING is not defined"
#endif
#ifndef WIDTH
#error "WIDTH is not defined"
#endif

#define PLUS_TIMES 0
#define MIN_PLUS 1
#define MAX_PLUS 2
#define MAX_MIN 3
#define OR_AND 4

#pragma OPENCL FP_CONTRACT ON // a * b + c is one instruction where there is one

#if DTYPE == 9
#define STORED half
#define VALUE float
#elif DTYPE == 10
#define STORED float
#define VALUE float
#elif DTYPE == 11
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define STORED double
#define VALUE double
#elif DTYPE == 3 && SEMIRING == PLUS_TIMES
#define STORED uint // wraps, and the bits are those of int
#define VALUE uint
#elif DTYPE == 3
#define STORED int
#define VALUE int
#elif DTYPE == 2 && SEMIRING == PLUS_TIMES
#define STORED ushort
#define VALUE ushort
#elif DTYPE == 2
#define STORED short
#define VALUE short
#else
#error "DTYPE is none that a matrix product takes"
#endif

#if DTYPE == 2
#define LARGEST SHRT_MAX
#define LOWEST SHRT_MIN
#elif DTYPE == 3
#define LARGEST INT_MAX
#define LOWEST INT_MIN
#else
#define LARGEST INFINITY
#define LOWEST (-INFINITY)
#endif
#if DTYPE < 9
#define IS_NAN(x) 0
#else
#define IS_NAN(x) ((x) != (x))
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if WIDTH == 1
#define VECTOR(name) name
#else
#define VECTOR(name) JOIN(name, WIDTH)
#endif
#define V VECTOR(VALUE)

// Each factor is made such that plus and times need no special cases: truth becomes 1; a NaN in max-min becomes the
// lowest value, so that its term is left out.
#if SEMIRING == OR_AND
#define FACTOR(TYPE, x) ((x) != (TYPE)(0) ? (TYPE)(1) : (TYPE)(0))
#elif SEMIRING == MAX_MIN && DTYPE >= 9
#define FACTOR(TYPE, x) (IS_NAN(x) ? (TYPE)(LOWEST) : (x))
#else
#define FACTOR(TYPE, x) (x)
#endif

// One element, and WIDTH of them.
VALUE load(global const STORED *from, ulong i) {
#if DTYPE == 9
    const VALUE x = vload_half(i, from);
#else
    const VALUE x = from[i];
#endif
    return FACTOR(VALUE, x);
}

void store(global STORED *to, ulong i, VALUE x) {
#if DTYPE == 9
    vstore_half_rte(x, i, to);
#else
    to[i] = x;
#endif
}

// Vector number i of an array of VALUE, in any address space.
#if WIDTH == 1
#define READ(i, from) ((from)[i])
#define WRITE(x, i, to) ((to)[i] = (x))
#define load_vector load
#define store_vector store
#else
#define READ(i, from) VECTOR(vload)(i, from)
#define WRITE(x, i, to) VECTOR(vstore)(x, i, to)
// Halves go through a variable: vload_half8 of PoCL 3.1 wants 16-byte alignment where OpenCL C asks for that of half.
V load_vector(global const STORED *from, ulong i) {
#if DTYPE == 9
    VECTOR(ushort) bits = VECTOR(vload)(0, (global const ushort *)from + i);
    const V x = VECTOR(vload_half)(0, (half *)&bits);
#else
    const V x = VECTOR(vload)(0, from + i);
#endif
    return FACTOR(V, x);
}

void store_vector(global STORED *to, ulong i, V x) {
#if DTYPE == 9
    VECTOR(ushort) bits;
    JOIN(VECTOR(vstore_half), _rte)(x, 0, (half *)&bits);
    VECTOR(vstore)(bits, 0, (global ushort *)to + i);
#else
    VECTOR(vstore)(x, 0, to + i);
#endif
}
#endif

#if SEMIRING == PLUS_TIMES || SEMIRING == OR_AND
#define ZERO ((V)(0))
#elif SEMIRING == MIN_PLUS
#define ZERO ((V)(LARGEST))
#else
#define ZERO ((V)(LOWEST))
#endif

// b where that is less (or greater), else a: a NaN in b is left out.
#if defined(MINIMUM_BUILTIN) && DTYPE >= 9
#define LESSER(a, b) fmin(a, b)
#define GREATER(a, b) fmax(a, b)
#elif DTYPE < 9
#define LESSER(a, b) min(a, b)
#define GREATER(a, b) max(a, b)
#else
#define LESSER(a, b) ((b) < (a) ? (b) : (a))
#define GREATER(a, b) ((b) > (a) ? (b) : (a))
#endif

#if DTYPE == 2 && WIDTH == 1
#define PRODUCT(a, b) ((uint)(a) * (b)) // not as int, which would overflow
#else
#define PRODUCT(a, b) ((a) * (b))
#endif

V times(V a, V b) {
#if SEMIRING == PLUS_TIMES
    return (V)PRODUCT(a, b);
#elif SEMIRING == MAX_MIN || SEMIRING == OR_AND
    return LESSER(a, b);
#elif DTYPE == 3
    return VECTOR(as_int)(VECTOR(as_uint)(a) + VECTOR(as_uint)(b)); // wraps
#elif DTYPE == 2
    return VECTOR(as_short)((VECTOR(ushort))(VECTOR(as_ushort)(a) + VECTOR(as_ushort)(b)));
#else
    return a + b;
#endif
}

// sum + a * b; the sum is no NaN but in plus-times.
V accumulate(V sum, V a, V b) {
#if SEMIRING == PLUS_TIMES
    return (V)(PRODUCT(a, b) + sum);
#elif SEMIRING == MIN_PLUS
    const V term = times(a, b);
    return LESSER(sum, term);
#else
    const V term = times(a, b);
    return GREATER(sum, term);
#endif
}

// a + b where either may be NaN.
V plus(V a, V b) {
#if SEMIRING == PLUS_TIMES
    return a + b;
#elif SEMIRING == MIN_PLUS
    return IS_NAN(a) ? b : LESSER(a, b);
#else
    return IS_NAN(a) ? b : GREATER(a, b);
#endif
}

// Elements `at` and on of C, at most WIDTH and at most `count`, become alpha * sum + beta * C.
void finish(global STORED *c, ulong at, uint count, V sum, V alpha, V beta, uint reads_c) {
    V result = times(alpha, sum);
    if (count >= WIDTH) {
        if (reads_c) result = plus(result, times(beta, load_vector(c, at)));
#ifdef VECTOR_STORES
        if ((size_t)(c + at) % sizeof(V) == 0) {
            *(global V *)(c + at) = result;
            return;
        }
#endif
        store_vector(c, at, result);
        return;
    }
    VALUE edge[WIDTH];
    WRITE(ZERO, 0, edge);
    if (reads_c) {
        for (uint i = 0; i < count; ++i) edge[i] = load(c, at + i);
        result = plus(result, times(beta, READ(0, edge)));
    }
    WRITE(result, 0, edge);
    for (uint i = 0; i < count; ++i) store(c, at + i, edge[i]);
}

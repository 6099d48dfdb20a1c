// What the caller's text reads and writes.
//
// Macros: GP_OUT, the type of the output in memory; GP_OUT_HALF, where it is half; GP_WIDTH,
//         elements of a vector; those of counted.cl.
//         The program begins with the type T, T gp_transform_text(x0, ..., ulong i), and
//         GP_INPUTS(F), which is for every array k of a type one of F_ARRAY(k, type), F_ONE, which
//         holds one element, F_HALF_ARRAY and F_HALF_ONE (lib/ops/transform/transform.cpp writes
//         them)
//         GP_VECTORS, vectors that are computed together; GP_ALIGNED: 1 where vectors of the output
//         are aligned, and those of arrays are read as such where they are
// Gives:  GP_PARAMETERS; GP_BEGIN, which comes first in a kernel; gp_element(GP_ARRAYS p), which
//         computes element p; gp_vectors(GP_ARRAYS p, apart), which computes vectors, the first
//         from element p on, the others `apart` elements behind each other
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "common/inline.cl"
#include "common/paste.cl"
#if !defined(GP_OUT) || !defined(GP_WIDTH) || !defined(GP_INPUTS) || !defined(GP_VECTORS) || !defined(GP_ALIGNED)
#error "GP_OUT, GP_WIDTH, GP_INPUTS, GP_VECTORS and GP_ALIGNED must be defined"
#endif

#define GP_VECTOR_OF(type) GP_PASTE(type, GP_WIDTH)
#define GP_VLOAD GP_PASTE(vload, GP_WIDTH)
#define GP_VSTORE GP_PASTE(vstore, GP_WIDTH)

#define GP_PARAMETER_ARRAY(k, type) global const type *in##k, ulong in##k##_offset,
#define GP_PARAMETER_ONE GP_PARAMETER_ARRAY
#define GP_PARAMETER_HALF_ARRAY GP_PARAMETER_ARRAY
#define GP_PARAMETER_HALF_ONE GP_PARAMETER_ARRAY
#define GP_PARAMETERS                                                                                                  \
    GP_INPUTS(GP_PARAMETER) global GP_OUT *out, ulong out_offset, ulong n, ulong base GP_COUNT_PARAMETERS

#define GP_START_ARRAY(k, type) in##k += in##k##_offset;
#define GP_START_HALF_ARRAY GP_START_ARRAY
#define GP_START_ONE(k, type) const type one##k = in##k[in##k##_offset];
#define GP_START_HALF_ONE(k, type) const float one##k = vload_half(in##k##_offset, in##k);
#define GP_BEGIN                                                                                                       \
    GP_INPUTS(GP_START)                                                                                                \
    out += out_offset;                                                                                                 \
    GP_TAKE_COUNT(n)

// The arrays, and `base`, the first element's number, as functions take them, and as they are
// handed to one: each begins at its first element.
#define GP_FORMAL_ARRAY(k, type) global const type *in##k,
#define GP_FORMAL_HALF_ARRAY GP_FORMAL_ARRAY
#define GP_FORMAL_ONE(k, type) const type one##k,
#define GP_FORMAL_HALF_ONE(k, type) const float one##k,
#define GP_ACTUAL_ARRAY(k, type) in##k,
#define GP_ACTUAL_HALF_ARRAY GP_ACTUAL_ARRAY
#define GP_ACTUAL_ONE(k, type) one##k,
#define GP_ACTUAL_HALF_ONE GP_ACTUAL_ONE
#define GP_ARRAYS GP_INPUTS(GP_ACTUAL) out, base,

#define GP_AT_ARRAY(k, type) in##k[at],
#define GP_AT_HALF_ARRAY(k, type) vload_half(at, in##k),
#define GP_AT_ONE GP_ACTUAL_ONE
#define GP_AT_HALF_ONE GP_ACTUAL_ONE

GP_INLINE void gp_element(GP_INPUTS(GP_FORMAL) global GP_OUT *out, ulong base, ulong at) {
    const T value = gp_transform_text(GP_INPUTS(GP_AT) base + at);
#ifdef GP_OUT_HALF
    vstore_half_rte(value, at, out);
#else
    out[at] = value;
#endif
}

// Vectors, which become elements in registers; half through its bits.
#if GP_ALIGNED
#define GP_READ(type, from)                                                                                            \
    (((size_t)(from) & (sizeof(GP_VECTOR_OF(type)) - 1)) == 0 ? *(global const GP_VECTOR_OF(type) *)(from)             \
                                                              : GP_VLOAD(0, from))
#else
#define GP_READ(type, from) GP_VLOAD(0, from)
#endif
#define GP_DECLARE_ARRAY(k, type) type x##k[GP_VECTORS * GP_WIDTH];
#define GP_DECLARE_HALF_ARRAY(k, type) ushort x##k[GP_VECTORS * GP_WIDTH];
#define GP_DECLARE_ONE(k, type)
#define GP_DECLARE_HALF_ONE(k, type)
#define GP_LOAD_ARRAY(k, type) GP_VSTORE(GP_READ(type, in##k + at), v, x##k);
#define GP_LOAD_HALF_ARRAY(k, type) GP_VSTORE(GP_READ(ushort, (global const ushort *)in##k + at), v, x##k);
#define GP_LOAD_ONE(k, type)
#define GP_LOAD_HALF_ONE(k, type)
#define GP_ITEM_ARRAY(k, type) x##k[item],
#define GP_ITEM_HALF_ARRAY(k, type) vload_half(item, (const half *)x##k),
#define GP_ITEM_ONE GP_ACTUAL_ONE
#define GP_ITEM_HALF_ONE GP_ACTUAL_ONE
#ifdef GP_OUT_HALF
typedef ushort Result;
typedef GP_VECTOR_OF(ushort) Results;
#else
typedef GP_OUT Result;
typedef GP_VECTOR_OF(GP_OUT) Results;
#endif

GP_INLINE void gp_vectors(GP_INPUTS(GP_FORMAL) global GP_OUT *out, ulong base, ulong first, ulong apart) {
    GP_INPUTS(GP_DECLARE)
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) {
        const ulong at = first + v * apart;
        GP_INPUTS(GP_LOAD)
        (void)at; // where all arrays hold one element
    }
#pragma unroll
    for (uint v = 0; v < GP_VECTORS; ++v) {
        const ulong at = first + v * apart;
        Result result[GP_WIDTH];
#pragma unroll
        for (uint j = 0; j < GP_WIDTH; ++j) {
            const uint item = v * GP_WIDTH + j;
            (void)item;
            const T value = gp_transform_text(GP_INPUTS(GP_ITEM) base + at + j);
#ifdef GP_OUT_HALF
            vstore_half_rte(value, j, (half *)result);
#else
            result[j] = value;
#endif
        }
#if GP_ALIGNED
        *(global Results *)((global Result *)out + at) = GP_VLOAD(0, result);
#else
        GP_VSTORE(GP_VLOAD(0, result), 0, (global Result *)out + at);
#endif
    }
}

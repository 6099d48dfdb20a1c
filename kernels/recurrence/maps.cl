// A recurrence of order 1 whose coefficients vary, as maps: the map of a stretch of a row turns the
// y before the stretch into the last y of it.
//
// A map is y -> scale * 2^exponent * y + shift. The product of many coefficients may leave the
// type's range, in either direction, before it is multiplied with y. So a map has its exponent
// apart. Beyond 2^GP_FAR the exponent no longer matters: the factor is zero, or the result leaves
// the range as well. `shift` is what zero becomes. Once it is infinity or NaN, so is all that
// follows.
//
// Macros: T, the element type; GP_FLOAT64, defined when it is double
// Gives:  GP_AT(t), where element t of a row of n elements lies; Map and what is done with it;
//         solve_part; the kernel varying_rows
// Launch: varying_rows: any number of work-items, one for every `rows` rows at least
// SPDX-License-Identifier: MIT
#include "common/element.cl"
#include "common/positions.cl"

#define GP_FAR 4096

#ifdef GP_FLOAT64
typedef ulong Bits;
#define GP_TO_BITS as_ulong
#define GP_FROM_BITS as_double
#define GP_FRACTION 52 // bits
#define GP_HALF 1022   // the exponent's bits of 1/2
#else
typedef uint Bits;
#define GP_TO_BITS as_uint
#define GP_FROM_BITS as_float
#define GP_FRACTION 23
#define GP_HALF 126
#endif
#define GP_EXPONENT ((Bits)(2 * GP_HALF + 3) << GP_FRACTION)

typedef struct {
    T scale; // at least 1/2 and less than 1, or 0; either sign
    T shift;
    int exponent;
} Map;

Map identity_map(void) {
    const Map map = {(T)0.5, 0, 1};
    return map;
}

// frexp, in a few steps where x is a normal number. Its results for infinity and NaN do not matter:
// `shift` is NaN then.
T split(T x, int *exponent) {
    const Bits bits = GP_TO_BITS(x);
    const int field = (int)((bits & GP_EXPONENT) >> GP_FRACTION);
    if (field == 0) return frexp(x, exponent);
    *exponent = field - GP_HALF;
    return GP_FROM_BITS((bits & ~GP_EXPONENT) | (Bits)GP_HALF << GP_FRACTION);
}

Map normalized(Map map) {
    int exponent;
    map.scale = split(map.scale, &exponent);
    exponent += map.exponent;
    if (exponent < -GP_FAR) map.scale = 0;
    map.exponent = clamp(exponent, -GP_FAR, GP_FAR);
    return map;
}

T apply(Map map, T y) { return map.shift + ldexp(map.scale * y, map.exponent); }

// First a, then b.
Map compose(Map a, Map b) {
    const Map both = {a.scale * b.scale, apply(b, a.shift), a.exponent + b.exponent};
    return normalized(both);
}

// The map of a stretch and the element behind it. The result is not normalized, which it must be
// after 64 elements at most.
Map extended(Map map, T a, T x) {
    int exponent;
    map.scale *= split(a, &exponent);
    map.exponent += exponent;
    map.shift = x + a * map.shift;
    return map;
}

// Solves elements first to end of a row from y, the one before them.
void solve_part(global const T *coefficients, global const T *in, global T *out, ulong n, ulong first, ulong end, T y,
                uint has_in, uint reverse) {
    for (ulong t = first; t < end; ++t) {
        y = (has_in ? in[GP_AT(t)] : 0) + coefficients[GP_AT(t)] * y;
        out[GP_AT(t)] = y;
    }
}

// `in` counts only with has_in, `initial` (a y a row) only with has_initial.
kernel void varying_rows(global const T *coefficients, ulong coefficients_offset, global const T *in, ulong in_offset,
                         global T *out, ulong out_offset, global const T *initial, ulong initial_offset, ulong n,
                         ulong batch, ulong rows, ulong stride_coefficients, ulong stride_in, ulong stride_out,
                         uint has_in, uint has_initial, uint reverse) {
    const ulong first = get_global_id(0) * rows;
    for (ulong row = first; row < min(first + rows, batch); ++row)
        solve_part(coefficients + coefficients_offset + row * stride_coefficients, in + in_offset + row * stride_in,
                   out + out_offset + row * stride_out, n, 0, n, has_initial ? initial[initial_offset + row] : 0,
                   has_in, reverse);
}

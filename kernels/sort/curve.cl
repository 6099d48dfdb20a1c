// A curve by which numbers become places that are taken evenly: about as many keys lie in each of
// many equal ranges of places. It rises as the numbers do.
//
// The range of the numbers is cut into equal cells, and samples tell how many keys each has. A cell
// is given as large a share of the places, in which its keys are spread evenly. Numbers beyond the
// samples fall into the first and the last cell, which have no others. Where keys of one cell are
// uneven, so are their places.
//
// Macros: those of keys.cl, floating-point keys
// Gives: GP_CURVE_CELLS; Curve, gp_cell, gp_find_range, gp_read_curve, gp_place, gp_key_at; where
//         the parts of the state in global memory begin, behind GP_CURVE_BEGIN uints, and
//         GP_CURVE_SIZE
// SPDX-License-Identifier: MIT
#include "sort/keys.cl"

#define GP_CURVE_BITS 11
#define GP_CURVE_CELLS (1 << GP_CURVE_BITS)

// Of the samples that are finite, both from zeros on: how far the least one's code is below the
// highest code; the greatest one's code.
#define GP_BELOW 0
#define GP_GREATEST 1
#define GP_SCALE 2                                    // a float, that of Curve; all kernels must have the same
#define GP_CELL_COUNTS 3                              // samples of each cell
#define GP_CURVE_AT (GP_CELL_COUNTS + GP_CURVE_CELLS) // of each cell: its first place, and how many it has
#define GP_CURVE_SIZE (GP_CURVE_AT + 2 * GP_CURVE_CELLS)

typedef struct {
    float low, scale; // numbers become cells, whose number begins at bit 32 - GP_CURVE_BITS
    uint2 cells[GP_CURVE_CELLS];
} Curve;

// The number that a key is, or of a double one close to it. A greater key has no lower number.
float gp_number(Key key) {
#if GP_KEY_BYTES == 8
    const uint size = (uint)(key >> 32) & 0x7fffffff;
    const uint single = size < (1023 - 126) << 20    ? 0
                        : size >= (1023 + 128) << 20 ? 0x7f7fffff
                                                     : (uint)(key >> 29) - ((1023u - 127) << 23);
    return as_float(single | ((uint)(key >> 32) & 0x80000000u));
#else
    return as_float(key);
#endif
}

// Codes of single numbers, which order as these do.
uint gp_code_of(float number) { return as_uint(number) ^ (as_int(number) >> 31 | 0x80000000); }
float gp_of_code(uint code) { return as_float(code ^ (~(as_int(code)) >> 31 | 0x80000000)); }

// A cell in `gp_cell`.
#define GP_CELL (4294967296.0f / GP_CURVE_CELLS)

// The least of the samples, and the scale: `state` is the part of the curve.
float gp_least(global const uint *state) { return state[GP_GREATEST] != 0 ? gp_of_code(~state[GP_BELOW]) : 0; }
void gp_find_range(global const uint *state, float *low, float *scale) {
    const float high = state[GP_GREATEST] != 0 ? gp_of_code(state[GP_GREATEST]) : 0;
    *low = gp_least(state);
    *scale = clamp(GP_CELL * (GP_CURVE_CELLS - 2) / (high - *low), 1e-37f, 1e37f); // never so that it makes NaN
}

// Called by all work-items; a barrier must follow.
void gp_read_curve(global const uint *state, local Curve *curve) {
    const uint id = (uint)get_local_id(0);
    if (id == 0) {
        curve->low = gp_least(state);
        curve->scale = as_float(state[GP_SCALE]);
    }
    for (uint i = id; i < GP_CURVE_CELLS; i += (uint)get_local_size(0))
        curve->cells[i] = vload2(i, state + GP_CURVE_AT);
}

// The cell of a key that is a number, and from bit 0 on how far behind the cell's beginning it is.
uint gp_cell(Key key, float low, float scale) {
    return (uint)clamp(fma(gp_number(key) - low, scale, GP_CELL), 0.0f, 4294967040.0f);
}

// The place of a key, in the order that `flip` says; NaN are the last.
uint gp_place(Key key, Key flip, local const Curve *curve) {
    const uint cell = gp_cell(key, curve->low, curve->scale);
    const uint2 places = curve->cells[cell >> (32 - GP_CURVE_BITS)];
    const uint place = places.x + mul_hi(cell << GP_CURVE_BITS, places.y);
    return gp_is_nan(key) ? 0xffffffff : place ^ (uint)flip;
}

// The ordered key that has a place, up to 2^32, about. It rises with the place.
Key gp_key_at(ulong place, Key flip, global const uint *state) {
    const uint at = (uint)min(flip ? ((ulong)1 << 32) - place : place, (ulong)0xffffffff);
    uint cell = 0;
    for (uint step = GP_CURVE_CELLS / 2; step > 0; step /= 2)
        if (state[GP_CURVE_AT + 2 * (cell + step)] <= at) cell += step;
    const uint2 places = vload2(cell, state + GP_CURVE_AT);
    const float cells = (float)cell + (float)(at - places.x) / (float)places.y;
    const uint code = gp_code_of(gp_least(state) + (cells - 1) * (GP_CELL / as_float(state[GP_SCALE])));
#if GP_KEY_BYTES == 8
    const uint number = as_uint(gp_of_code(code)), size = number & 0x7fffffff;
    const Key wide = size < 0x00800000 ? 0 : ((Key)size << 29) + ((Key)(1023 - 127) << 52);
    return (number >> 31 ? ~wide & ~GP_SIGN : wide | GP_SIGN) ^ flip;
#else
    return code ^ flip;
#endif
}

// The bin of a floating-point number among even ones: the product of the number and a factor,
// rounded. Only a number so near to a border that rounding could put it on the wrong side is
// compared with the border itself.
//
// Macros: GP_KEY_BYTES, 4 or 8, the latter with GP_FLOAT64; GP_PAIRS, for places of more bits than
//         a float has
// Gives:  Key, Real, Vector, GP_AS_REAL, GP_SIGN; Places, gp_place, and without GP_PAIRS its two
//         steps, gp_guess and gp_settle
// Source: our own
// SPDX-License-Identifier: MIT
#include "common/key.cl"

#ifdef GP_FLOAT64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define Real double
#define Vector ulong2
#define GP_AS_REAL as_double
#define GP_ROUNDS 0x1.8p52 // a number plus this one is rounded to a whole one, which the low bits hold
#define GP_WHOLE_OF(sum) ((uint)clamp(as_long(sum) - as_long(GP_ROUNDS), -1l, 0x7fffffffl))
#else
#define Real float
#define Vector uint4
#define GP_AS_REAL as_float
#define GP_ROUNDS 0x1.8p23f
#define GP_WHOLE_OF(sum) (as_uint(sum) - as_uint(GP_ROUNDS))
#endif
#define GP_SIGN ((Key)((Key)1 << (8 * GP_KEY_BYTES - 1)))

// Of a call. In pairs an element's place, in bins, is (x - lower) * (scale + scale_low); else x *
// scale + lower, less half a bin. Whatever is farther than `near` from a border, or nearer than
// that to the middle of a bin, by its place, lies where it seems to.
typedef struct {
    Real lower, scale, scale_low, near;
    global const Key *borders; // of the range
    uint low, size;            // the first bin of the range, and their number
} Places;

// The bin, if `border` is the nearest to a place; both counted from the range's first bin.
uint gp_beside(uint border, uint bin, Key bits, const Places *p) {
    if (border > p->size) return bin;
    const Key key = bits & GP_SIGN ? (Key)~bits : bits | GP_SIGN;
    return border - (key < p->borders[border] ? 1 : 0);
}

#ifdef GP_PAIRS
// The bin of an element, counted from the range's first; any number >= size if it is in no bin of
// the range.
uint gp_place(Key bits, const Places *p) {
    const Real x = GP_AS_REAL(bits);
    const Real off = x - p->lower, back = off - x;
    const Real off_low = (x - (off - back)) + (-p->lower - back); // what rounding took from off
    const Real place = fma(off, p->scale, (Real)0);               // no product, which might be fused with the sum below
    const Real place_low = fma(off, p->scale, -place) + fma(off, p->scale_low, off_low * p->scale);
    const Real sum = place + (Real)GP_ROUNDS;
    const Real from = (place - (sum - (Real)GP_ROUNDS)) + place_low; // the border that is the nearest
    const uint border = GP_WHOLE_OF(sum) - p->low;
    const uint bin = border - (from < 0 ? 1 : 0);
    return fabs(from) <= p->near ? gp_beside(border, bin, bits, p) : bin;
}
#else
// The same; *from is how far it is from the middle of the bin. gp_settle decides.
uint gp_guess(Key bits, const Places *p, Real *from) {
    const Real middle = fma(GP_AS_REAL(bits), p->scale, p->lower);
    const Real sum = middle + (Real)GP_ROUNDS;
    *from = middle - (sum - (Real)GP_ROUNDS);
    return GP_WHOLE_OF(sum) - p->low;
}

uint gp_settle(uint bin, Real from, Key bits, const Places *p) {
    return fabs(from) >= p->near ? gp_beside(bin + (from > 0 ? 1 : 0), bin, bits, p) : bin;
}

uint gp_place(Key bits, const Places *p) {
    Real from;
    const uint bin = gp_guess(bits, p, &from);
    return gp_settle(bin, from, bits, p);
}
#endif

// Histogram of floating-point numbers in even bins for GPUs: a bin is the product of an element and
// a factor, rounded. Only an element so near to a border that rounding could put it on the wrong
// side is compared with the border itself. Work-groups count with local atomics. Where local memory
// does not hold all bins, each work-group counts a range of them, and those of all ranges read the
// same elements at about the same time, all but one of them from the cache.
//
// Macros: those of counters.cl; GP_KEY_BYTES, 4 or 8, the latter with GP_FLOAT64; GP_ROOM, counters
//         in local memory; GP_AT_ONCE, vectors of 16 bytes that a work-item loads together;
//         GP_PAIRS, for places of more bits than a float has
// Launch: work-groups of GP_GROUP work-items, `sharers` for each range of `width` bins; size *
//         copies counters fit GP_ROOM. borders[b] is the least key of bin b, borders[bins] the least
//         above all. `state` holds zeros, and does so again in the end: a uint a bin, then one a
//         range. At most 2^31 elements
// Source: our own; counters.cl tells whose the counters are
// SPDX-License-Identifier: MIT
#include "common/key.cl"
#include "histogram/counters.cl"

#if !defined(GP_ROOM) || !defined(GP_AT_ONCE)
#error "GP_ROOM and GP_AT_ONCE must be defined"
#endif
#ifdef GP_FLOAT64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define Real double
#define Vector ulong2
#define GP_AS_REAL as_double
#define GP_ROUNDS 0x1.8p52 // a number plus this one is rounded to a whole one, which the low bits hold
#define GP_WHOLE_OF(sum) ((uint)min(as_ulong(sum) - as_ulong(GP_ROUNDS), 0x80000000ul))
#else
#define Real float
#define Vector uint4
#define GP_AS_REAL as_float
#define GP_ROUNDS 0x1.8p23f
#define GP_WHOLE_OF(sum) (as_uint(sum) - as_uint(GP_ROUNDS))
#endif
#define GP_SIGN ((Key)((Key)1 << (8 * GP_KEY_BYTES - 1)))

// Of a call: an element's place is (x - lower) * (scale + scale_low), in bins. Whatever lies farther
// than `near` from a border, by its place, lies on the side where it seems to.
typedef struct {
    Real lower, scale, scale_low, near;
    global const Key *borders;
    uint bins, low, size; // all bins; the first of the range, and their number
} Places;

// The bin of an element by its place, counted from the range's first; any number >= size if it is in
// no bin of the range. *near becomes true, and only then *border is one that it may lie on the other
// side of.
uint gp_place(Key bits, const Places *p, bool *near, uint *border) {
    const Real x = GP_AS_REAL(bits);
#ifdef GP_PAIRS
    const Real off = x - p->lower, back = off - x;
    const Real off_low = (x - (off - back)) + (-p->lower - back); // what rounding took from off
    const Real place = fma(off, p->scale, (Real)0);               // no product, which might be fused with the sum below
    const Real place_low = fma(off, p->scale, -place) + fma(off, p->scale_low, off_low * p->scale);
    const Real sum = place + (Real)GP_ROUNDS;
    const Real from = (place - (sum - (Real)GP_ROUNDS)) + place_low; // the border that is the nearest
    *near = fabs(from) <= p->near;
    *border = GP_WHOLE_OF(sum);
    return GP_WHOLE_OF(sum) - (from < 0 ? 1 : 0) - p->low;
#else
    const Real middle = fma(x - p->lower, p->scale, (Real)-0.5); // the place, less half a bin
    const Real sum = middle + (Real)GP_ROUNDS;
    const Real from = middle - (sum - (Real)GP_ROUNDS); // the middle of the bin
    *near = fabs(from) >= (Real)0.5 - p->near;
    *border = GP_WHOLE_OF(sum) + (from > 0 ? 1 : 0);
    return GP_WHOLE_OF(sum) - p->low;
#endif
}

// The same for every element, near a border or not.
uint gp_place_exactly(Key bits, const Places *p) {
    bool near;
    uint border;
    const uint bin = gp_place(bits, p, &near, &border);
    if (!near) return bin;
    if (border - p->low > p->size) return p->size;
    const Key key = bits & GP_SIGN ? (Key)~bits : bits | GP_SIGN;
    return border - p->low - (key < p->borders[border] ? 1 : 0);
}

void gp_count_bin(uint bin, const Places *p, local uint *mine, uint copies) {
    if (bin < p->size) atomic_inc(mine + bin * copies);
}

void gp_count_vector(Vector x, const Places *p, local uint *mine, uint copies) {
    bool near, any;
    uint border;
    uint a = gp_place(x.x, p, &any, &border), b = gp_place(x.y, p, &near, &border);
    any |= near;
#if GP_KEY_BYTES == 4
    uint c = gp_place(x.z, p, &near, &border);
    any |= near;
    uint d = gp_place(x.w, p, &near, &border);
    any |= near;
#endif
    if (any) {
        a = gp_place_exactly(x.x, p);
        b = gp_place_exactly(x.y, p);
#if GP_KEY_BYTES == 4
        c = gp_place_exactly(x.z, p);
        d = gp_place_exactly(x.w, p);
#endif
    }
    gp_count_bin(a, p, mine, copies);
    gp_count_bin(b, p, mine, copies);
#if GP_KEY_BYTES == 4
    gp_count_bin(c, p, mine, copies);
    gp_count_bin(d, p, mine, copies);
#endif
}

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
histogram_local_even(global const Key *in, ulong in_offset, global const Key *borders, ulong borders_offset,
                     volatile global uint *state, ulong state_offset, global ulong *counts, ulong counts_offset,
                     ulong n, uint bins, uint width, uint copies, uint sharers, uint adds, Real lower, Real scale,
                     Real scale_low, Real near) {
    local uint counters[GP_ROOM];
    const uint id = (uint)get_local_id(0), ranges = (uint)get_num_groups(0) / sharers;
    const uint range = (uint)get_group_id(0) % ranges, share = (uint)get_group_id(0) / ranges;
    const uint low = range * width, size = min(width, bins - low);
    const Places places = {lower, scale, scale_low, near, borders + borders_offset, bins, low, size};
    gp_clear_counters(counters, size * copies);

    local uint *mine = counters + id % copies;
    in += in_offset;
    const uint head = (uint)min(n, (ulong)(-(size_t)in & 15) / sizeof(Key)); // elements before the first whole vector
    const uint vectors = (uint)((n - head) / (16 / sizeof(Key)));
    global const Vector *from = (global const Vector *)(in + head);
    const uint step = sharers * GP_GROUP;
    uint i = share * GP_GROUP + id;
    for (; i + (GP_AT_ONCE - 1) * step < vectors; i += GP_AT_ONCE * step) {
        Vector x[GP_AT_ONCE];
#pragma unroll
        for (uint v = 0; v < GP_AT_ONCE; ++v) x[v] = from[i + v * step];
#pragma unroll
        for (uint v = 0; v < GP_AT_ONCE; ++v) gp_count_vector(x[v], &places, mine, copies);
    }
    for (; i < vectors; i += step) gp_count_vector(from[i], &places, mine, copies);
    if (share == 0) { // what is left at both ends
        const ulong tail = head + (ulong)vectors * (16 / sizeof(Key)) + id;
        if (id < head) gp_count_bin(gp_place_exactly(in[id], &places), &places, mine, copies);
        if (tail < n) gp_count_bin(gp_place_exactly(in[tail], &places), &places, mine, copies);
    }
    state += state_offset;
    gp_end_counts(counters, size, copies, state + low, state + bins + range, sharers, counts + counts_offset + low,
                  adds);
}

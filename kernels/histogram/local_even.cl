// Histogram of floating-point numbers in even bins for GPUs: a bin is the product of an element and
// a factor, rounded. Only an element so near to a border that rounding could put it on the wrong
// side is compared with the border itself. Work-groups count with local atomics. Where local memory
// does not hold all bins, each work-group counts a range of them, and those of all ranges read the
// same elements at about the same time, all but one of them from the cache.
//
// Macros: those of counters.cl and counted.cl; GP_KEY_BYTES, 4 or 8, the latter with GP_FLOAT64;
//         GP_ROOM, counters in local memory; GP_PAIRS, for places of more bits than a float has;
//         GP_COPIES, `copies` if it is known
// Launch: work-groups of GP_GROUP work-items, `sharers` for each range of `width` bins; size *
//         copies counters fit GP_ROOM. borders[b] is the least key of bin b, borders[bins] the
//         least above all. `state` holds zeros, and does so again in the end: a uint a bin, then
//         one a range. At most 2^31 elements
// Source: our own; counters.cl tells whose the counters are
// SPDX-License-Identifier: MIT
#include "common/counted.cl"
#include "histogram/counters.cl"
#include "histogram/places.cl"

#ifndef GP_ROOM
#error "GP_ROOM must be defined"
#endif
void gp_add(uint bin, const Places *p, local uint *mine, uint copies) {
    if (bin < p->size) atomic_inc(mine + bin * copies);
}

void gp_count(Key bits, const Places *p, local uint *mine, uint copies) { gp_add(gp_place(bits, p), p, mine, copies); }

#ifdef GP_PAIRS
// An element in the range that a work-item met lately, and how many equal ones it has met: those
// are counted together.
typedef struct {
    Key bits;
    uint bin, more;
} Latest;

void gp_end_latest(Latest *latest, const Places *p, local uint *mine, uint copies) {
    if (latest->more != 0 && latest->bin < p->size) atomic_add(mine + latest->bin * copies, latest->more);
    latest->more = 0;
}

#define GP_SIFT(element, place)                                                                                        \
    {                                                                                                                  \
        const Real real = GP_AS_REAL(element);                                                                         \
        const bool again = (element) == latest->bits;                                                                  \
        latest->more += again ? 1 : 0;                                                                                 \
        wanted |= real >= least && real <= most && !again ? 1u << (place) : 0;                                         \
    }

// Counts the GP_AT_ONCE vectors x, which come from there on and are `step` apart. Most elements lie
// outside of the range, whose numbers are from `least` to `most`.
void gp_count_few(const Vector *x, global const Vector *from, uint step, Real least, Real most, Latest *latest,
                  const Places *p, local uint *mine, uint copies) {
    const uint before = latest->more;
    uint wanted = 0;
#pragma unroll
    for (uint v = 0; v < GP_AT_ONCE; ++v) {
        GP_SIFT(x[v].x, 4 * v);
        GP_SIFT(x[v].y, 4 * v + 1);
        GP_SIFT(x[v].z, 4 * v + 2);
        GP_SIFT(x[v].w, 4 * v + 3);
    }
    bool keeps = latest->more != before; // one that is met time and again
    while (wanted != 0) {
        const uint k = 31 - clz(wanted);
        wanted ^= 1u << k;
        const Key bits = ((global const Key *)(from + k / 4 * step))[k % 4];
        if (bits == latest->bits) {
            ++latest->more;
            continue;
        }
        const uint bin = gp_place(bits, p);
        if (bin >= p->size) continue;
        if (keeps) {
            atomic_inc(mine + bin * copies);
            continue;
        }
        gp_end_latest(latest, p, mine, copies);
        latest->bits = bits;
        latest->bin = bin;
        latest->more = 1;
        keeps = true;
    }
}

float gp_real_of(Key key) { return as_float(key & GP_SIGN ? key ^ GP_SIGN : ~key); }
#else
void gp_count_vector(Vector x, const Places *p, local uint *mine, uint copies) {
#if GP_KEY_BYTES == 4
    Real a_from, b_from, c_from, d_from;
    uint a = gp_guess(x.x, p, &a_from), b = gp_guess(x.y, p, &b_from);
    uint c = gp_guess(x.z, p, &c_from), d = gp_guess(x.w, p, &d_from);
    if (fmax(fmax(fabs(a_from), fabs(b_from)), fmax(fabs(c_from), fabs(d_from))) >= p->near) {
        a = gp_settle(a, a_from, x.x, p);
        b = gp_settle(b, b_from, x.y, p);
        c = gp_settle(c, c_from, x.z, p);
        d = gp_settle(d, d_from, x.w, p);
    }
    gp_add(a, p, mine, copies);
    gp_add(b, p, mine, copies);
    gp_add(c, p, mine, copies);
    gp_add(d, p, mine, copies);
#else
    gp_count(x.x, p, mine, copies);
    gp_count(x.y, p, mine, copies);
#endif
}
#endif

__attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) kernel void
histogram_local_even(global const Key *in, ulong in_offset, global const Key *borders, ulong borders_offset,
                     volatile global uint *state, ulong state_offset, global ulong *counts, ulong counts_offset,
                     ulong n, uint bins, uint width, uint given_copies, uint sharers, uint adds, Real lower, Real scale,
                     Real scale_low, Real near GP_COUNT_PARAMETERS) {
    GP_TAKE_COUNT(n)
    local uint counters[GP_ROOM];
#ifdef GP_COPIES
    const uint copies = GP_COPIES;
#else
    const uint copies = given_copies;
#endif
    const uint id = (uint)get_local_id(0), ranges = (uint)get_num_groups(0) / sharers;
    const uint range = (uint)get_group_id(0) % ranges, share = (uint)get_group_id(0) / ranges;
    const uint low = range * width, size = min(width, bins - low);
    const Places places = {lower, scale, scale_low, near, borders + borders_offset + low, low, size};

    in += in_offset;
    const uint head = (uint)min(n, (ulong)(-(size_t)in & 15) / sizeof(Key)); // elements before the first whole vector
    const uint vectors = (uint)((n - head) / (16 / sizeof(Key)));
    global const Vector *from = (global const Vector *)(in + head);
    const uint step = sharers * GP_GROUP;
    uint i = share * GP_GROUP + id;
    Vector x[GP_AT_ONCE];
    GP_LOAD(x, from, i, step, vectors, ~(Vector)0); // NaN, which is in no bin
    gp_clear_counters(counters, size * copies);     // meanwhile

    local uint *mine = counters + id % copies;
#ifdef GP_PAIRS
    const Real least = gp_real_of(places.borders[0]), most = gp_real_of(places.borders[size]);
    Latest latest = {~(Key)0, size, 0};
#endif
    while (i < vectors) {
#ifdef GP_PAIRS
        gp_count_few(x, from + i, step, least, most, &latest, &places, mine, copies);
#else
#pragma unroll
        for (uint v = 0; v < GP_AT_ONCE; ++v) gp_count_vector(x[v], &places, mine, copies);
#endif
        i += GP_AT_ONCE * step;
        GP_LOAD(x, from, i, step, vectors, ~(Vector)0);
    }
#ifdef GP_PAIRS
    gp_end_latest(&latest, &places, mine, copies);
#endif
    if (share == 0) { // what is left at both ends
        const ulong tail = head + (ulong)vectors * (16 / sizeof(Key)) + id;
        if (id < head) gp_count(in[id], &places, mine, copies);
        if (tail < n) gp_count(in[tail], &places, mine, copies);
    }
    state += state_offset;
    gp_end_counts(counters, size, copies, state + low, state + bins + range, sharers, counts + counts_offset + low,
                  adds);
}

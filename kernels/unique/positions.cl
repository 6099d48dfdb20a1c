// Positions behind a sort, for distinct elements: by where runs of equal elements begin, those of
// the first ones, and the run of each element.
//
// A work-group takes `chunk` of them. The runs of these lie between two, which binary searches
// find; an element is looked for among those only.
//
// Macros: GP_GROUP, the work-group size; GP_PLACE, uint or ulong, the type of positions in `order`;
//         GP_INDEX, uint or ulong, that of outputs and of where runs begin
// Launch: work-groups of GP_GROUP, as many as there are chunks: of n elements (unique_inverse,
//         unique_scatter), of `capacity` runs (unique_firsts). order[j] is the position of element
//         j of those that are sorted; with `sorted`, they are the input itself, and nothing is read
//         there. begins[k] is the first element of run k, of which there are *count. A chunk of a
//         work-group of one is as large as is wanted, of others GP_GROUP * GP_ITEMS
// Source: Baxter, moderngpu, "Load-Balancing Search", 2013 (the run of an element, by searches)
// SPDX-License-Identifier: MIT
#include "unique/chunk.cl"
#ifndef GP_ITEMS
#error "GP_ITEMS must be defined"
#endif
#if !defined(GP_PLACE) || !defined(GP_INDEX)
#error "GP_PLACE and GP_INDEX must be defined: uint or ulong"
#endif
typedef GP_PLACE Place;
typedef GP_INDEX Index;

// `begins` and `firsts` may be the same array.
kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
unique_firsts(global const Index *begins, ulong begins_offset, global const Place *order, ulong order_offset,
              uint sorted, global Index *firsts, ulong firsts_offset, global const ulong *count, ulong count_offset,
              ulong capacity, ulong chunk) {
    GP_CHUNK(min(count[count_offset], capacity))
    begins += begins_offset;
    order += order_offset;
    firsts += firsts_offset;
    for (ulong k = first + item; k < end; k += GP_GROUP) {
        const Index begin = begins[k];
        firsts[k] = sorted ? begin : (Index)order[begin];
    }
}

// The last of runs low .. high that begins at element j or before; low does. They are less than
// 2 * span more.
Place gp_run_of(global const Index *begins, Place low, Place high, Place span, Place j) {
    for (; span > 0; span >>= 1)
        if (span <= high - low && begins[low + span] <= j) low += span;
    return low;
}

// The greatest power of two that is at most x; 0 for 0.
Place gp_span(Place x) { return x == 0 ? 0 : (Place)1 << (8 * sizeof(Place) - 1 - clz(x)); }

// inverse[i] = the run of element i of the input; or, not `by_position`, of those that are sorted.
// With `has_firsts`, does what unique_firsts does as well; the arrays lie apart.
kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
unique_inverse(global const Index *begins, ulong begins_offset, global const Place *order, ulong order_offset,
               uint sorted, uint by_position, global Index *inverse, ulong inverse_offset, global Index *firsts,
               ulong firsts_offset, uint has_firsts, ulong capacity, global const ulong *count, ulong count_offset,
               global const ulong *bound, ulong bound_offset, uint bounded, ulong n, ulong chunk) {
    if (bounded) n = min(n, bound[bound_offset]);
    GP_CHUNK(n)
    if (first >= end) return;
    begins += begins_offset;
    order += order_offset;
    inverse += inverse_offset;
    firsts += firsts_offset;
    const Place runs = (Place)count[count_offset], last = runs - 1;
    const Place low = gp_run_of(begins, 0, last, gp_span(last), (Place)first);
    const Place rest = min(last - low, (Place)(end - 1 - first)); // no more runs than elements begin here
    const Place high = gp_run_of(begins, low, low + rest, gp_span(rest), (Place)(end - 1));
#if GP_GROUP == 1
    Place run = low;
    for (Place j = (Place)first; j < (Place)end; ++j) {
        run += run < high && begins[run + 1] <= j; // a run has an element or more
        const Index place = sorted ? j : order[j];
        inverse[by_position ? place : j] = (Index)run;
        if (has_firsts && run < capacity && begins[run] == j) firsts[run] = place;
    }
#else
    const Place span = gp_span(high - low), from = (Place)first + item;
    const bool each = high - low == (Place)(end - 1 - first); // is a run of its own
    Place place[GP_ITEMS], run[GP_ITEMS];
#pragma unroll
    for (uint i = 0; i < GP_ITEMS; ++i) {
        const Place j = min(from + i * GP_GROUP, (Place)(end - 1));
        place[i] = sorted ? j : order[j];
        run[i] = each ? low + (j - (Place)first) : low;
    }
    if (!each)
        for (Place step = span; step > 0; step >>= 1) { // the loads of one step are under way together
#pragma unroll
            for (uint i = 0; i < GP_ITEMS; ++i) {
                const Place j = min(from + i * GP_GROUP, (Place)(end - 1)), next = run[i] + step;
                if (step <= high - run[i] && begins[next] <= j) run[i] = next;
            }
        }
#pragma unroll
    for (uint i = 0; i < GP_ITEMS; ++i)
        if (from + i * GP_GROUP < end) inverse[by_position ? place[i] : from + i * GP_GROUP] = (Index)run[i];
    if (!has_firsts) return;
#pragma unroll
    for (uint i = 0; i < GP_ITEMS; ++i) {
        const Place j = from + i * GP_GROUP;
        if (j < end)
            if (run[i] < capacity)
                if ((each && j != first) || begins[run[i]] == j) firsts[run[i]] = (Index)place[i];
    }
#endif
}

// inverse[places[i]] = runs[i]
kernel __attribute__((reqd_work_group_size(GP_GROUP, 1, 1))) void
unique_scatter(global const Place *places, ulong places_offset, global const Index *runs, ulong runs_offset,
               global Index *inverse, ulong inverse_offset, global const ulong *bound, ulong bound_offset, uint bounded,
               ulong n, ulong chunk) {
    if (bounded) n = min(n, bound[bound_offset]);
    GP_CHUNK(n)
    places += places_offset;
    runs += runs_offset;
    inverse += inverse_offset;
#pragma unroll GP_ITEMS
    for (ulong i = first + item; i < end; i += GP_GROUP) inverse[places[i]] = runs[i];
}

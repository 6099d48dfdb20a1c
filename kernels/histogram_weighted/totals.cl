// The sums of a call in global memory, in two forms that are added up in the end. Most weights are
// of like magnitude: what lies in a window of some dozens of binary places goes to GP_TOTALS totals
// of 64 bits a cell, 32 places apart. Any other weight goes to the words of sums.cl. Where the
// window lies changes no result.
//
// Macros: those of sums.cl; GP_TOTALS: 1 without weights, else 2 or more, for weights of 64 bits 3
//         or more
// Gives:  what sums.cl does; gp_window, gp_limit; State, gp_state, gp_add_total, gp_add_outlier;
//         gp_take_result
// Source: sums.cl's
// SPDX-License-Identifier: MIT
#include "histogram_weighted/sums.cl"

#include "device/add.cl"
#include "device/fence.cl"

#ifndef GP_TOTALS
#error "GP_TOTALS must be defined"
#endif
#if GP_WEIGHT == 0
#define GP_STRIDE 0
#endif

// Totals of all cells, total k of a cell at k * cells + cell; then the words; then whether words
// are used, the window's first place, and how many work-groups have ended. All are zero between
// calls.
typedef struct {
    volatile global ulong *totals;
    volatile global uint *words, *used, *base, *ended;
} State;

State gp_state(volatile global ulong *state, uint cells) {
    State s;
    s.totals = state;
    s.words = (volatile global uint *)(state + (ulong)cells * GP_TOTALS);
    s.used = s.words + (ulong)cells * GP_STRIDE;
    s.base = s.used + 1;
    s.ended = s.used + 2;
    return s;
}

#if GP_WEIGHT == 0
Result gp_take_result(State s, uint cells, uint cell, uint base, bool used) {
    const ulong count = gp_look_ulong(s.totals + cell);
    gp_publish_ulong(s.totals + cell, 0);
    return count;
}
#else
// The place where the window begins, which puts the greatest of some weights `target` places above.
// The whole work-group calls it.
uint gp_window(global const Weight *weights, ulong n, uint target, local uint *greatest) {
    enum { kRuns = 32, kRun = 8 };
    if (get_local_id(0) == 0) *greatest = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint run = (uint)get_local_id(0); run < kRuns; run += (uint)get_local_size(0)) {
        uint most = 0;
#pragma unroll
        for (uint k = 0; k < kRun; ++k) {
            const ulong i = run * (n / kRuns) + k;
            const Weight bits = i < n ? weights[i] : 0;
            const uint exponent = (uint)(bits >> (GP_DIGITS - 1)) & GP_SPECIAL;
            most = exponent != GP_SPECIAL ? max(most, exponent) : most;
        }
        atomic_max(greatest, most);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return max(max(*greatest, 1u) - 1, target) - target;
}

// Where a window from `base` on ends, below inf and NaN.
uint gp_limit(uint limit, uint base) { return min(limit, GP_SPECIAL - 1 - base); }

// Adds a multiple of a total's unit, or takes it away.
void gp_add_total(volatile global ulong *total, ulong more, bool negative) {
    if (more != 0) gp_add_ulong(total, negative ? -more : more);
}

GP_ADDERS(global, global, atomic_add, atomic_or)

// Adds a number that is not in the window.
void gp_add_outlier(State s, uint cell, Number x) { gp_add_number_global(s.words + (ulong)cell * GP_STRIDE, x); }

#define GP_WINDOW_WORDS (GP_TOTALS + 2) // of the sum of totals, with the sign

// The result of a cell, whose sums are zero afterwards. `used`: may words be other than zero?
Result gp_take_result(State s, uint cells, uint cell, uint base, bool used) {
    long totals[GP_TOTALS];
#pragma unroll
    for (uint k = 0; k < GP_TOTALS; ++k) totals[k] = (long)gp_look_ulong(s.totals + (ulong)k * cells + cell);
#pragma unroll
    for (uint k = 0; k < GP_TOTALS; ++k)
        if (totals[k] != 0) gp_publish_ulong(s.totals + (ulong)k * cells + cell, 0);
    uint window[GP_WINDOW_WORDS];
    long sum = 0; // of a word, and what goes to it
#pragma unroll
    for (uint k = 0; k < GP_WINDOW_WORDS; ++k) {
        sum += k < GP_TOTALS ? (long)((ulong)totals[k] & 0xffffffff) : 0;
        sum += k > 0 && k <= GP_TOTALS ? totals[k - 1] >> 32 : 0;
        window[k] = (uint)sum;
        sum >>= 32;
    }
    const bool negative = sum < 0;
    if (used) {
        volatile global uint *words = s.words + (ulong)cell * GP_STRIDE;
        const uint met = gp_look_uint(words + GP_WORDS), shift = base % 32;
        uint digits[GP_WORDS], before = 0; // the window's word before
        sum = 0;
        for (uint j = 0; j < GP_WORDS; ++j) {
            const int k = (int)j - (int)(base / 32);
            uint word = negative ? ~0u : 0;
            if (k < 0) word = 0;
#pragma unroll
            for (int i = 0; i < GP_WINDOW_WORDS; ++i)
                if (k == i) word = window[i];
            sum += (uint)(((ulong)word << 32 | before) << shift >> 32);
            sum += (int)gp_look_uint(words + j);
            before = word;
            digits[j] = (uint)sum;
            sum >>= 32;
        }
        for (uint j = 0; j <= GP_WORDS; ++j) gp_publish_uint(words + j, 0);
        return gp_rounded(digits, met);
    }
    uint more = negative ? 1 : 0;
#pragma unroll
    for (uint k = 0; k < GP_WINDOW_WORDS; ++k) {
        window[k] = negative ? ~window[k] + more : window[k];
        more = more != 0 && window[k] == 0 ? 1 : 0;
    }
    uint length = base + 32 * GP_WINDOW_WORDS;
#pragma unroll
    for (uint step = 1; step < GP_WINDOW_WORDS; ++step) { // moves the first word that is not zero to the top
        const bool moves = window[GP_WINDOW_WORDS - 1] == 0;
        length -= moves ? 32 : 0;
#pragma unroll
        for (uint k = GP_WINDOW_WORDS - 1; k > 0; --k) window[k] = moves ? window[k - 1] : window[k];
        window[0] = moves ? 0 : window[0];
    }
    const uint first = window[GP_WINDOW_WORDS - 1], zeros = clz(first), third = window[GP_WINDOW_WORDS - 3];
    if (first == 0) return 0;
    uint below = third << zeros;
#pragma unroll
    for (uint k = 0; k + 3 < GP_WINDOW_WORDS; ++k) below |= window[k];
    return gp_rounded_bits(((ulong)first << 32 | window[GP_WINDOW_WORDS - 2]) << zeros | (ulong)third >> (32 - zeros),
                           below != 0, length - zeros, negative);
}
#endif

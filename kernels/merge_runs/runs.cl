// The runs of an array, and their pairs in a pass that merges them two by two.
//
// Macros: those of merge/arrays.cl, which comes first; GP_OFFSET, the type of offsets: int, uint,
//         long or ulong
// Gives: Runs; Pair, gp_pair; GP_RUNS, the last parameters; GP_TAKE_RUNS, after which in and out
//         are where they begin, `order` is how keys are compared, and `runs` tells where the runs
//         are
//
// In pass p a run is what 2^p runs of the array have become.
// SPDX-License-Identifier: MIT
#ifndef GP_OFFSET
#error "GP_OFFSET must be defined: the type of offsets"
#endif

typedef struct {
    ulong n, count;
    uint pass;
    global const GP_OFFSET *offsets;
} Runs;

// Where run number `run` of the array begins. Offsets are cut to the n keys, to which a negative
// one is the last.
ulong gp_begin(Runs runs, ulong run) {
    return run == 0 ? 0 : run >= runs.count ? runs.n : min((ulong)runs.offsets[run], runs.n);
}

// Where a pair begins, and how many keys are in its first run and in both.
typedef struct {
    ulong first, of_a, both;
} Pair;
ulong gp_pair_begin(Runs runs, ulong pair) { return gp_begin(runs, pair << (runs.pass + 1)); }
Pair gp_pair(Runs runs, ulong pair) {
    const ulong first = gp_pair_begin(runs, pair), end = max(gp_pair_begin(runs, pair + 1), first);
    const ulong middle = clamp(gp_begin(runs, (2 * pair + 1) << runs.pass), first, end);
    const Pair result = {first, middle - first, end - first};
    return result;
}
ulong gp_pairs(Runs runs) { return ((runs.count - 1) >> (runs.pass + 1)) + 1; }

#define GP_KEY_RUNS                                                                                                    \
    ulong flip, ulong n, ulong run_count, uint pass, global const GP_OFFSET *offsets, ulong offsets_offset,            \
        global const Key *in, ulong in_offset, global Key *out, ulong out_offset
#define GP_TAKE_KEY_RUNS                                                                                               \
    const Order order = {(Key)flip};                                                                                   \
    const Runs runs = {n, run_count, pass, offsets + offsets_offset};                                                  \
    in += in_offset;                                                                                                   \
    out += out_offset;
#if GP_WORD_BYTES
#define GP_RUNS                                                                                                        \
    GP_KEY_RUNS, uint words, global const Word *in_values, ulong in_values_offset, global Word *out_values,            \
        ulong out_values_offset
#define GP_TAKE_RUNS                                                                                                   \
    GP_TAKE_KEY_RUNS                                                                                                   \
    in_values += in_values_offset * words;                                                                             \
    out_values += out_values_offset * words;
#else
#define GP_RUNS GP_KEY_RUNS
#define GP_TAKE_RUNS GP_TAKE_KEY_RUNS
#endif

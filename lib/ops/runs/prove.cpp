// Hostile calls of gp_run_lengths and gp_reduce_by_key: many tiles, runs of one element and over
// many tiles, outputs that are too short, zeros of both signs, NaN, values that wrap.
// SPDX-License-Identifier: MIT
#include "ops/runs/runs.h"

#include "ops/proof.h"

#include <limits>

namespace gpcl::runs {
namespace {

constexpr size_t kMany = (size_t{1} << 17) + 3; // many tiles

// The number of an element's run: some are short, others take several tiles.
size_t run_of(size_t i) { return i < kMany / 3 ? i : i < kMany / 2 ? i / 3 : i / 9001; }

Elements some_keys(gp_dtype type, size_t n) {
    return elements(type, n, [&](size_t i) -> double {
        const size_t run = run_of(i);
        if (is_float(type) && run % 11 == 0) return std::numeric_limits<double>::quiet_NaN();
        if (is_float(type) && run % 11 == 1) return i % 2 == 0 ? -0.0 : 0.0;
        return static_cast<double>(run % 100);
    });
}

void compare_lengths(Proof &proof, size_t n, size_t capacity) {
    const Elements in = some_keys(proof.dtype, n);
    gp_run_lengths_options options = GP_RUN_LENGTHS_OPTIONS_INIT;
    options.capacity = capacity;
    const size_t room = capacity == 0 ? n : capacity;
    proof.compare(
        text("runs of ", n, " elements, capacity ", capacity),
        {unwritten(proof.dtype, room), unwritten(GP_UINT32, room), unwritten(GP_UINT32, room), unwritten(GP_UINT64, 1)},
        [&](gp_context *context, const char *algorithm, std::vector<Elements> &out) {
            options.algorithm = algorithm;
            options.firsts = out[2].data();
            return gp_run_lengths(context, proof.dtype, n, in.data(), out[0].data(), GP_UINT32, out[1].data(),
                                  static_cast<uint64_t *>(out[3].data()), &options);
        });
}

void compare_sums(Proof &proof, size_t n, gp_operator op) {
    const Elements keys = some_keys(GP_INT32, n);
    const Elements values =
        is_float(proof.dtype)
            ? elements(proof.dtype, n, [](size_t i) { return static_cast<double>(small(i, 7)); }) // sums are exact
            : elements(proof.dtype, n, scrambled);
    gp_reduce_by_key_options options = GP_REDUCE_BY_KEY_OPTIONS_INIT;
    options.op = op;
    proof.compare(
        text("values of ", n, " keys"), {unwritten(GP_INT32, n), unwritten(proof.dtype, n), unwritten(GP_UINT64, 1)},
        [&](gp_context *context, const char *algorithm, std::vector<Elements> &out) {
            options.algorithm = algorithm;
            return gp_reduce_by_key(context, GP_INT32, n, keys.data(), proof.dtype, values.data(), out[0].data(),
                                    out[1].data(), static_cast<uint64_t *>(out[2].data()), &options);
        });
}

} // namespace

void prove_lengths(Proof &proof) {
    for (const size_t n : {size_t{1}, size_t{1025}, kMany}) compare_lengths(proof, n, 0);
    compare_lengths(proof, kMany, kMany / 4);
}

void prove_by_key(Proof &proof) {
    for (const size_t n : {size_t{1}, size_t{1025}, kMany}) compare_sums(proof, n, GP_ADD);
    compare_sums(proof, kMany, GP_MAXIMUM);
}

} // namespace gpcl::runs

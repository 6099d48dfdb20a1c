// Hostile calls of gp_scan_by_key: many tiles, runs of one element and over many tiles, both kinds,
// an initial value, values that wrap.
// SPDX-License-Identifier: MIT
#include "ops/scan_by_key/scan_by_key.h"

#include "ops/proof.h"

namespace gpcl::scan_by_key {
namespace {

constexpr size_t kMany = (size_t{1} << 17) + 3; // many tiles

void compare(Proof &proof, size_t n, gp_scan_kind kind) {
    // Some runs are short, others take several tiles.
    const Elements keys = elements(GP_INT32, n, [](size_t i) {
        return i < kMany / 3 ? i : i < kMany / 2 ? i / 3 : i / 9001;
    });
    const Elements values =
        is_float(proof.dtype)
            ? elements(proof.dtype, n, [](size_t i) { return static_cast<double>(small(i, 7)); }) // sums are exact
            : elements(proof.dtype, n, scrambled);
    const Elements initial = elements(proof.dtype, 1, [](size_t) { return 5; });
    gp_scan_by_key_options options = GP_SCAN_BY_KEY_OPTIONS_INIT;
    options.kind = kind;
    if (kind == GP_EXCLUSIVE) options.initial = initial.data();
    proof.compare(text(n, " keys, kind ", kind), {elements(proof.dtype, n, [](size_t) { return 99; })},
                  [&](gp_context *context, const char *algorithm, std::vector<Elements> &out) {
                      options.algorithm = algorithm;
                      return gp_scan_by_key(context, GP_INT32, n, keys.data(), proof.dtype, values.data(),
                                            out[0].data(), &options);
                  });
}

} // namespace

void prove(Proof &proof) {
    for (const size_t n : {size_t{1}, size_t{1025}, kMany})
        for (const gp_scan_kind kind : {GP_INCLUSIVE, GP_EXCLUSIVE}) compare(proof, n, kind);
}

} // namespace gpcl::scan_by_key

// Hostile calls of gp_scan: many tiles at once, borders of tiles and segments, both directions,
// values that wrap, NaN.
// SPDX-License-Identifier: MIT
#include "ops/scan/scan.h"

#include "ops/proof.h"

#include <limits>

namespace gpcl::scan {
namespace {

constexpr size_t kMany = (size_t{1} << 17) + 3; // many tiles

Elements input(const Proof &proof, size_t n, size_t nan = SIZE_MAX) {
    if (!is_float(proof.dtype)) return elements(proof.dtype, n, scrambled);
    return elements(proof.dtype, n, [&](size_t i) { // sums are exact
        return i == nan ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(small(i, 3));
    });
}

void compare(Proof &proof, const std::string &what, const Elements &in, gp_scan_options options, size_t n) {
    options.struct_size = sizeof options;
    proof.compare(what, {elements(proof.dtype, in.size(), [](size_t) { return 99; })},
                  [&](gp_context *context, const char *algorithm, std::vector<Elements> &out) {
                      options.algorithm = algorithm;
                      return gp_scan(context, proof.dtype, n, in.data(), out[0].data(), &options);
                  });
}

} // namespace

void prove(Proof &proof) {
    gp_scan_options forward = {}, backward = {};
    backward.kind = GP_EXCLUSIVE;
    backward.direction = GP_REVERSE;
    for (const size_t n : {size_t{1}, size_t{1025}, size_t{20'000}, kMany}) {
        const Elements in = input(proof, n);
        for (int again = 0; again < (n == kMany ? 2 : 1); ++again) {
            compare(proof, text("n = ", n), in, forward, n);
            compare(proof, text("n = ", n, ", exclusive, reverse"), in, backward, n);
        }
    }
    if (is_float(proof.dtype)) compare(proof, "NaN", input(proof, kMany, kMany / 2), forward, kMany);
    constexpr size_t kRows = 37, kRow = 3001;
    gp_scan_options rows = {};
    rows.batch = kRows;
    compare(proof, text(kRows, " rows of ", kRow), input(proof, kRows * kRow), rows, kRow);
    // Segments of every length, borders of tiles among their beginnings.
    const Elements flags = elements(GP_UINT8, kMany, [](size_t i) {
        return scrambled(i) % (i < kMany / 2 ? 3 : 3000) == 0 || i % 4096 == 0 || i % 4096 == 4095;
    });
    for (gp_scan_options options : {forward, backward}) {
        options.heads = static_cast<const uint8_t *>(flags.data());
        compare(proof, "segments", input(proof, kMany), options, kMany);
    }
}

} // namespace gpcl::scan

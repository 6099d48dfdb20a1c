// Hostile calls of gp_top_k: one row of many tiles, many rows of a few elements, ties at the border
// of what is taken, zeros of both signs, NaN.
// SPDX-License-Identifier: MIT
#include "ops/top_k/top_k.h"

#include "ops/proof.h"

#include <limits>

namespace gpcl::top_k {
namespace {

constexpr size_t kMany = (size_t{1} << 17) + 3; // many tiles

// `different`: how many values there are.
void compare(Proof &proof, size_t n, size_t batch, size_t k, gp_order order, uint64_t different) {
    const Elements in = elements(proof.dtype, n * batch, [&](size_t i) -> double {
        const auto value = static_cast<double>(scrambled(i) % different);
        if (!is_float(proof.dtype)) return value;
        return i % 1001 == 3 ? std::numeric_limits<double>::quiet_NaN() : value == 0 && i % 2 == 0 ? -0.0 : value;
    });
    gp_top_k_options options = GP_TOP_K_OPTIONS_INIT;
    options.batch = batch;
    proof.compare(text(k, " of ", n, " in ", batch, " rows"),
                  {elements(GP_UINT32, k * batch, [](size_t) { return 99; }),
                   elements(proof.dtype, k * batch, [](size_t) { return 99; })},
                  [&](gp_context *context, const char *algorithm, std::vector<Elements> &out) {
                      options.algorithm = algorithm;
                      return gp_top_k(context, order, proof.dtype, n, in.data(), k, GP_UINT32, out[0].data(),
                                      out[1].data(), &options);
                  });
}

} // namespace

void prove(Proof &proof) {
    for (const gp_order order : {GP_ASCENDING, GP_DESCENDING}) {
        for (const size_t n : {33, 200, 1000}) compare(proof, n, 50, 16, order, n);
        compare(proof, kMany, 1, 1, order, kMany);
        compare(proof, kMany, 1, 1000, order, 100);
        compare(proof, kMany, 1, kMany / 4, order, kMany);
    }
}

} // namespace gpcl::top_k

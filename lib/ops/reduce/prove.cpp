// Hostile calls of gp_reduce: sizes around tiles, rows, values that wrap, NaN.
// SPDX-License-Identifier: MIT
#include "ops/reduce/reduce.h"

#include "ops/proof.h"

#include <limits>

namespace gpcl::reduce {
namespace {

void compare(Proof &proof, size_t n, size_t batch, bool has_nan = false) {
    const Elements in = is_float(proof.dtype) ? elements(proof.dtype, n * batch,
                                                         [&](size_t i) { // sums are exact
                                                             return has_nan && i == n / 2
                                                                        ? std::numeric_limits<double>::quiet_NaN()
                                                                        : static_cast<double>(small(i, 7));
                                                         })
                                              : elements(proof.dtype, n * batch, scrambled);
    gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
    options.batch = batch;
    proof.compare(text(batch, " rows of ", n, has_nan ? ", NaN" : ""),
                  {elements(proof.dtype, batch, [](size_t) { return 99; })},
                  [&](gp_context *context, const char *algorithm, std::vector<Elements> &out) {
                      options.algorithm = algorithm;
                      return gp_reduce(context, proof.dtype, n, in.data(), out[0].data(), &options);
                  });
}

} // namespace

void prove(Proof &proof) {
    for (const size_t n : {1, 1023, 4097, 32'768, 200'003}) compare(proof, n, 1);
    if (is_float(proof.dtype)) compare(proof, 100'001, 1, true);
    compare(proof, 3001, 37);
}

} // namespace gpcl::reduce

// Hostile calls of gp_select, gp_partition and gp_nonzero: many tiles, of which some keep all and
// others nothing, outputs that are too short, zeros of both signs, NaN.
// SPDX-License-Identifier: MIT
#include "ops/select/select.h"

#include "ops/proof.h"

#include <limits>

namespace gpcl::select {
namespace {

constexpr size_t kMany = (size_t{1} << 17) + 3; // many tiles

// Half of the elements at random, then stretches of tiles with all and with none.
bool is_kept(size_t i) { return i < kMany / 2 ? scrambled(i) % 2 != 0 : i / 10'007 % 2 != 0; }

using Call = decltype(gp_select);

void compare(Proof &proof, const std::string &what, const Elements &flags, Call *call, size_t capacity = 0) {
    const size_t n = flags.size();
    const Elements in = elements(proof.dtype, n, scrambled);
    gp_select_options options = GP_SELECT_OPTIONS_INIT;
    options.capacity = capacity;
    proof.compare(text(what, " of ", n),
                  {elements(proof.dtype, capacity == 0 ? n : capacity, [](size_t) { return 99; }),
                   elements(GP_UINT64, 1, [](size_t) { return 0; })},
                  [&](gp_context *context, const char *algorithm, std::vector<Elements> &out) {
                      options.algorithm = algorithm;
                      return call(context, gpcl::dtype(proof.dtype).size, n, in.data(),
                                  static_cast<const uint8_t *>(flags.data()), out[0].data(),
                                  static_cast<uint64_t *>(out[1].data()), &options);
                  });
}

void compare_positions(Proof &proof, const Elements &in) {
    gp_select_options options = GP_SELECT_OPTIONS_INIT;
    proof.compare(
        "positions",
        {elements(GP_UINT32, in.size(), [](size_t) { return 99; }), elements(GP_UINT64, 1, [](size_t) { return 0; })},
        [&](gp_context *context, const char *algorithm, std::vector<Elements> &out) {
            options.algorithm = algorithm;
            return gp_nonzero(context, proof.dtype, in.size(), in.data(), GP_UINT32, out[0].data(),
                              static_cast<uint64_t *>(out[1].data()), &options);
        });
}

} // namespace

void prove(Proof &proof) {
    compare_positions(proof, elements(proof.dtype, kMany, [&](size_t i) {
                          const double zero = i % 7 == 0 ? -0.0 : 0.0;
                          const double other = i % 5 == 0 ? std::numeric_limits<double>::quiet_NaN() : 1;
                          return is_float(proof.dtype) ? (is_kept(i) ? other : zero) : is_kept(i);
                      }));
    for (const size_t n : {size_t{1}, size_t{1025}, kMany}) {
        const Elements flags = elements(GP_UINT8, n, [](size_t i) { return is_kept(i) ? i % 255 + 1 : 0; });
        compare(proof, "selections", flags, gp_select);
        compare(proof, "short selections", flags, gp_select, n / 3 + 1);
        compare(proof, "partitions", flags, gp_partition);
    }
}

} // namespace gpcl::select

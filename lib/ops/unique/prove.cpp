// Hostile calls of gp_unique: ties, zeros of both signs, NaN, clusters, and outputs that are too
// short.
// SPDX-License-Identifier: MIT
#include "ops/unique/unique.h"

#include "ops/proof.h"

#include <limits>

namespace gpcl::unique {
namespace {

// Of some values many, of others few or one; floating-point ones also NaN and both zeros.
Elements some_elements(gp_dtype type, size_t n) {
    return elements(type, n, [&](size_t i) -> double {
        const uint64_t random = scrambled(i);
        if (random % 3 == 0) return static_cast<double>(random >> 8 & 3);
        if (is_float(type) && random % 7 == 1) return std::numeric_limits<double>::quiet_NaN();
        if (is_float(type) && random % 7 == 2) return random >> 8 & 1 ? -0.0 : 0.0;
        return static_cast<double>(random >> 8 & 127);
    });
}

void compare(Proof &proof, size_t n, size_t capacity, bool places) {
    const Elements in = some_elements(proof.dtype, n);
    gp_unique_options options = GP_UNIQUE_OPTIONS_INIT;
    options.capacity = capacity;
    const size_t room = capacity == 0 ? n : capacity;
    proof.compare(text("distinct elements of ", n, ", capacity ", capacity, places ? ", with positions" : ""),
                  {unwritten(proof.dtype, room), unwritten(GP_UINT32, room), unwritten(GP_UINT32, n),
                   unwritten(GP_UINT32, room), unwritten(GP_UINT64, 1)},
                  [&](gp_context *context, const char *algorithm, std::vector<Elements> &out) {
                      options.algorithm = algorithm;
                      return gp_unique(context, proof.dtype, n, in.data(), out[0].data(), GP_UINT32,
                                       places ? out[1].data() : nullptr, places ? out[2].data() : nullptr,
                                       out[3].data(), static_cast<uint64_t *>(out[4].data()), &options);
                  });
}

} // namespace

void prove(Proof &proof) {
    for (const bool places : {false, true}) {
        for (const size_t n : {size_t{1}, size_t{33}, size_t{1025}, size_t{4001}}) compare(proof, n, 0, places);
        compare(proof, 1025, 50, places);
    }
}

} // namespace gpcl::unique

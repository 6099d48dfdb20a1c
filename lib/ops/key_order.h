// What kernels/common/order.cl is told: how keys become unsigned numbers that order as they do.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"

namespace gpcl {

// The bits to turn: the sign bit of signed integers, every bit for descending order.
inline uint64_t flipped_bits(gp_dtype type, bool descending) {
    const uint64_t sign = type <= GP_INT64 ? uint64_t{1} << (8 * dtype(type).size - 1) : 0;
    return descending ? ~sign : sign;
}

inline std::string key_order_options(gp_dtype type) {
    return text("-DGP_KEY_BYTES=", dtype(type).size, " -DGP_KEY_FLOAT=", is_float(type) ? 1 : 0);
}

} // namespace gpcl

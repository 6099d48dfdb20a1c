// Sorts of short segments and rows by counting: what the host sides of kernels that include
// kernels/sort/ranks.cl share.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/sort/bins.h"

namespace gpcl::sort {

struct RanksShape {
    size_t group, room; // work-items; slots

    static constexpr size_t kBlock = 4; // GP_BLOCK there, a vector's width
    static constexpr size_t slots_of(size_t length) { return ceil_div(length, kBlock) * kBlock; }

    // Do the codes not tell the keys' bits?
    static bool keeps_keys(const Request &r) { return r.index == 0 && (is_float(r.dtype) || !whole_keys(r)); }

    size_t local_bytes(const Request &r) const {
        const size_t key = dtype(r.dtype).size, word = word_bytes(r), place = sizeof(uint16_t);
        return room * (std::max(key, sizeof(uint32_t)) + (r.index != 0 ? place : key)) +
               room * (word != 0 ? word + place : 0) + room / kBlock * place + group * 2 * sizeof(uint64_t) + 16;
    }
    std::string options(const Request &r) const {
        return text(key_options_alone(r), " -DGP_GROUP=", group, " -DGP_ROOM=", room,
                    " -DGP_KEEP=", keeps_keys(r) ? 1 : 0, word_options(r));
    }
};

} // namespace gpcl::sort

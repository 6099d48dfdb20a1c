// Select, partition and positions, one element after the other.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace reference {

// Where what is kept is, in order; with `rest` then where the others are.
inline std::vector<size_t> kept_places(const std::vector<bool> &kept, bool rest) {
    std::vector<size_t> places;
    for (size_t i = 0; i < kept.size(); ++i)
        if (kept[i]) places.push_back(i);
    for (size_t i = 0; rest && i < kept.size(); ++i)
        if (!kept[i]) places.push_back(i);
    return places;
}

} // namespace reference

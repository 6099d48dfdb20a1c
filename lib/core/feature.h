// What algorithms may need of a device beyond OpenCL 1.2.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

namespace gpcl {

enum Feature : uint32_t {
    kForwardProgress = 1 << 0, // work-groups that have begun go on, whatever others wait for
    kShuffle = 1 << 1,         // 32 consecutive work-items exchange words without local memory
    kAsyncCopy = 1 << 2,       // a work-item's copies to local memory run beside it
    kBulkCopy = 1 << 3,        // copies of whole tiles do, and barriers count their bytes
    kMatrixUnits = 1 << 4,     // of half precision and float64
    kWarpGroups = 1 << 5,      // four warps use them together, on tiles in local memory
};

using FeatureSet = uint32_t; // Features, joined by |

// What a refusal calls the first feature of a set.
inline const char *name_of_first(FeatureSet features) {
    struct Name {
        Feature feature;
        const char *name;
    };
    constexpr std::array kNames = {Name{kForwardProgress, "work-groups that go on side by side"},
                                   Name{kShuffle, "exchange within sub-groups of 32"},
                                   Name{kAsyncCopy, "asynchronous copies"},
                                   Name{kBulkCopy, "bulk copies"},
                                   Name{kMatrixUnits, "matrix units"},
                                   Name{kWarpGroups, "matrix units for groups of warps"}};
    for (const Name &one : kNames)
        if ((features & one.feature) != 0) return one.name;
    return "nothing";
}

} // namespace gpcl

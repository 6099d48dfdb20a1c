// Segments of an array by offsets: where each begins and ends.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/dtype.h"

#include <cstring>

namespace gpcl {

struct Segment {
    size_t begin, end;
    size_t size() const { return end - begin; }
};

// Offsets in the host's memory. Without ends, a segment ends where the next one begins.
struct Segments {
    size_t count = 0;
    gp_dtype type = GP_UINT64; // of offsets and ends: an integer of 4 or 8 bytes
    const void *offsets = nullptr, *ends = nullptr;
    const char *of = "options->"; // what messages put before their names

    // A negative one is more than any array holds.
    uint64_t begin(size_t s) const { return at(offsets, s); }
    uint64_t end(size_t s) const { return ends != nullptr ? at(ends, s) : at(offsets, s + 1); }

    // Segment s, cut to an array of n; empty where it ends before it begins.
    Segment cut(size_t s, size_t n) const {
        const size_t last = std::min<uint64_t>(end(s), n);
        return {std::min<uint64_t>(begin(s), last), last};
    }

    // Do the segments lie in an array of n, one behind the other?
    bool are_in_order(size_t n) const {
        uint64_t before = 0;
        for (size_t s = 0; s < count; ++s) {
            if (begin(s) < before || end(s) < begin(s)) return false;
            before = end(s);
        }
        return before <= n;
    }

    // Names the first offset that is not as it must be for that.
    void require_order(size_t n) const {
        if (are_in_order(n)) return;
        uint64_t before = 0;
        for (size_t s = 0; s < count; ++s) {
            require_offset("offsets", s, begin(s), before, n);
            before = end(s);
            require_offset(ends != nullptr ? "ends" : "offsets", ends != nullptr ? s : s + 1, before, begin(s), n);
        }
    }

    // Do the segments hold every element of an array of n?
    bool cover(size_t n) const {
        uint64_t before = 0;
        for (size_t s = 0; s < count; ++s) {
            if (begin(s) != before) return false;
            before = end(s);
        }
        return before == n;
    }

  private:
    uint64_t at(const void *array, size_t i) const {
        const auto *const bytes = static_cast<const std::byte *>(array);
        if (dtype(type).size == 8) {
            uint64_t offset = 0;
            std::memcpy(&offset, bytes + i * sizeof offset, sizeof offset);
            return offset;
        }
        uint32_t offset = 0;
        std::memcpy(&offset, bytes + i * sizeof offset, sizeof offset);
        return type == GP_INT32 ? static_cast<uint64_t>(static_cast<int32_t>(offset)) : offset;
    }

    void require_offset(const char *array, size_t i, uint64_t offset, uint64_t least, size_t n) const {
        require(offset >= least && offset <= n, GP_ERROR_OPTION, of, array, "[", i, "] is ",
                static_cast<int64_t>(offset), "; expected ", least, " to ", n);
    }
};

} // namespace gpcl

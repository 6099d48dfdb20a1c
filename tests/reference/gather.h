// Gather, scatter and transposes of opaque elements, by definition.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace reference {

using Bytes = std::vector<unsigned char>;

// The row that a position names; n where there is none. Positions are of up to 64 bits, as they are
// stored.
inline size_t row_of(int64_t position, bool is_signed, bool from_end, size_t n) {
    if (is_signed && from_end && position < 0) position += static_cast<int64_t>(n);
    return static_cast<uint64_t>(position) < n ? static_cast<size_t>(position) : n;
}

// rows[i] names what moves: `out` row i is `in` row rows[i], or zeros where that is n.
inline Bytes gather(const Bytes &in, size_t size, size_t n, const std::vector<size_t> &rows) {
    Bytes out(rows.size() * size);
    for (size_t i = 0; i < rows.size(); ++i)
        if (rows[i] < n) std::memcpy(out.data() + i * size, in.data() + rows[i] * size, size);
    return out;
}

// `out` with row rows[i] replaced by `in` row i, where rows[i] is not n.
inline Bytes scatter(const Bytes &in, size_t size, size_t n, const std::vector<size_t> &rows, Bytes out) {
    for (size_t i = 0; i < rows.size(); ++i)
        if (rows[i] < n) std::memcpy(out.data() + rows[i] * size, in.data() + i * size, size);
    return out;
}

} // namespace reference

// Select, partition and positions on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include <gpcl/gpcl.h>

#include <cstddef>
#include <cstdint>

namespace gpcl::host {

// What goes where the kept elements go: `size` bytes each; none where size is 0.
struct Column {
    size_t size = 0;
    const void *from = nullptr;
    void *to = nullptr;
};

struct Selection {
    size_t n = 0;
    gp_dtype key_type = GP_UINT8; // those elements are kept whose key is not zero
    const void *keys = nullptr;
    Column elements, values;
    size_t index_size = 0; // 4 or 8: positions go to `positions`
    void *positions = nullptr;
    bool rest = false;   // elements and values that are not kept follow those that are
    size_t capacity = 0; // of the outputs, in elements
};

// Returns how many are kept.
uint64_t select(const Selection &selection);

} // namespace gpcl::host

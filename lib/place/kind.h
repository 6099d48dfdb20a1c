// What an operation tells of its calls on host pointers, so that a place can be chosen for them.
// This room knows no operation.
// SPDX-License-Identifier: MIT
#pragma once

#include <gpcl/gpcl.h>

#include <array>
#include <cstddef>

namespace gpcl::place {

enum class Side { kHost, kDevice };

class Sample;

// Numbers the kinds that the library has, from 0 on, while it is loaded; and how many there are.
size_t next_kind_slot();
size_t kind_slots();

// Calls whose time depends on their type and the amount of their work.
struct Kind {
    const char *name;         // in the file and in texts, one word: "sort-pairs"
    const char *unit;         // what work counts: "keys"
    void (*sample)(Sample &); // makes a call with about so much work, and has it timed
    size_t slot = next_kind_slot();
};

// An array that goes to the device, or comes back. What lies in pinned memory travels faster.
struct Array {
    const void *at = nullptr;
    double bytes = 0;
};

struct Cost {
    double work = 0;
    std::array<Array, 4> up{}, down{};
};

// The one side that can run a call, and why; NULL: both can.
struct Only {
    Side side = Side::kDevice;
    const char *why = nullptr;
};

} // namespace gpcl::place

// What least-significant-digit radix sorts share: where keys and values lie before and after each pass, and what is left
// to do behind the last one.
// SPDX-License-Identifier: MIT
#pragma once

#include "ops/sort/sort.h"

#include <functional>

namespace gpcl::sort {

inline constexpr unsigned kDigitBits = 8;
inline constexpr size_t kDigits = size_t{1} << kDigitBits;

// One stable reordering by one digit. An Operand without memory stands for an array that is not there.
struct Pass {
    unsigned shift;
    cl::Operand keys_in;
    cl::Operand keys_out;   // none: nobody needs the keys any more
    cl::Operand values_in;  // none: a key's value is its index
    cl::Operand values_out; // none: there are no values
};

// What a kernel is given for an operand that may not be there: whether it is absent, and memory that stands in for it.
struct Stand {
    uint32_t absent;
    cl::Operand operand;
};
inline Stand or_else(const cl::Operand &operand, const cl::Operand &other) {
    return operand.memory == nullptr ? Stand{1, other} : Stand{0, operand};
}

// What travels with the keys: 0 bytes, or values of 4 or 8, or indices of 4.
size_t travelling_bytes(const Request &request);

// Bits to turn so that keys, taken as unsigned numbers, order as asked (see kernels/sort/keys.cl).
uint64_t flipped_bits(const Request &request);

// -D options for keys.cl.
std::string key_options(const Request &request);

// Runs one pass for each digit, then fetches what did not travel.
void run_passes(cl::Task &task, const Request &request, const std::function<void(const Pass &)> &run_pass);

} // namespace gpcl::sort

// Structures that grow at their end: the caller's struct_size says how much of one exists on its
// side.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/error.h"

#include <algorithm>
#include <cstring>

namespace gpcl {

// In bytes. The header promises that no structure grows beyond this, so a struct_size that was
// never filled in hardly passes.
constexpr size_t kLargestStruct = 4096;

inline void require_struct_size(size_t size, size_t known, const char *argument) {
    require(size >= sizeof(size_t) && size <= kLargestStruct, GP_ERROR_STRUCT_SIZE, argument, "->struct_size is ", size,
            "; expected sizeof the structure, ", known, " (use its GP_..._INIT where there is one)");
}

// A copy of the caller's options; members beyond its struct_size are zero, which means their
// default. Reserved members that are set are refused: a later version may give them a meaning.
template <class Options> Options read_options(const Options *given, const char *argument) {
    Options options;
    std::memset(&options, 0, sizeof options);
    if (given == nullptr) return options;
    const size_t size = given->struct_size;
    require_struct_size(size, sizeof(Options), argument);
    const auto *bytes = reinterpret_cast<const unsigned char *>(given);
    if (size > sizeof(Options)) {
        require(std::all_of(bytes + sizeof(Options), bytes + size, [](unsigned char byte) { return byte == 0; }),
                GP_ERROR_STRUCT_SIZE, argument, "->struct_size is ", size, " and members past byte ", sizeof(Options),
                " are set; this library (", GPCL_VERSION, ") does not know them");
    }
    std::memcpy(&options, given, std::min(size, sizeof(Options)));
    const auto require_zero = [&](int32_t value, const char *member) {
        require(value == 0, GP_ERROR_OPTION, argument, "->", member, " is ", value, "; expected 0");
    };
    if constexpr (requires { options.reserved; }) require_zero(options.reserved, "reserved");
    if constexpr (requires { options.reserved2; }) require_zero(options.reserved2, "reserved2");
    if constexpr (requires { options.reserved3; }) require_zero(options.reserved3, "reserved3");
    return options;
}

// Writes a result structure as far as the caller's struct_size reaches.
template <class Info> void write_info(Info *to, Info from, const char *argument) {
    require_pointer(to, argument);
    const size_t size = to->struct_size;
    require_struct_size(size, sizeof(Info), argument);
    from.struct_size = size;
    std::memcpy(to, &from, std::min(size, sizeof(Info)));
}

inline void require_choice(int32_t value, int32_t last, const char *member) {
    require(value >= 0 && value <= last, GP_ERROR_OPTION, member, " is ", value, "; expected 0 to ", last);
}

} // namespace gpcl

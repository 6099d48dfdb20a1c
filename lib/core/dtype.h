// Element types: sizes, names, and the step from a gp_dtype at run time to a C++ type.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/error.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace gpcl {

struct Dtype {
    gp_dtype code;
    const char *name;   // NumPy's
    const char *opencl; // OpenCL C's
    size_t size;
};

inline constexpr std::array<Dtype, 12> kDtypes = {{{GP_INT8, "int8", "char", 1},
                                                   {GP_INT16, "int16", "short", 2},
                                                   {GP_INT32, "int32", "int", 4},
                                                   {GP_INT64, "int64", "long", 8},
                                                   {GP_UINT8, "uint8", "uchar", 1},
                                                   {GP_UINT16, "uint16", "ushort", 2},
                                                   {GP_UINT32, "uint32", "uint", 4},
                                                   {GP_UINT64, "uint64", "ulong", 8},
                                                   {GP_FLOAT16, "float16", "half", 2},
                                                   {GP_FLOAT32, "float32", "float", 4},
                                                   {GP_FLOAT64, "float64", "double", 8},
                                                   {GP_BFLOAT16, "bfloat16", "ushort", 2}}};

// The codes of all types but bfloat16, which products alone take, and of those that positions may
// have.
inline constexpr auto kAllTypes = [] {
    std::array<gp_dtype, kDtypes.size() - 1> codes{};
    std::transform(kDtypes.begin(), kDtypes.end() - 1, codes.begin(), [](const Dtype &one) { return one.code; });
    return codes;
}();
inline constexpr std::array<gp_dtype, 2> kIndexTypes = {GP_UINT32, GP_UINT64};

inline const Dtype *find_dtype(gp_dtype code) noexcept {
    return code >= GP_INT8 && code <= GP_BFLOAT16 ? &kDtypes[static_cast<size_t>(code - 1)] : nullptr;
}

// The type of a code that was checked before.
inline const Dtype &dtype(gp_dtype code) { return kDtypes.at(static_cast<size_t>(code - 1)); }

inline bool is_float(gp_dtype code) noexcept { return code >= GP_FLOAT16; }

// Refuses every code that is not among `allowed`, naming those; `otherwise` says what else serves.
template <class Allowed>
void require_dtype(gp_dtype code, const char *argument, const Allowed &allowed, const char *otherwise = "") {
    const auto begin = std::begin(allowed), end = std::end(allowed);
    if (std::find(begin, end, code) != end) return;
    std::string names;
    for (auto one = begin; one != end; ++one) {
        if (std::find(begin, one, *one) == one) names += text(names.empty() ? "" : ", ", dtype(*one).name);
    }
    const Dtype *known = find_dtype(code);
    fail(GP_ERROR_DTYPE, argument, " is ", known != nullptr ? known->name : text("unknown (", code, ")"), "; expected ",
         names.find(',') == std::string::npos ? "" : "one of ", names, otherwise);
}

// Calls f with a value of the C++ type that stands behind `code` (not for float16 and bfloat16,
// which C++20 lacks).
template <class F> decltype(auto) with_type(gp_dtype code, F &&f) {
    switch (code) {
    case GP_INT8: return f(int8_t{});
    case GP_INT16: return f(int16_t{});
    case GP_INT32: return f(int32_t{});
    case GP_INT64: return f(int64_t{});
    case GP_UINT8: return f(uint8_t{});
    case GP_UINT16: return f(uint16_t{});
    case GP_UINT32: return f(uint32_t{});
    case GP_UINT64: return f(uint64_t{});
    case GP_FLOAT32: return f(float{});
    case GP_FLOAT64: return f(double{});
    default: fail(GP_ERROR_INTERNAL, "no C++ type for dtype ", code);
    }
}

} // namespace gpcl

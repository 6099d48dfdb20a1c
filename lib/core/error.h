// Errors inside the library are exceptions; guard() turns them into a status and the calling
// thread's message.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/call.h"

#include <gpcl/gpcl.h>

#include <charconv>
#include <exception>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gpcl {

class Error : public std::exception {
  public:
    Error(gp_status status, std::string message, int32_t opencl = 0, std::string build_log = {})
        : status(status), opencl(opencl), message(std::move(message)), build_log(std::move(build_log)) {}
    const char *what() const noexcept override { return message.c_str(); }

    gp_status status;
    int32_t opencl;
    std::string message;
    std::string build_log;
};

// One part of a text. Numbers are written alike in every locale: OpenCL's compiler reads some.
template <class Part> void append(std::string &to, const Part &part) {
    if constexpr (std::is_convertible_v<Part, std::string_view>) {
        to += std::string_view(part);
    } else if constexpr (std::is_same_v<Part, char>) {
        to += part;
    } else {
        char digits[32];
        char *end = nullptr;
        if constexpr (std::is_pointer_v<Part>) {
            to += "0x";
            end = std::to_chars(digits, std::end(digits), reinterpret_cast<uintptr_t>(part), 16).ptr;
        } else {
            end = std::to_chars(digits, std::end(digits), +part).ptr; // + makes a number of a bool
        }
        to.append(digits, static_cast<size_t>(end - digits));
    }
}

template <class... Parts> std::string text(const Parts &...parts) {
    std::string result;
    (append(result, parts), ...);
    return result;
}

template <class... Parts> [[noreturn]] void fail(gp_status status, const Parts &...parts) {
    throw Error(status, text(parts...));
}

template <class... Parts> void require(bool condition, gp_status status, const Parts &...parts) {
    if (!condition) fail(status, parts...);
}

inline void require_pointer(const void *pointer, const char *argument) {
    require(pointer != nullptr, GP_ERROR_NULL_POINTER, argument, " is NULL; expected a pointer");
}

// The calling thread's record of its last call.
void clear_error() noexcept;
gp_status record_error(const char *function) noexcept; // from inside a catch block

// The one door between C++ and C: every entry point runs its body in here.
template <class Body> gp_status guard(const char *function, Body &&body) noexcept {
    const CallScope call;
    try {
        body();
        clear_error();
        return GP_SUCCESS;
    } catch (...) {
        return record_error(function);
    }
}

} // namespace gpcl

// Errors inside the library are exceptions; guard() turns them into a status and the calling thread's message.
// SPDX-License-Identifier: MIT
#pragma once

#include <gpcl/gpcl.h>

#include <exception>
#include <sstream>
#include <string>
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

template <class... Parts> std::string text(const Parts &...parts) {
    std::ostringstream stream;
    (stream << ... << parts);
    return stream.str();
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
    try {
        body();
        clear_error();
        return GP_SUCCESS;
    } catch (...) {
        return record_error(function);
    }
}

} // namespace gpcl

// The user's environment; files_posix.cpp and files_windows.cpp have the files.
// SPDX-License-Identifier: MIT
#include "core/files.h"

#include "core/system.h"

#include <charconv>
#include <string_view>
#include <system_error>

namespace gpcl {

const char *variable(const char *name) {
    const char *value = safe_variable(name);
    return value != nullptr && *value != '\0' ? value : nullptr;
}

std::optional<size_t> number_variable(const char *name) {
    const char *const text = variable(name);
    if (text == nullptr) return std::nullopt;
    const std::string_view digits = text;
    size_t value = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
    return error == std::errc{} && end == digits.end() ? std::optional(value) : std::nullopt;
}

std::string user_path(const char *xdg, const char *in_home, const char *path) {
    if (const char *folder = variable(xdg)) return std::string(folder) + "/" + path;
#if defined(_WIN32)
    if (const char *folder = variable("LOCALAPPDATA")) return std::string(folder) + "/" + path;
#endif
    if (const char *home = variable("HOME")) return std::string(home) + "/" + in_home + "/" + path;
    return {};
}

} // namespace gpcl

// The user's environment; files_posix.cpp and files_windows.cpp have the files.
// SPDX-License-Identifier: MIT
#include "core/files.h"

#include "core/system.h"

#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace gpcl {

const char *variable(const char *name) {
    const char *value = safe_variable(name);
    return value != nullptr && *value != '\0' ? value : nullptr;
}

namespace {
std::optional<size_t> number_of(std::string_view digits) {
    size_t value = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
    return error == std::errc{} && end == digits.end() ? std::optional(value) : std::nullopt;
}
} // namespace

std::optional<size_t> number_variable(const char *name) {
    const char *const text = variable(name);
    return text != nullptr ? number_of(text) : std::nullopt;
}

std::optional<size_t> bytes_variable(const char *name) {
    const char *const text = variable(name);
    if (text == nullptr) return std::nullopt;
    std::string_view number = text;
    const size_t unit = std::string_view("KkMmGgTt").find(number.back());
    const size_t shift = unit == std::string_view::npos ? 0 : 10 * (unit / 2 + 1);
    if (shift != 0) number.remove_suffix(1);
    const auto count = number_of(number);
    return count && *count <= uint64_t{SIZE_MAX} >> shift
               ? std::optional(static_cast<size_t>(uint64_t{*count} << shift))
               : std::nullopt;
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

// The user's environment and files.
// SPDX-License-Identifier: MIT
#include "core/files.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace gpcl {

namespace fs = std::filesystem;

const char *variable(const char *name) {
    const char *value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : nullptr;
}

std::string user_path(const char *xdg, const char *in_home, const char *path) {
    if (const char *folder = variable(xdg)) return std::string(folder) + "/" + path;
    if (const char *home = variable("HOME")) return std::string(home) + "/" + in_home + "/" + path;
    return {};
}

bool write_whole(const std::string &file, const std::function<void(std::ostream &)> &write) {
    std::error_code error;
    const fs::path folder = fs::path(file).parent_path();
    if (!folder.empty()) fs::create_directories(folder, error);
    std::string aside = file + ".XXXXXX";
    const int descriptor = mkstemp(aside.data());
    if (descriptor < 0) return false;
    close(descriptor);
    std::ofstream stream(aside, std::ios::binary);
    write(stream);
    stream.close();
    if (stream.good()) {
        fs::rename(aside, file, error);
        if (!error) return true;
    }
    fs::remove(aside, error);
    return false;
}

} // namespace gpcl

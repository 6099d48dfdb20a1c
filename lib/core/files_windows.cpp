// Files on Windows, where the user's own folders are closed to others by default.
// SPDX-License-Identifier: MIT
#include "core/files.h"

#if defined(_WIN32)

#include "core/error.h"
#include "core/system.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <locale>
#include <system_error>

namespace gpcl {

namespace fs = std::filesystem;

std::optional<std::string> read_whole(const std::string &file, size_t most) {
    std::error_code error;
    const auto size = fs::is_regular_file(file, error) ? fs::file_size(file, error) : 0;
    std::ifstream in(file, std::ios::binary);
    if (error || !in || size > most) return std::nullopt;
    std::string content(static_cast<size_t>(size), '\0');
    if (!in.read(content.data(), static_cast<std::streamsize>(size))) return std::nullopt;
    return content;
}

bool write_whole(const std::string &file, const std::function<void(std::ostream &)> &write) {
    static std::atomic<unsigned> number = 0;
    const std::string aside = text(file, ".", process_id(), ".", number++);
    std::error_code error;
    fs::create_directories(fs::path(file).parent_path(), error);
    std::ofstream out(aside, std::ios::binary);
    out.imbue(std::locale::classic());
    write(out);
    out.close();
    if (out) fs::rename(aside, file, error);
    if (out && !error) return true;
    fs::remove(aside, error);
    return false;
}

OwnFolder::OwnFolder(const std::string &path, bool make) {
    std::error_code error;
    if (make) fs::create_directories(path, error);
    if (fs::is_directory(path, error))
        folder_ = path;
    else
        problem_ = text(path, ": ", error ? error.message() : "is no folder");
}

OwnFolder::operator bool() const { return !folder_.empty(); }
std::string OwnFolder::problem() const { return problem_; }

std::optional<std::string> OwnFolder::read(const std::string &name, size_t most) const {
    return read_whole(folder_ + "/" + name, most);
}

bool OwnFolder::write(const std::string &name, const std::function<void(std::ostream &)> &write) const {
    return write_whole(folder_ + "/" + name, write);
}

} // namespace gpcl
#endif

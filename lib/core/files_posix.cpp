// Files where the system is one of POSIX.
// SPDX-License-Identifier: MIT
#include "core/files.h"

#if !defined(_WIN32)

#include "core/error.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <locale>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <sys/random.h> // getentropy
#endif

namespace gpcl {

namespace fs = std::filesystem;

namespace {

constexpr mode_t kOnlyThisUser = 0700;

bool is_ours(const struct stat &what) { return what.st_uid == geteuid() || what.st_uid == 0; }

bool only_we_write(const struct stat &what) { return is_ours(what) && (what.st_mode & (S_IWGRP | S_IWOTH)) == 0; }

void make_folders(const fs::path &folder, mode_t mode) {
    if (mkdir(folder.c_str(), mode) == 0 || errno != ENOENT || !folder.has_relative_path()) return;
    make_folders(folder.parent_path(), mode);
    mkdir(folder.c_str(), mode);
}

// `own`: only a file that is no link, and that nobody else can write.
std::optional<std::string> read_at(int folder, const std::string &name, size_t most, bool own) {
    const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (own ? O_NOFOLLOW : 0);
    const Descriptor file(openat(folder, name.c_str(), flags));
    struct stat about {};
    if (fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode) || (own && !only_we_write(about)))
        return std::nullopt;
    if (static_cast<uintmax_t>(about.st_size) > most) return std::nullopt;
    std::string content(static_cast<size_t>(about.st_size), '\0');
    for (size_t done = 0; done < content.size();) {
        const ssize_t got = ::read(file.get(), &content[done], content.size() - done);
        if (got == 0 || (got < 0 && errno != EINTR)) return std::nullopt;
        if (got > 0) done += static_cast<size_t>(got);
    }
    return content;
}

bool write_all(int file, std::string_view content) {
    while (!content.empty()) {
        const ssize_t written = ::write(file, content.data(), content.size());
        if (written < 0 && errno != EINTR) return false;
        if (written > 0) content.remove_prefix(static_cast<size_t>(written));
    }
    return true;
}

// Permissions are `mode`, or those of `old`.
bool replace_at(int folder, const std::string &name, mode_t mode, const struct stat *old,
                const std::function<void(std::ostream &)> &write) {
    std::ostringstream content;
    content.imbue(std::locale::classic());
    write(content);
    uint64_t number = 0;
    if (!content.good() || getentropy(&number, sizeof number) != 0) return false;
    const std::string aside = name + "." + std::to_string(number);
    Descriptor file(openat(folder, aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (file.get() < 0) return false;
    bool good = write_all(file.get(), content.view());
    if (old != nullptr) {
        // Another user's file stays that user's where this one may give files away.
        [[maybe_unused]] const int given = fchown(file.get(), old->st_uid, old->st_gid);
        good = fchmod(file.get(), old->st_mode & 0777) == 0 && good;
    }
    good = file.close() && good;
    if (good && renameat(folder, aside.c_str(), folder, name.c_str()) == 0) return true;
    unlinkat(folder, aside.c_str(), 0);
    return false;
}

// The path with links in its last part followed, whether there is a file at the end or not; empty
// where the links go in a circle.
fs::path target_of(fs::path file) {
    constexpr int kMostLinks = 40; // as the system's own
    std::error_code error;
    for (int i = 0; i < kMostLinks; ++i) {
        if (!fs::is_symlink(file, error)) return file;
        file = file.parent_path() / fs::read_symlink(file, error);
    }
    return {};
}

} // namespace

std::optional<std::string> read_whole(const std::string &file, size_t most) {
    return read_at(AT_FDCWD, file, most, false);
}

bool write_whole(const std::string &file, const std::function<void(std::ostream &)> &write) {
    const fs::path target = target_of(file);
    if (target.empty()) return false;
    make_folders(target.parent_path(), 0777);
    struct stat old {};
    const bool replaces = stat(target.c_str(), &old) == 0;
    return replace_at(AT_FDCWD, target, 0666, replaces ? &old : nullptr, write);
}

bool Descriptor::close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

OwnFolder::OwnFolder(const std::string &path, bool make)
    : folder_([&] {
          if (make) make_folders(path, kOnlyThisUser);
          return open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      }()) {
    const int why = errno; // of open
    struct stat about {};
    std::error_code error;
    if (folder_.get() < 0)
        problem_ = fs::is_symlink(path, error) ? text(path, " is a link; expected the folder itself")
                                               : text(path, ": ", std::generic_category().message(why));
    else if (fstat(folder_.get(), &about) != 0 || !is_ours(about))
        problem_ = text(path, " belongs to user ", about.st_uid, "; expected user ", geteuid(), " or root");
    else if (!only_we_write(about))
        problem_ = text(path, " can be written by other users; expected this one alone, as after \"chmod go-w\"");
    if (!problem_.empty()) folder_.close();
}

OwnFolder::operator bool() const { return folder_.get() >= 0; }

std::string OwnFolder::problem() const {
    if (!problem_.empty() || faccessat(folder_.get(), ".", W_OK | X_OK, AT_EACCESS) == 0) return problem_;
    return text("no file can be added to it: ", std::generic_category().message(errno));
}

std::optional<std::string> OwnFolder::read(const std::string &name, size_t most) const {
    return read_at(folder_.get(), name, most, true);
}

bool OwnFolder::write(const std::string &name, const std::function<void(std::ostream &)> &write) const {
    return replace_at(folder_.get(), name, S_IRUSR | S_IWUSR, nullptr, write);
}

} // namespace gpcl
#endif

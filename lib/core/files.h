// The user's environment, and files: read whole or not at all, never seen half written.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <ostream>
#include <string>

namespace gpcl {

// An environment variable. NULL if it is not set, or empty. NULL too where the process has rights
// that its caller lacks, as a set-user-ID program: the caller must not choose what runs with them.
const char *variable(const char *name);

// The same as a whole number in decimal digits. Nothing where it is none, or does not fit.
std::optional<size_t> number_variable(const char *name);

// The same of bytes, with K, M, G or T behind the digits for 2^10, 2^20, 2^30 or 2^40 of them.
std::optional<size_t> bytes_variable(const char *name);

// A path below the folder that `xdg` names, XDG_CACHE_HOME or XDG_CONFIG_HOME, or else below
// `in_home` of the home folder; empty if there is neither.
std::string user_path(const char *xdg, const char *in_home, const char *path);

// The content of a regular file of at most `most` bytes; nothing of anything else. Never waits, as
// for the other end of a FIFO.
std::optional<std::string> read_whole(const std::string &file, size_t most);

// Makes the file's folder, writes aside, and renames; an old file stays where anything fails, and
// nothing else. The permissions of an old file stay. A link stays, and its target is replaced.
// Returns whether the file was written.
bool write_whole(const std::string &file, const std::function<void(std::ostream &)> &write);

#if !defined(_WIN32)
// An open file or folder; -1: none.
class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    ~Descriptor() { close(); }

    int get() const { return number_; }
    bool close(); // false: what was written may be lost

  private:
    int number_;
};
#endif

// A folder that belongs to this user or root and that nobody else can write, and the files in it of
// which the same holds. It is opened once, so another folder in its place changes nothing.
class OwnFolder {
  public:
    // `make`: missing folders are made, for this user alone. A link is no folder, unless the path
    // ends with a slash.
    OwnFolder(const std::string &path, bool make);

    explicit operator bool() const; // is there such a folder?
    // Why there is none, or why this user can write no file in it; "" for neither.
    std::string problem() const;

    // As read_whole and write_whole, of a file in the folder that is no link; a file that is
    // written becomes this user's alone.
    std::optional<std::string> read(const std::string &name, size_t most) const;
    bool write(const std::string &name, const std::function<void(std::ostream &)> &write) const;

  private:
#if defined(_WIN32)
    std::string folder_;
#else
    Descriptor folder_;
#endif
    std::string problem_; // of one that is not used
};
} // namespace gpcl

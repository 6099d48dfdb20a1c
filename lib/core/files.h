// The user's environment, and files that are never seen half written.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <ostream>
#include <string>

namespace gpcl {

// An environment variable; NULL if it is not set, or empty.
const char *variable(const char *name);

// A path below the folder that `xdg` names, XDG_CACHE_HOME or XDG_CONFIG_HOME, or else below `in_home` of the home folder;
// empty if there is neither.
std::string user_path(const char *xdg, const char *in_home, const char *path);

// Makes the file's folder, writes aside, and renames; an old file stays where anything fails, and nothing else. Returns whether
// the file was written.
bool write_whole(const std::string &file, const std::function<void(std::ostream &)> &write);

} // namespace gpcl

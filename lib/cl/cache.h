// Built programs on disk, in a folder that only this user and root can write. Every failure here
// means "not in the cache" and nothing worse.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace gpcl::cl {

// The folder, "" when the cache is off: GPCL_CACHE=off (or 0), else GPCL_CACHE_DIR, else gpcl in
// the XDG cache folder.
std::string cache_folder();

// What is stored under this key, if it is whole.
std::optional<std::string> cache_load(const std::string &key);

// Stores what `make` returns, which is not asked where there is no folder to store it in.
void cache_store(const std::string &key, const std::function<std::optional<std::string>()> &make);

} // namespace gpcl::cl

// Built programs on disk. Every failure here means "not in the cache" and nothing worse.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gpcl::cl {

// The folder, "" when the cache is off: GPCL_CACHE=off (or 0), else GPCL_CACHE_DIR, else gpcl in the XDG cache folder.
std::string cache_folder();

// The binary stored under this key, if there is one and it is whole.
std::optional<std::vector<unsigned char>> cache_load(const std::string &key);

void cache_store(const std::string &key, const std::vector<unsigned char> &binary);

} // namespace gpcl::cl

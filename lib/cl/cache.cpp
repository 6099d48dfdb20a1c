// The program cache on disk: one file a program, named by the hash of its key.
// SPDX-License-Identifier: MIT
#include "cl/cache.h"

#include "core/files.h"

#include <gpcl/gpcl.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace gpcl::cl {
namespace {

constexpr size_t kLargestFile = size_t{64} << 20; // bytes; our programs take some megabytes

// What stands before the binary in a file. The whole key follows it, so that a hash collision is
// noticed.
struct Header {
    char magic[8] = {'g', 'p', 'c', 'l', 'b', 'i', 'n', '2'};
    uint64_t key_bytes = 0;
    uint64_t binary_bytes = 0;
    uint64_t check = 0; // hash of key and binary
};

uint64_t checksum(const std::string &key, std::string_view binary) {
    return XXH3_64bits_withSeed(binary.data(), binary.size(), XXH3_64bits(key.data(), key.size()));
}

std::string file_of(const std::string &key) {
    const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
    char name[40];
    std::snprintf(name, sizeof name, "%016llx%016llx.bin", static_cast<unsigned long long>(hash.high64),
                  static_cast<unsigned long long>(hash.low64));
    return name;
}

bool is_off() {
    const char *use = variable("GPCL_CACHE");
    return use != nullptr && (std::strcmp(use, "off") == 0 || std::strcmp(use, "0") == 0);
}

// Why nothing is kept, or nothing is added; "" for neither.
std::string problem() {
    if (is_off()) return "GPCL_CACHE switches it off";
    const std::string folder = cache_folder();
    if (!folder.empty()) return OwnFolder(folder, true).problem();
    return "none of GPCL_CACHE_DIR, XDG_CACHE_HOME and HOME names a folder, or this process has rights that its "
           "caller lacks and so ignores them";
}

} // namespace

std::string cache_folder() {
    if (is_off()) return {};
    if (const char *folder = variable("GPCL_CACHE_DIR")) return folder;
    return user_path("XDG_CACHE_HOME", ".cache", "gpcl");
}

std::optional<std::string> cache_load(const std::string &key) try {
    const std::string folder = cache_folder();
    if (folder.empty()) return std::nullopt;
    auto content = OwnFolder(folder, false).read(file_of(key), kLargestFile);
    Header header;
    const Header expected;
    const size_t start = sizeof header + key.size();
    if (!content || content->size() < start) return std::nullopt;
    std::memcpy(&header, content->data(), sizeof header);
    const std::string_view binary = std::string_view(*content).substr(start);
    const bool whole = std::memcmp(header.magic, expected.magic, sizeof header.magic) == 0 &&
                       header.key_bytes == key.size() && header.binary_bytes == binary.size() &&
                       content->compare(sizeof header, key.size(), key) == 0 && header.check == checksum(key, binary);
    if (!whole) return std::nullopt;
    content->erase(0, start);
    return content;
} catch (...) {
    return std::nullopt;
}

void cache_store(const std::string &key, const std::function<std::optional<std::string>()> &make) try {
    const std::string path = cache_folder();
    if (path.empty()) return;
    const OwnFolder folder(path, true);
    if (!folder) return;
    const auto binary = make();
    Header header;
    if (!binary || sizeof header + key.size() + binary->size() > kLargestFile) return;
    header.key_bytes = key.size();
    header.binary_bytes = binary->size();
    header.check = checksum(key, *binary);
    folder.write(file_of(key), [&](std::ostream &file) {
        file.write(reinterpret_cast<const char *>(&header), sizeof header);
        file << key << *binary;
    });
} catch (...) {
    // A cache that can't be written is no cache.
}

} // namespace gpcl::cl

namespace {
template <std::string (*make)()> const char *kept_text() {
    thread_local std::string kept;
    try {
        kept = make();
    } catch (...) {
        return "";
    }
    return kept.c_str();
}
} // namespace

const char *gp_cache_folder(void) { return kept_text<gpcl::cl::cache_folder>(); }

const char *gp_cache_problem(void) { return kept_text<gpcl::cl::problem>(); }

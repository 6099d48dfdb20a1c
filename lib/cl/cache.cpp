// The program cache on disk: one file a program, named by the hash of its key, written aside and renamed.
// SPDX-License-Identifier: MIT
#include "cl/cache.h"

#include "core/files.h"

#include <gpcl/gpcl.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace gpcl::cl {
namespace {

namespace fs = std::filesystem;

// What stands before the binary in a file. The whole key follows it, so that a hash collision is noticed.
struct Header {
    char magic[8] = {'g', 'p', 'c', 'l', 'b', 'i', 'n', '1'};
    uint64_t key_bytes = 0;
    uint64_t binary_bytes = 0;
    uint64_t check = 0; // hash of key and binary
};

uint64_t checksum(const std::string &key, const unsigned char *binary, size_t bytes) {
    return XXH3_64bits_withSeed(binary, bytes, XXH3_64bits(key.data(), key.size()));
}

fs::path file_of(const std::string &folder, const std::string &key) {
    const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
    char name[40];
    std::snprintf(name, sizeof name, "%016llx%016llx.bin", static_cast<unsigned long long>(hash.high64),
                  static_cast<unsigned long long>(hash.low64));
    return fs::path(folder) / name;
}

} // namespace

std::string cache_folder() {
    if (const char *use = variable("GPCL_CACHE")) {
        if (std::strcmp(use, "off") == 0 || std::strcmp(use, "0") == 0) return {};
    }
    if (const char *folder = variable("GPCL_CACHE_DIR")) return folder;
    return user_path("XDG_CACHE_HOME", ".cache", "gpcl");
}

std::optional<std::vector<unsigned char>> cache_load(const std::string &key) try {
    const std::string folder = cache_folder();
    if (folder.empty()) return std::nullopt;
    std::ifstream file(file_of(folder, key), std::ios::binary);
    std::vector<unsigned char> content{std::istreambuf_iterator<char>(file), {}};
    Header header;
    const Header expected;
    if (content.size() < sizeof header + key.size()) return std::nullopt;
    std::memcpy(&header, content.data(), sizeof header);
    const size_t start = sizeof header + key.size();
    const bool whole = std::memcmp(header.magic, expected.magic, sizeof header.magic) == 0 &&
                       header.key_bytes == key.size() && header.binary_bytes == content.size() - start &&
                       std::memcmp(content.data() + sizeof header, key.data(), key.size()) == 0 &&
                       header.check == checksum(key, content.data() + start, content.size() - start);
    if (!whole) return std::nullopt;
    content.erase(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(start));
    return content;
} catch (...) {
    return std::nullopt;
}

void cache_store(const std::string &key, const std::vector<unsigned char> &binary) try {
    const std::string folder = cache_folder();
    if (folder.empty()) return;
    Header header;
    header.key_bytes = key.size();
    header.binary_bytes = binary.size();
    header.check = checksum(key, binary.data(), binary.size());
    write_whole(file_of(folder, key), [&](std::ostream &file) {
        file.write(reinterpret_cast<const char *>(&header), sizeof header);
        file.write(key.data(), static_cast<std::streamsize>(key.size()));
        file.write(reinterpret_cast<const char *>(binary.data()), static_cast<std::streamsize>(binary.size()));
    });
} catch (...) {
    // A cache that can't be written is no cache.
}

} // namespace gpcl::cl

const char *gp_cache_folder(void) {
    thread_local std::string folder;
    try {
        folder = gpcl::cl::cache_folder();
    } catch (...) {
        return "";
    }
    return folder.c_str();
}

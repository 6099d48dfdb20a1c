// Files of the cache of programs and proofs: what was stored comes back whole, and of damaged files
// nothing does.
// SPDX-License-Identifier: MIT
#include "fuzz.h"

#include "cl/cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const fuzz::Folder folder;
    static const bool is_set = setenv("GPCL_CACHE_DIR", folder.path().c_str(), 1) == 0;
    static const std::string key = "key", program = "a program";
    static const std::string file = [] {
        gpcl::cl::cache_store(key, [] { return program; });
        return std::filesystem::directory_iterator(folder.path())->path().string();
    }();
    static const std::string whole = fuzz::read_file(file);
    fuzz::require(is_set && !whole.empty(), "a program is stored");

    // Some bytes of the file are others, or it ends early, or it is any file.
    fuzz::Input input(bytes, size);
    std::string content = whole;
    if (const size_t kind = input.below(4); kind == 0) {
        content = input.text();
    } else {
        if (kind == 1) content.resize(input.below(whole.size() + 1));
        while (input.left() > 1) {
            const size_t place = input.below(whole.size() + 1);
            if (place < content.size()) content[place] = input.take<char>();
        }
        if (kind == 2) content += input.text();
    }
    fuzz::write_file(file, content);
    const auto loaded = gpcl::cl::cache_load(key);
    fuzz::require(loaded.has_value() == (content == whole), "a file is taken when it is whole");
    fuzz::require(!loaded || *loaded == program, "what was stored comes back");
    return 0;
}

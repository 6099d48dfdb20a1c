// What the fuzz targets share. A target is a file with LLVMFuzzerTestOneInput, which libFuzzer
// calls with bytes that it makes up; replay.cpp calls it where there is no libFuzzer.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <type_traits>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

namespace fuzz {

// Ends the process where a promise is broken; libFuzzer keeps the input.
inline void require(bool holds, const std::string &what) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", what.c_str());
    std::abort();
}

// The bytes of an input, taken one after the other. Behind the last one come zeros.
class Input {
  public:
    Input(const uint8_t *bytes, size_t size) : next_(bytes), end_(bytes + size) {}

    template <class T = uint8_t> T take() {
        static_assert(std::is_arithmetic_v<T>);
        T value{};
        const size_t size = std::min(sizeof value, left());
        if (size > 0) std::memcpy(&value, next_, size);
        next_ += size;
        return value;
    }
    size_t below(size_t bound) { return bound <= 256 ? take() % bound : take<uint32_t>() % bound; }
    bool flag() { return take() % 2 != 0; }
    size_t left() const { return static_cast<size_t>(end_ - next_); }
    std::string text(size_t most = SIZE_MAX) {
        const size_t size = std::min(most, left());
        std::string result(reinterpret_cast<const char *>(next_), size);
        next_ += size;
        return result;
    }

  private:
    const uint8_t *next_, *end_;
};

// A folder of this process alone, which goes with it.
class Folder {
  public:
    Folder() {
        std::string name = std::filesystem::temp_directory_path() / "gpcl-fuzz.XXXXXX";
        require(mkdtemp(name.data()) != nullptr, "a folder for temporary files");
        path_ = name;
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;
    ~Folder() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }

    std::string operator/(const std::string &name) const { return path_ / name; }
    const std::filesystem::path &path() const { return path_; }

  private:
    std::filesystem::path path_;
};

inline void write_file(const std::string &name, const std::string &content) {
    std::ofstream(name, std::ios::binary) << content;
}

inline std::string read_file(const std::string &name) {
    std::ifstream file(name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace fuzz

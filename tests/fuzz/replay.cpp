// replay CORPUS COUNT: calls a fuzz target with each file of a folder, and then with COUNT inputs
// made of those files by changes that are the same in each run. It stands in for libFuzzer, which
// only clang has.
// SPDX-License-Identifier: MIT
#include "fuzz.h"

#include <random>
#include <vector>

namespace {

using Bytes = std::vector<uint8_t>;

Bytes any_bytes(std::mt19937 &random) {
    Bytes result(random() % 64);
    for (uint8_t &byte : result) byte = static_cast<uint8_t>(random());
    return result;
}

Bytes changed(const Bytes &one, const Bytes &other, std::mt19937 &random) {
    const auto below = [&](size_t bound) { return bound == 0 ? 0 : random() % bound; };
    const auto at = [](Bytes &bytes, size_t i) { return bytes.begin() + static_cast<std::ptrdiff_t>(i); };
    Bytes result = one;
    for (size_t changes = 1 + below(4); changes > 0; --changes) {
        const size_t place = below(result.size() + 1);
        switch (below(4)) {
        case 0: result.insert(at(result, place), static_cast<uint8_t>(random())); break;
        case 1: result.resize(place); break;
        case 2:
            if (place < result.size()) result[place] = static_cast<uint8_t>(random());
            break;
        default:
            result.insert(at(result, place), other.begin(),
                          other.begin() + static_cast<std::ptrdiff_t>(below(other.size() + 1)));
        }
    }
    return result;
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    std::vector<std::string> names;
    for (const auto &file : std::filesystem::directory_iterator(argv[1])) names.push_back(file.path());
    std::sort(names.begin(), names.end());
    std::vector<Bytes> corpus(1);
    for (const std::string &name : names) {
        const std::string content = fuzz::read_file(name);
        corpus.emplace_back(content.begin(), content.end());
    }
    const size_t count = std::stoul(argv[2]);
    std::mt19937 random(1);
    for (size_t i = 0; i < corpus.size() + count; ++i) {
        const auto any = [&]() -> const Bytes & { return corpus[random() % corpus.size()]; };
        const auto others = [&] { return random() % 2 == 0 ? any() : any_bytes(random); };
        const Bytes input = i < corpus.size() ? corpus[i] : changed(any(), others(), random);
        LLVMFuzzerTestOneInput(input.data(), input.size());
    }
    std::printf("%zu inputs\n", corpus.size() + count);
}

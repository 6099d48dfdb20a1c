// Names that are typed; see words.h.
// SPDX-License-Identifier: MIT
#include "words.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace command {

namespace {

// How many letters are left out, added, replaced, or swapped with the next one (optimal string
// alignment).
size_t distance(const std::string &a, const std::string &b) {
    std::vector<std::vector<size_t>> steps(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); ++i)
        for (size_t j = 0; j <= b.size(); ++j) {
            auto &here = steps[i][j];
            here = std::max(i, j);
            if (i == 0 || j == 0) continue;
            here = std::min({steps[i - 1][j] + 1, steps[i][j - 1] + 1, steps[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                here = std::min(here, steps[i - 2][j - 2] + 1);
        }
    return steps[a.size()][b.size()];
}

// Words of other programs, and what they are here.
constexpr std::pair<const char *, const char *> kElsewhere[] = {
    {"sum", "add"},           {"plus", "add"},          {"prod", "multiply"},     {"product", "multiply"},
    {"times", "multiply"},    {"sum", "reduce"},        {"argmin", "arg-reduce"}, {"argmax", "arg-reduce"},
    {"topk", "top-k"},        {"partition", "top-k"},   {"cumsum", "scan"},       {"prefix-sum", "scan"},
    {"dot", "matmul"},        {"gemm", "matmul"},       {"multiply", "matmul"},   {"lfilter", "recurrence"},
    {"help", "--help"},       {"version", "--version"}, {"list", "info"},         {"devices", "info"},
    {"tropical", "min-plus"}, {"boolean", "or-and"},    {"half", "float16"},      {"float", "float32"},
    {"single", "float32"},    {"double", "float64"},    {"int", "int32"},         {"uint", "uint32"},
    {"long", "int64"},        {"byte", "uint8"},        {"f2", "float16"},        {"f4", "float32"},
    {"f8", "float64"},        {"i1", "int8"},           {"i2", "int16"},          {"i4", "int32"},
    {"i8", "int64"},          {"u1", "uint8"},          {"u2", "uint16"},         {"u4", "uint32"},
    {"u8", "uint64"},         {"floyd", "paths"},       {"take", "gather"},       {"permute", "gather"},
};

std::string lower(std::string text) {
    for (auto &c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

} // namespace

std::string did_you_mean(const std::string &word, const std::vector<std::string> &names) {
    for (const auto &[elsewhere, here] : kElsewhere)
        if (word == elsewhere && std::find(names.begin(), names.end(), here) != names.end())
            return std::string("; did you mean ") + here + "?";
    const std::string *nearest = nullptr;
    auto least = (word.size() + 1) / 3 + 1; // one letter of four may be wrong, two of five
    for (const auto &name : names) {
        if (name == word) continue;
        const auto apart = word.size() > 1 && name.starts_with(word) ? 0 : distance(lower(word), lower(name));
        if (apart >= least) continue;
        least = apart;
        nearest = &name;
    }
    return nearest ? "; did you mean " + *nearest + "?" : "";
}

std::string wrapped(const std::string &text, size_t columns) {
    if (columns == 0) return text;
    std::string result;
    for (size_t begin = 0, end; begin < text.size(); begin = end + 1) {
        end = std::min(text.find('\n', begin), text.size());
        auto line = text.substr(begin, end - begin);
        // Gaps farther to the right leave too little room.
        const auto gap = line.rfind("  ", columns * 3 / 4);
        const std::string indent(gap == std::string::npos ? 0 : line.find_first_not_of(' ', gap), ' ');
        for (auto first = indent.size(); line.size() > columns; first = indent.size()) {
            // A word that is too long is a list, which goes on behind one of its commas.
            auto at = line.rfind(' ', columns), next = at + 1;
            if (at == std::string::npos || at <= first) next = at = line.rfind(',', columns - 1) + 1;
            if (at <= first) break;
            result.append(line, 0, at).append("\n");
            line = indent + line.substr(next);
        }
        result += line;
        if (end < text.size()) result += "\n";
    }
    return result;
}

std::string padded(std::string text, size_t columns) {
    text.resize(std::max(text.size(), columns), ' ');
    return text;
}

std::string listed(const std::vector<std::string> &names) {
    std::string text;
    for (size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
    return text;
}

} // namespace command

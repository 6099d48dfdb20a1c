// The file of the model: lines of text, by device.
// SPDX-License-Identifier: MIT
#include "place/file.h"

#include "core/files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>

namespace gpcl::place {
namespace {

constexpr std::string_view kOurs = "gpcl places", kFirstLine = "gpcl places 1";
constexpr size_t kLargestFile = 1 << 22; // bytes; no file of ours comes near

// The lines of a file without the first one: of ours, one of another version, and one that is
// empty or not there has none. Nothing of a file that is none of ours.
std::optional<std::vector<std::string>> lines_of(const std::string &file) {
    std::vector<std::string> lines;
    const auto content = read_whole(file, kLargestFile);
    if (!content || content->empty()) return lines;
    std::istringstream stream(*content);
    std::string line;
    std::getline(stream, line);
    if (!line.starts_with(kOurs)) return std::nullopt;
    if (line != kFirstLine) return lines;
    while (std::getline(stream, line)) lines.push_back(line);
    return lines;
}

bool is_heading(const std::string &line) { return line.starts_with('[') && line.ends_with(']'); }

// Whole nanoseconds; "none" for infinity.
std::string time_text(double ns) { return std::isinf(ns) ? "none" : text(static_cast<uint64_t>(ns)); }

std::optional<double> number_of(const std::string &word) {
    if (word == "none") return std::numeric_limits<double>::infinity();
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    constexpr uint64_t kMost = uint64_t{1} << 53; // as whole numbers go that a double holds
    if (error != std::errc{} || end != word.data() + word.size() || value > kMost) return std::nullopt;
    return static_cast<double>(value);
}

struct Line {
    std::vector<std::string> words;
    std::vector<double> numbers; // of the words from the third on
};

std::optional<Line> line_of(const std::string &text) {
    Line line;
    std::istringstream stream(text);
    for (std::string word; stream >> word;) {
        line.words.push_back(word);
        if (line.words.size() <= 2) continue;
        const auto number = number_of(word);
        if (!number) return std::nullopt;
        line.numbers.push_back(*number);
    }
    return line.numbers.empty() ? std::nullopt : std::optional(line);
}

} // namespace

std::string places_file() {
    if (const char *file = variable("GPCL_PLACES")) return std::string_view(file) == "off" ? "" : file;
    return user_path("XDG_CONFIG_HOME", ".config", "gpcl/places");
}

Measured read_places(const std::string &file, const std::string &heading) {
    Measured result;
    if (file.empty()) return result;
    LinkTimes link;
    std::array<bool, kWays.size()> has_way{};
    bool ours = false;
    for (const std::string &one : lines_of(file).value_or(std::vector<std::string>{})) {
        if (is_heading(one)) ours = one == heading;
        const auto line = ours ? line_of(one) : std::nullopt;
        if (!line) continue;
        const auto &words = line->words;
        const auto &numbers = line->numbers;
        if (words[0] == "link") {
            const auto *const way = std::find(kWayNames.begin(), kWayNames.end(), words[1]);
            if (words[1] == "command") link.command = numbers[0];
            if (way == kWayNames.end() || numbers.size() != LinkTimes::kBytes.size()) continue;
            const auto index = static_cast<size_t>(way - kWayNames.begin());
            std::copy(numbers.begin(), numbers.end(), link.ns.at(index).begin());
            has_way.at(index) = true;
            continue;
        }
        const auto *const type =
            std::find_if(kDtypes.begin(), kDtypes.end(), [&](const Dtype &each) { return words[1] == each.name; });
        constexpr size_t kNumbers = 6;
        if (type == kDtypes.end() || numbers.size() != kNumbers || std::isinf(numbers[0] + numbers[1]) ||
            numbers[0] < kFirstGrid || numbers[0] > kLastGrid || numbers[1] < 1 ||
            std::isinf(numbers[4] + numbers[5]) || numbers[2] < 1)
            continue;
        result.points[{words[0], type->code}][static_cast<size_t>(numbers[0])] = {numbers[1], numbers[4], numbers[5],
                                                                                  numbers[2], numbers[3]};
    }
    const bool is_finite =
        std::isfinite(link.command) && std::all_of(link.ns.begin(), link.ns.end(), [](const auto &row) {
            return std::all_of(row.begin(), row.end(), [](double ns) { return std::isfinite(ns); });
        });
    const bool is_whole = std::find(has_way.begin(), has_way.end(), false) == has_way.end();
    if (is_whole && is_finite) result.link = link;
    return result;
}

void write_places(const std::string &file, const std::string &heading, const Measured &measured) {
    if (file.empty()) return;
    const auto old = lines_of(file);
    if (!old) return;
    write_whole(file, [&](std::ostream &stream) { // without a file, each process measures for itself
        stream << kFirstLine << '\n';
        bool keep = true;
        for (const std::string &line : *old) {
            if (is_heading(line)) keep = line != heading;
            if (keep) stream << line << '\n';
        }
        stream << heading << '\n' << "link command " << time_text(measured.link.command) << '\n';
        for (size_t way = 0; way < kWays.size(); ++way) {
            stream << "link " << kWayNames.at(way);
            for (const double ns : measured.link.ns.at(way)) stream << ' ' << time_text(ns);
            stream << '\n';
        }
        for (const auto &[key, points] : measured.points)
            for (const auto &[grid, point] : points)
                stream << text(key.kind, ' ', gpcl::dtype(key.dtype).name, ' ', grid, ' ', time_text(point.work), ' ',
                               time_text(point.host), ' ', time_text(point.device), ' ', time_text(point.up), ' ',
                               time_text(point.down), '\n');
    });
}

} // namespace gpcl::place

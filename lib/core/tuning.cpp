// The tuning file: lines of text, by device.
// SPDX-License-Identifier: MIT
#include "core/tuning.h"

#include "core/dtype.h"
#include "core/files.h"

#include <algorithm>
#include <filesystem>
#include <locale>
#include <sstream>
#include <string_view>

namespace gpcl {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFirstLine = "gpcl tuning 1";
constexpr size_t kLargestFile = 1 << 20; // bytes; no file of ours comes near

// The lines of a file of ours without the first one; none where it isn't.
std::optional<std::vector<std::string>> lines_of(const std::string &file) {
    const auto content = read_whole(file, kLargestFile);
    if (!content) return std::nullopt;
    std::istringstream stream(*content);
    std::string line;
    if (!std::getline(stream, line) || line != kFirstLine) return std::nullopt;
    std::vector<std::string> lines;
    while (std::getline(stream, line)) lines.push_back(line);
    return lines;
}

std::string heading(const std::string &device) { return "[" + device + "]"; }
bool is_heading(const std::string &line) { return line.starts_with('[') && line.ends_with(']'); }

std::optional<std::pair<TuningKey, size_t>> entry_of(const std::string &line) {
    std::istringstream words(line);
    words.imbue(std::locale::classic()); // numbers as they were written, in any locale
    std::string operation, dtype, algorithm, parameter, rest;
    size_t value = 0;
    if (!(words >> operation >> dtype >> algorithm >> parameter >> value) || words >> rest) return std::nullopt;
    const auto *const type =
        std::find_if(kDtypes.begin(), kDtypes.end(), [&](const Dtype &each) { return dtype == each.name; });
    if (type == kDtypes.end()) return std::nullopt;
    return std::pair{TuningKey{operation, type->code, algorithm, parameter}, value};
}

size_t &slots() {
    static size_t count = 0;
    return count;
}

} // namespace

size_t next_tuning_slot() { return slots()++; }
size_t tuning_slots() { return slots(); }

std::string tuning_file() {
    if (const char *file = variable("GPCL_TUNING")) return std::string_view(file) == "off" ? "" : file;
    return user_path("XDG_CONFIG_HOME", ".config", "gpcl/tuning");
}

TuningValues read_tuning(const std::string &file, const std::string &device) {
    TuningValues values;
    bool ours = false;
    for (const std::string &line : lines_of(file).value_or(std::vector<std::string>{})) {
        if (is_heading(line)) {
            ours = line == heading(device);
        } else if (const auto entry = entry_of(line); ours && entry) {
            values[entry->first] = entry->second;
        }
    }
    return values;
}

void write_tuning(const std::string &file, const std::string &device, const TuningValues &values) {
    require(!file.empty(), GP_ERROR_FILE, "there is no tuning file: GPCL_TUNING is off, or there is no home folder");
    std::error_code error;
    const auto old = lines_of(file);
    require(old || !fs::exists(file, error), GP_ERROR_FILE, file, " is there, but is no tuning file of gpcl");
    const bool written = write_whole(file, [&](std::ostream &stream) {
        stream << kFirstLine << '\n';
        bool keep = true;
        for (const std::string &line : old.value_or(std::vector<std::string>{})) {
            if (is_heading(line)) keep = line != heading(device);
            if (keep) stream << line << '\n';
        }
        if (!values.empty()) stream << heading(device) << '\n';
        for (const auto &[key, value] : values)
            stream << text(key.operation, ' ', gpcl::dtype(key.dtype).name, ' ', key.algorithm, ' ', key.parameter, ' ',
                           value, '\n');
    });
    require(written, GP_ERROR_FILE, file, " can't be written");
}

} // namespace gpcl

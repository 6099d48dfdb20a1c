// Reads tests/ops/manifest and holds refusals against it.
// SPDX-License-Identifier: MIT
#include "support.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace test {

namespace {

std::string trimmed(const std::string &text) {
    const auto first = text.find_first_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

bool holds(const std::vector<std::string> &all, const std::string &one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

bool has_reason(const std::vector<std::string> &reasons, const std::string &message) {
    return std::any_of(reasons.begin(), reasons.end(),
                       [&](const std::string &reason) { return message.find(reason) != std::string::npos; });
}

std::string implementation_without_script() {
    const std::string platform = device().platform;
    if (on_host()) return "host";
    if (platform == "Portable Computing Language") return device().work_group_size == 1 ? "pocl-group1" : "pocl";
    const char *features = std::getenv("GPCL_FEATURES");
    const std::string form = features != nullptr ? std::string("-") + features : "";
    if (platform.find("Intel") != std::string::npos) return "intel" + form;
    if (platform == "Oclgrind") return "oclgrind" + form;
    if (platform == "NVIDIA CUDA") {
        const std::string name = device().name;
        for (const char *hopper : {"H100", "H200", "H800", "H20", "GH200"})
            if (name.find(hopper) != std::string::npos) return "nvidia-hopper";
        return "nvidia";
    }
    return platform;
}

} // namespace

Manifest Manifest::parse(const std::string &text) {
    Manifest result;
    std::map<std::string, std::vector<std::string>> groups;
    std::istringstream lines(text);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        const auto broken = [&](const std::string &why) {
            throw std::runtime_error("manifest, line " + std::to_string(number) + ": " + why);
        };
        if (const auto comment = line.find('#'); comment != std::string::npos) line.resize(comment);
        std::istringstream fields(line);
        std::vector<std::string> parts; // between the bars
        for (std::string part; std::getline(fields, part, '|');) parts.push_back(trimmed(part));
        if (parts.empty() || parts[0].empty()) {
            if (parts.size() > 1) broken("no operation");
            continue;
        }
        const std::vector<std::string> reasons(parts.begin() + 1, parts.end());
        if (holds(reasons, "")) broken("an empty reason would allow every refusal");
        std::istringstream words(parts[0]);
        std::string first, second;
        words >> first;
        if (first == "every") {
            if (reasons.empty()) broken("no reason");
            for (std::string word; words >> word;) result.reasons_there_[word] = reasons;
            continue;
        }
        words >> second;
        std::vector<std::string> where;
        for (std::string word; words >> word;) {
            const auto group = groups.find(word);
            if (group == groups.end())
                where.push_back(word);
            else
                where.insert(where.end(), group->second.begin(), group->second.end());
        }
        if (second == "=") {
            if (where.empty()) broken("an empty group");
            groups[first] = where;
            continue;
        }
        const auto all = operations();
        const auto operation =
            std::find_if(all.begin(), all.end(), [&](gp_operation one) { return name_of(one) == first; });
        if (operation == all.end()) broken("no operation \"" + first + "\"");
        if (second.empty()) broken("no algorithm");
        if (where.empty()) broken("no implementation; \"nowhere\" says so");
        if (result.lists(*operation, second)) broken(second + " has a line");
        Row row{*operation, second, {}, {}, reasons};
        for (const std::string &one : where) {
            const std::string prefix = "not:";
            if (one.starts_with(prefix))
                row.broken.push_back(one.substr(prefix.size()));
            else if (one != "nowhere")
                row.implementations.push_back(one);
        }
        result.rows_.push_back(row);
    }
    return result;
}

bool Manifest::lists(gp_operation operation, const std::string &algorithm) const {
    return std::any_of(rows_.begin(), rows_.end(),
                       [&](const Row &row) { return row.operation == operation && row.algorithm == algorithm; });
}

bool Manifest::runs(gp_operation operation, const std::string &algorithm, const std::string &implementation) const {
    return std::any_of(rows_.begin(), rows_.end(), [&](const Row &row) {
        return row.operation == operation && row.algorithm == algorithm && holds(row.implementations, implementation);
    });
}

bool Manifest::is_broken(gp_operation operation, const std::string &algorithm,
                         const std::string &implementation) const {
    return std::any_of(rows_.begin(), rows_.end(), [&](const Row &row) {
        return row.operation == operation && row.algorithm == algorithm && holds(row.broken, implementation);
    });
}

std::string Manifest::objection(gp_operation operation, const std::string &algorithm, const std::string &implementation,
                                const std::string &message) const {
    if (!lists(operation, algorithm)) return name_of(operation) + " " + algorithm + " is missing in tests/ops/manifest";
    for (const Row &row : rows_) {
        if (row.operation != operation || row.algorithm != algorithm || !holds(row.implementations, implementation))
            continue;
        const auto there = reasons_there_.find(implementation);
        if (!has_reason(row.reasons, message) && (there == reasons_there_.end() || !has_reason(there->second, message)))
            return name_of(operation) + " " + algorithm + " must run on " + implementation +
                   ", says tests/ops/manifest, but: " + message;
    }
    return "";
}

const Manifest &manifest() {
    static const Manifest all = [] {
        std::ifstream file(GPCL_TEST_MANIFEST);
        std::stringstream text;
        text << file.rdbuf();
        if (!file || text.str().empty()) throw std::runtime_error("can't read " GPCL_TEST_MANIFEST);
        return Manifest::parse(text.str());
    }();
    return all;
}

const std::string &implementation() {
    static const std::string name = [] {
        const char *given = std::getenv("GPCL_TEST_IMPLEMENTATION");
        return given != nullptr ? std::string(given) : implementation_without_script();
    }();
    return name;
}

std::vector<gp_operation> operations() {
    std::vector<gp_operation> result;
    for (gp_operation code = 1; name_of(code) != "unknown"; ++code) result.push_back(code);
    return result;
}

std::string name_of(gp_operation operation) { return gp_operation_name(operation); }

bool refused(const Manifest &manifest, const std::string &implementation, gp_operation operation, const char *algorithm,
             gp_status status) {
    if (algorithm == nullptr || status != GP_ERROR_ALGORITHM_REFUSED) return false;
    const std::string objection = manifest.objection(operation, algorithm, implementation, gp_error_message());
    EXPECT_EQ("", objection);
    return true;
}

bool refused(gp_operation operation, const char *algorithm, gp_status status) {
    return refused(manifest(), implementation(), operation, algorithm, status);
}

} // namespace test

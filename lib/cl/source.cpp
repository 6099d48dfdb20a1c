// Puts a program's source together from the embedded kernel files.
// SPDX-License-Identifier: MIT
#include "cl/source.h"

#include "core/error.h"

#include <set>

namespace gpcl::cl {
namespace {

std::string_view find(std::string_view path) {
    for (const EmbeddedSource *source = kEmbeddedSources; source->path != nullptr; ++source) {
        if (path == source->path) return {reinterpret_cast<const char *>(source->text), source->bytes};
    }
    fail(GP_ERROR_INTERNAL, "no embedded kernel file ", std::string(path));
}

// Appends a file, each included file once and in the place of its first #include.
void append(std::string &result, std::string_view path, std::set<std::string, std::less<>> &seen) {
    if (!seen.emplace(path).second) return;
    std::string_view rest = find(path);
    result += text("#line 1 \"kernels/", path, "\"\n");
    for (size_t line = 1; !rest.empty(); ++line) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view one = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        constexpr std::string_view kInclude = "#include \"";
        if (one.substr(0, kInclude.size()) == kInclude) {
            append(result, one.substr(kInclude.size(), one.rfind('"') - kInclude.size()), seen);
            result += text("#line ", line + 1, " \"kernels/", path, "\"\n");
        } else {
            result += one;
            result += '\n';
        }
    }
}

} // namespace

std::string assemble_source(std::string_view path, std::string_view preamble, std::string_view preamble_name) {
    std::string result;
    if (!preamble.empty()) result = text("#line 1 \"", preamble_name, "\"\n", preamble, "\n");
    std::set<std::string, std::less<>> seen;
    append(result, path, seen);
    return result;
}

std::string without_unrolling(std::string source) {
    constexpr std::string_view kLine = "#pragma unroll", kOperator = "_Pragma(\"unroll";
    const auto erase = [&source](std::string_view begin, char end, size_t behind) {
        for (size_t at = 0; (at = source.find(begin, at)) != std::string::npos;) {
            const size_t to = std::min(source.find(end, at), source.size());
            std::fill(source.begin() + at, source.begin() + std::min(to + behind, source.size()), ' ');
        }
    };
    erase(kLine, '\n', 0);
    erase(kOperator, ')', 1);
    return source;
}

} // namespace gpcl::cl

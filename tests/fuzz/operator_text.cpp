// Operator texts of the caller's on an OpenCL device: a text builds and runs, or there is a build
// log. Texts have no loops and no directives, since those may run for ever and read any file.
// SPDX-License-Identifier: MIT
#include "fuzz.h"

#include <gpcl/gpcl.h>

namespace {

// Texts are made of these, and of single bytes.
constexpr const char *kWords[] = {
    "a",  "b",    "+",     "-",      "*",      "/",     "(",       ")",       "?",       ":",           "0",
    "1",  "0x7f", "1.0f",  "max",    "min",    ",",     "T",       "int",     "{",       "}",           ";",
    "<<", "&&",   "|",     "!",      "~",      "(T)",   "as_int",  "\"",      "'",       "/*",          "*/",
    "//", "\\",   "\n",    "return", "struct", "local", "global",  "kernel",  "sizeof",  "convert_int", " ",
    "=",  "0x",   "1e999", "a[",     "]",      "->",    "__asm__", "barrier", "helper(", "float4"};

std::string text(fuzz::Input &input) {
    std::string result;
    for (size_t left = input.below(24); left > 0; --left) {
        const size_t word = input.below(2 * std::size(kWords));
        const char byte = word < std::size(kWords) ? ' ' : input.take<char>();
        result += word < std::size(kWords) ? kWords[word] : std::string(1, byte == '#' || byte == '%' ? ' ' : byte);
    }
    return result.c_str(); // up to a zero
}

gp_context *device() {
    gp_context *context = nullptr;
    fuzz::require(gp_open("Portable Computing Language", &context) == GP_SUCCESS, gp_error_message());
    return context;
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static gp_context *const context = device();
    fuzz::Input input(bytes, size);
    const std::string source = text(input), identity = text(input), helpers = text(input);
    gp_reduce_options options = GP_REDUCE_OPTIONS_INIT;
    options.operator_source = source.c_str();
    options.operator_identity = identity.c_str();
    options.operator_helpers = helpers.empty() ? nullptr : helpers.c_str();
    const int32_t in[] = {1, 2, 3};
    int32_t out = 0;
    const gp_status status = gp_reduce(context, GP_INT32, std::size(in), in, &out, &options);
    fuzz::require(status == GP_SUCCESS || status == GP_ERROR_BUILD || status == GP_ERROR_OPERATOR,
                  std::string(gp_status_name(status)) + ": " + gp_error_message());
    fuzz::require((status == GP_ERROR_BUILD) == (*gp_error_build_log() != '\0'), "what does not build has a log");
    gp_trim(context);
    return 0;
}
